// SPDX-License-Identifier: MIT
#pragma once
// One entry of `sensors` in a scene file. Kinds, their parameters and presets come from the tables of the sensor room:
// a new kind or preset needs no change here.

#include <span>

#include <fathom/simulate/run.hpp>

#include "simulate/read_pose.hpp"
#include "simulate/read_robots.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

/// `clock`: of the scene, which the timing of a sensor must suit. `entity_farthest_m`: farthest_from_world_m(scene),
/// which takes a walk over all entities.
SensorSetup read_sensor(YamlReader map, const SceneClock& clock, const Scene& scene, const BareLinks& bare_links,
                        std::span<const double> entity_farthest_m, SceneFiles& files);

}  // namespace fathom
