// SPDX-License-Identifier: MIT
#pragma once
// What the member behind a parameter may be (field.hpp), and how it becomes numbers and back.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/geometry.hpp>

namespace fathom {

/// The words for the values of an enum, counted from 0. Specialise it for each enum that is a parameter.
template <class E>
inline constexpr std::array<std::string_view, 0> kChoiceWords = {};

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

/// What follows from a member alone.
struct MemberTraits {
  FieldKind kind;
  bool may_be_empty = false, is_whole = false, is_single = false;
  std::span<const std::string_view> choices = {}, parts = {};
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

template <class M, class T>
MemberTraits traits_of(T M::* /*member*/) {
  return kMemberTraits<T>;
}
template <class M>
MemberTraits traits_of(const PairMember<M>& member) {
  return {.kind = FieldKind::kPair, .may_be_empty = true, .parts = member.parts};
}
template <class M>
MemberTraits traits_of(const ChoiceMember<M>& member) {
  return {.kind = FieldKind::kChoice, .may_be_empty = member.may_be_empty, .is_whole = true, .choices = member.words};
}
template <class M>
MemberTraits traits_of(const WordSetMember<M>& member) {
  return {.kind = FieldKind::kWords, .may_be_empty = true, .is_whole = true, .choices = member.words};
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

}  // namespace detail

}  // namespace fathom
