// SPDX-License-Identifier: MIT
#include "simulate/read_range.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

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
  YamlReader map = quantity.reader();
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
  if (!given) map.fail(fmt::format("is neither a number nor a range: {}, {} or {}", kLaws[0], kLaws[1], kLaws[2]));
  if (range.law != RangeLaw::kNormal) {
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

void refuse_range(const YamlReader& number) {
  const auto is_there = [&](std::string_view law) { return number.value().find(law) != nullptr; };
  if (std::none_of(kLaws.begin(), kLaws.end(), is_there)) return;
  number.fail("is a range; so far only numbers of noise models can be ranges");
}

double middle_of(const ParameterRange& range) {
  switch (range.law) {
    case RangeLaw::kLogUniform:
      return std::clamp(std::sqrt(range.low) * std::sqrt(range.high), range.low, range.high);
    case RangeLaw::kNormal:
      return std::clamp(range.mean, range.low, range.high);
    case RangeLaw::kUniform:
      break;
  }
  return std::clamp(0.5 * range.low + 0.5 * range.high, range.low, range.high);
}

}  // namespace fathom
