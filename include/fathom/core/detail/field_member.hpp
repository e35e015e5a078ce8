// SPDX-License-Identifier: MIT
#pragma once
// The types that the member behind a parameter (field.hpp) may have, and their conversion to numbers and back.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/geometry.hpp>

namespace fathom {

/// The words for the values 0, 1, ... of an enum. Specialise it for each enum that is a parameter.
template <class E>
inline constexpr std::array<std::string_view, 0> kChoiceWords = {};

/// The kind of a parameter, and the numbers that are its value.
enum class FieldKind : std::uint8_t {
  kNumber,  ///< one number
  kCount,   ///< one whole number
  kFlag,    ///< 0 or 1; files say false or true
  kChoice,  ///< the position of a word among the choices; files say the word
  kList,    ///< any number of numbers; files may give a single number for a list of one
  kPair,    ///< two numbers
  kWords,   ///< the positions of words among the choices; files list the words
  kPose,    ///< x, y, z, then a quaternion x, y, z, w of length 1
};

/// A parameter of `Model` that is one of several words; made by choice<> or choice_among<>.
template <class Model>
struct ChoiceMember {
  std::span<const std::string_view> words;
  std::uint32_t (*get)(const Model&);  ///< the position of the word; kNoChoice if empty
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

/// The same, only for the values in the array `Values`.
template <const auto& Values>
struct SomeValues {
  using E = typename std::remove_cvref_t<decltype(Values)>::value_type;
  static constexpr std::array<std::string_view, Values.size()> kWords = [] {
    std::array<std::string_view, Values.size()> words;
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = kChoiceWords<E>.at(static_cast<std::size_t>(Values[i]));
    return words;
  }();
  /// For a value that `Values` lacks, a position outside the limits.
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
/// The same for only the values in the array `Values` (constexpr, of static storage).
template <auto Member, const auto& Values>
inline constexpr auto choice_among = detail::make_choice<Member, detail::SomeValues<Values>>();
/// The member of a field that is a set of the enum E, with insert(E) and contains(E).
template <auto Member, class E>
inline constexpr auto word_set = detail::make_word_set<Member, E>();

namespace detail {

/// The type of a member.
enum class Held : std::uint8_t {
  kFloat,
  kDouble,
  kOptional,
  kCount,
  kFlag,
  kDoubles,
  kFloats,
  kCounts,
  kPose,
  kPair,
  kChoice,
  kWords,
};

/// Traits that follow from the type of a member.
struct MemberTraits {
  FieldKind kind = FieldKind::kNumber;
  bool may_be_empty = false, is_whole = false, is_single = false;
  std::span<const std::string_view> choices = {}, parts = {};
};
FATHOM_API MemberTraits traits_of(Held held);

FATHOM_API std::vector<double> to_numbers(const std::optional<Pose>& pose);
FATHOM_API void from_numbers(std::span<const double> values, std::optional<Pose>& out);

/// Reads the value at `member` as numbers. Returns an empty list for kChoice and kWords.
FATHOM_API std::vector<double> read_numbers(Held held, const void* member);
/// Stores numbers that check_values() let through. Does nothing for kChoice and kWords.
FATHOM_API void write_numbers(Held held, std::span<const double> values, void* member);

}  // namespace detail

/// The member of `Model` behind a parameter: one of the types of the constructors. A std::variant would take ten times
/// as long to compile.
template <class Model>
class FieldMember {
 public:
  constexpr FieldMember() : FieldMember(static_cast<float Model::*>(nullptr)) {}
  constexpr FieldMember(float Model::*member) : held_(detail::Held::kFloat), float_(member) {}
  constexpr FieldMember(double Model::*member) : held_(detail::Held::kDouble), double_(member) {}
  constexpr FieldMember(std::optional<double> Model::*member) : held_(detail::Held::kOptional), optional_(member) {}
  constexpr FieldMember(std::uint32_t Model::*member) : held_(detail::Held::kCount), count_(member) {}
  constexpr FieldMember(bool Model::*member) : held_(detail::Held::kFlag), flag_(member) {}
  constexpr FieldMember(std::vector<double> Model::*member) : held_(detail::Held::kDoubles), doubles_(member) {}
  constexpr FieldMember(std::vector<float> Model::*member) : held_(detail::Held::kFloats), floats_(member) {}
  constexpr FieldMember(std::vector<std::uint16_t> Model::*member) : held_(detail::Held::kCounts), counts_(member) {}
  constexpr FieldMember(std::optional<Pose> Model::*member) : held_(detail::Held::kPose), pose_(member) {}
  constexpr FieldMember(const PairMember<Model>& pair) : held_(detail::Held::kPair), pair_(pair) {}
  constexpr FieldMember(const ChoiceMember<Model>& choice) : held_(detail::Held::kChoice), choice_(choice) {}
  constexpr FieldMember(const WordSetMember<Model>& words) : held_(detail::Held::kWords), words_(words) {}

