// SPDX-License-Identifier: MIT
#pragma once
// Where the messages of a bag lie that a live page can show: read once, without keeping them.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bag/read_bag.hpp"
#include "message/camera_info.hpp"
#include "message/tf_message.hpp"

namespace fathom {

struct BagEntry {
  std::uint64_t time_ns = 0;
  BagPlace place;
};

enum class ShownType : std::uint8_t { kCloud, kScan, kDepth };

/// A topic of clouds, scans or depth images.
struct ShownTopic {
  std::string topic;   ///< "/lidar/points"
  std::string sensor;  ///< "lidar"
  ShownType type = ShownType::kCloud;
  std::uint32_t rows = 0, cols = 0;  ///< of the first message
  std::string frame_id = {};
  std::vector<BagEntry> entries = {};  ///< by time
};

struct BagContents {
  std::vector<ShownTopic> topics;                  ///< by name
  std::vector<BagEntry> transforms;                ///< of /tf, by time
  msg::TFMessage fixed;                            ///< all of /tf_static, the newest of each frame
  std::map<std::string, msg::CameraInfo> cameras;  ///< by the frame of their images; the first of each
  std::uint64_t first_ns = 0, last_ns = 0;         ///< of what is shown
  std::string tear;                                ///< as read_bag() says it
};

/// Throws InputError naming the bag where nothing can be shown.
BagContents read_bag_contents(const std::filesystem::path& bag);

}  // namespace fathom
