// SPDX-License-Identifier: MIT
#include "core/text/read_fields.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/numbers.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

namespace {

/// Degrees to seven digits: pi as a float is then 180 and not 180.00000500895632.
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

namespace {

Quaternion read_quaternion(const YamlReader& reader) {
  const std::vector<double> v = reader.numbers(4);
  const Quaternion q{v[3], v[0], v[1], v[2]};
  const double length = std::sqrt(dot(q, q));
  if (!is_about_one(length)) reader.fail(fmt::format("has length {:.6g}, not 1", length));
  return normalized(q);
}

Quaternion read_rotation(YamlReader& map) {
  const auto angles = Quantity::find(map, "rpy_rad");
  const auto quaternion = map.find("quaternion_xyzw");
  if (angles && quaternion) quaternion->fail("and a roll, pitch and yaw are both given; one is enough");
  if (quaternion) return read_quaternion(*quaternion);
  if (!angles) return {};
  static_cast<void>(angles->reader().numbers(3));
  constexpr double kTurns = 1000 * 360 * kRadPerDeg;  // generous: rejects only a wrong unit
  const std::vector<double> a = angles->numbers({-kTurns, kTurns, "rad"});
  return from_roll_pitch_yaw(a[0], a[1], a[2]);
}

std::vector<double> read_words(const YamlReader& list, std::span<const std::string_view> words) {
  std::vector<double> positions;
  for (const YamlReader& item : list.items()) positions.push_back(static_cast<double>(item.one_of(words)));
  return positions;
}

}  // namespace

Pose read_pose(YamlReader& map) {
  const auto position = map.find("position_m");
  const Vec3 translation_m = position ? position->vector({-kMaxCoordinateM, kMaxCoordinateM, "m"}) : Vec3{};
  return {translation_m, read_rotation(map)};
}

std::vector<double> read_value(const Quantity& quantity, const FieldInfo& field) {
  const YamlReader& reader = quantity.reader();
  const Limits limits{field.low, field.high, field.unit};
  switch (field.kind) {
    case FieldKind::kNumber:
      break;
    case FieldKind::kCount:
      return {static_cast<double>(
          reader.whole(static_cast<std::uint64_t>(field.low), static_cast<std::uint64_t>(field.high)))};
    case FieldKind::kFlag:
      return {reader.boolean() ? 1.0 : 0.0};
    case FieldKind::kChoice:
      return {static_cast<double>(reader.one_of(field.choices))};
    case FieldKind::kWords:
      return read_words(reader, field.choices);
    case FieldKind::kList:
    case FieldKind::kPair:
      return quantity.numbers(limits);
    case FieldKind::kPose: {
      YamlReader map = reader;
      const Pose pose = read_pose(map);
      map.finish();
      return detail::to_numbers(pose);
    }
  }
  return {quantity.number(limits)};
}

void refuse_former(YamlReader& map, const FormerName& former, std::string_view now) {
  if (former.name.empty() || map.value().find(former.name) == nullptr) return;
  map.at(former.name).fail_key(fmt::format("is called {} now{}{}", now, former.why.empty() ? "" : ": ", former.why));
}

void read_fields(YamlReader& map, std::span<const FieldInfo> fields, RequiredFields required, const SetValue& set,
                 const ReadValue& read) {
  for (const FieldInfo& field : fields) refuse_former(map, field.former, field.name);
  // Marks all keys as known before one is missed, so that no hint takes a known key for a slip.
  for (const FieldInfo& field : fields) static_cast<void>(Quantity::find(map, field.name));
  for (const FieldInfo& field : fields) {
    const bool must = field.required && required == RequiredFields::kMustBeThere;
    const auto quantity = must ? Quantity::at(map, field.name) : Quantity::find(map, field.name);
    if (quantity) quantity->reader().located([&] { set(field, read(*quantity, field)); });
  }
}

}  // namespace fathom
