// SPDX-License-Identifier: MIT
#include "text/quantity.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "text/text_lines.hpp"

namespace fathom {

namespace {

/// Degrees to seven digits, so that a limit of pi, rounded to a float, is 180 and not 180.00000500895632.
double whole_degrees(double rad) { return *parse_number<double>(fmt::format("{:.7g}", rad / kRadPerDeg)); }

}  // namespace

std::optional<Quantity> Quantity::find(YamlReader& map, std::string_view name) {
  auto plain = map.find(name);
  if (!name.ends_with("_rad")) {
    if (!plain) return std::nullopt;
    return Quantity(*std::move(plain), false);
  }
  auto degrees = map.find(std::string(name.substr(0, name.size() - 4)) + "_deg");
  if (plain && degrees) degrees->fail(fmt::format("and {} are both given; one is enough", name));
  if (degrees) return Quantity(*std::move(degrees), true);
  if (plain) return Quantity(*std::move(plain), false);
  return std::nullopt;
}

Quantity Quantity::at(YamlReader& map, std::string_view name) {
  if (auto found = find(map, name)) return *std::move(found);
  const bool angle = name.ends_with("_rad");
  return {map.at(angle ? std::string(name.substr(0, name.size() - 4)) + "_deg" : std::string(name)), angle};
}

Limits Quantity::in_file(Limits limits) const {
  if (!degrees_) return limits;
  return {whole_degrees(limits.low), whole_degrees(limits.high), "deg"};
}

double Quantity::in_library(double value, Limits limits) const {
  if (!degrees_) return value;
  // 180 degrees must not fall outside a limit of pi by rounding.
  return std::clamp(value * kRadPerDeg, limits.low, limits.high);
}

double Quantity::number(Limits limits) const { return part(reader_, limits); }

double Quantity::part(const YamlReader& part, Limits limits) const {
  return in_library(part.number(in_file(limits)), limits);
}

double Quantity::part(const YamlReader& part) const { return part.number() * (degrees_ ? kRadPerDeg : 1.0); }

std::vector<double> Quantity::numbers(Limits limits) const {
  if (reader_.is(YamlValue::Kind::kScalar)) return {number(limits)};
  std::vector<double> values = reader_.numbers(in_file(limits));
  for (double& value : values) value = in_library(value, limits);
  return values;
}

}  // namespace fathom
