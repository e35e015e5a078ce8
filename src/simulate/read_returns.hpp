// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/simulate/sensor.hpp>

#include "text/yaml_reader.hpp"

namespace fathom {

/// Reads the keys `divergence`, `returns`, `coinciding` and `falloff` of a sensor whose model was checked. Throws
/// InputError.
void read_returns(YamlReader& map, Sensor& sensor);

}  // namespace fathom
