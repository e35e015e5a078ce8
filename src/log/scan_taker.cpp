// SPDX-License-Identifier: MIT
#include "log/scan_taker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/math/trigonometry.hpp>

namespace fathom {

namespace {

constexpr double kMostTiltCos = 0.984807753012208;  // of 10 degrees
constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

void check_rays(const msg::LaserScan& scan) {
  if (scan.ranges.empty() || scan.ranges.size() > ScanLog::kMostRays) {
    throw InputError(fmt::format("a scan has {} rays, 1 to {} wanted", scan.ranges.size(), ScanLog::kMostRays));
  }
  const float longest_s = scan.time_increment * static_cast<float>(scan.ranges.size());
  if (!std::isfinite(scan.angle_min) || !std::isfinite(scan.angle_increment) || !(std::abs(longest_s) <= 1e4F) ||
      !(scan.range_max > 0.0F)) {
    throw InputError(
        fmt::format("a scan has angle_min {}, angle_increment {}, time_increment {}, range_max {}: not all are sound",
                    scan.angle_min, scan.angle_increment, scan.time_increment, scan.range_max));
  }
}

}  // namespace

void ScanTaker::take(const msg::LaserScan& scan) {
  const RayGrid grid = {scan.angle_min, scan.angle_increment, scan.ranges.size()};
  if (!grid_) begin(scan, grid);
  if (!(grid == *grid_) || scan.header.frame_id != frame_ || !(scan.time_increment == time_increment_)) {
    ++others_;
    return;
  }
  if (!place(scan)) {
    ++unplaced_;
    return;
  }
  for (const float r : scan.ranges) {
    // REP 117, and the values that older drivers write in place of infinities.
    log_.range_m.push_back(r > scan.range_max ? kInf : r < scan.range_min ? kNan : r);
  }
}

ScanLog ScanTaker::finish(const std::string& topic, const std::string& tear) {
  if (log_.scans() == 0) {
    throw InputError(fmt::format("no scan of topic '{}' is left: {} without a known way from '{}' to '{}'{}",
                                 printable(topic), unplaced_, printable(frame_), printable(map_frame_),
                                 others_ > 0 ? fmt::format(", {} of other rays", others_) : ""));
  }
  if (!moved_) log_.ray_offset.clear();
  if (unplaced_ > 0) {
    log_.notes.push_back(fmt::format("{} scans were left out: the way from '{}' to '{}' is not known at their times",
                                     unplaced_, printable(frame_), printable(map_frame_)));
  }
  if (others_ > 0) {
    log_.notes.push_back(
        fmt::format("{} scans were left out: their rays, frame or times are not those of the first", others_));
  }
  if (!tear.empty()) log_.notes.push_back("the bag is torn: " + tear);
  return std::move(log_);
}

void ScanTaker::begin(const msg::LaserScan& scan, const RayGrid& grid) {
  check_rays(scan);
  grid_ = grid, frame_ = scan.header.frame_id, time_increment_ = scan.time_increment;
  path_ = frames_.path(map_frame_, frame_);
  for (std::size_t i = 0; i < grid.rays; ++i) {
    log_.azimuth_rad.push_back(double{grid.angle_min} + static_cast<double>(i) * double{grid.angle_increment});
  }
  log_.max_range_m = scan.range_max;
}

/// Where the sensor is at one time, seen from above.
bool ScanTaker::pose_at(std::int64_t stamp_ns, PlanarPose& planar) {
  Pose pose;
  if (!path_.at(stamp_ns, pose)) return false;
  const Vec3 x = rotate(pose.rotation, {1, 0, 0}), up = rotate(pose.rotation, {0, 0, 1});
  if (std::abs(up.z) < kMostTiltCos) {
    throw InputError(fmt::format("the laser '{}' is tilted by {:.0f} degrees in '{}', at most 10 are allowed",
                                 printable(frame_), 57.29577951308232 * std::acos(std::min(1.0, std::abs(up.z))),
                                 printable(map_frame_)));
  }
  if (log_.pose.empty()) hang_as(up.z < 0.0);
  if (hangs_ != (up.z < 0.0)) throw InputError(fmt::format("the laser '{}' turns over on the way", printable(frame_)));
  planar = {pose.translation_m.x, pose.translation_m.y, math::atan2(x.y, x.x)};
  return true;
}

void ScanTaker::hang_as(bool upside_down) {
  if (hangs_ == upside_down) return;
  hangs_ = upside_down;
  for (double& azimuth : log_.azimuth_rad) azimuth = -azimuth;
}

bool ScanTaker::place(const msg::LaserScan& scan) {
  const std::int64_t stamp_ns = std::int64_t{scan.header.stamp.sec} * 1'000'000'000 + scan.header.stamp.nanosec;
  PlanarPose first, at;
  if (!pose_at(stamp_ns, first)) return false;
  const std::size_t known = log_.ray_offset.size();
  const auto [s, c] = math::sincos(first.yaw_rad);
  for (std::size_t i = 0; i < grid_->rays; ++i) {
    const double later_ns = 1e9 * double{time_increment_} * static_cast<double>(i);
    if (!pose_at(stamp_ns + std::llround(later_ns), at)) {
      log_.ray_offset.resize(known);
      return false;
    }
    const double x = at.x_m - first.x_m, y = at.y_m - first.y_m;
    const double yaw = std::remainder(at.yaw_rad - first.yaw_rad, 2.0 * std::numbers::pi);
    log_.ray_offset.push_back(
        {static_cast<float>(c * x + s * y), static_cast<float>(c * y - s * x), static_cast<float>(yaw)});
    const RayOffset& o = log_.ray_offset.back();
    moved_ = moved_ || o.x_m != 0.0F || o.y_m != 0.0F || o.yaw_rad != 0.0F;
  }
  log_.pose.push_back(first);
  return true;
}

}  // namespace fathom
