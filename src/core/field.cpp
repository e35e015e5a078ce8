// SPDX-License-Identifier: MIT
#include <fathom/core/field.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/numbers.hpp"
#include "core/text.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPoseNumbers = 7;

[[noreturn]] void fail_field(std::string_view owner, const FieldInfo& field, std::string_view what) {
  throw InputError(fmt::format("{}.{} {}", owner, field.name, what));
}

/// Limits rounded to the type of the field.
struct KeptLimits {
  double low, high;
};

KeptLimits kept_limits(const FieldInfo& field) {
  if (!field.is_single) return {field.low, field.high};
  return {std::min(field.low, double{static_cast<float>(field.low)}),
          std::max(field.high, double{static_cast<float>(field.high)})};
}

/// `name`: the field, or one of its numbers.
void check_number(std::string_view owner, const FieldInfo& field, std::string_view name, double value) {
  const KeptLimits limits = kept_limits(field);
  check_in_range(owner, name, value, limits.low, limits.high, field.unit);
  if (field.is_whole && value != std::floor(value)) {
    throw InputError(fmt::format("{}.{} = {} is not a whole number", owner, name, number_text(value)));
  }
}

void check_numbers(std::string_view owner, const FieldInfo& field, std::span<const double> values) {
  const KeptLimits limits = kept_limits(field);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    const bool good = value >= limits.low && value <= limits.high && (!field.is_whole || value == std::floor(value));
    if (good) continue;  // lists may be long: make the name only for the message
    check_number(owner, field, fmt::format("{}[{}]", field.name, i), value);
  }
}

Quaternion quaternion_of(std::span<const double> pose) { return {pose[6], pose[3], pose[4], pose[5]}; }

void check_pose(std::string_view owner, const FieldInfo& field, std::span<const double> values) {
  if (values.size() != kPoseNumbers) {
    fail_field(owner, field, fmt::format("takes a position and a quaternion, not {} numbers", values.size()));
  }
  check_numbers(owner, field, values.first(3));
  const Quaternion q = quaternion_of(values);
  const double length = std::sqrt(dot(q, q));
  if (!is_about_one(length)) {
    fail_field(owner, field, fmt::format("has a quaternion of length {:.6g}, not 1", length));
  }
}

bool is_listed(FieldKind kind) {
  return kind == FieldKind::kList || kind == FieldKind::kPair || kind == FieldKind::kWords || kind == FieldKind::kPose;
}

/// All digits of a double, or of a float if the field keeps floats.
std::string digits(const FieldInfo& field, double value) {
  return field.is_single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

std::string_view word_at(const FieldInfo& field, double position) {
  return field.choices[static_cast<std::size_t>(position)];
}

std::string one_text(const FieldInfo& field, double value) {
  if (!field.choices.empty()) return std::string(word_at(field, value));
  if (field.kind == FieldKind::kFlag) return value == 0.0 ? "false" : "true";
  return digits(field, value);
}

std::string one_json(const FieldInfo& field, double value) {
  if (!field.choices.empty()) return fmt::format("\"{}\"", word_at(field, value));
  if (field.kind == FieldKind::kFlag) return value == 0.0 ? "false" : "true";
  if (!std::isfinite(value)) return "null";  // JSON has no infinity and no NaN
  const std::string text = digits(field, value);
  const bool looks_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_whole && !field.is_whole ? text + ".0" : text;
}

template <class One>
std::string in_brackets(const FieldInfo& field, std::span<const double> values, One one) {
  std::string text = "[";
  for (const double value : values) text += (text.size() > 1 ? ", " : "") + one(field, value);
  return text + "]";
}

}  // namespace

std::string field_text(const FieldInfo& field, std::span<const double> values) {
  if (values.empty()) return is_listed(field.kind) && field.kind != FieldKind::kPose ? "[]" : "none";
  return is_listed(field.kind) ? in_brackets(field, values, one_text) : one_text(field, values[0]);
}

std::string field_json(const FieldInfo& field, std::span<const double> values) {
  if (is_listed(field.kind)) return in_brackets(field, values, one_json);
  return values.empty() ? "null" : one_json(field, values[0]);
}

void check_values(std::string_view owner, const FieldInfo& field, std::span<const double> values) {
  if (values.empty() && field.may_be_empty) return;
  switch (field.kind) {
    case FieldKind::kPose:
      return check_pose(owner, field, values);
    case FieldKind::kPair:
      if (values.size() != field.parts.size()) {
        fail_field(owner, field,
                   fmt::format("has {} numbers and needs [{}]", values.size(), fmt::join(field.parts, ", ")));
      }
      return check_numbers(owner, field, values);
    case FieldKind::kList:
    case FieldKind::kWords:
      if (values.empty()) fail_field(owner, field, "is empty: it needs at least one value");
      return check_numbers(owner, field, values);
    case FieldKind::kNumber:
    case FieldKind::kCount:
    case FieldKind::kFlag:
    case FieldKind::kChoice:
      break;
  }
  if (values.size() != 1) fail_field(owner, field, fmt::format("takes one number, not a list of {}", values.size()));
  check_number(owner, field, field.name, values[0]);
}

