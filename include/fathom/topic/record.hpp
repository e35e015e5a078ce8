// SPDX-License-Identifier: MIT
#pragma once
// Topics of ROS 2 into a bag: what `fathom record` does, as a call.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/topic/domain.hpp>

namespace fathom {

/// A topic that was recorded.
struct RecordedTopic {
  std::string name;  ///< "/scan"
  std::string type;  ///< "sensor_msgs/msg/LaserScan"
  std::uint64_t messages = 0, bytes = 0;
};

struct RecordResult {
  std::vector<RecordedTopic> topics;  ///< in the order in which they were found
  std::uint64_t messages = 0, bytes = 0;
  std::vector<std::string>
      warnings;  ///< topics that were asked for and not found, or are of a type that fathom knows not
};

struct RecordOptions {
  TopicDomain domain = {};
  std::vector<std::string> topics = {};                  ///< "/scan"; empty: every topic of a type that fathom knows
  std::filesystem::path bag;                             ///< MCAP; appears whole when recording ends
  bool force = false;                                    ///< replace a file of this name
  std::optional<double> seconds;                         ///< to record for, s
  std::optional<std::uint64_t> messages;                 ///< to record
  std::function<void(const RecordResult&)> on_progress;  ///< some times a second
  std::function<bool()> should_stop;                     ///< asked often; yes ends the recording, and the bag is whole
};

/// Subscribes to topics as they appear, with the reliability and durability that their publishers offer, and writes
/// each message with the time of its arrival. Ends when options say so, or never. Throws InputError (options, a bag
/// that is there, no DDS in this build), SystemError (disk, network).
FATHOM_API RecordResult record_topics(const RecordOptions& options);

}  // namespace fathom
