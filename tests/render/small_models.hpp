// SPDX-License-Identifier: MIT
#pragma once
// Small sensors that the tests start from.

#include <fathom/sensor/rosette.hpp>
#include <fathom/sensor/spinning_lidar.hpp>
#include <fathom/simulate/sensor.hpp>

#include "sensor/angles.hpp"

namespace fathom::test {

inline SpinningLidar small_lidar() {
  SpinningLidar lidar;
  lidar.elevation_rad = {-10 * kDeg, 5 * kDeg, 0.0, 15 * kDeg};  // on purpose not sorted
  lidar.columns = 36;
  return lidar;
}

inline Rosette small_rosette() {
  Rosette rosette;
  rosette.points = 5000;
  rosette.field_of_view_rad = 40 * kDeg;
  rosette.prism1_hz = 7294.0 / 60;
  rosette.prism2_hz = -4664.0 / 60;
  rosette.points_per_s = 100000;
  return rosette;
}

}  // namespace fathom::test
