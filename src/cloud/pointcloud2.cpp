// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/clouds.hpp>

#include "cloud/cloud_message.hpp"
#include "message/message.hpp"
#include "text/whole_file.hpp"

namespace fathom {

void write_pointcloud2(const std::filesystem::path& file, const Frame& frame, std::string_view frame_id,
                       const CloudOptions& options) {
  const PackedCloud cloud = pack_cloud(frame, options);
  if (cloud.bytes().size() > 0xffffffffULL) {
    throw InputError(fmt::format("{}: {} bytes of points, the limit of a PointCloud2 message is 4294967295",
                                 file.string(), cloud.bytes().size()));
  }
  write_whole_file(file, write_message(cloud_message(cloud, frame.stamp_s(), frame_id)));
}

}  // namespace fathom
