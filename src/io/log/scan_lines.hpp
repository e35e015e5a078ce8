// SPDX-License-Identifier: MIT
#pragma once
// Scans in text: the lines of logs, and where the laser was.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/files/scan_log.hpp>
#include <fathom/scene/grid_map.hpp>

#include "core/text/text_lines.hpp"

namespace fathom {

/// A turn, rounded up: a larger azimuth has another unit.
inline constexpr double kMostAzimuthRad = 6.3;

/// The laser's pose over time. Poses between two times are interpolated. Before the first time and after the last the
/// pose is unknown.
class PoseTrack {
 public:
  /// `mount`: the laser's pose in the frame whose poses are added.
  explicit PoseTrack(const PlanarPose& mount = {}) : mount_(mount) {}

  /// Adds a pose; times may come in any order, and the last of several poses at one time counts. Call sort() after all.
  void add(double time_s, const PlanarPose& pose) { knots_.push_back({time_s, pose}); }
  void sort();

  /// Sets `pose` to the laser's pose. Returns false if it is unknown at this time.
  [[nodiscard]] bool at(double time_s, PlanarPose& pose) const;

  /// Sets the pose at the first of `rays` rays and the offsets of all rays from it. Returns false if the pose is
  /// unknown at one of their times.
  [[nodiscard]] bool place(double time_s, double ray_time_s, std::size_t rays, PlanarPose& first,
                           std::vector<ScanLog::RayOffset>& offsets) const;

 private:
  struct Knot {
    double time_s;
    PlanarPose pose;
  };
  PlanarPose mount_;
  std::vector<Knot> knots_;
};

/// Adds scans to a log at the poses of a track or of their lines.
class ScanPlacer {
 public:
  /// `track`: null to use the poses in the lines.
  ScanPlacer(const PoseTrack* track, double ray_time_s) : track_(track), ray_time_s_(ray_time_s) {}

  /// Finds the pose of the next scan. Returns false, and counts the scan, if it is unknown. `line_pose`: in the line.
  bool place(double time_s, std::size_t rays, const PlanarPose& line_pose);
  void append_to(ScanLog& log) const;
  void finish(ScanLog& log) const;

 private:
  const PoseTrack* track_;
  double ray_time_s_;
  PlanarPose pose_;
  std::vector<ScanLog::RayOffset> offsets_;
  std::size_t left_out_ = 0;
};

inline bool is_zero(const ScanLog::RayOffset& offset) {
  return offset.x_m == 0.0F && offset.y_m == 0.0F && offset.yaw_rad == 0.0F;
}

/// Throws InputError if padding all scans to `most` rays, the largest number, would fill memory.
void check_own_rays(std::size_t most, std::uint64_t scans, std::uint64_t readings);

/// Throws InputError naming the log if its scans differ in their rays. `why`: the reason to need the same rays.
void refuse_own_rays(const ScanLog& log, std::string_view why);

/// Pads the last scan of a log whose scans differ in their rays, and adds its directions to the offsets. The readings,
/// and the offsets if the sensor moved, are already in the log. `azimuth_rad`: of the scan's rays.
void give_own_rays(std::span<const double> azimuth_rad, ScanLog& log);

/// Reads the lines of a log in order.
class ScanLines {
 public:
  ScanLines() = default;
  ScanLines(const ScanLines&) = delete;
  ScanLines& operator=(const ScanLines&) = delete;
  virtual ~ScanLines() = default;

  /// Appends the scan of a line, if any, to `log`, unless its pose is unknown.
  virtual void take(const LogLine& line, std::string_view content, ScanLog& log) = 0;
  /// Adds the pose of a line, if any, to the track. Call it for all lines in order, instead of take().
  virtual void follow(const LogLine& line, std::string_view content, PoseTrack& track) = 0;
  /// Whether a last line without a line end may be half of a line that this reader understands.
  [[nodiscard]] virtual bool may_be_cut(std::string_view content) const = 0;
  /// Adds notes on skipped lines and scans to `log`.
  virtual void finish(ScanLog& log) const = 0;
};

/// Chooses the laser of a log of CARMEN. Throws InputError if the options have to name it.
std::string choose_carmen_laser(const std::filesystem::path& file, const ScanLogOptions& options);
/// Whether the laser's lines lack poses.
bool is_raw_carmen_laser(std::string_view laser);
/// Whether the laser's lines lack the directions of rays.
bool is_old_carmen_laser(std::string_view laser);

/// The rays of a laser of CARMEN, from the first scan with the most rays.
struct CarmenRays {
  std::size_t rays = 0;
  double start_rad = 0.0, step_rad = 0.0;
  bool vary = false;  ///< whether another scan has other rays
};
/// Reads the rays of all scans of a laser. Skips lines that it does not understand.
CarmenRays carmen_rays(const std::filesystem::path& file, const std::string& laser);

/// `track`: places the scans, and must outlive the result; null to use the poses in the lines.
std::unique_ptr<ScanLines> make_carmen_lines(const std::string& laser, const ScanLogOptions& options,
                                             const CarmenRays& rays, const PoseTrack* track);
std::unique_ptr<ScanLines> make_csv_lines(const ScanLogOptions& options, const PoseTrack* track);

/// Whether the first line that is neither blank nor a comment begins a log in CSV.
bool begins_csv_log(std::string_view content);

/// Whether FLASER lines of CARMEN hold all of a log but its name: 180, 181, 360 or 361 rays at the usual angles, a
/// maximum range of 80 m, and no motion within scans.
bool fits_carmen(const ScanLog& log);

/// FLASER lines, which read_scan_log() reads back to the same bits. `odometry` [scans]: poses for odom_x and so on. The
/// time is the number of the scan, and the host "fathom". Throws InputError for an invalid log, one that does not fit,
/// and sizes that disagree.
std::string carmen_text(const ScanLog& log, std::span<const PlanarPose> odometry);

// The lines of a scan log in CSV (fathom/files/scan_log.hpp), for files that grow scan by scan.

/// `max_range_m`: 0 if unknown.
std::string scan_csv_header(std::span<const double> azimuth_rad, double max_range_m, bool stamped);

/// `stamp_s`: null if the header is not `stamped`.
std::string scan_csv_line(const double* stamp_s, const PlanarPose& pose, std::span<const float> range_m);

}  // namespace fathom
