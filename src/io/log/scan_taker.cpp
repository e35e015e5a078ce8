// SPDX-License-Identifier: MIT
#include "io/log/scan_taker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/core/names.hpp>

#include "core/text.hpp"
#include "io/log/scan_lines.hpp"
#include "io/message/cdr.hpp"

namespace fathom {

namespace {

constexpr double kMostTiltCos = 0.984807753012208;  // of 10 degrees
constexpr std::size_t kMostStraightRays = 512;
constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// By REP 117. Older drivers write values beyond the limits instead of infinities.
float reading_of(const msg::LaserScan& scan, float range_m) {
  if (range_m > scan.range_max) return kInf;
  if (range_m < scan.range_min) return kNan;
  return range_m;
}

}  // namespace

ScanGrid ray_grid(const msg::LaserScan& scan) {
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
  const double span_rad = double{scan.angle_increment} * static_cast<double>(scan.ranges.size() - 1);
  if (std::max(std::abs(double{scan.angle_min}), 0.5 * std::abs(span_rad)) > kMostAzimuthRad) {
    throw InputError(fmt::format("a scan of {} rays has angle_min {}, angle_increment {}, rad: are they in degrees?",
                                 scan.ranges.size(), scan.angle_min, scan.angle_increment));
  }
  return {scan.angle_min, scan.angle_increment, scan.ranges.size()};
}

void ScanTaker::expect_readings(std::size_t readings) {
  log_.range_m.reserve(readings);
  log_.ray_offset.reserve(readings);
}

void ScanTaker::take(const BagMessage& message) {
  ScanGrid grid;
  try {
    read_message(message.bytes, scan_);
    grid = ray_grid(scan_);
  } catch (const InputError& error) {
    return unsound_.add_damage(message.place() + ": " + error.what());
  }
  take(grid);
}

void ScanTaker::check_begun() const {
  if (!begun_ && unsound_.damaged > 0) throw InputError(unsound_.damage);
}

void ScanTaker::take(const ScanGrid& grid) {
  if (!begun_) begin();
  if (scan_.header.frame_id != frame_) {
    ++others_;
    return;
  }
  if (!place()) {
    ++unplaced_;
    return;
  }
  const std::size_t known = log_.range_m.size();
  log_.range_m.resize(known + grid.rays);
  std::transform(scan_.ranges.begin(), scan_.ranges.end(), log_.range_m.begin() + static_cast<std::ptrdiff_t>(known),
                 [this](float r) { return reading_of(scan_, r); });
  if (rays_.vary) give_own_rays(azimuths(grid), log_);
  ++taken_;
}

ScanLog ScanTaker::finish(const std::string& topic, BagReading reading) {
  if (taken_ == 0) {
    throw InputError(fmt::format("no scan of topic '{}' is left: {} without a known way from '{}' to '{}'{}",
                                 printable(topic), unplaced_, printable(frame_), printable(map_frame_),
                                 others_ > 0 ? fmt::format(", {} of another frame", others_) : ""));
  }
  if (!moved_) log_.ray_offset.clear();
  if (unplaced_ > 0) {
    log_.notes.push_back(fmt::format("{} {} left out: the way from '{}' to '{}' is not known then",
                                     counted(unplaced_, "scan"), were(unplaced_), printable(frame_),
                                     printable(map_frame_)));
  }
  if (others_ > 0) {
    log_.notes.push_back(
        fmt::format("{} {} left out: the frame is not that of the first", counted(others_, "scan"), were(others_)));
  }
  if (unsound_.damaged > 0) reading.add_damage(unsound_.damage, unsound_.damaged);
  const std::vector<std::string> lacks = reading.notes();
  log_.notes.insert(log_.notes.end(), lacks.begin(), lacks.end());
  return std::move(log_);
}

void ScanTaker::begin() {
  begun_ = true, frame_ = scan_.header.frame_id;
  if (rays_.vary) check_own_rays(rays_.most.rays, rays_.scans, rays_.readings);
  path_ = frames_.path(map_frame_, frame_);
  log_.azimuth_rad = azimuths(rays_.most);
  log_.max_range_m = scan_.range_max;
  moved_ = rays_.vary;
}

std::vector<double> ScanTaker::azimuths(const ScanGrid& grid) const {
  std::vector<double> azimuths;
  for (std::size_t i = 0; i < grid.rays; ++i) {
    const double azimuth = double{grid.angle_min} + static_cast<double>(i) * double{grid.angle_increment};
    azimuths.push_back(hangs_ ? -azimuth : azimuth);
  }
  return azimuths;
}

/// The sensor's pose at a time, seen from above.
bool ScanTaker::pose_at(std::int64_t stamp_ns, PlanarPose& planar) {
  Pose pose;
  if (!path_.at(stamp_ns, pose)) return false;
  const Vec3 x = rotate(pose.rotation, {1, 0, 0}), up = rotate(pose.rotation, {0, 0, 1});
  if (std::abs(up.z) < kMostTiltCos) {
    throw InputError(fmt::format("the laser '{}' is tilted by {:.0f} degrees in '{}', at most 10 are allowed",
                                 printable(frame_), 57.29577951308232 * std::acos(std::min(1.0, std::abs(up.z))),
                                 printable(map_frame_)));
  }
  if (taken_ == 0) hang_as(up.z < 0.0);
  if (hangs_ != (up.z < 0.0)) throw InputError(fmt::format("the laser '{}' turns over on the way", printable(frame_)));
  planar = {pose.translation_m.x, pose.translation_m.y, math::atan2(x.y, x.x)};
  return true;
}

void ScanTaker::hang_as(bool upside_down) {
  if (hangs_ == upside_down) return;
  hangs_ = upside_down;
  log_.azimuth_rad = azimuths(rays_.most);
}

std::int64_t ScanTaker::time_ns(std::size_t ray) const {
  return stamp_ns_ + std::llround(1e9 * double{scan_.time_increment} * static_cast<double>(ray));
}

bool ScanTaker::way_to(std::size_t ray, Way& way) {
  PlanarPose at;
  if (!pose_at(time_ns(ray), at)) return false;
  const double x = at.x_m - first_.x_m, y = at.y_m - first_.y_m;
  way = {cos_ * x + sin_ * y, cos_ * y - sin_ * x, std::remainder(at.yaw_rad - first_.yaw_rad, 2.0 * std::numbers::pi)};
  return true;
}

/// Whether the way from a to b is straight: no transform has a stamp on it, and its middle, whose pose was the last
/// query, is on the straight line.
bool ScanTaker::is_straight(const PlacedRay& a, const PlacedRay& middle, const PlacedRay& b) const {
  if (!(scan_.time_increment >= 0.0F) || b.ray - a.ray > kMostStraightRays) return false;
  const double u = static_cast<double>(middle.ray - a.ray) / static_cast<double>(b.ray - a.ray);
  return path_.is_even(time_ns(a.ray), time_ns(b.ray)) && is_near(middle.way, between(a.way, b.way, u));
}

ScanLog::RayOffset ScanTaker::offset_of(const Way& way) {
  return {static_cast<float>(way.x_m), static_cast<float>(way.y_m), static_cast<float>(way.yaw_rad)};
}

/// Places the rays from a to before b on the straight way between them.
void ScanTaker::place_straight(const PlacedRay& a, const PlacedRay& b, std::span<ScanLog::RayOffset> offsets) {
  const auto rays = static_cast<int>(b.ray - a.ray);
  const double step = 1.0 / rays;
  ScanLog::RayOffset* const to = offsets.data() + a.ray;
  for (int i = 0; i < rays; ++i) to[i] = offset_of(between(a.way, b.way, i * step));
}

/// Places the rays from a to before b. Poses cost more than the rest, so a straight way queries few of them.
bool ScanTaker::place_between(const PlacedRay& a, const PlacedRay& b, std::span<ScanLog::RayOffset> offsets) {
  if (b.ray - a.ray < 2) {
    offsets[a.ray] = offset_of(a.way);
    return true;
  }
  PlacedRay middle = {a.ray + (b.ray - a.ray) / 2, {}};
  if (!way_to(middle.ray, middle.way)) return false;
  if (is_straight(a, middle, b)) {
    place_straight(a, b, offsets);
    return true;
  }
  return place_between(a, middle, offsets) && place_between(middle, b, offsets);
}

bool ScanTaker::place() {
  stamp_ns_ = std::int64_t{scan_.header.stamp.sec} * 1'000'000'000 + scan_.header.stamp.nanosec;
  if (!pose_at(stamp_ns_, first_)) return false;
  const auto [s, c] = math::sincos(first_.yaw_rad);
  sin_ = s, cos_ = c;
  const std::size_t known = log_.ray_offset.size(), rays = scan_.ranges.size();
  log_.ray_offset.resize(known + rays);
  const std::span offsets = std::span(log_.ray_offset).subspan(known);
  const PlacedRay first;
  PlacedRay last = {rays - 1, {}};
  if (!way_to(last.ray, last.way) || !place_between(first, last, offsets)) {
    log_.ray_offset.resize(known);
    return false;
  }
  offsets.back() = offset_of(last.way);
  moved_ = moved_ || !std::all_of(offsets.begin(), offsets.end(), is_zero);
  log_.pose.push_back(first_);
  return true;
}

}  // namespace fathom
