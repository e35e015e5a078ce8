// SPDX-License-Identifier: MIT
#include <fathom/outputs/clouds.hpp>

#include "cloud/cloud_message.hpp"
#include "simulate/outputs/frame_file.hpp"

namespace fathom {

template <CloudFormat Format>
ChannelSet CloudOutput<Format>::needs(const Sensor& /*sensor*/) const {
  return cloud_channels(options());
}

template <CloudFormat Format>
std::vector<OutputFile> CloudOutput<Format>::files(const Sensor& sensor) const {
  using Path = std::filesystem::path;
  const CloudOptions cloud = options();
  const bool in_world = frame == CloudFrame::kWorld;
  OutputFile file = frame_file(kFile, in_world ? "_world" : "");
  file.bytes_at_most = [cloud](const FrameShape& shape, std::uint32_t frames) {
    return frames * (kHeaderBytes + shape.elements() * point_bytes(cloud, shape.channels, shape.returns));
  };
  if constexpr (Format == CloudFormat::kPcd) {
    file.write = [cloud](const Path& path, const Frame& rays, const FrameContext&) { write_pcd(path, rays, cloud); };
  } else if constexpr (Format == CloudFormat::kPly) {
    file.write = [cloud](const Path& path, const Frame& rays, const FrameContext&) { write_ply(path, rays, cloud); };
  } else {
    const std::string frame_id = in_world ? "world" : sensor.name;
    file.write = [cloud, frame_id](const Path& path, const Frame& rays, const FrameContext&) {
      write_pointcloud2(path, rays, frame_id, cloud);
    };
  }
  return {file};
}

template struct CloudOutput<CloudFormat::kPcd>;
template struct CloudOutput<CloudFormat::kPly>;
template struct CloudOutput<CloudFormat::kPointCloud2>;

}  // namespace fathom
