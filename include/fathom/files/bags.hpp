// SPDX-License-Identifier: MIT
#pragma once
// Bags of ROS 2: recordings of messages by topic (docs/bags.md).

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>

namespace fathom {

/// A topic of a bag, over all its messages.
struct BagTopicInfo {
  std::string name;       ///< "/scan"
  std::string type;       ///< "sensor_msgs/msg/LaserScan"
  std::string encoding;   ///< of its messages: "cdr"
  bool is_known = false;  ///< whether fathom reads messages of this type and encoding
  std::uint64_t messages = 0;
  double first_s = 0.0, last_s = 0.0;    ///< times of recording, since 1970 or since a simulation began
  std::vector<std::string> frames = {};  ///< the frame_ids, by first message, at most 100
  std::uint64_t damaged = 0;             ///< messages whose bytes do not fit their type
  std::string damage = {};               ///< file and fault of the first of them

  /// Messages per second; 0 for fewer than two.
  [[nodiscard]] double rate_hz() const {
    return last_s > first_s ? static_cast<double>(messages - 1) / (last_s - first_s) : 0.0;
  }
};

struct BagInfo {
  std::string format;                ///< "MCAP" or "sqlite3"
  std::vector<BagTopicInfo> topics;  ///< by name, including topics without messages
  std::uint64_t messages = 0;
  double first_s = 0.0, last_s = 0.0;
  std::string tear = {};      ///< a sentence about a file that ends too early; empty if whole
  std::uint64_t damaged = 0;  ///< chunks and records that were skipped
  std::string damage = {};    ///< place and fault of the first
};

/// Reads a whole bag: an MCAP file, a .db3 of rosbag2 (sqlite3), or a folder of rosbag2. Throws InputError naming the
/// file if it is no bag, too large or damaged everywhere, and SystemError.
FATHOM_API BagInfo read_bag_info(const std::filesystem::path& bag);

}  // namespace fathom
