// SPDX-License-Identifier: MIT
#pragma once
// Scans of logs.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include <fathom/fit/fit.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// How many of every `step`-th reading, from the first on, carry evidence.
std::size_t rays_with_evidence(std::span<const float> reading_m, const BeamSensor& sensor, std::size_t step);

// Parts of logs.

using ScanNumbers = std::vector<std::uint32_t>;

/// The numbers of all scans of a log.
inline ScanNumbers all_scans(const ScanLog& log) {
  ScanNumbers all(log.scans());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// Some scans, with every ray_step-th ray k for which keep(k) is true; without `keep` with all of these.
ScanLog part_of(const ScanLog& log, std::span<const std::uint32_t> scans, std::size_t ray_step = 1,
                const std::function<bool(std::size_t)>& keep = {});

/// Where a ray of a scan starts, and where it points, in the frame of the pose of the scan.
inline PlanarPose ray_of(const ScanLog& log, std::uint32_t scan, std::size_t ray) {
  const ScanLog::RayOffset o = log.ray_offset.empty() ? ScanLog::RayOffset{} : log.offsets(scan)[ray];
  return {o.x_m, o.y_m, log.azimuth_rad[ray] + o.yaw_rad};
}

/// pose * d: a pose in the frame of another one.
inline PlanarPose moved_by(const PlanarPose& pose, const PlanarPose& d) {
  const double cos = std::cos(pose.yaw_rad), sin = std::sin(pose.yaw_rad);
  return {pose.x_m + cos * d.x_m - sin * d.y_m, pose.y_m + sin * d.x_m + cos * d.y_m, pose.yaw_rad + d.yaw_rad};
}

/// [readings] Their scans, counted from 0. `scan`: the number of the scan of each.
inline ScanNumbers counted_scans(std::span<const std::uint32_t> scan) {
  ScanNumbers counted(scan.size());
  for (std::size_t i = 1; i < scan.size(); ++i) counted[i] = counted[i - 1] + (scan[i] != scan[i - 1] ? 1 : 0);
  return counted;
}

// Expected ranges of scans that were made on the way: each ray from where the sensor was when it measured it.

class MovingRanges final : public ExpectedRanges {
 public:
  /// Of fans with every `step`-th ray of a scan. `of` must outlive it.
  MovingRanges(const ExpectedRanges& of, std::size_t step);
  /// Takes the offsets of a scan, [rays], from now on; empty: its sensor stood still. They must outlive the casts.
  void follow(std::span<const ScanLog::RayOffset> offsets) { offsets_ = offsets; }

  /// `world_from_sensor`: where the sensor was at the first ray.
  void cast(std::span<const Pose> world_from_sensor, const RayFan& rays, double max_range_m,
            std::span<float> range_m) const override;
  [[nodiscard]] double floor_m() const override { return of_.floor_m(); }
  [[nodiscard]] double cell_m() const override { return of_.cell_m(); }

 private:
  const ExpectedRanges& of_;
  std::size_t step_;
  RayFan ahead_;  // one ray along x
  std::span<const ScanLog::RayOffset> offsets_;
};

// Correlated scans: blocks of about equal distance and turning. A robot that stands still sees the same place however
// many scans it takes.

/// Whether no scan is 0.25 m or more from the first.
bool are_of_one_place(std::span<const PlanarPose> poses);

/// The block of each scan, counted from 0 without gaps: at most `most`, each of 0.25 m of way or more, where turning by
/// 1 rad counts as 1 m. Uniform motion gives blocks of equal numbers of scans. One block if all are of one place.
std::vector<std::uint32_t> blocks_of_way(std::span<const PlanarPose> poses, std::size_t most);

}  // namespace fathom
