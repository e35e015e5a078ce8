// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include <fathom/sensor/presets.hpp>

namespace fathom {

/// Adds the presets of lidars and planar scanners.
void add_lidar_presets(std::vector<SensorPreset>& presets);

}  // namespace fathom
