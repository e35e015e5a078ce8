// SPDX-License-Identifier: MIT
// Wrong noise, ranges, cameras and files in a scene file: each is an error with its place.

#include <gtest/gtest.h>

#include "run/defects.hpp"

namespace fathom {
namespace {

using test::Defect;

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

const std::string kModel = "stereo_shadow: {}";

class BadNoise : public testing::TestWithParam<Defect> {};
TEST_P(BadNoise, IsRefusedInOneLineAndNothingIsWritten) { test::expect_refused(GetParam(), kCameraScene); }

Defect range(const std::string& name, const std::string& value, std::vector<std::string> message) {
  return {name, kModel, "distance: {stddev_m: " + value + "}", std::move(message)};
}

/// `values`: from column 33 on.
Defect correlation(const std::string& name, const std::string& values, std::vector<std::string> message) {
  return {name, kModel, "dropout: {correlation: " + values + "}", std::move(message)};
}

const std::vector<Defect> kDefects = {
    correlation("CorrelationMisspelt", "{acros_px: 1}",
                {"bad.yaml:12:33:", "noise.dropout.correlation.acros_px is not a known key", "'across_px'"}),
    correlation("CorrelationTooLarge", "{down_px: 65}",
                {"bad.yaml:12:42:", "dropout.correlation.down_px = 65 is not in [0, 64] px"}),
    correlation("CorrelationThatIsNoNumber", "{across_px: .nan}", {"bad.yaml:12:44:", "across_px = .nan", "finite"}),
    correlation("CorrelationWithoutEnd", "{across_px: inf}", {"bad.yaml:12:44:", "across_px = inf is not"}),
    correlation("CorrelationOfRanges", "{across_px: {uniform: [1, 2]}}",
                {"bad.yaml:12:44:", "across_px", "is a range; only numbers of noise models"}),
    correlation("CorrelationOfAnotherShape", "{shape: gausian}", {"bad.yaml:12:40:", "gausian", "'gaussian'"}),
    correlation("CorrelationOfNoTime", "{time_s: 1e-9}",
                {"bad.yaml:12:32:", "time_s = 1e-09 is neither 0 nor at least 1e-06 s"}),
    correlation("CorrelationOfNoWay", "{motion_m: 1e-9}",
                {"bad.yaml:12:32:", "motion_m = 1e-09 is neither 0 nor at least 1e-06 m"}),
    correlation("CorrelationBackInTime", "{time_s: -.inf}", {"bad.yaml:12:41:", "time_s = -.inf"}),
    correlation("CorrelationOfAWord", "3", {"bad.yaml:12:32:", "dropout.correlation"}),
    {"CorrelationOfNoDraws",
     kModel,
     "gain_bias: {gain: 0.1, correlation: {across_px: 1}}",
     {"bad.yaml:12:45:", "gain_bias.correlation", "gain_bias draws no random numbers"}},
    {"CorrelationWithinAnEntity",
     kModel,
     "dropout: {entities: {crate: {correlation: {across_px: 1}}}}",
     {"bad.yaml:12:", "dropout.entities.crate.correlation is not a known key"}},
    // Ranges. The value of stddev_m is in column 30.
    range("RangeOfUnknownLaw", "{unifrom: [0, 1]}",
          {"bad.yaml:12:31:", "noise.distance.stddev_m.unifrom is not a known key", "'uniform'"}),
    range("RangeWithoutLaw", "{}", {"bad.yaml:12:30:", "stddev_m = {}", "neither a number nor a range"}),
    range("RangeBelowTheLimit", "{uniform: [-1, 1]}",
          {"bad.yaml:12:41:", "stddev_m.uniform.0 = -1 is not in [0, ", " m"}),
    range("RangeAboveTheLimit", "{log_uniform: [1, 1e9]}",
          {"bad.yaml:12:48:", "stddev_m.log_uniform.1 = 1e9 is not in [0, ", " m"}),
    range("RangeBackwards", "{uniform: [2, 1]}", {"bad.yaml:12:40:", "stddev_m.uniform = [2, 1] is not [low, high]"}),
    range("RangeOfThreeNumbers", "{uniform: [1, 2, 3]}",
          {"bad.yaml:12:40:", "stddev_m.uniform = [1, 2, 3] is not a list of 2 numbers"}),
    range("RangeOfWords", "{uniform: [low, high]}", {"bad.yaml:12:41:", "stddev_m.uniform.0 = low is not a number"}),
    range("RangeToNan", "{uniform: [0, .nan]}", {"bad.yaml:12:44:", "stddev_m.uniform.1 = .nan", "finite"}),
    range("LogRangeFromZero", "{log_uniform: [0, 1]}",
          {"bad.yaml:12:44:", "stddev_m.log_uniform = [0, 1] does not begin above 0"}),
    range("NormalOfNegativeDeviation", "{normal: [1, -1]}", {"bad.yaml:12:43:", "stddev_m.normal.1 = -1", "below 0"}),
    range("NormalOfInfiniteMean", "{normal: [.inf, 1]}", {"bad.yaml:12:40:", "stddev_m.normal.0 = .inf", "finite"}),
    range("NormalOutsideLimits", "{normal: [1, 1], limits: [-2, 1]}",
          {"bad.yaml:12:56:", "stddev_m.limits.0 = -2 is not in [0, "}),
    range("LimitsOfAUniformRange", "{uniform: [0, 1], limits: [0, 1]}",
          {"bad.yaml:12:56:", "stddev_m.limits = [0, 1] belongs to a normal range"}),
    range("TwoLaws", "{uniform: [0, 1], normal: [0, 1]}", {"bad.yaml:12:56:", "stddev_m.normal = [0, 1]", "both"}),
    {"RangeOfAWord",
     kModel,
     "angular_hit: {axis: {uniform: [0, 1]}}",
     {"bad.yaml:12:29:", "noise.angular_hit.axis = {uniform: [0, 1]} is not a word"}},
    {"RangeInDegrees",
     kModel,
     "angular_hit: {stddev_deg: {uniform: [0, 181]}}",
     {"bad.yaml:12:49:", "angular_hit.stddev_deg.uniform.1 = 181 is not in [0, 180] deg"}},
    {"NegativeEpisode", "sensors:", "episode: -1\nsensors:", {"bad.yaml:1:10:", "episode = -1", "[0, 4294967295]"}},
    {"EnvironmentTooLarge",
     "sensors:",
     "environment: 4294967296\nsensors:",
     {"bad.yaml:1:14:", "environment = 4294967296", "[0, 4294967295]"}},

    // Models that need something that the sensor lacks.
    {"ShadowWithBaselineZero",
     "baseline_m: 0.1",
     "baseline_m: 0",
     {"bad.yaml:12:24:", "sensors.cam.noise.stereo_shadow", "needs two cameras apart", "baseline_m above 0"}},
    {"ShadowWithoutBaseline",
     "    baseline_m: 0.1\n",
     "",
     {"bad.yaml:11:24:", "sensors.cam.noise.stereo_shadow", "needs two cameras apart", "baseline_m above 0"}},
    {"ShadowOfADepthCamera",
     "type: stereo_camera\n    width: 8\n    height: 6\n    fx: 8\n    baseline_m: 0.1\n",
     "type: depth_camera\n    width: 8\n    height: 6\n    fx: 8\n",
     {"bad.yaml:11:24:", "noise.stereo_shadow", "needs two cameras apart"}},
    {"DisparityWithBaselineZero",
     "baseline_m: 0.1\n    range_policy: keep\n    rolling: false\n    min_range_m: 0.1\n    noise:\n      - " + kModel,
     "baseline_m: 0\n    noise:\n      - disparity: {stddev_px: 1}",
     {"bad.yaml:9:20:", "noise.disparity", "needs two cameras apart"}},
    {"PresetNoiseWithBaselineZero",
     "type: stereo_camera\n    width: 8\n    height: 6\n    fx: 8\n    baseline_m: 0.1\n    range_policy: keep\n"
     "    rolling: false\n    min_range_m: 0.1\n    noise:\n      - " +
         kModel,
     "preset: D435\n    baseline_m: 0\n    noise: preset",
     {"bad.yaml:5:12:", "sensors.cam.noise", "stereo_shadow needs two cameras apart"}},
    {"NoiseOfThePresetWithBaselineZero",
     "type: stereo_camera\n    width: 8\n    height: 6\n    fx: 8\n    baseline_m: 0.1\n    range_policy: keep\n"
     "    rolling: false\n    min_range_m: 0.1\n    noise:\n      - " +
         kModel,
     "preset: D435\n    baseline_m: 0",
     {"bad.yaml:2:5: sensors.cam:", "stereo_shadow needs two cameras apart",
      "(the noise of the preset D435; 'noise: []' is a sensor without)"}},
    {"BandOfALidar",
     "type: stereo_camera\n    width: 8\n    height: 6\n    fx: 8\n    baseline_m: 0.1\n    range_policy: keep\n"
     "    rolling: false\n    min_range_m: 0.1\n    noise:\n      - " +
         kModel,
     "preset: VLP-16\n    noise:\n      - invalid_band: {}",
     {"bad.yaml:5:23:", "noise.invalid_band", "needs two cameras apart"}},

    {"LeftBandOfTheCentre",
     kModel,
     "invalid_band: {}",
     {"bad.yaml:12:23:", "sensors.cam.noise.invalid_band", "left_band = true", "reference = left"}},
    {"LeftBandOfTheRightCamera",
     "rolling: false\n    min_range_m: 0.1\n    noise:\n      - " + kModel,
     "reference: right\n    noise:\n      - invalid_band: {max_disparity_px: 126}",
     {"bad.yaml:11:23:", "invalid_band.left_band = true", "switch it off"}},
    {"LeftBandInATable",
     kModel,
     "invalid_band: {left_band: off, entities: {crate: {left_band: on}}}",
     {"bad.yaml:12:", "invalid_band.entities", "left_band = true"}},

    {"ModelWithoutParameters",
     kModel,
     "distance",
     {"bad.yaml:12:", "distance needs its parameters, as in '- distance: {key: value}'"}},
    {"SlipInTheModel",
     kModel,
     "distnce: {stddev_m: 0.1}",
     {"bad.yaml:12:18:", "noise.distnce is not a known noise model (nearest known: 'distance')"}},
    {"WeightAsARange",
     kModel,
     "beam_mixture: {w_hit: {uniform: [0, 1]}}",
     {"bad.yaml:12:", "beam_mixture.w_hit = {uniform: [0, 1]} cannot be a range", "is not 1"}},
    {"PositionAsARange",
     "position_m: [3, 0, 0.5]",
     "position_m: [{uniform: [3, 4]}, 0, 0]",
     {"position_m.0 = {uniform: [3, 4]} is a range; only numbers of noise models and of sensors, pose_offset and "
      "reflectivity can be ranges"}},
    {"SizeAsARange",
     "size_m: [1, 1, 1]",
     "size_m: {normal: [1, 1]}",
     {"size_m = {normal: [1, 1]} is a range; only numbers of noise models and of sensors, pose_offset and reflectivity "
      "can be ranges"}},

    // Cameras.
    {"TwoFocalLengths",
     "    fx: 8\n",
     "    fx: 8\n    horizontal_fov_deg: 87\n",
     {"bad.yaml:7:", "sensors.cam.horizontal_fov_deg = 87 and fx are both given"}},
    {"TwoFocalLengthsBesideAPreset",
     "type: stereo_camera\n    width: 8\n    height: 6\n    fx: 8\n    baseline_m: 0.1\n",
     "preset: D435\n    horizontal_fov_rad: 1\n    focal_length_mm: 24\n    horizontal_aperture_mm: 20\n",
     {"bad.yaml:5:", "sensors.cam.focal_length_mm = 24 and horizontal_fov_rad are both given"}},
    {"VerticalFocalLengthBesideAPreset",
     "type: stereo_camera\n    width: 8\n    height: 6\n    fx: 8\n    baseline_m: 0.1\n",
     "preset: D435\n    fy: 322\n",
     {"bad.yaml:2:5:", "fy of a depth camera needs fx (the preset D435 gives all other values)"}},
    {"CentreAsOfAPinhole",
     "    fx: 8\n",
     "    fx: 8\n    cx: 3.5\n",
     {"bad.yaml:7:", "sensors.cam.cx = 3.5 is not a key of a stereo_camera; give principal_point_px: [cx, cy]"}},
    {"CentreOfThreeNumbers",
     "    fx: 8\n",
     "    fx: 8\n    principal_point_px: [1, 2, 3]\n",
     {"bad.yaml:7:", "sensors.cam.principal_point_px", "has 3 numbers and needs [cx, cy]"}},
    {"BaselineAndPoses",
     "rolling: false",
     "left_camera: {position_m: [0, 1, 0]}",
     {"bad.yaml:9:18:", "sensors.cam.left_camera", "and baseline_m are both given"}},
    {"ReferenceAndPoses",
     "baseline_m: 0.1",
     "reference: left\n    left_camera: {}\n    right_camera: {position_m: [0, -0.1, 0]}",
     {"bad.yaml:2:5:", "sensors.cam", "reference = left is given with poses"}},
    {"FocalLengthOfNothing",
     "    fx: 8\n",
     "    fx: 1e-300\n",
     {"bad.yaml:2:5:", "sensors.cam", "fx = 1e-300 px", "not in [0.001, 10000000] px"}},
    {"FocalLengthBelowTheLeast", "    fx: 8\n", "    fx: 0.00099\n", {"bad.yaml:2:5:", "fx = 0.00099 px"}},
    {"VerticalFocalLengthOfNothing",
     "    fx: 8\n",
     "    fx: 8\n    fy: 1e-300\n",
     {"bad.yaml:2:5:", "fy = 1e-300 px", "not in [0.001, 10000000] px"}},
    {"LensOfNothing",
     "    fx: 8\n",
     "    focal_length_mm: 1e-300\n    horizontal_aperture_mm: 8\n",
     {"bad.yaml:2:5:", "focal_length_mm = 1e-300 gives fx = 1e-300 px"}},
    {"LensWithoutHeight",
     "    fx: 8\n",
     "    focal_length_mm: 10\n    horizontal_aperture_mm: 8\n    vertical_aperture_mm: 1e-300\n",
     {"bad.yaml:2:5:", "focal_length_mm = 10 gives fy = 6e+301 px"}},
    {"ViewOfNothing",
     "    fx: 8\n",
     "    horizontal_fov_rad: 1e-300\n",
     {"bad.yaml:2:5:", "horizontal_fov_rad = 1e-300 gives fx = ", "not in [0.001, 10000000] px"}},
    {"OneCameraAlone",
     "baseline_m: 0.1",
     "left_camera: {position_m: [0, 1, 0]}",
     {"bad.yaml:2:5:", "sensors.cam", "left_camera but not right_camera"}},
    {"CameraKeyMisspelt",
     "baseline_m: 0.1",
     "left_camera: {positon_m: [0, 1, 0]}",
     {"bad.yaml:7:19:", "sensors.cam.left_camera.positon_m is not a known key", "'position_m'"}},
    {"CameraTooFarAway",
     "baseline_m: 0.1",
     "right_camera: {position_m: [0, 101, 0]}",
     {"bad.yaml:7:19:", "sensors.cam.right_camera", "right_camera[1] = 101 is not in [-100, 100] m"}},
    {"CameraIsANumber", "baseline_m: 0.1", "left_camera: 0.1", {"bad.yaml:7:18:", "left_camera = 0.1 is not a map"}},
    {"NegativeBaseline",
     "baseline_m: 0.1",
     "baseline_m: -0.1",
     {"bad.yaml:7:17:", "baseline_m = -0.1 is not in [0, 100] m"}},

    // Noise of velocities.
    {"VelocityLosesNothing",
     "    outputs:",
     "    velocity_noise:\n      - dropout: {probability: 0.1}\n    outputs:",
     {"bad.yaml:14:", "velocity_noise.dropout", "dropout does not act on a velocity"}},
    {"VelocityWithGrowth",
     "    outputs:",
     "    velocity_noise:\n      - distance: {stddev_per_m: 0.1}\n    outputs:",
     {"bad.yaml:14:", "velocity_noise.distance", "distance.stddev_per_m does not act on a velocity, which has a sign"}},
    {"VelocityWithARange",
     "    outputs:",
     "    velocity_noise:\n      - distance: {stddev_m: {uniform: [0.1, 0.2]}}\n    outputs:",
     {"bad.yaml:14:", "velocity_noise.distance", "has a range; only models in noise take ranges"}},

    // Parameters of the losses.
    {"PowIsZero",
     kModel,
     "stereo_energy: {pow: 0}",
     {"bad.yaml:12:30:", "stereo_energy.pow = 0 is not in [1e-09, 1000000000]"}},
    {"PowIsNegative", kModel, "stereo_energy: {pow: -2}", {"bad.yaml:12:30:", "stereo_energy.pow = -2 is not in ["}},
    {"MinEnergyIsOne",
     kModel,
     "stereo_energy: {min_energy: 1}",
     {"bad.yaml:12:37:", "stereo_energy.min_energy = 1 is not in [0, 0.99999994]"}},
    {"MinEnergyIsNegative",
     kModel,
     "stereo_energy: {min_energy: -0.1}",
     {"bad.yaml:12:37:", "stereo_energy.min_energy = -0.1 is not in [0, 0.99999994]"}},
    {"LossAngleAboveAQuarterTurn",
     kModel,
     "loss_angle: {max_incidence_deg: 91}",
     {"bad.yaml:12:41:", "loss_angle.max_incidence_deg = 91 is not in [", "90] deg"}},

    // Tables.
    {"TableOfUnknownEntity",
     kModel,
     "stereo_energy: {pow: 3, entities: {crat: {pow: 4}}}",
     {"bad.yaml:12:50:", "stereo_energy.entities.crat", "'crat'"}},
    {"TableOfUnknownParameter",
     kModel,
     "stereo_energy: {pow: 3, entities: {crate: {pwo: 4}}}",
     {"bad.yaml:12:52:", "stereo_energy.entities.crate.pwo is not a known key", "'pow'"}},
    {"TableOfPowZero",
     kModel,
     "stereo_energy: {entities: {crate: {pow: 0}}}",
     {"bad.yaml:12:49:", "stereo_energy.entities.crate.pow = 0 is not in ["}},
    {"TableOfAnotherEnergy",
     kModel,
     "stereo_energy: {entities: {crate: {energy: half_vector}}}",
     {"bad.yaml:12:35:", "stereo_energy.entities", "stereo_energy.energy cannot differ by entity"}},
    {"TwoReadingsOfTheEnergy",
     "- " + kModel,
     "- stereo_energy: {}\n      - stereo_energy: {energy: half_vector}",
     {"bad.yaml:13:", "stereo_energy.energy differs from that of another one in the chain"}},
    {"TableOfRayNoise",
     kModel,
     "angular_ray: {entities: {crate: {stddev_rad: 1}}}",
     {"bad.yaml:12:33:", "angular_ray.entities", "angular_ray cannot differ by entity"}},
    {"UnknownRing",
     kModel,
     "gain_bias: {rings: {6: {gain: 0.1}}}",
     {"bad.yaml:12:28:", "gain_bias.rings", "no ray has the ring 6; there are 6, from 0 to 5"}},
    {"RingByName",
     kModel,
     "gain_bias: {rings: {top: {gain: 0.1}}}",
     {"bad.yaml:12:34:", "gain_bias.rings.top: 'top' is not a whole number in [0, 65535]"}},
    {"OneRingTwice",
     kModel,
     "gain_bias: {rings: {1: {gain: 0.1}, 01: {gain: 0.2}}}",
     {"bad.yaml:12:28:", "two for ring 1"}},
    {"ChannelsAreCalledRings",
     kModel,
     "gain_bias: {channels: {1: {gain: 0.1}}}",
     {"bad.yaml:12:31:", "gain_bias.channels is called rings now"}},
    {"EntitiesAndRings",
     kModel,
     "gain_bias: {rings: {1: {gain: 0.1}}, entities: {crate: {gain: 0.2}}}",
     {"bad.yaml:12:28:", "gain_bias.rings", "entities", "both"}},

    // Files.
    {"NanInAPicture",
     "[depth_png]",
     "[depth_png: {lost: nan}]",
     {"bad.yaml:13:33:", "outputs.depth_png.lost = nan is not one of zero, inf, max"}},
    {"EnergyAsADepthPicture",
     "[depth_png]",
     "[depth_png: {channel: energy}]",
     {"bad.yaml:13:", "depth_png.channel = energy is not one of range, clean_range, depth, clean_depth"}},
    {"NoLevels",
     "[depth_png]",
     "[depth_png: {per_m: 0}]",
     {"bad.yaml:13:", "per_m = 0 is not in [0.001, 1000000] 1/m"}},
    {"RangesBeyond16Bits",
     "min_range_m: 0.1",
     "max_range_m: 70",
     {"bad.yaml:13:14:", "ends at 65.535 m with 1000 levels per metre, the sensor at 70 m"}},
    {"LostValueOfNoLength",
     "[depth_png]",
     "[npy: {channels: [energy], lost: zero}]",
     {"bad.yaml:13:47:", "npy.lost = zero stands for lost ranges and depths"}},
    {"UnknownLostValue",
     "[depth_png]",
     "[npy: {lost: none}]",
     {"bad.yaml:13:27:", "npy.lost = none is not one of zero, nan, inf, max, minus_one"}},
    {"DestaggeredCamera",
     "[depth_png]",
     "[range_image: {destagger: true}]",
     {"bad.yaml:13:14:", "only the range image of a spinning_lidar that turns once round can be destaggered"}},
    {"UnknownSheetOption",
     "[depth_png]",
     "[camera_sheet: {max_depth_m: 3}]",
     {"bad.yaml:13:30:", "camera_sheet.max_depth_m is not a known key"}},
};

INSTANTIATE_TEST_SUITE_P(Defects, BadNoise, testing::ValuesIn(kDefects),
                         [](const auto& test) { return test.param.name; });

TEST(BadNoiseScene, WithoutDefectIsAccepted) {
  const test::TemporaryFolder folder;
  const SceneSetup setup = read_scene_file(folder.write("good.yaml", kCameraScene));
  EXPECT_EQ(setup.sensors[0].sensor.noise.size(), 1U);
}

}  // namespace
}  // namespace fathom
