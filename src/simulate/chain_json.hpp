// SPDX-License-Identifier: MIT
#pragma once
// A sensor's noise chain as summary.json tells it.

#include <nlohmann/json.hpp>

#include <fathom/scene/scene.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// A list of {model, stage, parameters} in the order of the chain; a model with other parameters for some
/// entities or rings also has `entities` or `rings`, a map from names or numbers to parameters. Units are those of the
/// library.
nlohmann::ordered_json chain_json(const Sensor& sensor, const Scene& scene);

}  // namespace fathom
