// SPDX-License-Identifier: MIT
#pragma once
// Numbers that a scene file gives as ranges, to be drawn once per episode.

#include <optional>
#include <vector>

#include <fathom/simulate/parameter_range.hpp>

#include "text/quantity.hpp"

namespace fathom {

/// A range and where it stands.
struct LocatedRange {
  YamlReader where;
  ParameterRange range;
};

/// {uniform: [low, high]}, {log_uniform: [low, high]}, {normal: [mean, stddev], limits: [low, high]} or
/// truncated_normal in place of normal, the limits being those of the field unless given; nothing when the value is no
/// map, or the field no number. Whose parameter it is, is left to the caller.
std::optional<ParameterRange> read_range(const Quantity& quantity, const FieldInfo& field);
/// The same of `item`, which stands inside the quantity and has its unit.
std::optional<ParameterRange> read_range(const Quantity& quantity, YamlReader item, const FieldInfo& field);

/// The value of a sensor's field as read_value() has it, a number that is a range being its middle; the ranges are
/// added to `ranges`, with RangeTarget::kSensor.
std::vector<double> read_value_or_range(const Quantity& quantity, const FieldInfo& field,
                                        std::vector<LocatedRange>& ranges);

/// `pose_offset` of a sensor or an entity, where the map has it: position_m and rotation_rad (or _deg), each a list of
/// three numbers or ranges, or one range by which each of the three is drawn. A number other than 0 is a range of one
/// value.
std::vector<LocatedRange> read_pose_offset(YamlReader& map, RangeTarget target);

/// Throws InputError when a map with the word of a law stands where a plain number belongs; for YamlReader.
void refuse_range(const YamlReader& number);

/// The value of a range until it is drawn: its middle.
double middle_of(const ParameterRange& range);

}  // namespace fathom
