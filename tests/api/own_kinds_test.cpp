// SPDX-License-Identifier: MIT
// Structs of a user's own, with tables of parameters and rules over several, as the library checks and prints them.

#include <fathom/core/compute.hpp>
#include <fathom/core/field.hpp>
#include <fathom/fathom.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

enum class Side : std::uint8_t { kLeft, kRight };

constexpr std::array<std::string_view, 2> kParts = {"u", "v"};

/// A parameter of every kind.
struct Lamp {
  float power_w = 1.0F;
  double height_m = 2.0;
  std::optional<double> age_s = {};
  std::uint32_t bulbs = 1;
  bool is_on = true;
  std::vector<double> dim = {};
  std::vector<float> tint = {};
  std::vector<std::uint16_t> ports = {};
  std::optional<Pose> pose = {};
  std::optional<std::array<double, 2>> centre = {};
  double share = 0.5, rest = 0.5;

  static constexpr std::string_view kSlug = "lamp";
  static constexpr std::string_view kDoc = "A light.";
  static constexpr auto fields() {
    return std::array<Field<Lamp>, 12>{{
        {"power_w", "W", &Lamp::power_w, 0, 100, "power"},
        {"height_m", "m", &Lamp::height_m, 0, 100, "height"},
        {"age_s", "s", &Lamp::age_s, 0, 100, "age"},
        {"bulbs", "1", &Lamp::bulbs, 0, 100, "bulbs"},
        {"is_on", "1", &Lamp::is_on, 0, 1, "whether it shines"},
        {"dim", "1", &Lamp::dim, 0, 100, "steps"},
        {"tint", "1", &Lamp::tint, 0, 100, "colour"},
        {"ports", "1", &Lamp::ports, 0, 100, "plugs"},
        {"pose", "m", &Lamp::pose, -100, 100, "place"},
        {"centre", "px", PairMember<Lamp>{&Lamp::centre, kParts}, 0, 100, "middle"},
        {"share", "1", &Lamp::share, 0, 1, "one share"},
        {"rest", "1", &Lamp::rest, 0, 1, "the other"},
    }};
  }
  void check() const {
    check_sum_is_one(kSlug, "share + rest", share + rest);
    check_in_range(kSlug, "light", double{power_w} * bulbs, 0, 1000, "W");
  }
};

TEST(OwnParameters, OfEveryKindAreSetAndRead) {
  const std::vector<std::pair<std::string_view, std::vector<double>>> values = {
      {"power_w", {60}}, {"height_m", {3}},     {"age_s", {}},
      {"age_s", {4}},    {"bulbs", {2}},        {"is_on", {0}},
      {"dim", {1, 2}},   {"tint", {0.5, 0.25}}, {"ports", {80, 90}},
      {"pose", {}},      {"centre", {}},        {"centre", {7, 8}},
      {"share", {0.25}}, {"rest", {0.75}},      {"pose", {1, 2, 3, 0, 0, 0, 1}}};
  Lamp lamp;
  for (const auto& [name, numbers] : values) {
    set_field(lamp, name, numbers);
    EXPECT_EQ(get_field(lamp, name), numbers) << name;
  }
  validate(lamp);
  EXPECT_EQ(lamp.ports, (std::vector<std::uint16_t>{80, 90}));
  EXPECT_EQ(lamp.pose->translation_m, (Vec3{1, 2, 3}));
  EXPECT_EQ(field_text(describe<Lamp>()[6], get_field(lamp, "tint")), "[0.5, 0.25]");
  EXPECT_EQ(field_json(describe<Lamp>()[4], get_field(lamp, "is_on")), "false");
}

TEST(OwnParameters, AreRefusedByTableAndByRule) {
  Lamp lamp;
  EXPECT_EQ(input_error([&] { set_field(lamp, "height_m", 101); }), "lamp.height_m = 101 is not in [0, 100] m");
  EXPECT_TRUE(contains(input_error([&] { set_field(lamp, "hight_m", 1); }), "height_m"));
  lamp.rest = 0.25;
  EXPECT_EQ(input_error([&] { validate(lamp); }), "lamp: share + rest = 0.75 is not 1");
  lamp = {.power_w = 100.0F, .bulbs = 11};
  EXPECT_EQ(input_error([&] { validate(lamp); }), "lamp.light = 1100 is not in [0, 1000] W");
  EXPECT_NE(input_error([] { validate(Compute{.threads = -1}); }), "");
}

/// The names of a sensor's rays, when there are few.
struct RayNames {
  bool few = true;
  double most = 10.0;

  static constexpr std::string_view kSlug = "ray_names";
  static constexpr std::string_view kFile = "names_000000.txt";
  static constexpr std::string_view kDoc = "names of rays";
  static constexpr auto fields() {
    return std::array<Field<RayNames>, 2>{{{"few", "1", &RayNames::few, 0, 1, "whether there are few"},
                                           {"most", "1", &RayNames::most, 0, 100, "how many there may be"}}};
  }
  [[nodiscard]] std::optional<OutputInfo::Mismatch> mismatch() const {
    if (few && most > 20) return OutputInfo::Mismatch{"most", "is not few"};
    return std::nullopt;
  }
  [[nodiscard]] ChannelSet needs(const Sensor& /*sensor*/) const { return {Channel::kRange}; }
  [[nodiscard]] std::vector<OutputFile> files(const Sensor& /*sensor*/) const { return {}; }
};

TEST(OwnOutputs, AreCheckedAsTheRegisteredOnes) {
  const Output names = RayNames{.most = 5};
  ASSERT_NE(names.get_if<RayNames>(), nullptr);
  EXPECT_EQ(names.get_if<RayNames>()->most, 5.0);
  EXPECT_EQ(names.get_if<NpyOutput>(), nullptr);
  EXPECT_EQ(input_error([] { Output(RayNames{.most = 50}); }), "ray_names.most is not few");
}

TEST(OwnOutputs, NameTheirFilesByFrame) {
  OutputFile file;
  file.stem = "names", file.extension = "txt";
  EXPECT_EQ(file.name(7), "names_000007.txt");
  EXPECT_EQ(file.glob(), "names_*.txt");
}

/// The library made these outputs; the program asks for their types.
TEST(Outputs, OfASceneFileAreKnownByType) {
  const TemporaryFolder folder;
  const auto file = folder.write("scene.yaml",
                                 "scene: {meshes: {b: {box: {size_m: [9, 9, 9]}}}, entities: [{name: b, mesh: b}]}\n"
                                 "sensors:\n  - {name: s, preset: VLP-16, outputs: [pcd, npy: {channels: [ring]}]}\n");
  const SceneSetup setup = read_scene_file(file);
  const std::vector<Output>& outputs = setup.sensors.at(0).outputs;
  ASSERT_EQ(outputs.size(), 2U);
  EXPECT_NE(outputs[0].get_if<PcdOutput>(), nullptr);
  EXPECT_EQ(outputs[0].get_if<PlyOutput>(), nullptr);
  ASSERT_NE(outputs[1].get_if<NpyOutput>(), nullptr);
  EXPECT_EQ(outputs[1].get_if<NpyOutput>()->channels, ChannelSet{Channel::kRing});
}

}  // namespace
}  // namespace fathom::test
