// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/scene/scene.hpp>

#include "text/yaml_reader.hpp"

namespace fathom {

/// Adds what `scene.materials` says to the scene:
///
///   asphalt: {reflectivity: 0.17}
///   car_paint: {reflectivity: 0.5, table_deg: [[0, 1], [20, 0.3], [90, 0]]}
///   sign: {reflectivity: 0.7, retro: {gain: 40, width_deg: 25}}
void read_materials(YamlReader map, Scene& scene);

}  // namespace fathom
