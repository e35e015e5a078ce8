// SPDX-License-Identifier: MIT
// The table of a struct of parameters: everything that is made from it, shown on a toy with a member of each kind. The
// toy is all that a new parameter touches: a member and an entry.

#include <fathom/core/field.hpp>

#include "support/expect.hpp"

namespace fathom {

enum class ToyColor : std::uint8_t { kRed, kGreen, kBlue };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<ToyColor> = {"red", "green", "blue"};

namespace {

using test::input_error;

class ToyColors {
 public:
  void insert(ToyColor color) { bits_ |= 1U << static_cast<unsigned>(color); }
  [[nodiscard]] bool contains(ToyColor color) const { return (bits_ >> static_cast<unsigned>(color) & 1U) != 0; }

 private:
  unsigned bits_ = 0;
};

constexpr std::array<ToyColor, 2> kToyWarm = {ToyColor::kBlue, ToyColor::kRed};
constexpr std::array<std::string_view, 2> kToyParts = {"u", "v"};

struct Toy {
  float single = 0.5F;
  double number = 2.0;
  std::optional<double> maybe;
  std::uint32_t count = 3;
  bool flag = true;
  std::vector<double> doubles;
  std::vector<float> floats = {0.1F};
  std::vector<std::uint16_t> wholes;
  std::optional<std::array<double, 2>> pair;
  std::optional<Pose> pose;
  ToyColor color = ToyColor::kGreen;
  ToyColor warm = ToyColor::kRed;
  std::optional<ToyColor> maybe_color;
  ToyColors colors;
  std::uint32_t must = 0;