namespace detail {

namespace {

template <class T>
const T& as(const void* member) {
  return *static_cast<const T*>(member);
}
template <class T>
T& as(void* member) {
  return *static_cast<T*>(member);
}

template <class T>
std::vector<double> numbers_of(const void* list) {
  return {as<std::vector<T>>(list).begin(), as<std::vector<T>>(list).end()};
}

template <class T>
void set_list(std::span<const double> values, void* list) {
  as<std::vector<T>>(list).clear();
  for (const double value : values) as<std::vector<T>>(list).push_back(static_cast<T>(value));
}

using Pair = std::optional<std::array<double, 2>>;

}  // namespace

MemberTraits traits_of(Held held) {
  switch (held) {
    case Held::kFloat:
      return {.kind = FieldKind::kNumber, .is_single = true};
    case Held::kDouble:
      return {.kind = FieldKind::kNumber};
    case Held::kOptional:
      return {.kind = FieldKind::kNumber, .may_be_empty = true};
    case Held::kCount:
      return {.kind = FieldKind::kCount, .is_whole = true};
    case Held::kFlag:
      return {.kind = FieldKind::kFlag, .is_whole = true};
    case Held::kDoubles:
      return {.kind = FieldKind::kList, .may_be_empty = true};
    case Held::kFloats:
      return {.kind = FieldKind::kList, .may_be_empty = true, .is_single = true};
    case Held::kCounts:
      return {.kind = FieldKind::kList, .may_be_empty = true, .is_whole = true};
    case Held::kPose:
      return {.kind = FieldKind::kPose, .may_be_empty = true};
    case Held::kPair:
      return {.kind = FieldKind::kPair, .may_be_empty = true};
    case Held::kChoice:
      return {.kind = FieldKind::kChoice, .is_whole = true};
    case Held::kWords:
      break;
  }
  return {.kind = FieldKind::kWords, .may_be_empty = true, .is_whole = true};
}

std::vector<double> to_numbers(const std::optional<Pose>& pose) {
  if (!pose) return {};
  const Vec3& t = pose->translation_m;
  const Quaternion& q = pose->rotation;
  return {t.x, t.y, t.z, q.x, q.y, q.z, q.w};
}

void from_numbers(std::span<const double> values, std::optional<Pose>& out) {
  out.reset();
  if (!values.empty()) out = Pose{{values[0], values[1], values[2]}, normalized(quaternion_of(values))};
}

std::vector<double> read_numbers(Held held, const void* member) {
  switch (held) {
    case Held::kFloat:
      return {double{as<float>(member)}};
    case Held::kDouble:
      return {as<double>(member)};
    case Held::kOptional:
      if (const auto& number = as<std::optional<double>>(member)) return {*number};
      return {};
    case Held::kCount:
      return {static_cast<double>(as<std::uint32_t>(member))};
    case Held::kFlag:
      return {as<bool>(member) ? 1.0 : 0.0};
    case Held::kDoubles:
      return numbers_of<double>(member);
    case Held::kFloats:
      return numbers_of<float>(member);
    case Held::kCounts:
      return numbers_of<std::uint16_t>(member);
    case Held::kPose:
      return to_numbers(as<std::optional<Pose>>(member));
    case Held::kPair:
      if (const auto& pair = as<Pair>(member)) return {pair->begin(), pair->end()};
      return {};
    case Held::kChoice:
    case Held::kWords:
      break;
  }
  return {};
}

void write_numbers(Held held, std::span<const double> values, void* member) {
  switch (held) {
    case Held::kFloat:
      as<float>(member) = static_cast<float>(values[0]);
      return;
    case Held::kDouble:
      as<double>(member) = values[0];
      return;
    case Held::kOptional:
      as<std::optional<double>>(member) = values.empty() ? std::optional<double>{} : values[0];
      return;
    case Held::kCount:
      as<std::uint32_t>(member) = static_cast<std::uint32_t>(values[0]);
      return;
    case Held::kFlag:
      as<bool>(member) = values[0] != 0.0;
      return;
    case Held::kDoubles:
      return set_list<double>(values, member);
    case Held::kFloats:
      return set_list<float>(values, member);
    case Held::kCounts:
      return set_list<std::uint16_t>(values, member);
    case Held::kPose:
      return from_numbers(values, as<std::optional<Pose>>(member));
    case Held::kPair:
      as<Pair>(member) = values.empty() ? Pair{} : Pair{{values[0], values[1]}};
      return;
    case Held::kChoice:
    case Held::kWords:
      return;
  }
}

void throw_no_field(std::string_view owner, std::string_view name, std::span<const std::string_view> names) {
  throw InputError(fmt::format("{} has no field '{}'{}", owner, name, nearest_hint(name, names)));
}

}  // namespace detail

void check_in_range(std::string_view owner, std::string_view name, double value, double low, double high,
                    std::string_view unit) {
  if (value >= low && value <= high) return;  // false for NaN
  const std::string shown_unit = unit.empty() || unit == "1" ? "" : fmt::format(" {}", unit);
  throw InputError(
      Setting{fmt::format("{}.{}", owner, name)},
      fmt::format(" = {} is not in [{}, {}]{}", number_text(value), number_text(low), number_text(high), shown_unit));
}

void check_sum_is_one(std::string_view owner, std::string_view names, double sum) {
  if (sum >= 1.0 - 1e-6 && sum <= 1.0 + 1e-6) return;
  throw InputError(fmt::format("{}: {} = {} is not 1", owner, names, fmt::format("{:.7g}", sum)));
}

}  // namespace fathom
