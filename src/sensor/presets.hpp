// SPDX-License-Identifier: MIT
#pragma once
// The presets of each maker, appended to a list. A figure is the datasheet's; where one is missing, the preset's file
// says what stands in its place.
//
// Noise: a datasheet's one-sigma figure is used as it is; a "+-" without a confidence level is read as one sigma.

#include <vector>

#include <fathom/base/geometry.hpp>
#include <fathom/sensor/presets.hpp>

namespace fathom {

void add_velodyne_presets(std::vector<SensorPreset>& presets);
void add_ouster_presets(std::vector<SensorPreset>& presets);
void add_livox_presets(std::vector<SensorPreset>& presets);
void add_laser2d_presets(std::vector<SensorPreset>& presets);
void add_depth_presets(std::vector<SensorPreset>& presets);

/// The list in radians.
inline std::vector<double> in_rad(std::vector<double> degrees) {
  for (double& angle : degrees) angle *= kRadPerDeg;
  return degrees;
}

}  // namespace fathom
