// SPDX-License-Identifier: MIT
#include "log/pose_track.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include <fathom/math/trigonometry.hpp>

namespace fathom {

namespace {

PlanarPose on(const PlanarPose& pose, const PlanarPose& mount) {
  const auto [s, c] = math::sincos(pose.yaw_rad);
  return {pose.x_m + c * mount.x_m - s * mount.y_m, pose.y_m + s * mount.x_m + c * mount.y_m,
          pose.yaw_rad + mount.yaw_rad};
}

/// By the shorter way round.
PlanarPose between(const PlanarPose& a, const PlanarPose& b, double u) {
  const double turn = std::remainder(b.yaw_rad - a.yaw_rad, 2.0 * std::numbers::pi);
  return {a.x_m + u * (b.x_m - a.x_m), a.y_m + u * (b.y_m - a.y_m), a.yaw_rad + u * turn};
}

}  // namespace

void PoseTrack::sort() {
  std::stable_sort(knots_.begin(), knots_.end(), [](const Knot& a, const Knot& b) { return a.time_s < b.time_s; });
}

bool PoseTrack::at(double time_s, PlanarPose& pose) const {
  const auto after = std::upper_bound(knots_.begin(), knots_.end(), time_s,
                                      [](double t, const Knot& knot) { return t < knot.time_s; });
  if (after == knots_.begin()) return false;
  const Knot& a = *std::prev(after);
  if (a.time_s == time_s) {
    pose = on(a.pose, mount_);
    return true;
  }
  if (after == knots_.end()) return false;
  pose = on(between(a.pose, after->pose, (time_s - a.time_s) / (after->time_s - a.time_s)), mount_);
  return true;
}

bool PoseTrack::place(double time_s, double ray_time_s, std::size_t rays, PlanarPose& first,
                      std::vector<RayOffset>& offsets) const {
  offsets.clear();
  if (!at(time_s, first)) return false;
  const auto [s, c] = math::sincos(first.yaw_rad);
  for (std::size_t i = 0; i < rays; ++i) {
    PlanarPose now = first;
    if (i > 0 && !at(time_s + static_cast<double>(i) * ray_time_s, now)) return false;
    const double x = now.x_m - first.x_m, y = now.y_m - first.y_m;
    const double turn = std::remainder(now.yaw_rad - first.yaw_rad, 2.0 * std::numbers::pi);
    offsets.push_back({static_cast<float>(c * x + s * y), static_cast<float>(c * y - s * x), static_cast<float>(turn)});
  }
  return true;
}

}  // namespace fathom
