// SPDX-License-Identifier: MIT
#include "simulate/read_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "render/parameter_range.hpp"
#include "text/read_fields.hpp"

namespace fathom {

namespace {

constexpr auto& kLaws = kChoiceWords<RangeLaw>;

/// The two numbers of a list.
std::array<YamlReader, 2> pair_of(const YamlReader& list) {
  static_cast<void>(list.numbers(2));
  const std::vector<YamlReader> items = list.items();
  return {items[0], items[1]};
}

void read_limits(const Quantity& quantity, const YamlReader& list, const Limits& limits, ParameterRange& range) {
  const auto [low, high] = pair_of(list);
  range.low = quantity.part(low, limits);
  range.high = quantity.part(high, limits);
  if (range.low > range.high) list.fail("is not [low, high]");
}

}  // namespace

std::optional<ParameterRange> read_range(const Quantity& quantity, const FieldInfo& field) {
  return read_range(quantity, quantity.reader(), field);
}

std::optional<ParameterRange> read_range(const Quantity& quantity, YamlReader map, const FieldInfo& field) {
  if (field.kind != FieldKind::kNumber || !map.is(YamlValue::Kind::kMap)) return std::nullopt;
  const Limits all{field.low, field.high, field.unit};
  ParameterRange range;
  range.field = field.name;
  std::optional<YamlReader> given;
  for (std::size_t i = 0; i < kLaws.size(); ++i) {
    const auto numbers = map.find(kLaws[i]);
    if (!numbers) continue;
    if (given) numbers->fail("and another law are both given; one is enough");
    given = numbers;
    range.law = static_cast<RangeLaw>(i);
  }
  const auto limits = map.find("limits");
  map.finish();
  if (!given) map.fail(fmt::format("is neither a number nor a range: {}", fmt::join(kLaws, ", ")));
  if (range.law != RangeLaw::kNormal && range.law != RangeLaw::kTruncatedNormal) {
    if (limits) limits->fail("belongs to a normal range; the others end at their own numbers");
    read_limits(quantity, *given, all, range);
    if (range.law == RangeLaw::kLogUniform && !(range.low > 0.0)) given->fail("does not begin above 0");
    return range;
  }
  const auto [mean, stddev] = pair_of(*given);
  range.mean = quantity.part(mean);
  range.stddev = quantity.part(stddev);
  if (!(range.stddev >= 0.0)) stddev.fail("is no standard deviation: it is below 0");
  range.low = field.low, range.high = field.high;
  if (limits) read_limits(quantity, *limits, all, range);
  return range;
}

std::vector<double> read_value_or_range(const Quantity& quantity, const FieldInfo& field,
                                        std::vector<LocatedRange>& ranges) {
  const auto add = [&](const YamlReader& where, ParameterRange range) {
    range.target = RangeTarget::kSensor;
    ranges.push_back({where, range});
    return middle_of(range);
  };
  if (const auto range = read_range(quantity, field)) return {add(quantity.reader(), *range)};
  const YamlReader& reader = quantity.reader();
  if (field.kind != FieldKind::kPair || !reader.is(YamlValue::Kind::kList)) return read_value(quantity, field);
  std::vector<double> values;
  for (const YamlReader& item : reader.items()) {
    FieldInfo part = field;
    part.kind = FieldKind::kNumber;
    part.name = field.parts[std::min(values.size(), field.parts.size() - 1)];
    const auto range = read_range(quantity, item, part);
    values.push_back(range ? add(item, *range) : quantity.part(item, {field.low, field.high, field.unit}));
  }
  return values;
}

namespace {

/// The three parts of one key of pose_offset, of which the first has that place in kPoseOffsetFields.
void read_offset_parts(const Quantity& quantity, std::size_t first, std::vector<LocatedRange>& ranges) {
  const YamlReader& reader = quantity.reader();
  const bool is_list = reader.is(YamlValue::Kind::kList);
  if (!is_list && !reader.is(YamlValue::Kind::kMap)) reader.fail("is neither a range nor a list of three");
  const std::vector<YamlReader> items = is_list ? reader.items() : std::vector<YamlReader>(3, reader);
  if (items.size() != 3) reader.fail(fmt::format("has {} values, not 3", items.size()));
  for (std::size_t i = 0; i < 3; ++i) {
    const FieldInfo field = pose_offset_field(kPoseOffsetFields[first + i]);
    auto range = read_range(quantity, items[i], field);
    if (!range) {
      const double value = quantity.part(items[i], {field.low, field.high, field.unit});
      if (value == 0.0) continue;
      range = ParameterRange{.field = std::string(field.name), .low = value, .high = value};
    }
    ranges.push_back({items[i], *range});
  }
}

}  // namespace

std::vector<LocatedRange> read_pose_offset(YamlReader& map, RangeTarget target) {
  std::vector<LocatedRange> ranges;
  auto offset = map.find("pose_offset");
  if (!offset) return ranges;
  const auto position = Quantity::find(*offset, "position_m"), rotation = Quantity::find(*offset, "rotation_rad");
  offset->finish();
  if (position) read_offset_parts(*position, 0, ranges);
  if (rotation) read_offset_parts(*rotation, 3, ranges);
  for (LocatedRange& one : ranges) one.range.target = target;
  return ranges;
}

void refuse_range(const YamlReader& number) {
  const auto is_there = [&](std::string_view law) { return number.value().find(law) != nullptr; };
  if (std::none_of(kLaws.begin(), kLaws.end(), is_there)) return;
  number.fail("is a range; only numbers of noise models and of sensors, pose_offset and reflectivity can be ranges");
}

double middle_of(const ParameterRange& range) {
  switch (range.law) {
    case RangeLaw::kLogUniform:
      return std::clamp(std::sqrt(range.low) * std::sqrt(range.high), range.low, range.high);
    case RangeLaw::kNormal:
    case RangeLaw::kTruncatedNormal:
      return std::clamp(range.mean, range.low, range.high);
    case RangeLaw::kUniform:
      break;
  }
  return std::clamp(0.5 * range.low + 0.5 * range.high, range.low, range.high);
}

}  // namespace fathom
