// SPDX-License-Identifier: MIT
#pragma once
// Scans of a topic of ROS 2 as they come, with the poses that /tf and /tf_static give them.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/topic/domain.hpp>

namespace fathom {

struct LiveScanOptions {
  TopicDomain domain = {};
  std::string scan_topic;              ///< of sensor_msgs/msg/LaserScan; empty: the first that is found
  std::string map_frame = "map";       ///< in which the map of the world stands
  std::optional<double> seconds;       ///< to listen for, s
  std::optional<std::uint64_t> scans;  ///< to hand over
  std::function<bool()> should_stop;   ///< asked often; yes ends the call in order
};

struct LiveScanResult {
  std::uint64_t scans = 0;     ///< that were handed over
  std::uint64_t left_out = 0;  ///< that could not be placed, not even a second after they had come, or came too fast
  std::string reason;          ///< of the last that was left out; empty: none was
};

/// Hands over each scan as a log of one scan, made as read_bag_log() makes them, as soon as transforms reach its last
/// beam. Transforms of the last ten seconds are kept. A scan that is not sound, or cannot be placed, is left out:
/// what comes from a network ends nothing. Throws InputError (options, no DDS in this build), SystemError (network),
/// and what `on_scan` throws.
FATHOM_API LiveScanResult follow_scans(const LiveScanOptions& options,
                                       const std::function<void(const ScanLog&)>& on_scan);

}  // namespace fathom
