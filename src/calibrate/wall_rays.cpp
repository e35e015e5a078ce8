// SPDX-License-Identifier: MIT
#include "calibrate/wall_rays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fathom/math/trigonometry.hpp>

namespace fathom {

namespace {

constexpr double kLeastShare = 1e-6;  // of a value: what single precision leaves of a clean one

}  // namespace

WallRays::WallRays(const WallSensor& sensor)
    : rows(sensor.rows),
      cols(sensor.cols),
      is_planar(!sensor.camera && !sensor.lidar),
      sees_more(sensor.lidar.has_value()),
      used_cols(sensor.cols),
      max_range_m(sensor.max_range_m) {
  q.reserve(sensor.rays()), length.reserve(sensor.rays());
  if (sensor.camera) {
    const WallCamera& c = *sensor.camera;
    focal_baseline_px_m = c.fx_px * c.baseline_m;
    for (std::uint32_t row = 0; row < rows; ++row) {
      for (std::uint32_t col = 0; col < cols; ++col) {
        q.push_back({1.0, -(col - c.cx_px) / c.fx_px, -(row - c.cy_px) / c.fy_px});
      }
    }
  } else if (sensor.lidar) {
    q = sensor.lidar->direction, origin_m = sensor.lidar->origin_m;
    is_full_turn = sensor.lidar->is_full_turn;
  } else {
    for (const double azimuth : sensor.azimuth_rad) {
      const math::SinCos64 a = math::sincos(azimuth);
      q.push_back({a.cos, a.sin, 0.0});
    }
  }
  for (const Vec3& ray : q) length.push_back(norm(ray));
}

double WallScale::at(const WallRays& rays, std::size_t i, double clean_m) const {
  // A rounded value is off by a uniform error, whose deviation is half a step / sqrt(3).
  const double rounded_m = half_step_m / std::sqrt(3.0), least_m = kLeastShare * clean_m;
  const double floor_m = std::sqrt(rounded_m * rounded_m + least_m * least_m);
  if (rays.has_disparity()) {
    const double px_per_m = rays.focal_baseline_px_m / (clean_m * clean_m);
    return std::max(constant, floor_m * px_per_m);
  }
  const double range_m = clean_m * rays.length[i];
  return std::max((constant + per_m * range_m) / rays.length[i], floor_m);
}

bool is_reading(const WallRays& rays, std::size_t i, float measured_m) {
  if (!(measured_m > 0.0F && measured_m <= std::numeric_limits<float>::max())) return false;
  // A camera's limit is that of its range, and a laser's value at the limit says that nothing came back.
  const double range_m = double{measured_m} * rays.length[i];
  return !(rays.is_planar && rays.max_range_m > 0.0 && range_m >= rays.max_range_m);
}

}  // namespace fathom