  static constexpr std::string_view kSlug = "toy";
  static constexpr std::string_view kDoc = "One parameter of each kind.";
  static std::vector<Field<Toy>> fields() {
    return {
        {"single", "m", &Toy::single, -0.1, 0.7, "a float"},
        {"number", "rad", &Toy::number, -3, 5, "a double"},
        {"maybe", "m", &Toy::maybe, 1, 2, "a double or nothing", false, "chosen for each picture"},
        {"count", "1", &Toy::count, 1, 4000000000, "a whole number"},
        {"flag", "1", &Toy::flag, 0, 0, "true or false"},
        {"doubles", "s", &Toy::doubles, 0, 10, "a list"},
        {"floats", "m", &Toy::floats, 0, 0.1, "a list of floats", true},
        {"wholes", "1", &Toy::wholes, 0, 65535, "a list of whole numbers"},
        {"pair", "px", PairMember<Toy>{&Toy::pair, kToyParts}, -9, 9, "two numbers"},
        {"pose", "m", &Toy::pose, -4, 4, "a pose"},
        {"color", "red|green|blue", choice<&Toy::color>, 0, 0, "a word"},
        {"warm", "blue|red", choice_among<&Toy::warm, kToyWarm>, 0, 0, "a word of some"},
        {"maybe_color", "red|green|blue", choice<&Toy::maybe_color>, 0, 0, "a word or nothing"},
        {"colors", "red|green|blue", word_set<&Toy::colors, ToyColor>, 0, 0, "words"},
        {"must", "1", &Toy::must, 1, 2, "a number without a default", true},
    };
  }
  void check() const {
    if (count == 13) throw InputError("toy: 13 is unlucky");
  }
};

const std::vector<FieldInfo>& toy_table() {
  static const std::vector<FieldInfo> table = describe<Toy>();
  return table;
}

/// Values that the field may have, away from what every other call gives.
std::vector<double> some_values(const FieldInfo& field) {
  const auto one = [&] {
    const double u = *rc::gen::inRange(0, 1000001) * 1e-6;
    const double value = std::clamp(field.low + u * (field.high - field.low), field.low, field.high);
    if (field.is_single) return double{static_cast<float>(value)};
    return field.is_whole ? std::floor(value) : value;
  };
  if (field.may_be_empty && *rc::gen::inRange(0, 5) == 0) return {};
  std::vector<double> values;
  switch (field.kind) {
    case FieldKind::kNumber:
    case FieldKind::kCount:
    case FieldKind::kFlag:
    case FieldKind::kChoice:
      return {one()};
    case FieldKind::kPair:
      return {one(), one()};
    case FieldKind::kPose:
      return {one(), one(), one(), 0.6, 0, 0, 0.8};
    case FieldKind::kWords:
      for (double k = 0; k <= field.high; ++k) {
        if (*rc::gen::inRange(0, 2) == 1) values.push_back(k);
      }
      return values;
    case FieldKind::kList:
      break;
  }
  values.resize(*rc::gen::inRange<std::size_t>(1, 6));
  for (double& value : values) value = one();
  return values;
}

RC_GTEST_PROP(FieldTable, WhatIsSetIsReadBackAndNothingElseChanges, ()) {
  Toy toy;
  std::vector<std::vector<double>> expected;
  for (const FieldInfo& field : toy_table()) expected.push_back(field.default_numbers);
  for (int step = 0; step < 10; ++step) {
    const auto k = *rc::gen::inRange<std::size_t>(0, expected.size());
    const FieldInfo& field = toy_table()[k];
    expected[k] = some_values(field);
    set_field(toy, field.name, expected[k]);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      RC_ASSERT(get_field(toy, toy_table()[i].name) == expected[i]);
    }
  }
}

RC_GTEST_PROP(FieldTable, NanAndWhatIsOutsideIsRefusedAndChangesNothing, ()) {
  const double wrong =
      *rc::gen::element(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                        -std::numeric_limits<double>::infinity(), 1e300, -1e300);
  for (const FieldInfo& field : toy_table()) {
    Toy toy;
    std::vector<double> values = some_values(field);
    set_field(toy, field.name, values);
    std::vector<double> spoilt = values;
    if (spoilt.empty()) spoilt.push_back(0);
    spoilt[*rc::gen::inRange<std::size_t>(0, spoilt.size())] = wrong;
    const std::string message = input_error([&] { set_field(toy, field.name, spoilt); });
    RC_ASSERT(message.rfind("toy." + std::string(field.name), 0) == 0U);
    RC_ASSERT(get_field(toy, field.name) == values);
  }
}

TEST(FieldTable, LimitsAreClosedAndASingleTakesTheFloatNearestToIts) {
  Toy toy;
  for (const double value : {-0.1, 0.7, double{-0.1F}, double{0.7F}}) {
    set_field(toy, "single", value);
    EXPECT_EQ(toy.single, static_cast<float>(value));
    toy.must = 1;
    EXPECT_EQ(input_error([&] { validate(toy); }), "") << value;
  }
  EXPECT_EQ(input_error([&] { set_field(toy, "single", 0.71); }), "toy.single = 0.71 is not in [-0.1, 0.7] m");
  const double at_limit[] = {double{0.1F}}, above[] = {0, 0.11};
  set_field(toy, "floats", at_limit);
  EXPECT_EQ(input_error([&] { set_field(toy, "floats", above); }), "toy.floats[1] = 0.11 is not in [0, 0.1] m");
  EXPECT_EQ(input_error([&] { set_field(toy, "number", std::nextafter(5.0, 6.0)); }),
            "toy.number = 5.000000000000001 is not in [-3, 5] rad");
}

TEST(FieldTable, EachKindSaysWhatItTakes) {
  Toy toy;
  const double two[] = {1, 2}, three[] = {1, 2, 3}, long_pose[] = {0, 0, 0, 0, 0, 0, 2};
  const auto refusal = [&](std::string_view name, std::span<const double> values) {
    return input_error([&] { set_field(toy, name, values); });
  };
  EXPECT_EQ(refusal("number", two), "toy.number takes one number, not a list of 2");
  EXPECT_EQ(refusal("number", {}), "toy.number takes one number, not a list of 0");
  EXPECT_EQ(refusal("maybe", {}), "");
  EXPECT_EQ(refusal("pair", three), "toy.pair has 3 numbers and needs [u, v]");
  EXPECT_EQ(refusal("pose", three), "toy.pose takes a position and a quaternion, not 3 numbers");
  EXPECT_EQ(refusal("pose", long_pose), "toy.pose has a quaternion of length 2, not 1");
  EXPECT_EQ(refusal("floats", {}), "toy.floats is empty: it needs at least one value");
  EXPECT_EQ(refusal("count", std::array{1.5}), "toy.count = 1.5 is not a whole number");
  EXPECT_EQ(refusal("flag", std::array{0.5}), "toy.flag = 0.5 is not a whole number");
  EXPECT_EQ(refusal("color", std::array{3.0}), "toy.color = 3 is not in [0, 2] red|green|blue");
  EXPECT_EQ(refusal("colors", std::array{0.0, 3.0}), "toy.colors[1] = 3 is not in [0, 2] red|green|blue");
  EXPECT_EQ(refusal("colour", std::array{0.0}), "toy has no field 'colour' (nearest known: 'color')");
}

TEST(FieldTable, ValidateNamesTheFirstWrongParameterAndAsksTheStructItself) {
  Toy toy;
  EXPECT_EQ(input_error([&] { validate(toy); }), "toy.must = 0 is not in [1, 2]");
  toy.must = 1;
  EXPECT_EQ(input_error([&] { validate(toy); }), "");
  toy.count = 13;
  EXPECT_EQ(input_error([&] { validate(toy); }), "toy: 13 is unlucky");
  toy.warm = ToyColor::kGreen;  // a value of the enum that may not be chosen
  EXPECT_EQ(input_error([&] { validate(toy); }), "toy.warm = 2 is not in [0, 1] blue|red");
  toy.color = static_cast<ToyColor>(7);
  EXPECT_EQ(input_error([&] { validate(toy); }), "toy.color = 7 is not in [0, 2] red|green|blue");
  toy.single = NAN;
  EXPECT_EQ(input_error([&] { validate(toy); }), "toy.single = nan is not in [-0.1, 0.7] m");
}

TEST(FieldTable, DefaultsAreTextAndNumbers) {
  const std::vector<std::string> texts = {
      "0.5", "2", "chosen for each picture", "3", "true", "[]", "", "[]", "[]", "none", "green", "red", "none",
      "[]",  ""};
  ASSERT_EQ(toy_table().size(), texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(toy_table()[i].default_value, texts[i]) << toy_table()[i].name;
  EXPECT_TRUE(toy_table()[2].default_numbers.empty());
  EXPECT_EQ(toy_table()[11].default_numbers, std::vector<double>{1});
}

TEST(FieldTable, ValuesAsTextAndAsJson) {
  const auto texts = [](std::string_view name, std::vector<double> values) {
    const FieldInfo field = without_default(find_field<Toy>(name));
    return field_text(field, values) + " / " + field_json(field, values);
  };
  EXPECT_EQ(texts("single", {double{0.02F}}), "0.02 / 0.02");
  EXPECT_EQ(texts("number", {double{0.02F}}), "0.019999999552965164 / 0.019999999552965164");
  EXPECT_EQ(texts("number", {3}), "3 / 3.0");
  EXPECT_EQ(texts("number", {1e-7}), "1e-07 / 1e-07");
  EXPECT_EQ(texts("number", {NAN}), "nan / null");
  EXPECT_EQ(texts("maybe", {}), "none / null");
  EXPECT_EQ(texts("count", {3e9}), "3000000000 / 3000000000");
  EXPECT_EQ(texts("flag", {0}), "false / false");
  EXPECT_EQ(texts("doubles", {1, 0.5}), "[1, 0.5] / [1.0, 0.5]");
  EXPECT_EQ(texts("pair", {}), "[] / []");
  EXPECT_EQ(texts("pose", {}), "none / []");
  EXPECT_EQ(texts("warm", {0}), "blue / \"blue\"");
  EXPECT_EQ(texts("colors", {0, 2}), "[red, blue] / [\"red\", \"blue\"]");
}

TEST(FieldTable, TheMemberBehindAFieldIsTheStructsOwn) {
  Toy toy;
  toy.*member_of<double>(find_field<Toy>("number")) = 4;
  EXPECT_EQ(toy.number, 4.0);
}

}  // namespace
}  // namespace fathom
