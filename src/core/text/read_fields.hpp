// SPDX-License-Identifier: MIT
#pragma once
// Parameters of a table (fathom/core/field.hpp) from a map of a YAML file. A file may give an angle "x_rad" as x_rad or
// as x_deg.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/field.hpp>

#include "core/text/yaml.hpp"

namespace fathom {

/// A value of a file, converted to the unit of the library.
class Quantity {
 public:
  /// The entry `name` of a map, or the _deg form of a name that ends in _rad; empty if both are missing. Throws
  /// InputError if both exist.
  static std::optional<Quantity> find(YamlReader& map, std::string_view name);
  /// The same; throws InputError if it is missing.
  static Quantity at(YamlReader& map, std::string_view name);

  /// In the unit of the library, within its limits.
  [[nodiscard]] double number(Limits limits) const;
  /// A list, or a single number as a list of one.
  [[nodiscard]] std::vector<double> numbers(Limits limits) const;
  [[nodiscard]] const YamlReader& reader() const { return reader_; }
  /// A number inside this value in the unit of the library, within limits or only finite.
  [[nodiscard]] double part(const YamlReader& part, Limits limits) const;
  [[nodiscard]] double part(const YamlReader& part) const;

 private:
  Quantity(YamlReader reader, bool degrees) : reader_(std::move(reader)), degrees_(degrees) {}

  [[nodiscard]] Limits in_file(Limits limits) const;
  [[nodiscard]] double in_library(double value, Limits limits) const;

  YamlReader reader_;
  bool degrees_;
};

/// A pose from the keys position_m and one of rpy_deg, rpy_rad, quaternion_xyzw; the identity if they are absent.
Pose read_pose(YamlReader& map);

/// The value of a field as numbers, in the unit of the library and within its limits. Throws InputError.
std::vector<double> read_value(const Quantity& quantity, const FieldInfo& field);

/// Whether the map must have the keys of required fields.
enum class RequiredFields : std::uint8_t { kMustBeThere, kMayLack };

/// Throws InputError if the map has a key by its former name; the message names the key `now`. No hint offers a former
/// name.
void refuse_former(YamlReader& map, const FormerName& former, std::string_view now);

using ReadValue = std::function<std::vector<double>(const Quantity& quantity, const FieldInfo& field)>;
using SetValue = std::function<void(const FieldInfo& field, std::span<const double> values)>;

/// Calls `set` for each field that the map has, in the order of the table. Its errors get the place of the value.
/// Throws InputError for a wrong value, a missing key and a former name; map.finish() checks the other keys. `read`
/// takes a value from the file.
void read_fields(YamlReader& map, std::span<const FieldInfo> fields, RequiredFields required, const SetValue& set,
                 const ReadValue& read = read_value);

/// Sets the parameters of `model` that the map has.
template <FieldModel M>
void read_fields(YamlReader& map, M& model) {
  read_fields(map, describe<M>(), RequiredFields::kMustBeThere,
              [&](const FieldInfo& field, std::span<const double> values) { set_field(model, field.name, values); });
}

}  // namespace fathom
