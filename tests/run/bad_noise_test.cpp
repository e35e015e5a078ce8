// SPDX-License-Identifier: MIT
// Wrong noise, ranges, cameras and files in a scene file: each is an error with its place.

#include "run/defects.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

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
