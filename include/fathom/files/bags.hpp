// SPDX-License-Identifier: MIT
#pragma once
// Bags of ROS 2: recordings of messages by topic. docs/bags.md says what is read of them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>

namespace fathom {

/// A topic of a bag, over all its messages.
struct BagTopicInfo {
  std::string name;       ///< "/scan"
  std::string type;       ///< "sensor_msgs/msg/LaserScan"
  std::string encoding;   ///< of its messages: "cdr"
  bool is_known = false;  ///< whether fathom reads messages of this type and encoding
  std::uint64_t messages = 0;
  double first_s = 0.0, last_s = 0.0;    ///< when they were recorded, since 1970 or since a simulation began
  std::vector<std::string> frames = {};  ///< their frame_id, in the order of their first message, at most 100
  std::uint64_t damaged = 0;             ///< messages whose bytes are not of their type
  std::string damage = {};               ///< the file of the first of these, and its fault

  /// Messages per second; 0 of fewer than two.
  [[nodiscard]] double rate_hz() const {
    return last_s > first_s ? static_cast<double>(messages - 1) / (last_s - first_s) : 0.0;
  }
};

struct BagInfo {
  std::string format;                ///< "MCAP" or "sqlite3"
  std::vector<BagTopicInfo> topics;  ///< by name; those without messages too
  std::uint64_t messages = 0;
  double first_s = 0.0, last_s = 0.0;
  std::string tear = {};      ///< where the file ends too early, a sentence; empty: it is whole
  std::uint64_t damaged = 0;  ///< chunks and records that were passed over
  std::string damage = {};    ///< where the first is, and what is wrong with it
};

/// Reads a bag to its end: an MCAP file, a .db3 of rosbag2 (sqlite3), or a folder of rosbag2 that holds such. Throws
/// InputError naming the file for what is no bag, is too large or is damaged everywhere, SystemError.
FATHOM_API BagInfo read_bag_info(const std::filesystem::path& bag);

}  // namespace fathom
