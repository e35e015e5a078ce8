// SPDX-License-Identifier: MIT
// Parameters of a table from YAML, shown on a toy with a member of each kind.

#include "core/text/read_fields.hpp"

#include "support/expect.hpp"

namespace fathom {

enum class LampTint : std::uint8_t { kWarm, kCold };
template <>
inline constexpr std::array<std::string_view, 2> kChoiceWords<LampTint> = {"warm", "cold"};

namespace {

using test::contains;

class LampTints {
 public:
  void insert(LampTint tint) { held_[static_cast<std::size_t>(tint)] = true; }
  [[nodiscard]] bool contains(LampTint tint) const { return held_[static_cast<std::size_t>(tint)]; }

 private:
  std::array<bool, 2> held_ = {};
};

constexpr std::array<std::string_view, 2> kLampParts = {"u", "v"};

struct Lamp {
  float angle_rad = 0.0F;
  double reach_m = 1.0;
  std::uint32_t bulbs = 1;
  bool lit = false;
  std::vector<double> steps_s;
  std::optional<std::array<double, 2>> center_px;
  std::optional<Pose> mount;
  LampTint tint = LampTint::kWarm;
  LampTints tints;

  static constexpr std::string_view kSlug = "lamp";
  static constexpr std::string_view kDoc = "A lamp.";
  static std::vector<Field<Lamp>> fields() {
    return {
        {"angle_rad", "rad", &Lamp::angle_rad, -std::numbers::pi, std::numbers::pi, "angle"},
        {"reach_m", "m", &Lamp::reach_m, 0.5, 10, "reach", true},
        Field<Lamp>{"bulbs", "1", &Lamp::bulbs, 1, 9, "bulbs"}.formerly("lights", "lamps hold bulbs"),
        Field<Lamp>{"lit", "1", &Lamp::lit, 0, 1, "whether it is lit"}.formerly("burns"),
        {"steps_s", "s", &Lamp::steps_s, 0, 5, "steps"},
        {"center_px", "px", PairMember<Lamp>{&Lamp::center_px, kLampParts}, -9, 9, "center"},
        {"mount", "m", &Lamp::mount, -2, 2, "mount"},
        {"tint", "warm|cold", choice<&Lamp::tint>, 0, 0, "tint"},
        {"tints", "warm|cold", word_set<&Lamp::tints, LampTint>, 0, 0, "tints"},
    };
  }
};

Lamp read_lamp(const std::string& text) {
  const YamlValue root = parse_yaml(text, "lamp.yaml");
  YamlReader map(root);
  Lamp lamp;
  read_fields(map, lamp);
  map.finish();
  return lamp;
}

std::string refusal(const std::string& text) {
  return test::input_error([&] { static_cast<void>(read_lamp(text)); });
}

TEST(ReadFields, TakesEveryKindOfParameter) {
  const Lamp lamp = read_lamp(
      "angle_deg: 180\nreach_m: 2\nbulbs: 3\nlit: true\nsteps_s: 4\ncenter_px: [1, -2]\n"
      "mount: {position_m: [1, 0, -1], rpy_deg: [0, 0, 90]}\ntint: cold\ntints: [cold]\n");
  EXPECT_EQ(lamp.angle_rad, static_cast<float>(std::numbers::pi));
  EXPECT_EQ(lamp.reach_m, 2.0);
  EXPECT_EQ(lamp.bulbs, 3U);
  EXPECT_TRUE(lamp.lit);
  EXPECT_EQ(lamp.steps_s, std::vector<double>{4});
  EXPECT_EQ(lamp.center_px, (std::array<double, 2>{1, -2}));
  EXPECT_EQ(lamp.mount->translation_m, (Vec3{1, 0, -1}));
  EXPECT_NEAR(norm(rotate(lamp.mount->rotation, {1, 0, 0}) - Vec3{0, 1, 0}), 0, 1e-15);
  EXPECT_EQ(lamp.tint, LampTint::kCold);
  EXPECT_TRUE(lamp.tints.contains(LampTint::kCold) && !lamp.tints.contains(LampTint::kWarm));
}

TEST(ReadFields, KeepsDefaultsOfWhatIsNotGiven) {
  const Lamp lamp = read_lamp("reach_m: 3\n");
  EXPECT_EQ(lamp.bulbs, 1U);
  EXPECT_FALSE(lamp.lit || lamp.center_px || lamp.mount);
}

TEST(ReadFields, FlagsAreTrueOrFalseAndOnOrOff) {
  EXPECT_TRUE(read_lamp("reach_m: 1\nlit: on\n").lit);
  EXPECT_FALSE(read_lamp("reach_m: 1\nlit: off\n").lit);
  EXPECT_EQ(refusal("reach_m: 1\nlit: 1\n"), "lamp.yaml:2:6: lit = 1 is not true or false");
}

TEST(ReadFields, NamesThePlaceOfWhatIsWrong) {
  EXPECT_EQ(refusal("reach_m: 11\n"), "lamp.yaml:1:10: reach_m = 11 is not in [0.5, 10] m");
  EXPECT_EQ(refusal("reach_m: 1\nangle_deg: 181\n"), "lamp.yaml:2:12: angle_deg = 181 is not in [-180, 180] deg");
  EXPECT_EQ(refusal("reach_m: 1\nbulbs: 1.5\n"), "lamp.yaml:2:8: bulbs = 1.5 is not a whole number in [1, 9]");
  EXPECT_EQ(refusal("reach_m: 1\ncenter_px: [1]\n"),
            "lamp.yaml:2:12: center_px: lamp.center_px has 1 numbers and needs [u, v]");
  EXPECT_EQ(refusal("reach_m: 1\nmount: {position_m: [3, 0, 0]}\n"),
            "lamp.yaml:2:8: mount: lamp.mount[0] = 3 is not in [-2, 2] m");
  EXPECT_TRUE(contains(refusal("reach_m: 1\ntints: [warm, blue]\n"), "tints.1 = blue is not one of warm, cold"));
  EXPECT_EQ(refusal("reech_m: 1\n"), "lamp.yaml:1:1: the key 'reach_m' is missing; is 'reech_m' meant to be it?");
  EXPECT_TRUE(contains(refusal("reach_m: 1\nlight: true\n"), "light is not a known key"));
}

TEST(ReadFields, NamesWhatStandsForAFormerName) {
  EXPECT_EQ(refusal("reach_m: 1\nlights: 2\n"), "lamp.yaml:2:9: lights is called bulbs now: lamps hold bulbs");
  EXPECT_EQ(refusal("reach_m: 11\nburns: true\n"), "lamp.yaml:2:8: burns is called lit now");
  EXPECT_FALSE(contains(refusal("reach_m: 1\nburn: true\n"), "burns")) << "a hint offers names of today";
}

}  // namespace
}  // namespace fathom
