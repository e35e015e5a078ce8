// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <fathom/simulate/timing.hpp>

namespace fathom {

/// The parameters of a timing by their names.
inline nlohmann::ordered_json timing_json(const Timing& timing) {
  nlohmann::ordered_json json;
  for (const Field<Timing>& field : Timing::fields()) {
    const std::string value = field_json(without_default(field), values_of(timing, field));
    json[std::string(field.name)] = nlohmann::ordered_json::parse(value);
  }
  return json;
}

}  // namespace fathom
