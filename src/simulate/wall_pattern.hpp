// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/calibrate/wall.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

/// The rays of a lidar before a wall, as a pattern.
RayPattern wall_pattern(const WallSensor& lidar);

}  // namespace fathom
