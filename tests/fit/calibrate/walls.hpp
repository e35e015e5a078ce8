// SPDX-License-Identifier: MIT
#pragma once
// Walls seen from several places, for tests.

#include <cmath>
#include <cstdint>
#include <vector>

#include <fathom/fit/frames.hpp>
#include <fathom/fit/wall.hpp>

namespace fathom::test {

/// A wall at a distance, whose normal is turned by an angle to the side and one up.
inline WallMeasure::Plane wall_at(double distance_m, double yaw_deg, double pitch_deg = 0.0) {
  const double yaw = yaw_deg * kRadPerDeg, pitch = pitch_deg * kRadPerDeg;
  WallMeasure::Plane plane;
  plane.is_found = true, plane.distance_m = distance_m;
  plane.normal = {std::cos(pitch) * std::cos(yaw), std::cos(pitch) * std::sin(yaw), std::sin(pitch)};
  return plane;
}

/// `count` walls, from near to far and at angles to either side.
inline std::vector<WallMeasure::Plane> walls(std::size_t count, double nearest_m, double farthest_m,
                                             double most_yaw_deg, double most_pitch_deg = 0.0) {
  std::vector<WallMeasure::Plane> planes;
  for (std::size_t k = 0; k < count; ++k) {
    const double part = (static_cast<double>(k) + 0.5) / static_cast<double>(count);
    const double turn = std::sin(2.4 * static_cast<double>(k)), tilt = std::cos(1.7 * static_cast<double>(k));
    planes.push_back(wall_at(nearest_m + (farthest_m - nearest_m) * part, most_yaw_deg * turn, most_pitch_deg * tilt));
  }
  return planes;
}

inline WallSensor stereo_sensor(std::uint32_t cols = 96, std::uint32_t rows = 72) {
  WallSensor sensor{.rows = rows, .cols = cols};
  sensor.camera = WallSensor::Camera{0.6 * cols, 0.6 * cols, 0.5 * cols - 0.5, 0.5 * rows - 0.5, 12.0 / cols};
  sensor.max_range_m = 10.0;
  return sensor;
}

inline WallSensor depth_sensor(std::uint32_t cols = 96, std::uint32_t rows = 72) {
  WallSensor sensor = stereo_sensor(cols, rows);
  sensor.camera->baseline_m = 0.0;
  return sensor;
}

/// 181 rays over half a turn.
inline WallSensor laser_sensor(std::uint32_t rays = 181, double half_view_deg = 90.0) {
  WallSensor sensor{.rows = 1, .cols = rays};
  sensor.max_range_m = 30.0;
  for (std::uint32_t i = 0; i < rays; ++i) {
    sensor.azimuth_rad.push_back((2.0 * i / (rays - 1.0) - 1.0) * half_view_deg * kRadPerDeg);
  }
  return sensor;
}

}  // namespace fathom::test
