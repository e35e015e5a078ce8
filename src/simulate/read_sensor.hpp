#pragma once
// One entry of `sensors` in a scene file. Kinds, their parameters and presets come from the tables of the sensor room:
// a new kind or preset needs no change here.

#include <filesystem>

#include <fathom/run.hpp>

#include "io/yaml_reader.hpp"

namespace fathom {

SensorSetup read_sensor(YamlReader map, const Scene& scene, const std::filesystem::path& folder);

}  // namespace fathom
