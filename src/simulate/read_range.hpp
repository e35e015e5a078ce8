// SPDX-License-Identifier: MIT
#pragma once
// A number of a noise model that a scene file gives as a range, to be drawn once per episode.

#include <optional>

#include <fathom/simulate/parameter_range.hpp>

#include "text/quantity.hpp"

namespace fathom {

/// {uniform: [low, high]}, {log_uniform: [low, high]} or {normal: [mean, stddev], limits: [low, high]}, the limits
/// being those of the field unless given; nothing when the value is no map, or the field no number. Whose parameter it
/// is, is left to the caller.
std::optional<ParameterRange> read_range(const Quantity& quantity, const FieldInfo& field);

/// Throws InputError when a map with the word of a law stands where a plain number belongs; for YamlReader.
void refuse_range(const YamlReader& number);

/// The value of a range until it is drawn: its middle.
double middle_of(const ParameterRange& range);

}  // namespace fathom
