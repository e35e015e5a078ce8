// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <fathom/simulate/sensor.hpp>

namespace fathom {

/// The parameters of a struct with a table of them, by their names.
template <FieldModel M>
nlohmann::ordered_json fields_json(const M& model) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const FieldInfo& field : describe<M>()) {
    json[std::string(field.name)] = nlohmann::ordered_json::parse(field_json(field, get_field(model, field.name)));
  }
  return json;
}

/// Adds what a sensor has besides the one return of rays that are lines, whose intensity does not fall with range:
/// `returns` and `coinciding` of several, `divergence`, `falloff`.
inline void add_returns(const Sensor& sensor, nlohmann::ordered_json& json) {
  if (sensor.returns.size() > 1) {
    auto names = nlohmann::ordered_json::array();
    for (const ReturnChoice choice : sensor.returns) {
      names.push_back(kChoiceWords<ReturnChoice>[static_cast<std::size_t>(choice)]);
    }
    json["returns"] = names;
    json["coinciding"] = kChoiceWords<CoincidingReturn>[static_cast<std::size_t>(sensor.coinciding)];
  }
  if (sensor.divergence.diverges()) json["divergence"] = fields_json(sensor.divergence);
  if (sensor.falloff.law != FalloffLaw::kNone) json["falloff"] = fields_json(sensor.falloff);
}

}  // namespace fathom
