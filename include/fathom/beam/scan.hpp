// SPDX-License-Identifier: MIT
#pragma once
// Expected ranges, scans with poses from files or from memory, and the pairs (reading, expected range) made from them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>
#include <fathom/base/geometry.hpp>
#include <fathom/beam/model.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

// The expected range z*: what a map or a scene says a ray should measure. One interface for both, so that scoring and
// learning work with either.

/// The sensor's pose in the world for a planar pose: at height `z_m`, upright.
FATHOM_API Pose pose_from_planar(const PlanarPose& pose, double z_m = 0.0);

/// Directions of the rays of one scan, in the sensor frame; unit vectors. Arrays [rays].
struct RayFan {
  std::vector<float> x, y, z;
  [[nodiscard]] std::size_t size() const { return x.size(); }
};

/// Rays in the sensor's x-y plane at these azimuths.
FATHOM_API RayFan planar_fan(std::span<const double> azimuth_rad);
/// Every `step`-th ray, the first one always. Throws InputError for step 0.
FATHOM_API RayFan subsample(const RayFan& fan, std::size_t step);

class FATHOM_API ExpectedRanges {
 public:
  virtual ~ExpectedRanges() = default;

  /// Writes range_m [poses, rays], row-major: the distance along each ray to the first surface, at most
  /// max_range_m. May be called from several threads at once; allocates nothing. Sizes must agree and poses be
  /// finite; callers in this library check both.
  virtual void cast(std::span<const Pose> world_from_sensor, const RayFan& rays, double max_range_m,
                    std::span<float> range_m) const = 0;

  /// Ranges below this are not resolved (half a cell of a grid); z* is raised to it.
  [[nodiscard]] virtual double floor_m() const = 0;

  /// The size of the cells that ranges come from: no surface is known more exactly. 0: there are no cells.
  [[nodiscard]] virtual double cell_m() const { return 0.0; }
};

// Scans.

/// Lines of one kind in a log.
struct SkippedLines {
  std::string name;  ///< as the log has it: "RLASER"
  std::size_t lines = 0;
};

/// Where the sensor of a scan was when it measured a ray, seen from where it was at the first one.
struct RayOffset {
  float x_m = 0.0F, y_m = 0.0F, yaw_rad = 0.0F;
};

/// Scans of one sensor at its own `pose` in the map. Where its rays are not at azimuth_rad, ray_offset turns them.
struct ScanLog {
  static constexpr std::uint32_t kMostRays = 100'000;  ///< of a scan in CARMEN text

  std::vector<double> azimuth_rad;    ///< [rays], in the sensor frame
  std::vector<PlanarPose> pose;       ///< [scans]
  std::vector<float> range_m;         ///< [scans, rays], as the file has them; -inf: a ray that the scan lacks
  std::vector<RayOffset> ray_offset;  ///< [scans, rays], of a sensor that moved within scans; empty: it stood still
  bool has_own_rays = false;          ///< ray_offset also turns azimuth_rad to the rays of each scan, which differ
  double max_range_m = 0.0;           ///< how far the sensor measures; 0: the log does not say
  std::string laser;                  ///< whose readings these are, in logs with several: "FLASER"; empty: not known
  std::vector<SkippedLines> skipped;  ///< readings of other lasers that were passed over, in the order of the log
  std::vector<std::string> notes;     ///< other parts that were not read, a sentence each
  std::string name;  ///< its name in messages and reports: the file it was read from; empty: made in memory
  [[nodiscard]] std::size_t rays() const { return azimuth_rad.size(); }
  [[nodiscard]] std::size_t scans() const { return pose.size(); }
  [[nodiscard]] std::span<const float> scan(std::size_t i) const { return {range_m.data() + i * rays(), rays()}; }
  /// Of scan i; empty where the sensor stood still.
  [[nodiscard]] std::span<const RayOffset> offsets(std::size_t i) const {
    return ray_offset.empty() ? std::span<const RayOffset>() : std::span(ray_offset).subspan(i * rays(), rays());
  }
};

/// Throws InputError when there are no scans or rays, sizes disagree, or a pose, azimuth or offset is not finite.
FATHOM_API void validate(const ScanLog& log);

/// What a log in text does not say.
struct ScanLogOptions {
  /// Which laser of a log of CARMEN: FLASER, RLASER, LASERn, RAWLASERn or ROBOTLASERn. Empty: FLASER where there is
  /// one; else the only one whose lines have poses, or the only one.
  std::string laser;
  std::optional<double> ray_angle_deg =
      {};                                ///< between rays of FLASER, RLASER and LASERn; nothing: known for some numbers
  double ray_time_s = 0.0;               ///< from a ray to the next one; 0: the sensor stood still during a scan
  std::optional<PlanarPose> mount = {};  ///< of RAWLASERn and LASERn: pose of the laser on the robot; nothing: 0
};

