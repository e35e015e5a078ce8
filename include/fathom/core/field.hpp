// SPDX-License-Identifier: MIT
#pragma once
// The table of a struct's parameters is the single source of their names, units, limits, docs and defaults. Validation,
// access by name, files, help and reference pages use it, so a new parameter takes a member and one entry:
//
//   struct Fog {
//     float density_per_m = 0.0F;
//     bool is_patchy = false;
//
//     static constexpr std::string_view kSlug = "fog";
//     static constexpr std::string_view kDoc = "Water in the air.";
//     static constexpr auto fields() {
//       return std::array<Field<Fog>, 2>{{
//           {"density_per_m", "1/m", &Fog::density_per_m, 0, 10, "loss of light"},
//           {"is_patchy", "1", &Fog::is_patchy, 0, 1, "whether it has gaps"},
//       }};
//     }
//   };
//
// A struct checks rules about several parameters in a function void check() const.

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/detail/field_member.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/geometry.hpp>

namespace fathom {

/// A former name of a parameter. A file that uses it gets a message with the new name.
struct FormerName {
  std::string_view name = {};  ///< empty if there is no former name
  std::string_view why = {};   ///< of the new name: "a beam is something else"; may be empty
};

/// One parameter of `Model`. Limits are closed. They hold for a number, for each number of a list or a pair, and for
/// the position of a pose. The limits of flags and words are ignored.
template <class Model>
struct Field {
  std::string_view name;  ///< as in C++, with its unit: "span_rad"
  std::string_view unit;  ///< "m", "rad", "1" (a ratio, a count, a flag), "m/m", or the words: "x|y|z"
  FieldMember<Model> member;
  double low = 0.0;
  double high = 0.0;
  std::string_view doc;
  bool required = false;  ///< has no usable default: a file must give it, and a list must not be empty
  /// Help and pages show this text if the default has a special meaning: "chosen for each picture".
  std::optional<std::string_view> default_text = {};
  FormerName former = {};

