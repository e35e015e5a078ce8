// SPDX-License-Identifier: MIT
#pragma once
// Files of logs and tables: bags of ROS 2, CARMEN text, and small CSV files with a header line, # comments and a row
// per line. Readers throw InputError naming file and line.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/files/scan_log.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

struct BagLogOptions {
  std::string scan_topic;         ///< of sensor_msgs/msg/LaserScan; empty: the only one of the bag
  std::string map_frame = "map";  ///< in which the map of the world stands
};

/// The scans of a laser in a bag (docs/bags.md): an MCAP file, a .db3 of rosbag2, or a folder of them. /tf and
/// /tf_static give the pose at the time of each ray. Readings below range_min are NaN, those beyond range_max +inf (REP
/// 117). Damaged scans, scans of another frame and scans without pose are left out; `notes` counts them and names the
/// damage of the bag. Throws InputError naming the bag: as read_bag_info(), and for no or several topics of scans,
/// unconnected frames, a laser tilted by more than 10 degrees, and no scan that is left.
FATHOM_API ScanLog read_bag_log(const std::filesystem::path& bag, const BagLogOptions& options = {});

/// Columns x_m, y_m, yaw_rad, and stamp_s, which is ignored.
FATHOM_API std::vector<PlanarPose> read_poses_csv(const std::filesystem::path& file);

/// Columns expected_m (inf: the map says nothing) and, optional, scan (whole numbers, not decreasing; else 0). [rows]
struct ExpectedTable {
  std::vector<float> expected_m;
  std::vector<std::uint32_t> scan;
};
FATHOM_API ExpectedTable read_expected_csv(const std::filesystem::path& file);

/// Columns scan, expected_m, reading_m; all [rows].
FATHOM_API std::string readings_csv(const ExpectedTable& expected, std::span<const float> reading_m);

/// The score of one scan.
struct ScanScore {
  std::uint32_t scan = 0;  ///< its number in the log
  PlanarPose pose;
  std::size_t rays = 0;  ///< that carry evidence
  double log_likelihood = 0.0;
};
/// Columns scan, x_m, y_m, yaw_rad, rays, log_likelihood.
FATHOM_API std::string scores_csv(std::span<const ScanScore> scores);

/// One reading under the model. Values that need evidence are NaN if the reading carries none.
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

struct BagInfo {
  /// A topic of a bag, over all its messages.
  struct Topic {
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

  std::string format;         ///< "MCAP" or "sqlite3"
  std::vector<Topic> topics;  ///< by name, including topics without messages
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
