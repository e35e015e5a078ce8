// SPDX-License-Identifier: MIT
#pragma once
// Parameters of a table (fathom/base/field.hpp) from a map of a YAML file: one key each, an angle "x_rad" as x_rad or
// x_deg.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/base/field.hpp>

#include "text/quantity.hpp"

namespace fathom {

/// position_m and one of rpy_deg, rpy_rad, quaternion_xyzw from the keys of a map; absent: zero, no rotation.
Pose read_pose(YamlReader& map);

/// The value of a field as numbers, in the unit of the library and within its limits. Throws InputError.
std::vector<double> read_value(const Quantity& quantity, const FieldInfo& field);

/// Whether the map must have the keys of fields that are required, or something else gave their values before.
enum class RequiredFields : std::uint8_t { kMustBeThere, kMayLack };

/// Throws InputError where the map has a key by its former name; `now` is the present one. Elsewhere the key counts as
/// unknown, so that no hint offers it.
void refuse_former(YamlReader& map, const FormerName& former, std::string_view now);

using ReadValue = std::function<std::vector<double>(const Quantity& quantity, const FieldInfo& field)>;
using SetValue = std::function<void(const FieldInfo& field, std::span<const double> values)>;

/// Calls `set` for each field that the map has, in the order of the table. Its errors get the place of the value.
/// Throws InputError for a value that does not fit, for a missing key and for a former name. Other keys are left to
/// map.finish(). `read`: what takes a value from the file.
void read_fields(YamlReader& map, std::span<const FieldInfo> fields, RequiredFields required, const SetValue& set,
                 const ReadValue& read = read_value);

/// Sets the parameters of `model` that the map has.
template <FieldModel M>
void read_fields(YamlReader& map, M& model) {
  read_fields(map, describe<M>(), RequiredFields::kMustBeThere,
              [&](const FieldInfo& field, std::span<const double> values) { set_field(model, field.name, values); });
}

}  // namespace fathom