  /// The same field with a former name.
  [[nodiscard]] constexpr Field formerly(std::string_view name_before, std::string_view why = {}) const {
    Field renamed = *this;
    renamed.former = {name_before, why};
    return renamed;
  }
};

/// A parameter without its struct, for files, help and pages.
struct FieldInfo {
  std::string_view name, unit;
  FieldKind kind = FieldKind::kNumber;
  double low = 0.0, high = 0.0;  ///< closed; of flags 0 and 1, of words the first and the last position
  std::string_view doc;
  bool required = false;
  FormerName former = {};
  std::string default_value = {};                  ///< as text; empty when required
  std::vector<double> default_numbers = {};        ///< the same as numbers
  std::span<const std::string_view> choices = {};  ///< the words of kChoice and kWords; else empty
  std::span<const std::string_view> parts = {};    ///< the names of the two numbers of kPair; else empty
  bool may_be_empty = false;                       ///< whether an empty list of numbers is a value
  bool is_whole = false;                           ///< whether fractions are refused
  bool is_single = false;                          ///< whether it is kept in single precision
};

/// A struct with a table of its parameters.
template <class M>
concept FieldModel = std::copyable<M> && requires {
  { M::kSlug } -> std::convertible_to<std::string_view>;
  { M::kDoc } -> std::convertible_to<std::string_view>;
  { M::fields().front() } -> std::convertible_to<const Field<M>&>;
};

/// The value of a field in YAML and help: 0.02, true, left, [1, 2]. It has enough digits to read the same value back.
/// Without a number it is "[]" for a field that files list, else "none".
FATHOM_API std::string field_text(const FieldInfo& field, std::span<const double> values);
/// The same as JSON: 0.02, true, "left", [1.0, 2.0]. Without a number: [] for lists, pairs, words and poses, else null.
FATHOM_API std::string field_json(const FieldInfo& field, std::span<const double> values);

/// Throws InputError unless low <= value <= high (so NaN fails): "distance.stddev_m = -1 is not in [0, 10] m".
FATHOM_API void check_in_range(std::string_view owner, std::string_view name, double value, double low, double high,
                               std::string_view unit);

/// Throws InputError unless `sum`, of the parameters that `names` lists, is 1 within 1e-6.
FATHOM_API void check_sum_is_one(std::string_view owner, std::string_view names, double sum);

/// Throws InputError "owner.name ..." unless these numbers are a value of the field. A field that keeps floats accepts
/// the float nearest to a limit even if it lies beyond: with the limit 0.1 it accepts 0.1F, which is larger.
FATHOM_API void check_values(std::string_view owner, const FieldInfo& field, std::span<const double> values);

/// A field without its struct and without its default, which would need a model.
template <class M>
FieldInfo without_default(const Field<M>& field) {
  const detail::MemberTraits traits = field.member.traits();
  FieldInfo info{.name = field.name,
                 .unit = field.unit,
                 .kind = traits.kind,
                 .low = field.low,
                 .high = field.high,
                 .doc = field.doc,
                 .required = field.required,
                 .former = field.former,
                 .choices = traits.choices,
                 .parts = traits.parts,
                 .may_be_empty = traits.may_be_empty && !field.required,
                 .is_whole = traits.is_whole,
                 .is_single = traits.is_single};
  if (traits.kind == FieldKind::kFlag) info.low = 0.0, info.high = 1.0;
  if (!traits.choices.empty()) info.low = 0.0, info.high = static_cast<double>(traits.choices.size()) - 1.0;
  return info;
}

/// The value of a field as numbers.
template <class M>
std::vector<double> values_of(const M& model, const Field<M>& field) {
  return field.member.read(model);
}

/// The table of M without its type.
template <FieldModel M>
std::vector<FieldInfo> describe() {
  static const M defaults{};  // static: g++ 12 warns about an automatic one
  std::vector<FieldInfo> table;
  for (const Field<M>& field : M::fields()) {
    FieldInfo& info = table.emplace_back(without_default(field));
    info.default_numbers = values_of(defaults, field);
    if (!field.required) info.default_value = field_text(info, info.default_numbers);
    if (field.default_text) info.default_value = *field.default_text;
  }
  return table;
}

/// Throws InputError if the value of a field is not allowed.
template <FieldModel M>
void check_field(const M& model, const Field<M>& field) {
  // A short way for numbers within the limits: each new model is checked.
  const auto is_within = [&](double value) { return value >= field.low && value <= field.high; };
  bool is_fine = false;
  if (const auto single = field.member.template as<float>()) is_fine = is_within(double{model.*single});
  if (const auto number = field.member.template as<double>()) is_fine = is_within(model.*number);
  if (const auto* choice = field.member.as_choice()) is_fine = choice->get(model) < choice->words.size();
  if (!is_fine) check_values(M::kSlug, without_default(field), values_of(model, field));
}

/// Throws InputError naming the first parameter outside its limits.
template <FieldModel M>
void check_fields(const M& model) {
  for (const Field<M>& field : M::fields()) check_field(model, field);
}

/// The same, and model.check() if the model has that function.
template <FieldModel M>
void validate(const M& model) {
  check_fields(model);
  if constexpr (requires { model.check(); }) model.check();
}

namespace detail {
/// Throws InputError: `owner` has no field of that name. The message names the nearest field.
[[noreturn]] FATHOM_API void throw_no_field(std::string_view owner, std::string_view name,
                                            std::span<const std::string_view> names);
}  // namespace detail

/// Throws InputError for an unknown name.
template <FieldModel M>
Field<M> find_field(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Field<M>& field : M::fields()) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  detail::throw_no_field(M::kSlug, name, names);
}

/// Sets one parameter. Throws InputError for an unknown name and for a wrong value; then nothing changes. Only
/// validate() checks rules about several parameters.
template <FieldModel M>
void set_field(M& model, std::string_view name, std::span<const double> values) {
  const Field<M> field = find_field<M>(name);
  check_values(M::kSlug, without_default(field), values);
  field.member.write(model, values);
}
template <FieldModel M>
void set_field(M& model, std::string_view name, double value) {
  set_field(model, name, std::span<const double>(&value, 1));
}

/// The value of a parameter as numbers. Throws InputError for an unknown name.
template <FieldModel M>
std::vector<double> get_field(const M& model, std::string_view name) {
  return values_of(model, find_field<M>(name));
}

/// The member behind a field of type T, which is float, double or bool: model.*member_of<double>(field). Null for a
/// field of another type.
template <class T, class M>
constexpr T M::*member_of(const Field<M>& field) {
  return field.member.template as<T>();
}

}  // namespace fathom