  /// The member if it has type T, which is float, double or bool, else null.
  template <class T>
  [[nodiscard]] constexpr T Model::*as() const {
    if constexpr (std::is_same_v<T, float>) {
      return held_ == detail::Held::kFloat ? float_ : nullptr;
    } else if constexpr (std::is_same_v<T, double>) {
      return held_ == detail::Held::kDouble ? double_ : nullptr;
    } else {
      static_assert(std::is_same_v<T, bool>);
      return held_ == detail::Held::kFlag ? flag_ : nullptr;
    }
  }
  /// Null where the parameter is not one of several words.
  [[nodiscard]] constexpr const ChoiceMember<Model>* as_choice() const {
    return held_ == detail::Held::kChoice ? &choice_ : nullptr;
  }

  [[nodiscard]] detail::MemberTraits traits() const {
    detail::MemberTraits traits = detail::traits_of(held_);
    if (held_ == detail::Held::kPair) traits.parts = pair_.parts;
    if (held_ == detail::Held::kChoice) traits.may_be_empty = choice_.may_be_empty, traits.choices = choice_.words;
    if (held_ == detail::Held::kWords) traits.choices = words_.words;
    return traits;
  }

  /// The value as numbers.
  [[nodiscard]] std::vector<double> read(const Model& model) const {
    std::vector<double> numbers;
    if (held_ == detail::Held::kChoice) {
      const std::uint32_t position = choice_.get(model);
      if (!choice_.may_be_empty || position != kNoChoice) numbers.push_back(position);
    } else if (held_ == detail::Held::kWords) {
      for (std::uint32_t i = 0; i < words_.words.size(); ++i) {
        if (words_.contains(model, i)) numbers.push_back(i);
      }
    } else {
      numbers = detail::read_numbers(held_, address(model));
    }
    return numbers;
  }

  /// Stores numbers that check_values() let through.
  void write(Model& model, std::span<const double> values) const {
    if (held_ == detail::Held::kChoice) {
      choice_.set(model, values.empty() ? kNoChoice : static_cast<std::uint32_t>(values[0]));
    } else if (held_ == detail::Held::kWords) {
      words_.clear(model);
      for (const double position : values) words_.insert(model, static_cast<std::uint32_t>(position));
    } else {
      detail::write_numbers(held_, values, const_cast<void*>(address(model)));
    }
  }

 private:
  [[nodiscard]] const void* address(const Model& model) const {
    switch (held_) {
      case detail::Held::kFloat:
        return &(model.*float_);
      case detail::Held::kDouble:
        return &(model.*double_);
      case detail::Held::kOptional:
        return &(model.*optional_);
      case detail::Held::kCount:
        return &(model.*count_);
      case detail::Held::kFlag:
        return &(model.*flag_);
      case detail::Held::kDoubles:
        return &(model.*doubles_);
      case detail::Held::kFloats:
        return &(model.*floats_);
      case detail::Held::kCounts:
        return &(model.*counts_);
      case detail::Held::kPose:
        return &(model.*pose_);
      case detail::Held::kPair:
        return &(model.*pair_.member);
      case detail::Held::kChoice:
      case detail::Held::kWords:
        break;
    }
    return nullptr;
  }

  detail::Held held_;
  union {
    float Model::*float_;
    double Model::*double_;
    std::optional<double> Model::*optional_;
    std::uint32_t Model::*count_;
    bool Model::*flag_;
    std::vector<double> Model::*doubles_;
    std::vector<float> Model::*floats_;
    std::vector<std::uint16_t> Model::*counts_;
    std::optional<Pose> Model::*pose_;
    PairMember<Model> pair_;
    ChoiceMember<Model> choice_;
    WordSetMember<Model> words_;
  };
};

}  // namespace fathom
