#pragma once
// The field table of a model: the single source of its parameter names, units, limits and docs. Validation, files,
// the command line's help and docs/noise.md are all made from it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include <fathom/export.hpp>

namespace fathom {

/// An axis of the sensor frame (x forward, y left, z up).
enum class Axis : std::uint8_t { kX, kY, kZ };

/// The words for the values of an enumerated parameter, counted from 0. Specialise it for an enum of your own.
template <class E>
inline constexpr std::array<std::string_view, 0> kChoiceWords = {};
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<Axis> = {"x", "y", "z"};

/// An enumerated parameter of `Model`; made by choice<&Model::member>.
template <class Model>
struct ChoiceMember {
  std::span<const std::string_view> words;
  std::uint32_t (*get)(const Model&);
  void (*set)(Model&, std::uint32_t);
};

namespace detail {

template <class T>
struct MemberParts;
template <class M, class V>
struct MemberParts<V M::*> {
  using Model = M;
  using Value = V;
};

template <auto Member>
constexpr auto make_choice() {
  using Model = typename MemberParts<decltype(Member)>::Model;
  using Enum = typename MemberParts<decltype(Member)>::Value;
  static_assert(!kChoiceWords<Enum>.empty(), "specialise fathom::kChoiceWords for this enum");
  return ChoiceMember<Model>{kChoiceWords<Enum>, [](const Model& m) { return static_cast<std::uint32_t>(m.*Member); },
                             [](Model& m, std::uint32_t value) { m.*Member = static_cast<Enum>(value); }};
}

}  // namespace detail

template <auto Member>
inline constexpr auto choice = detail::make_choice<Member>();

/// One parameter of `Model`. Numbers carry a unit and closed limits; choices have words instead.
template <class Model>
struct Field {
  std::string_view name;
  std::string_view unit;  ///< "m", "rad", "1" (a ratio or probability), "m/m", or the words: "x|y|z"
  std::variant<float Model::*, ChoiceMember<Model>> member;
  double low = 0.0;
  double high = 0.0;
  std::string_view doc;
};

/// A parameter without its type: what files, help and the reference page need.
struct FieldInfo {
  std::string_view name, unit;
  std::span<const std::string_view> choices;  ///< words of an enumerated parameter; empty for a number
  double low, high;
  std::string_view doc;
  std::string default_value;
};

/// The limits of sigma and mean are generous on purpose: they stop a slipped unit, not an experiment.
inline constexpr double kMaxAngleRad = 3.14159265358979323846;

/// Throws InputError unless low <= value <= high (so NaN fails): "distance.stddev_m = -1 is not in [0, 10] m".
FATHOM_API void check_in_range(std::string_view owner, std::string_view name, double value, double low, double high,
                               std::string_view unit);

/// Throws InputError unless `value` is within the limits of the field. A limit that is no float does not refuse the
/// float nearest to it, which is what a parameter given as that limit becomes: 0.1F is above 0.1.
template <class Model>
void check_value(const Field<Model>& field, double value) {
  const double low = static_cast<float>(field.low), high = static_cast<float>(field.high);
  check_in_range(Model::kSlug, field.name, value, low < field.low ? low : field.low,
                 high > field.high ? high : field.high, field.unit);
}

/// Throws InputError unless `sum`, of the parameters that `names` lists, is 1 within 1e-6.
FATHOM_API void check_sum_is_one(std::string_view owner, std::string_view names, double sum);

/// Throws InputError naming the first parameter outside its limits, or what model.check() says of them together, where
/// there is such a function.
template <class Model>
void validate(const Model& model) {
  for (const auto& field : Model::fields()) {
    if (const auto* number = std::get_if<float Model::*>(&field.member)) {
      check_value(field, model.*(*number));
    } else {
      const auto& words = std::get<ChoiceMember<Model>>(field.member);
      check_in_range(Model::kSlug, field.name, words.get(model), 0, static_cast<double>(words.words.size()) - 1,
                     field.unit);
    }
  }
  if constexpr (requires { model.check(); }) model.check();
}

}  // namespace fathom
