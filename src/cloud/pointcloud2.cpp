// SPDX-License-Identifier: MIT
#include <fathom/files/clouds.hpp>

#include "base/with_prefix.hpp"
#include "cloud/cloud_message.hpp"
#include "message/message.hpp"
#include "text/whole_file.hpp"

namespace fathom {

void write_pointcloud2(const std::filesystem::path& file, const Frame& frame, std::string_view frame_id,
                       const CloudOptions& options) {
  const CloudMessage cloud = with_prefix(file.string(), [&] { return cloud_message(frame, frame_id, options); });
  write_whole_file(file, write_message(cloud.message));
}

}  // namespace fathom
