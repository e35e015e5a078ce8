// SPDX-License-Identifier: MIT
#pragma once
// A sensor's noise chain, and what was drawn for it, as summary.json tells them.

#include <span>

#include <nlohmann/json.hpp>

#include <fathom/scene/scene.hpp>
#include <fathom/simulate/parameter_range.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// A list of {model, stage, parameters} in the order of the chain; a model with other parameters for some
/// entities or rings also has `entities` or `rings`, a map from names or numbers to parameters, and one whose draws are
/// correlated `correlation`. Units are those of the
/// library.
nlohmann::ordered_json chain_json(const Sensor& sensor, const Scene& scene);

/// The values drawn for a sensor, a list of {entry, model, entity or ring, parameter, value}, named as in scene files;
/// what is drawn of the sensor itself has {parameter, value} alone.
nlohmann::ordered_json drawn_json(std::span<const DrawnParameter> values, const Sensor& sensor, const Scene& scene);
/// The values drawn for entities, a list of {entity, parameter, value}.
nlohmann::ordered_json drawn_json(std::span<const DrawnParameter> values, const Scene& scene);

}  // namespace fathom
