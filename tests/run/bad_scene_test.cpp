// SPDX-License-Identifier: MIT
// One defect at a time in a valid scene: the message names file, line, key, value and limit, and nothing is written.

#include "run/defects.hpp"

namespace fathom::test {
namespace {

class BadScene : public testing::TestWithParam<Defect> {};

TEST_P(BadScene, IsRefusedInOneLineAndNothingIsWritten) { expect_refused(GetParam()); }

std::string repeated(std::string begin, const std::string& part, int count) {
  for (int i = 0; i < count; ++i) begin += part;
  return begin;
}

std::vector<Defect> scene_defects() {
  std::vector<Defect> defects = read_defects("bad_scenes.txt");
  const std::vector<Defect> made = {
      {"TooManySensors",
       kScene,
       repeated("scene: {meshes: {}, entities: []}\nsensors:\n", "- {}\n", 65'536),
       {"bad.yaml:3:", "sensors has 65536 entries, at most 65535 are allowed"}},
      {"ControlCharacter", "seed: 5", "seed: \x04", {"bad.yaml:3:7:", "0x04"}},
      {"SecondDocument", kScene, kScene + "---\nseed: 1\n", {"bad.yaml:29:1:", "second document"}},
      {"DeepBlockNesting", "seed: 5", repeated("seed:\n  ", "- ", 5000), {"bad.yaml:4:", "64 deep"}},
      {"DeepNesting",
       "seed: 5",
       repeated("seed: ", "[", 1000) + repeated("", "]", 1000),
       {"bad.yaml:3:70:", "64 deep"}},
  };
  defects.insert(defects.end(), made.begin(), made.end());
  return defects;
}

INSTANTIATE_TEST_SUITE_P(Defects, BadScene, testing::ValuesIn(scene_defects()),
                         [](const auto& test) { return test.param.name; });

TEST(SceneFile, TheSceneWithoutDefectIsAccepted) {
  const TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(folder.write("good.yaml", kScene));
  EXPECT_EQ(setup.frames, 2U);
  EXPECT_EQ(setup.seed, 5U);
  ASSERT_EQ(setup.sensors.size(), 2U);
  EXPECT_EQ(setup.scene.entities().size(), 3U);
  EXPECT_EQ(setup.scene.entities()[2].parent, EntityId{1});
  EXPECT_EQ(setup.sensors[1].sensor.parent, EntityId{1});
}

TEST(SceneFile, AMissingFileAndAFolderAreNamed) {
  const TemporaryFolder folder;
  for (const auto& file : {folder / "gone.yaml", folder.path()}) {
    EXPECT_EQ(input_error([&] { read_scene_file(file); }).rfind(file.string(), 0), 0U);
  }
}

TEST(SceneFile, AliasesThatGrowWithoutBoundAreRefused) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (char i = '1'; i <= '9'; ++i) {  // a1: &a1 [*a0, *a0, ...
    text.append("a").append(1, i).append(": &a").append(1, i).append(" [");
    for (int k = 0; k < 10; ++k) text.append("*a").append(1, static_cast<char>(i - 1)).append(k < 9 ? ", " : "]\n");
  }
  const TemporaryFolder folder;
  EXPECT_TRUE(contains(input_error([&] { read_scene_file(folder.write("bomb.yaml", text)); }), "2000000 values"));
}

// Wrong noise, ranges, cameras and files in a scene file: each is an error with its place.

/// A stereo camera with one model of noise, on line 12.
const std::string kCameraScene = R"(sensors:
  - name: cam
    type: stereo_camera
    width: 8
    height: 6
    fx: 8
    baseline_m: 0.1
    range_policy: keep
    rolling: false
    min_range_m: 0.1
    noise:
      - stereo_shadow: {}
    outputs: [depth_png]
scene:
  meshes:
    box: {box: {size_m: [1, 1, 1]}}
  entities:
    - {name: crate, mesh: box, position_m: [3, 0, 0.5]}
    - {name: crane, mesh: box, position_m: [3, 2, 0.5]}
)";

class BadNoise : public testing::TestWithParam<Defect> {};
TEST_P(BadNoise, IsRefusedInOneLineAndNothingIsWritten) { expect_refused(GetParam(), kCameraScene); }

INSTANTIATE_TEST_SUITE_P(Defects, BadNoise, testing::ValuesIn(read_defects("bad_noise.txt")),
                         [](const auto& test) { return test.param.name; });

TEST(BadNoiseScene, WithoutDefectIsAccepted) {
  const TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(folder.write("good.yaml", kCameraScene));
  EXPECT_EQ(setup.sensors[0].sensor.noise.size(), 1U);
}

}  // namespace
}  // namespace fathom::test
