// SPDX-License-Identifier: MIT
#pragma once
// Numbers with units as files write them: an angle "x_rad" of the library may be given as x_rad or as x_deg.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/yaml_reader.hpp"

namespace fathom {

/// A value of a file and what turns it into the unit of the library.
class Quantity {
 public:
  /// The entry `name` of a map, or, for a name that ends in _rad, its _deg form; nothing when both are missing. Throws
  /// InputError when both are there.
  static std::optional<Quantity> find(YamlReader& map, std::string_view name);
  /// The same; throws InputError when missing.
  static Quantity at(YamlReader& map, std::string_view name);

  /// In the unit of the library, within its limits.
  [[nodiscard]] double number(Limits limits) const;
  /// A list, or a single number as a list of one.
  [[nodiscard]] std::vector<double> numbers(Limits limits) const;
  [[nodiscard]] const YamlReader& reader() const { return reader_; }
  /// A number that stands inside this value, in the unit of the library: as number(), or finite only.
  [[nodiscard]] double part(const YamlReader& part, Limits limits) const;
  [[nodiscard]] double part(const YamlReader& part) const;

 private:
  Quantity(YamlReader reader, bool degrees) : reader_(std::move(reader)), degrees_(degrees) {}

  [[nodiscard]] Limits in_file(Limits limits) const;
  [[nodiscard]] double in_library(double value, Limits limits) const;

  YamlReader reader_;
  bool degrees_;
};

}  // namespace fathom
