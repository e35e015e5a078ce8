// SPDX-License-Identifier: MIT
#include <fathom/base/field.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/coordinates.hpp"
#include "base/text.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPoseNumbers = 7;

[[noreturn]] void fail_field(std::string_view owner, const FieldInfo& field, std::string_view what) {
  throw InputError(fmt::format("{}.{} {}", owner, field.name, what));
}

/// Limits as the field can keep them.
struct KeptLimits {
  double low, high;
};

KeptLimits kept_limits(const FieldInfo& field) {
  if (!field.is_single) return {field.low, field.high};
  return {std::min(field.low, double{static_cast<float>(field.low)}),
          std::max(field.high, double{static_cast<float>(field.high)})};
}

/// `name`: of the field, or of one of its numbers.
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
    if (good) continue;  // the name is made for the message only: lists may be long
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

/// All digits of it, those of a float where the field keeps floats.
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
  if (!std::isfinite(value)) return "null";  // JSON has no other word for it
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

std::vector<double> to_numbers(double value) { return {value}; }
std::vector<double> to_numbers(const std::optional<double>& value) {
  return value ? std::vector<double>{*value} : std::vector<double>{};
}
std::vector<double> to_numbers(const std::vector<double>& list) { return list; }
std::vector<double> to_numbers(const std::vector<float>& list) { return {list.begin(), list.end()}; }
std::vector<double> to_numbers(const std::vector<std::uint16_t>& list) { return {list.begin(), list.end()}; }
std::vector<double> to_numbers(const std::optional<std::array<double, 2>>& pair) {
  return pair ? std::vector<double>(pair->begin(), pair->end()) : std::vector<double>{};
}
std::vector<double> to_numbers(const std::optional<Pose>& pose) {
  if (!pose) return {};
  const Vec3& t = pose->translation_m;
  const Quaternion& q = pose->rotation;
  return {t.x, t.y, t.z, q.x, q.y, q.z, q.w};
}

void from_numbers(std::span<const double> values, float& out) { out = static_cast<float>(values[0]); }
void from_numbers(std::span<const double> values, double& out) { out = values[0]; }
void from_numbers(std::span<const double> values, std::optional<double>& out) {
  out = values.empty() ? std::optional<double>{} : values[0];
}
void from_numbers(std::span<const double> values, std::uint32_t& out) { out = static_cast<std::uint32_t>(values[0]); }
void from_numbers(std::span<const double> values, bool& out) { out = values[0] != 0.0; }
void from_numbers(std::span<const double> values, std::vector<double>& out) {
  out.assign(values.begin(), values.end());
}
void from_numbers(std::span<const double> values, std::vector<float>& out) {
  out.clear();
  for (const double value : values) out.push_back(static_cast<float>(value));
}
void from_numbers(std::span<const double> values, std::vector<std::uint16_t>& out) {
  out.clear();
  for (const double value : values) out.push_back(static_cast<std::uint16_t>(value));
}
void from_numbers(std::span<const double> values, std::optional<std::array<double, 2>>& out) {
  out.reset();
  if (!values.empty()) out = {values[0], values[1]};
}
void from_numbers(std::span<const double> values, std::optional<Pose>& out) {
  out.reset();
  if (!values.empty()) out = Pose{{values[0], values[1], values[2]}, normalized(quaternion_of(values))};
}

void throw_no_field(std::string_view owner, std::string_view name, std::span<const std::string_view> names) {
  throw InputError(fmt::format("{} has no field '{}'{}", owner, name, nearest_hint(name, names)));
}

}  // namespace detail

}  // namespace fathom
