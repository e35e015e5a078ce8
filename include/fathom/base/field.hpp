// SPDX-License-Identifier: MIT
#pragma once
// The table of a struct of parameters: the single source of their names, units, limits, docs and defaults. Validation,
// access by name, files, help and reference pages are all made from it, so a new parameter is a member and one entry:
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
// A rule that concerns several parameters stands in a function void check() const of the struct.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/geometry.hpp>

namespace fathom {

/// The words for the values of an enum, counted from 0. Specialise it for each enum that is a parameter.
template <class E>
inline constexpr std::array<std::string_view, 0> kChoiceWords = {};

/// A parameter of `Model` that is one of several words; made by choice<> or choice_among<>.
template <class Model>
struct ChoiceMember {
  std::span<const std::string_view> words;
  std::uint32_t (*get)(const Model&);  ///< the position of the word; kNoChoice: none is chosen
  void (*set)(Model&, std::uint32_t);  ///< takes what get() gives
  bool may_be_empty = false;           ///< whether it may be kNoChoice
};
inline constexpr std::uint32_t kNoChoice = 0xffffffffU;

/// A parameter of `Model` that is any number of words, each once; made by word_set<>.
template <class Model>
struct WordSetMember {
  std::span<const std::string_view> words;
  bool (*contains)(const Model&, std::uint32_t position);
  void (*clear)(Model&);
  void (*insert)(Model&, std::uint32_t position);
};

/// A parameter of `Model` that is two numbers or nothing, with the names of the two: "cx" and "cy".
template <class Model>
struct PairMember {
  std::optional<std::array<double, 2>> Model::*member;
  std::span<const std::string_view> parts;
};

/// A name that a parameter had before; files that use it get a message with the new one.
struct FormerName {
  std::string_view name = {};  ///< empty: there is none
  std::string_view why = {};   ///< of the new name: "a beam is something else"; may be empty
};

/// One parameter of `Model`. Limits are closed; they hold for a number, for each number of a list or a pair, and for
/// the position of a pose. Flags and words have limits by nature: what stands here for them is not read.
template <class Model>
struct Field {
  std::string_view name;  ///< as in C++, with its unit: "span_rad"
  std::string_view unit;  ///< "m", "rad", "1" (a ratio, a count, a flag), "m/m", or the words: "x|y|z"
  std::variant<float Model::*, double Model::*, std::optional<double> Model::*, std::uint32_t Model::*, bool Model::*,
               std::vector<double> Model::*, std::vector<float> Model::*, std::vector<std::uint16_t> Model::*,
               std::optional<Pose> Model::*, PairMember<Model>, ChoiceMember<Model>, WordSetMember<Model>>
      member;
  double low = 0.0;
  double high = 0.0;
  std::string_view doc;
  bool required = false;  ///< has no usable default: a file must give it, and a list must not be empty
  /// The text that help and pages show in place of a default with a special meaning: "chosen for each picture".
  std::optional<std::string_view> default_text = {};
  FormerName former = {};

