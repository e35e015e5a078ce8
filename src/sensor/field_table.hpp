#pragma once
// The field table of a kind of sensor and what is made from it: checks, access by name, help. One row per parameter.

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/geometry.hpp>
#include <fathom/noise/field.hpp>
#include <fathom/sensor_fields.hpp>

#include "base/text.hpp"

namespace fathom {

/// One parameter of `Model`. Limits are closed and hold for each value of a list, and for the position of a pose.
template <class Model>
struct FieldRow {
  std::string_view name, unit;
  std::variant<double Model::*, std::uint32_t Model::*, bool Model::*, std::vector<double> Model::*,
               std::vector<float> Model::*, std::vector<std::uint16_t> Model::*, std::optional<Pose> Model::*,
               ChoiceMember<Model>>
      member;
  double low, high;
  std::string_view doc;
  bool required = false;
};

/// Specialised per kind: kSlug, kDoc and rows().
template <class Model>
struct KindTable;

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

/// A pose as numbers: x, y, z, and the quaternion x, y, z, w.
using MaybePose = std::optional<Pose>;
inline constexpr std::size_t kPoseNumbers = 7;

/// The word of an enumerated parameter by its position: what check_values() and the others see of it.
struct ChoiceIndex {
  std::uint32_t value = 0;
};

/// Reads a field through whatever stands in its row.
template <class Model, class T>
const T& read_member(const Model& model, T Model::*member) {
  return model.*member;
}
template <class Model>
ChoiceIndex read_member(const Model& model, const ChoiceMember<Model>& member) {
  return {member.get(model)};
}

template <class T>
constexpr SensorFieldType field_type() {
  if constexpr (std::is_same_v<T, ChoiceIndex>) {
    return SensorFieldType::kChoice;
  } else if constexpr (std::is_same_v<T, MaybePose>) {
    return SensorFieldType::kPose;
  } else if constexpr (kIsList<T>) {
    return SensorFieldType::kList;
  } else if constexpr (std::is_same_v<T, bool>) {
    return SensorFieldType::kFlag;
  } else if constexpr (std::is_same_v<T, double>) {
    return SensorFieldType::kNumber;
  } else {
    return SensorFieldType::kCount;
  }
}

/// The values of one field as numbers.
template <class T>
std::vector<double> as_numbers(const T& member) {
  if constexpr (kIsList<T>) {
    return {member.begin(), member.end()};
  } else if constexpr (std::is_same_v<T, MaybePose>) {
    if (!member) return {};
    const Vec3& t = member->translation_m;
    const Quaternion& q = member->rotation;
    return {t.x, t.y, t.z, q.x, q.y, q.z, q.w};
  } else if constexpr (std::is_same_v<T, ChoiceIndex>) {
    return {static_cast<double>(member.value)};
  } else {
    return {static_cast<double>(member)};
  }
}

/// Throws InputError unless value is within the row's limits, and whole where the field is.
template <class Model>
void check_value(const FieldRow<Model>& row, const std::string& name, double value, bool whole) {
  check_in_range(KindTable<Model>::kSlug, name, value, row.low, row.high, row.unit);
  if (whole && value != std::floor(value)) {
    throw InputError(
        fmt::format("{}.{} = {} is not a whole number", KindTable<Model>::kSlug, name, number_text(value)));
  }
}

/// Throws InputError unless the values are a pose, or nothing where the pose may be missing.
template <class Model>
void check_pose(const FieldRow<Model>& row, std::span<const double> values) {
  if (values.empty() && !row.required) return;
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}.{} {}", KindTable<Model>::kSlug, row.name, what));
  };
  if (values.size() != kPoseNumbers)
    fail(fmt::format("takes a position and a quaternion, not {} numbers", values.size()));
  for (std::size_t i = 0; i < 3; ++i) check_value(row, fmt::format("{}[{}]", row.name, i), values[i], false);
  const Quaternion q{values[6], values[3], values[4], values[5]};
  const double length = std::sqrt(dot(q, q));
  if (!(std::abs(length - 1.0) <= 1e-2)) fail(fmt::format("has a quaternion of length {:.6g}, not 1", length));
}

