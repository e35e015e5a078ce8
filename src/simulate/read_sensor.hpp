#pragma once
// One entry of `sensors` in a scene file. Kinds, their parameters and presets come from the tables of the sensor room:
// a new kind or preset needs no change here.

#include <fathom/run.hpp>

#include "io/yaml_reader.hpp"
#include "simulate/read_pose.hpp"

namespace fathom {

SensorSetup read_sensor(YamlReader map, const Scene& scene, SceneFiles& files);

}  // namespace fathom
