// SPDX-License-Identifier: MIT
#pragma once
// Files of logs and tables: bags of ROS 2, CARMEN text, which many programs for maps and positions read, and small CSV
// files, with a header line that names the columns, # comments, one row a line. Readers throw InputError naming file
// and line.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/scene/grid_map.hpp>

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

/// Whether CARMEN's FLASER lines say all of a log but its name: 180, 181, 360 or 361 rays at the angles that
/// read_scan_log() takes such lines to have, a maximum range of 80 m, and no motion within scans.
FATHOM_API bool fits_carmen(const ScanLog& log);

/// Lines `FLASER n r1..rn x y theta odom_x odom_y odom_theta time host time`, which read_scan_log() reads back to the
/// same bits. `odometry` [scans]: poses for odom_x and so on; the time is the number of the scan and the host "fathom".
/// Throws InputError for an invalid log, one that does not fit, and sizes that disagree.
FATHOM_API std::string carmen_text(const ScanLog& log, std::span<const PlanarPose> odometry);

/// Poses of a sensor: columns x_m, y_m, yaw_rad, and stamp_s, which is passed over.
FATHOM_API std::vector<PlanarPose> read_poses_csv(const std::filesystem::path& file);

/// Expected ranges: column expected_m (inf: the map says nothing), and scan (whole numbers, not decreasing), 0 without
/// that column. Arrays [rows].
struct ExpectedTable {
  std::vector<float> expected_m;
  std::vector<std::uint32_t> scan;
};
FATHOM_API ExpectedTable read_expected_csv(const std::filesystem::path& file);

/// Columns scan, expected_m, reading_m; all [rows].
FATHOM_API std::string readings_csv(const ExpectedTable& expected, std::span<const float> reading_m);

/// The text that write_scan_csv writes.
FATHOM_API std::string scan_csv(const ScanLog& log);

/// The score of one scan.
struct ScanScore {
  std::uint32_t scan = 0;  ///< its number in the log
  PlanarPose pose;
  std::size_t rays = 0;  ///< that carry evidence
  double log_likelihood = 0.0;
};
/// Columns scan, x_m, y_m, yaw_rad, rays, log_likelihood.
FATHOM_API std::string scores_csv(std::span<const ScanScore> scores);

/// One reading under the model. What needs evidence is NaN where the reading carries none.
struct BeamScore {
  std::uint32_t scan = 0, ray = 0;
  double azimuth_rad = 0.0;
  float reading_m = 0.0F, expected_m = 0.0F;  ///< expected_m: as the world says, Z where it says nothing
  double log_density = 0.0;                   ///< per metre below Z, of a probability at Z
  /// What the reading is, by the model: probabilities that sum to 1, NaN where its density is 0.
  double hit = 0.0, shorts = 0.0, max = 0.0, rand = 0.0;
};
/// Columns scan, ray, azimuth_rad, reading_m, expected_m, log_density, p_hit, p_short, p_max, p_rand.
FATHOM_API std::string beam_scores_csv(std::span<const BeamScore> scores);

/// A file of this text, which appears whole or not at all. Throws SystemError.
FATHOM_API void write_text_file(const std::filesystem::path& file, std::string_view text);

}  // namespace fathom