/// Throws InputError unless every value may stand in the field `T Model::*`.
template <class T, class Model>
void check_values(const FieldRow<Model>& row, std::span<const double> values) {
  if constexpr (std::is_same_v<T, MaybePose>) {
    check_pose(row, values);
  } else if constexpr (!kIsList<T>) {
    if (values.size() != 1) {
      throw InputError(
          fmt::format("{}.{} takes one number, not a list of {}", KindTable<Model>::kSlug, row.name, values.size()));
    }
    check_value(row, std::string(row.name), values[0], !std::is_same_v<T, double>);
  } else {
    if (row.required && values.empty()) {
      throw InputError(fmt::format("{}.{} is empty: it needs at least one value", KindTable<Model>::kSlug, row.name));
    }
    constexpr bool kWhole = std::is_integral_v<typename T::value_type>;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool good =
          values[i] >= row.low && values[i] <= row.high && (!kWhole || values[i] == std::floor(values[i]));
      if (good) continue;  // the name is made for the message only: lists may be long
      check_value(row, fmt::format("{}[{}]", row.name, i), values[i], kWhole);
    }
  }
}

/// Throws InputError naming the first parameter outside its limits.
template <class Model>
void check_fields(const Model& model) {
  for (const FieldRow<Model>& row : KindTable<Model>::rows()) {
    std::visit(
        [&](auto member) {
          const auto& value = read_member(model, member);
          check_values<std::remove_cvref_t<decltype(value)>>(row, as_numbers(value));
        },
        row.member);
  }
}

template <class Model>
const FieldRow<Model>& find_row(std::string_view field) {
  std::vector<std::string_view> names;
  for (const FieldRow<Model>& row : KindTable<Model>::rows()) {
    if (row.name == field) return row;
    names.push_back(row.name);
  }
  throw InputError(fmt::format("{} has no field '{}'{}", KindTable<Model>::kSlug, field, nearest_hint(field, names)));
}

template <class Model>
void set_field(Model& model, std::string_view field, std::span<const double> values) {
  const FieldRow<Model>& row = find_row<Model>(field);
  std::visit(
      [&](auto member) {
        using T = std::remove_cvref_t<decltype(read_member(model, member))>;
        check_values<T>(row, values);
        if constexpr (std::is_same_v<T, ChoiceIndex>) {
          member.set(model, static_cast<std::uint32_t>(values[0]));
        } else if constexpr (std::is_same_v<T, MaybePose>) {
          (model.*member).reset();
          if (values.empty()) return;
          const Quaternion q{values[6], values[3], values[4], values[5]};
          model.*member = Pose{{values[0], values[1], values[2]}, normalized(q)};
        } else if constexpr (kIsList<T>) {
          T& list = model.*member;
          list.clear();
          for (const double value : values) list.push_back(static_cast<typename T::value_type>(value));
        } else {
          model.*member = static_cast<T>(values[0]);
        }
      },
      row.member);
}

template <class Model>
std::vector<double> get_field(const Model& model, std::string_view field) {
  return std::visit([&](auto member) { return as_numbers(read_member(model, member)); }, find_row<Model>(field).member);
}

template <class Model>
SensorKindInfo kind_info() {
  const Model defaults{};
  SensorKindInfo info{KindTable<Model>::kSlug, KindTable<Model>::kDoc, {}};
  for (const FieldRow<Model>& row : KindTable<Model>::rows()) {
    std::visit(
        [&](auto member) {
          const auto& value = read_member(defaults, member);
          using T = std::remove_cvref_t<decltype(value)>;
          std::string text;
          const std::vector<double> numbers = as_numbers(value);
          if (!row.required) text = numbers.empty() ? kIsList<T> ? "[]" : "none" : number_text(numbers[0]);
          info.fields.push_back(
              {row.name, row.unit, field_type<T>(), row.low, row.high, row.doc, row.required, text, {}});
          if constexpr (std::is_same_v<T, ChoiceIndex>) {
            info.fields.back().choices = member.words;
            info.fields.back().default_value = member.words[value.value];
          }
        },
        row.member);
  }
  return info;
}

}  // namespace fathom
