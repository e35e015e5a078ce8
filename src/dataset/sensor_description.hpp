// SPDX-License-Identifier: MIT
#pragma once
// What readers of a dataset must know of its sensors besides the arrays.

#include <nlohmann/json.hpp>

#include <fathom/simulate/run.hpp>

namespace fathom {

/// {name, rows, cols, noise, range_policy, channels}, with a timing its parameters, and for cameras intrinsics in
/// pixels {fx, fy, cx, cy}. The noise has the middles of parameters that are drawn for each episode; channels are
/// {name, type, unit}.
nlohmann::ordered_json sensor_description(const SensorSetup& setup, const Scene& scene);

}  // namespace fathom
