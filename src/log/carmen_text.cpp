// SPDX-License-Identifier: MIT
#include <cmath>
#include <iterator>
#include <numbers>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/geometry.hpp>
#include <fathom/beam/log_files.hpp>

namespace fathom {

namespace {

constexpr double kMaxRangeM = 80.0;    // that readers of FLASER lines assume
constexpr double kSameAzimuth = 1e-9;  // rad
constexpr double kFirstAzimuth = -0.5 * std::numbers::pi;

double flaser_step_rad(std::size_t rays) {
  if (rays == 180 || rays == 181) return kRadPerDeg;
  if (rays == 360 || rays == 361) return 0.5 * kRadPerDeg;
  return 0.0;
}

}  // namespace

bool fits_carmen(const ScanLog& log) {
  const double step = flaser_step_rad(log.rays());
  if (step == 0.0 || log.max_range_m != kMaxRangeM || !log.ray_offset.empty()) return false;
  for (std::size_t i = 0; i < log.rays(); ++i) {
    const double wanted = kFirstAzimuth + static_cast<double>(i) * step;
    if (!(std::abs(log.azimuth_rad[i] - wanted) < kSameAzimuth)) return false;
  }
  return true;
}

std::string carmen_text(const ScanLog& log, std::span<const PlanarPose> odometry) {
  validate(log);
  if (!fits_carmen(log)) throw InputError("log: FLASER lines do not have its rays, its maximum range or its motion");
  if (odometry.size() != log.scans()) {
    throw InputError(fmt::format("{} poses of odometry given for {} scans", odometry.size(), log.scans()));
  }
  std::string text;
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < log.scans(); ++i) {
    fmt::format_to(out, "FLASER {}", log.rays());
    for (const float range : log.scan(i)) fmt::format_to(out, " {}", range);
    for (const PlanarPose& pose : {log.pose[i], odometry[i]}) {
      fmt::format_to(out, " {} {} {}", pose.x_m, pose.y_m, pose.yaw_rad);
    }
    fmt::format_to(out, " {0} fathom {0}\n", i);
  }
  return text;
}

}  // namespace fathom
