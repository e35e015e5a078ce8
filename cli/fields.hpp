// SPDX-License-Identifier: MIT
#pragma once
// Tables of parameters (fathom/core/field.hpp) as help, JSON and pages show them.

#include <cmath>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include <fathom/core/field.hpp>

namespace fathom_cli {

/// One line per parameter: name, unit, type where there are others than numbers and words, limits, default, meaning.
std::string fields_help(std::span<const fathom::FieldInfo> fields);

/// A list of objects: name, unit, type, required, the choices or the limits, the default as a value, doc.
nlohmann::ordered_json fields_json(std::span<const fathom::FieldInfo> fields);

/// A table in Markdown.
std::string fields_page(std::span<const fathom::FieldInfo> fields);

/// A value for people: six digits, lists as their length and ends, so that 128 elevations stay one line.
std::string short_text(const fathom::FieldInfo& field, std::span<const double> values);

nlohmann::ordered_json value_json(const fathom::FieldInfo& field, std::span<const double> values);

/// JSON has no NaN and no infinity.
inline nlohmann::ordered_json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace fathom_cli