  /// The same field, which had another name before.
  [[nodiscard]] constexpr Field formerly(std::string_view name_before, std::string_view why = {}) const {
    Field renamed = *this;
    renamed.former = {name_before, why};
    return renamed;
  }
};

/// The kind of a parameter, and the numbers that are its value.
enum class FieldKind : std::uint8_t {
  kNumber,  ///< one number
  kCount,   ///< one whole number
  kFlag,    ///< 0 or 1; files say false or true
  kChoice,  ///< the position of a word among the choices; files say the word
  kList,    ///< any number of numbers; in files a single number stands for a list of one
  kPair,    ///< two numbers
  kWords,   ///< the positions of words among the choices; files list the words
  kPose,    ///< x, y, z, then a quaternion x, y, z, w of length 1
};

/// A parameter without its struct: what files, help and pages need.
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
  bool may_be_empty = false;                       ///< whether no number at all is a value too
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

/// The value of a field as YAML takes it and help shows it: 0.02, true, left, [1, 2], with all the digits that it takes
/// to read the same value back. No number at all: "[]" of what files give as a list, else "none".
FATHOM_API std::string field_text(const FieldInfo& field, std::span<const double> values);
/// The same as JSON: 0.02, true, "left", [1.0, 2.0]. No number at all: [] of lists, pairs, words and poses, else null.
FATHOM_API std::string field_json(const FieldInfo& field, std::span<const double> values);

/// The limit of angles by which something is turned.
inline constexpr double kMaxAngleRad = std::numbers::pi;

/// Throws InputError unless low <= value <= high (so NaN fails): "distance.stddev_m = -1 is not in [0, 10] m".
FATHOM_API void check_in_range(std::string_view owner, std::string_view name, double value, double low, double high,
                               std::string_view unit);

/// Throws InputError unless `sum`, of the parameters that `names` lists, is 1 within 1e-6.
FATHOM_API void check_sum_is_one(std::string_view owner, std::string_view names, double sum);

/// Throws InputError unless these numbers are a value of the field, saying "owner.name ...". A limit that is no float
/// does not refuse the float nearest to it where the field keeps floats, as that is what the limit becomes there: 0.1F
/// is above 0.1.
FATHOM_API void check_values(std::string_view owner, const FieldInfo& field, std::span<const double> values);

namespace detail {

template <class T>
struct MemberParts;
template <class M, class V>
struct MemberParts<V M::*> {
  using Model = M;
  using Value = V;
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

/// The words of an enum, and its values by the position of their words.
template <class E>
struct AllValues {
  static constexpr const auto& kWords = kChoiceWords<E>;
  static_assert(!kWords.empty(), "specialise fathom::kChoiceWords for this enum");
  static constexpr std::uint32_t position(E value) { return static_cast<std::uint32_t>(value); }
  static constexpr E value(std::uint32_t position) { return static_cast<E>(position); }
};

/// The same of the values in the array `Values` alone.
template <const auto& Values>
struct SomeValues {
  using E = typename std::remove_cvref_t<decltype(Values)>::value_type;
  static constexpr std::array<std::string_view, Values.size()> kWords = [] {
    std::array<std::string_view, Values.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = kChoiceWords<E>.at(static_cast<std::size_t>(Values[i]));
    return words;
  }();
  /// Of another value: a position outside the limits.
  static constexpr std::uint32_t position(E value) {
    std::uint32_t i = 0;
    while (i < Values.size() && Values[i] != value) ++i;
    return i;
  }
  static constexpr E value(std::uint32_t position) { return Values[position]; }
};

template <auto Member, class Among>
constexpr auto make_choice() {
  using Model = typename MemberParts<decltype(Member)>::Model;
  using Value = typename MemberParts<decltype(Member)>::Value;
  ChoiceMember<Model> made = {Among::kWords, nullptr, nullptr, kIsOptional<Value>};
  if constexpr (kIsOptional<Value>) {
    made.get = [](const Model& m) { return m.*Member ? Among::position(*(m.*Member)) : kNoChoice; };
    made.set = [](Model& m, std::uint32_t position) {
      m.*Member = position == kNoChoice ? Value{} : Value{Among::value(position)};
    };
  } else {
    made.get = [](const Model& m) { return Among::position(m.*Member); };
    made.set = [](Model& m, std::uint32_t position) { m.*Member = Among::value(position); };
  }
  return made;
}

template <class T>
struct EnumOf {
  using Type = T;
};
template <class T>
struct EnumOf<std::optional<T>> {
  using Type = T;
};

template <auto Member>
using EnumOfMember = typename EnumOf<typename MemberParts<decltype(Member)>::Value>::Type;

template <auto Member, class E>
constexpr auto make_word_set() {
  using Model = typename MemberParts<decltype(Member)>::Model;
  using Value = typename MemberParts<decltype(Member)>::Value;
  return WordSetMember<Model>{AllValues<E>::kWords,
                              [](const Model& m, std::uint32_t position) { return (m.*Member).contains(E(position)); },
                              [](Model& m) { m.*Member = Value{}; },
                              [](Model& m, std::uint32_t position) { (m.*Member).insert(static_cast<E>(position)); }};
}

}  // namespace detail

/// The member of a field that is an enum, or an optional one, by the words of its kChoiceWords.
template <auto Member>
inline constexpr auto choice = detail::make_choice<Member, detail::AllValues<detail::EnumOfMember<Member>>>();
/// The same where only the values in the array `Values` (constexpr, of static storage) may be chosen.
template <auto Member, const auto& Values>
inline constexpr auto choice_among = detail::make_choice<Member, detail::SomeValues<Values>>();
/// The member of a field that is a set of the enum E, with insert(E) and contains(E).
template <auto Member, class E>
inline constexpr auto word_set = detail::make_word_set<Member, E>();

namespace detail {

/// Properties that follow from the type of a member.
struct MemberTraits {
  FieldKind kind;
  bool may_be_empty = false, is_whole = false, is_single = false;
};
template <class T>
inline constexpr MemberTraits kMemberTraits = {};
template <>
inline constexpr MemberTraits kMemberTraits<float> = {.kind = FieldKind::kNumber, .is_single = true};
template <>
inline constexpr MemberTraits kMemberTraits<double> = {.kind = FieldKind::kNumber};
template <>
inline constexpr MemberTraits kMemberTraits<std::optional<double>> = {.kind = FieldKind::kNumber, .may_be_empty = true};
template <>
inline constexpr MemberTraits kMemberTraits<std::uint32_t> = {.kind = FieldKind::kCount, .is_whole = true};
template <>
inline constexpr MemberTraits kMemberTraits<bool> = {.kind = FieldKind::kFlag, .is_whole = true};
template <>
inline constexpr MemberTraits kMemberTraits<std::vector<double>> = {.kind = FieldKind::kList, .may_be_empty = true};
template <>
inline constexpr MemberTraits kMemberTraits<std::vector<float>> = {
    .kind = FieldKind::kList, .may_be_empty = true, .is_single = true};
template <>
inline constexpr MemberTraits kMemberTraits<std::vector<std::uint16_t>> = {
    .kind = FieldKind::kList, .may_be_empty = true, .is_whole = true};
template <>
inline constexpr MemberTraits kMemberTraits<std::optional<Pose>> = {.kind = FieldKind::kPose, .may_be_empty = true};

inline void describe_traits(FieldInfo& info, const MemberTraits& traits) {
  info.kind = traits.kind;
  info.may_be_empty = traits.may_be_empty && !info.required;
  info.is_whole = traits.is_whole;
  info.is_single = traits.is_single;
  if (traits.kind == FieldKind::kFlag) info.low = 0.0, info.high = 1.0;
}
inline void describe_words(FieldInfo& info, std::span<const std::string_view> words) {
  info.choices = words;
  info.low = 0.0, info.high = static_cast<double>(words.size()) - 1.0;
}

template <class M, class T>
void describe_member(FieldInfo& info, T M::* /*member*/) {
  describe_traits(info, kMemberTraits<T>);
}
template <class M>
void describe_member(FieldInfo& info, const PairMember<M>& member) {
  describe_traits(info, {.kind = FieldKind::kPair, .may_be_empty = true});
  info.parts = member.parts;
}
template <class M>
void describe_member(FieldInfo& info, const ChoiceMember<M>& member) {
  describe_traits(info, {.kind = FieldKind::kChoice, .may_be_empty = member.may_be_empty, .is_whole = true});
  describe_words(info, member.words);
}
template <class M>
void describe_member(FieldInfo& info, const WordSetMember<M>& member) {
  describe_traits(info, {.kind = FieldKind::kWords, .may_be_empty = true, .is_whole = true});
  describe_words(info, member.words);
}

/// The value of a member as numbers.
FATHOM_API std::vector<double> to_numbers(double value);
FATHOM_API std::vector<double> to_numbers(const std::optional<double>& value);
FATHOM_API std::vector<double> to_numbers(const std::vector<double>& list);
FATHOM_API std::vector<double> to_numbers(const std::vector<float>& list);
FATHOM_API std::vector<double> to_numbers(const std::vector<std::uint16_t>& list);
FATHOM_API std::vector<double> to_numbers(const std::optional<std::array<double, 2>>& pair);
FATHOM_API std::vector<double> to_numbers(const std::optional<Pose>& pose);

/// Stores numbers that check_values() let through.
FATHOM_API void from_numbers(std::span<const double> values, float& out);
FATHOM_API void from_numbers(std::span<const double> values, double& out);
FATHOM_API void from_numbers(std::span<const double> values, std::optional<double>& out);
FATHOM_API void from_numbers(std::span<const double> values, std::uint32_t& out);
FATHOM_API void from_numbers(std::span<const double> values, bool& out);
FATHOM_API void from_numbers(std::span<const double> values, std::vector<double>& out);
FATHOM_API void from_numbers(std::span<const double> values, std::vector<float>& out);
FATHOM_API void from_numbers(std::span<const double> values, std::vector<std::uint16_t>& out);
FATHOM_API void from_numbers(std::span<const double> values, std::optional<std::array<double, 2>>& out);
FATHOM_API void from_numbers(std::span<const double> values, std::optional<Pose>& out);

template <class M, class T>
std::vector<double> read_member(const M& model, T M::*member) {
  return to_numbers(model.*member);
}
template <class M>
std::vector<double> read_member(const M& model, const PairMember<M>& pair) {
  return to_numbers(model.*pair.member);
}
template <class M>
std::vector<double> read_member(const M& model, const ChoiceMember<M>& one) {
  const std::uint32_t position = one.get(model);
  if (one.may_be_empty && position == kNoChoice) return {};
  return {static_cast<double>(position)};
}
template <class M>
std::vector<double> read_member(const M& model, const WordSetMember<M>& set) {
  std::vector<double> positions;
  for (std::uint32_t i = 0; i < set.words.size(); ++i) {
    if (set.contains(model, i)) positions.push_back(i);
  }
  return positions;
}

template <class M, class T>
void write_member(M& model, T M::*member, std::span<const double> values) {
  from_numbers(values, model.*member);
}
template <class M>
void write_member(M& model, const PairMember<M>& pair, std::span<const double> values) {
  from_numbers(values, model.*pair.member);
}
template <class M>
void write_member(M& model, const ChoiceMember<M>& one, std::span<const double> values) {
  one.set(model, values.empty() ? kNoChoice : static_cast<std::uint32_t>(values[0]));
}
template <class M>
void write_member(M& model, const WordSetMember<M>& set, std::span<const double> values) {
  set.clear(model);
  for (const double position : values) set.insert(model, static_cast<std::uint32_t>(position));
}

/// Throws InputError: `owner` has no field of that name; the nearest one is named.
[[noreturn]] FATHOM_API void throw_no_field(std::string_view owner, std::string_view name,
                                            std::span<const std::string_view> names);

}  // namespace detail

/// A field without its struct; the default is left out, which takes a model.
template <class M>
FieldInfo without_default(const Field<M>& field) {
  FieldInfo info{.name = field.name,
                 .unit = field.unit,
                 .low = field.low,
                 .high = field.high,
                 .doc = field.doc,
                 .required = field.required,
                 .former = field.former};
  std::visit([&](const auto& member) { detail::describe_member(info, member); }, field.member);
  return info;
}

/// The present value of a field as numbers.
template <class M>
std::vector<double> values_of(const M& model, const Field<M>& field) {
  return std::visit([&](const auto& member) { return detail::read_member(model, member); }, field.member);
}

/// The table of M without its type.
template <FieldModel M>
std::vector<FieldInfo> describe() {
  static const M defaults{};  // static: g++ 12 warns of an automatic one wrongly
  std::vector<FieldInfo> table;
  for (const Field<M>& field : M::fields()) {
    FieldInfo& info = table.emplace_back(without_default(field));
    info.default_numbers = values_of(defaults, field);
    if (!field.required) info.default_value = field_text(info, info.default_numbers);
    if (field.default_text) info.default_value = *field.default_text;
  }
  return table;
}

/// Throws InputError when the present value of a field is none of its values.
template <FieldModel M>
void check_field(const M& model, const Field<M>& field) {
  // Numbers within the limits are let through without a word: models are checked each time one is made.
  const bool is_fine = std::visit(
      [&](const auto& member) {
        using Member = std::remove_cvref_t<decltype(member)>;
        if constexpr (std::is_same_v<Member, float M::*> || std::is_same_v<Member, double M::*>) {
          return model.*member >= field.low && model.*member <= field.high;
        } else if constexpr (std::is_same_v<Member, ChoiceMember<M>>) {
          return member.get(model) < member.words.size();
        } else {
          return false;
        }
      },
      field.member);
  if (!is_fine) check_values(M::kSlug, without_default(field), values_of(model, field));
}

/// Throws InputError naming the first parameter outside its limits.
template <FieldModel M>
void check_fields(const M& model) {
  for (const Field<M>& field : M::fields()) check_field(model, field);
}

/// The same, and then model.check(), where there is such a function.
template <FieldModel M>
void validate(const M& model) {
  check_fields(model);
  if constexpr (requires { model.check(); }) model.check();
}

/// Throws InputError for an unknown name, with the nearest one.
template <FieldModel M>
Field<M> find_field(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Field<M>& field : M::fields()) {
    if (field.name == name) return field;
    names.push_back(field.name);
  }
  detail::throw_no_field(M::kSlug, name, names);
}

/// Sets one parameter. Throws InputError for an unknown name (with the nearest one), and for numbers that are no value
/// of it; then nothing changes. Only validate() checks rules about several parameters.
template <FieldModel M>
void set_field(M& model, std::string_view name, std::span<const double> values) {
  const Field<M> field = find_field<M>(name);
  check_values(M::kSlug, without_default(field), values);
  std::visit([&](const auto& member) { detail::write_member(model, member, values); }, field.member);
}
template <FieldModel M>
void set_field(M& model, std::string_view name, double value) {
  set_field(model, name, std::span<const double>(&value, 1));
}

/// The present value of a parameter as numbers. Throws InputError for an unknown name, with the nearest one.
template <FieldModel M>
std::vector<double> get_field(const M& model, std::string_view name) {
  return values_of(model, find_field<M>(name));
}

/// The member behind a field whose type is known: model.*member_of<double>(field).
template <class T, class M>
constexpr T M::*member_of(const Field<M>& field) {
  return std::get<T M::*>(field.member);
}

}  // namespace fathom
