// SPDX-License-Identifier: MIT
#pragma once
// Scans of a bag of ROS 2, with the poses that its transforms give them.

#include <filesystem>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/beam/scan.hpp>

namespace fathom {

struct BagLogOptions {
  std::string scan_topic;         ///< of sensor_msgs/msg/LaserScan; empty: the only one of the bag
  std::string map_frame = "map";  ///< in which the map of the world stands
};

/// The scans of a laser in a bag: an MCAP file, a .db3 of rosbag2, or a folder with such (docs/bags.md). Where the
/// laser was comes from /tf and /tf_static, at the time of each beam (the scan's stamp, and time_increment further for
/// every ray): `pose` is that of the first ray, and `ray_offset` the rest of the way, where there is any. A laser that
/// hangs upside down has its azimuths turned round. Readings nearer than range_min are NaN, those beyond range_max +inf
/// (REP 117), and range_max is how far it measures. Left out are damaged scans, scans of another frame, and scans whose
/// way to the map is not known at all their times; `notes` counts them and names the damage of the bag. Throws
/// InputError naming the bag: what read_bag_info() throws, no or several topics of scans, frames that nothing connects,
/// a laser tilted by more than 10 degrees, no scan that is left.
FATHOM_API ScanLog read_bag_log(const std::filesystem::path& bag, const BagLogOptions& options = {});

}  // namespace fathom