/// Throws InputError for an angle that is not in (0, 360] degrees, a time that is not in [0, 1] s, and a mount that is
/// not finite. (That the rays of a log span more than a turn is found when it is read.)
FATHOM_API void validate(const ScanLogOptions& options);

/// Reads a log, plain or gzip, by what it holds:
///  - CARMEN text (http://carmen.sourceforge.net/logger_playback.html), whose lines end with `time host time`:
///      FLASER n r1..rn x y theta odom_x odom_y odom_theta, and RLASER
///      ROBOTLASER1 type start_angle fov angular_resolution maximum_range accuracy remission_mode n r1..rn m e1..em
///        laser_x laser_y laser_theta robot_x robot_y robot_theta tv rv forward_dist side_dist turn_axis
///      RAWLASER1 as ROBOTLASER1 without what comes behind the remissions e; LASER3 as FLASER without poses.
///    Lines of one laser are read, lines of other lasers counted in `skipped`, and the rest is passed over. The pose is
///    the laser's: x y theta, or laser_x and so on. Of RAWLASERn and LASERn it is the robot's, interpolated at the time
///    of the line between lines `ODOM x y theta tv rv accel`, with options.mount. Ray i points at start_angle + i
///    angular_resolution, and of FLASER the middle one ahead, or of an even number the one behind the middle; the angle
///    between them is 1 deg for n = 180 and 181, 0.5 deg for n = 360 and 361, and for others what the options say. The
///    maximum range of FLASER is taken as 80 m, that of the lasers which such logs come from.
///  - CSV: `#` comments; a header `x_m,y_m,yaw_rad,range_m@A0,range_m@A1,...`, A the ray's azimuth in rad; one scan a
///    line. A column `stamp_s` is allowed. `inf` and `nan` are readings. A comment `# max_range_m: Z` before the header
///    says how far the sensor measures.
/// With options.ray_time_s, the time of a line, or stamp_s, is that of the first ray. Where the laser was at each ray
/// (`ray_offset`) is interpolated between the poses of scans, or of ODOM. Scans that are not within the times of poses
/// are left out, and a note counts them.
/// A byte order mark is passed over. A line has at most 16 MiB, a gzip file inflates to at most 4 GiB and, above 256
/// MiB, to at most 200 times its size. Throws InputError naming file and line when a line is cut short or not
/// understood, the last one has no line end (it may be half a line; of CARMEN, only where it is or may become a line
/// that is read), or scans differ in their maximum range; naming the lasers where one has to be chosen; and
/// SystemError when there is no memory for the log.
FATHOM_API ScanLog read_scan_log(const std::filesystem::path& file, const ScanLogOptions& options = {});
/// Writes the CSV form, which has no place for `ray_offset`; the file appears whole or not at all. Simulated logs are
/// of this form (docs/beam-model.md).
FATHOM_API void write_scan_csv(const std::filesystem::path& file, const ScanLog& log);

/// The largest finite reading, if it lies below `max_range_m` and more than 0.3 % of all readings, ten at least, equal
/// it within 0.1 %, and others do not; or a reading before it that at most 0.1 % of all and 2 % of its like exceed;
/// else 0. Such a reading is probably this sensor's way to say "no return", and the maximum range should then be set
/// below it. Within 2 % of `max_range_m` hits pile up, too, where the map expects nothing: there they must equal it to
/// the bit, and be more than all others of the last 2 %.
FATHOM_API double suspected_no_return_m(const ScanLog& log, double max_range_m);

/// Indices of the scans that `text` selects: "all", "odd", "even" or "start:stop:step" (each part may be left out; stop
/// excluded), counted from 0. Throws InputError when it is not understood or selects nothing.
FATHOM_API std::vector<std::uint32_t> select_scans(std::string_view text, std::size_t scans);

/// Pairs to learn from. All arrays [pairs].
struct BeamData {
  std::vector<float> reading_m;
  std::vector<float> expected_m;    ///< z*; Z where the map says nothing
  std::vector<std::uint32_t> scan;  ///< which scan a pair belongs to; not decreasing
  double cell_m = 0.0;              ///< of the world that expected_m is from (ExpectedRanges::cell_m); 0: not known
};

/// CSV with the columns `range_m,expected_m`, or `reading_m` instead of the first as readings_csv() has it, and, if
/// errors shall be clustered, `scan` (whole numbers, not decreasing; without it every pair is a separate scan).
/// Throws InputError naming file and line.
FATHOM_API BeamData read_beam_pairs(const std::filesystem::path& file);

/// Casts every ray of the chosen scans. Throws InputError for an empty selection, an index out of range or an invalid
/// `compute`.
FATHOM_API BeamData make_beam_data(const ScanLog& log, std::span<const std::uint32_t> scans,
                                   const ExpectedRanges& expected, double max_range_m, const Compute& compute = {});

}  // namespace fathom
