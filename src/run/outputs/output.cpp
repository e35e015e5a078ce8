// SPDX-License-Identifier: MIT
// Clouds and depth images, and functions of all kinds of output.

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/simulate/output_kinds.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "io/cloud/cloud_message.hpp"
#include "io/message/cdr.hpp"
#include "run/outputs/frame_file.hpp"
#include "run/sensor_topics.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

template <class... Kinds>
std::vector<OutputInfo> all_kinds(const std::variant<Kinds...>* /*list*/) {
  return {detail::output_info<Kinds>()...};
}

}  // namespace

OutputFile::Log::~Log() = default;

std::string OutputFile::name(std::uint32_t frame) const {
  return is_log() ? fmt::format("{}.{}", stem, extension) : fmt::format("{}_{:06}.{}", stem, frame, extension);
}

std::string OutputFile::glob() const { return is_log() ? name(0) : stem + "_*." + extension; }

void detail::throw_mismatch(std::string_view slug, const OutputInfo::Mismatch& mismatch) {
  throw InputError(fmt::format("{}.{} {}", slug, mismatch.field, mismatch.what));
}

std::span<const OutputInfo> output_list() {
  static const std::vector<OutputInfo> kinds = all_kinds(static_cast<const RegisteredOutput*>(nullptr));
  return kinds;
}

OutputFile frame_file(std::string_view first_file, std::string_view variant) {
  constexpr std::string_view kFirst = "_000000.";
  const std::size_t number = first_file.find(kFirst);
  OutputFile file;
  file.stem = std::string(first_file.substr(0, number)).append(variant);
  file.extension = first_file.substr(number + kFirst.size());
  return file;
}

std::string return_variant(const Sensor& sensor, std::uint32_t number) {
  if (number >= sensor.returns.size()) {
    const std::size_t returns = sensor.returns.size();
    throw InputError(fmt::format("return_number = {} is not in [0, {}]: the sensor has {} of each ray", number,
                                 returns - 1, returns == 1 ? "one return" : fmt::format("{} returns", returns)));
  }
  return number == 0 ? std::string() : fmt::format("_return{}", number);
}

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
  file.bytes_at_most = [cloud](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * (kHeaderBytes + shape.elements() * point_bytes(cloud, shape.channels, shape.returns));
  };
  if constexpr (Format == CloudFormat::kPcd) {
    file.write = [cloud](const Path& path, const Frame& rays, const OutputFile::Context&) {
      write_pcd(path, rays, cloud);
    };
  } else if constexpr (Format == CloudFormat::kPly) {
    file.write = [cloud](const Path& path, const Frame& rays, const OutputFile::Context&) {
      write_ply(path, rays, cloud);
    };
  } else {
    const std::string frame_id = in_world ? "world" : sensor.name;
    file.write = [cloud, frame_id](const Path& path, const Frame& rays, const OutputFile::Context&) {
      write_pointcloud2(path, rays, frame_id, cloud);
    };
  }
  return {file};
}

template struct CloudOutput<CloudFormat::kPcd>;
template struct CloudOutput<CloudFormat::kPly>;
template struct CloudOutput<CloudFormat::kPointCloud2>;

std::vector<OutputFile> DepthImageOutput::files(const Sensor& sensor) const {
  constexpr double kFarthestM = 65.535;
  const double farthest_m = make_view(sensor.model).farthest_m;
  if (encoding == DepthEncoding::k16UC1 && !(farthest_m <= kFarthestM)) {
    throw InputError(fmt::format("an image 16UC1 ends at {} m, the sensor at {} m: choose the encoding 32FC1",
                                 number_text(kFarthestM), number_text(farthest_m)));
  }
  OutputFile file = frame_file(kFile, return_variant(sensor, return_number));
  const std::string optical = optical_frame(sensor.name);
  file.bytes_at_most = [](const OutputFile::Shape& shape, std::uint32_t frames) {
    return frames * (kHeaderBytes + shape.rays() * sizeof(float));
  };
  file.write = [*this, optical](const std::filesystem::path& path, const Frame& frame, const OutputFile::Context&) {
    with_return(frame, return_number, [&](const Frame& one) {
      write_whole_file(path, write_message(DepthImageMessage(one, optical, encoding).message()));
    });
  };
  return {file};
}

}  // namespace fathom
