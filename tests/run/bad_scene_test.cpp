// SPDX-License-Identifier: MIT
// One defect at a time in a valid scene: the message names file, line, key, value and limit, and nothing is written.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/core/error.hpp>
#include <fathom/simulate/run.hpp>

#include "run/defects.hpp"
#include "run/scene_fixture.hpp"

namespace fathom {
namespace {

using test::kScene;
using test::TemporaryFolder;

using test::Defect;

class BadScene : public testing::TestWithParam<Defect> {};

TEST_P(BadScene, IsRefusedInOneLineAndNothingIsWritten) { test::expect_refused(GetParam()); }

std::string repeated(std::string begin, const std::string& part, int count) {
  for (int i = 0; i < count; ++i) begin += part;
  return begin;
}

const std::vector<Defect> kSceneDefects = {
    // The file as a whole.
    {"NotYaml", "seed: 5", "seed: [5", {"bad.yaml:4:8:", "not YAML"}},
    {"Empty", kScene, "", {"bad.yaml: is empty"}},
    {"TooManySensors",
     kScene,
     repeated("scene: {meshes: {}, entities: []}\nsensors:\n", "- {}\n", 65'536),
     {"bad.yaml:3:", "sensors has 65536 entries, at most 65535 are allowed"}},
    {"OnlyAComment", kScene, "# nothing\n", {"bad.yaml:1:1:", "'scene' is missing"}},
    {"NotAMap", kScene, "- 1\n", {"bad.yaml:1:1:", "not a map"}},
    {"ControlCharacter", "seed: 5", "seed: \x04", {"bad.yaml:3:7:", "0x04"}},
    {"Tab", "seed: 5", "\tseed: 5", {"bad.yaml:3: the line begins with a tab; YAML indents with blanks"}},
    {"CarriageReturnsAlone", kScene, "seed: 5\rframes: 1\r", {"bad.yaml: its lines end in CR alone"}},
    {"AMap", kScene, "image: a.pgm\nresolution: 0.1\n", {"bad.yaml:1:1: this is a map, not a scene"}},
    {"ABeamModel", kScene, "w_hit: 1\n", {"bad.yaml:1:1: this is the parameters of a beam model, not a scene"}},
    {"SecondDocument", kScene, kScene + "---\nseed: 1\n", {"bad.yaml:29:1:", "second document"}},
    {"Tag", "seed: 5", "seed: !!str 5", {"bad.yaml:3:7:", "tag"}},
    {"DuplicateKey", "seed: 5", "seed: 5\nseed: 6", {"bad.yaml:4:1:", "'seed'", "twice", "line 3"}},
    {"DeepBlockNesting", "seed: 5", repeated("seed:\n  ", "- ", 5000), {"bad.yaml:4:", "64 deep"}},
    {"SelfAlias", "seed: 5", "seed: &a [*a]", {"bad.yaml:3:11:", "alias"}},
    {"DeepNesting", "seed: 5", repeated("seed: ", "[", 1000) + repeated("", "]", 1000), {"bad.yaml:3:70:", "64 deep"}},

    {"Device",
     "seed: 5",
     "device: gpu",
     {"bad.yaml:3:9:", "device = 'gpu' is not one of cpu, cuda, cuda:0 to cuda:1023, auto"}},

    // Keys.
    {"UnknownTopKey", "seed: 5", "sead: 5", {"bad.yaml:3:1:", "sead is not a known key", "'seed'"}},
    {"UnknownSensorKey",
     "columns: 90",
     "colums: 90",
     {"bad.yaml:7:5:", "sensors.lidar.colums is not a known key", "'columns'"}},
    {"KeyOfOtherKind", "rays: 45", "rays: 45\n    channels: 4", {"bad.yaml:15:5:", "sensors.laser.channels", "known"}},
    {"UnknownEntityKey",
     "mesh: floor}",
     "mesh: floor, color: red}",
     {"bad.yaml:25:34:", "scene.entities.floor.color is not a known key", "mesh"}},
    {"UnknownNoiseKey",
     "stddev_m",
     "stdev_m",
     {"bad.yaml:10:20:", "sensors.lidar.noise.distance.stdev_m is not a known key", "'stddev_m'"}},
    {"MissingName", "name: lidar", "nmae: lidar", {"bad.yaml:5:5:", "'name' is missing", "'nmae'"}},
    {"MissingSensors", "sensors:", "sensor:", {"bad.yaml:1:1:", "'sensors' is missing", "'sensor'"}},
    {"MissingType", "    type: laser_2d\n", "", {"bad.yaml:12:5:", "sensors.laser", "needs a 'preset' or a 'type'"}},
    {"SlipOfPreset",
     "type: laser_2d\n    rays: 45\n    min_azimuth_deg: -90\n    max_azimuth_deg: 90\n",
     "prset: UTM-30LX\n",
     {"bad.yaml:12:5:", "needs a 'preset' or a 'type'; is 'prset' meant to be 'preset'?"}},
    {"SlipOfType", "type: laser_2d", "tpye: laser_2d", {"bad.yaml:12:5:", "is 'tpye' meant to be 'type'?"}},
    {"SlipOfFrom",
     kScene,
     "sensors: []\nscene: {form: robot.urdf}\n",
     {"bad.yaml:2:8:", "is 'form' meant to be 'from'?"}},
    {"SlipOfFile",
     kScene,
     "sensors: []\nscene: {fiel: house.yaml}\n",
     {"bad.yaml:2:8:", "is 'fiel' meant to be 'file'?"}},
    {"SlipOfMeshFile",
     kScene,
     "sensors: []\nscene: {meshes: {a: {flie: a.stl, up_axis: y}}, entities: []}\n",
     {"bad.yaml:2:21:", "is 'flie' meant to be 'file'?"}},
    {"SlipOfHeights",
     kScene,
     "sensors: []\nscene: {meshes: {a: {height_field: {size_m: [1, 1], heigths_m: [[0]]}}}, entities: []}\n",
     {"bad.yaml:2:36:", "is 'heigths_m' meant to be 'heights_m'?"}},
    {"SlipOfMotionFile",
     "parent: cart",
     "motion: {flie: path.tum}",
     {"bad.yaml:19:13:", "sensors.laser.motion: the key 'keyframes' is missing; is 'flie' meant to be 'file'?"}},
    {"SlipOfPresetNoise", "parent: cart", "noise: prset", {"bad.yaml:19:12:", "noise = prset", "'preset'"}},
    {"BeamsAreCalledRays", "rays: 45", "beams: 45", {"bad.yaml:14:12:", "sensors.laser.beams is called rays now"}},
    {"BeamsBesideAPreset",
     "type: laser_2d\n    rays: 45\n    min_azimuth_deg: -90\n    max_azimuth_deg: 90\n",
     "preset: UTM-30LX\n    beams: 45\n",
     {"bad.yaml:14:12:", "sensors.laser.beams is called rays now"}},
    {"MissingRequiredField", "    rays: 45\n", "", {"bad.yaml:12:5:", "sensors.laser", "'rays' is missing"}},
    {"PresetAndType", "columns: 90", "type: laser_2d", {"bad.yaml:7:11:", "sensors.lidar.type = laser_2d"}},
    {"DegreesAndRadians",
     "min_azimuth_deg: -90",
     "min_azimuth_deg: -90\n    min_azimuth_rad: -1",
     {"bad.yaml:15:22:", "min_azimuth_deg = -90", "min_azimuth_rad", "both"}},

    // Types and limits.
    {"FramesIsText", "frames: 2", "frames: two", {"bad.yaml:1:9:", "frames = two is not a whole number"}},
    {"FramesIsFraction", "frames: 2", "frames: 2.5", {"bad.yaml:1:9:", "frames = 2.5", "whole number"}},
    {"ZeroFrames", "frames: 2", "frames: 0", {"bad.yaml:1:9:", "frames = 0", "[1, 1000000]"}},
    {"TooManyFrames", "frames: 2", "frames: 1000001", {"frames = 1000001", "[1, 1000000]"}},
    {"NegativeSeed", "seed: 5", "seed: -5", {"bad.yaml:3:7:", "seed = -5", "[0, 18446744073709551615]"}},
    {"SeedOverflow", "seed: 5", "seed: 18446744073709551616", {"seed = 18446744073709551616", "[0, "}},
    {"ZeroRate", "rate_hz: 10", "rate_hz: 0", {"bad.yaml:2:10:", "rate_hz = 0 is not in [0.001, 1000000] Hz"}},
    {"NanRate", "rate_hz: 10", "rate_hz: .nan", {"bad.yaml:2:10:", "rate_hz = .nan", "finite"}},
    {"RateIsList", "rate_hz: 10", "rate_hz: [10]", {"bad.yaml:2:10:", "rate_hz = [10] is not a number"}},
    {"RateIsNothing", "rate_hz: 10", "rate_hz:", {"rate_hz = (nothing) is not a number"}},
    {"OutputsIsMap",
     "outputs: [pcd, range_image]",
     "outputs: {pcd: 1}",
     {"bad.yaml:11:14:", "outputs = {pcd: 1} is not a list"}},
    {"NoSensor",
     kScene,
     "sensors: []\nscene: {meshes: {}, entities: []}\n",
     {"bad.yaml:1:10:", "sensors = [] has no sensor"}},
    {"NegativeSigma",
     "stddev_m: 0.01",
     "stddev_m: -1",
     {"bad.yaml:10:30:", "sensors.lidar.noise.distance.stddev_m = -1 is not in [0, ", "] m"}},
    {"NanSigma", "stddev_m: 0.01", "stddev_m: nan", {"bad.yaml:10:30:", "stddev_m = nan", "finite"}},
    {"InfiniteSigma", "stddev_m: 0.01", "stddev_m: .inf", {"bad.yaml:10:30:", "stddev_m = .inf", "finite"}},
    {"SigmaIsList", "stddev_m: 0.01", "stddev_m: [1]", {"stddev_m = [1] is not a number"}},
    {"AngleAboveLimit",
     "distance: {stddev_m: 0.01}",
     "angular_ray: {stddev_deg: 181}",
     {"bad.yaml:10:35:", "noise.angular_ray.stddev_deg = 181 is not in [0, 180] deg"}},
    {"BadAxis",
     "distance: {stddev_m: 0.01}",
     "angular_hit: {axis: w}",
     {"bad.yaml:10:", "noise.angular_hit.axis = w is not one of x, y, z"}},
    {"UnknownNoise", "distance: {", "distence: {", {"bad.yaml:10:", "noise.distence", "'distance'"}},
    {"NoiseIsScalar", "- distance: {stddev_m: 0.01}", "- distance", {"bad.yaml:10:9:", "noise.0 = distance"}},
    {"NoiseIsNumber", "distance: {stddev_m: 0.01}", "distance: 3", {"bad.yaml:10:", "distance = 3", "not a map"}},
    {"TwoNoisesInOneEntry",
     "{stddev_m: 0.01}",
     "{stddev_m: 0.01}\n        dropout: {probability: 0.5}",
     {"bad.yaml:10:9:", "sensors.lidar.noise.0", "one word"}},
    {"PresetNoiseWithoutPreset", "parent: cart", "noise: preset", {"bad.yaml:19:12:", "sensors.laser.noise = preset"}},
    {"MinAboveMax",
     "min_range_m: 0.1",
     "min_range_m: 30",
     {"bad.yaml:12:5:", "sensors.laser", "min_range_m", "30", "20"}},
    {"NoRays", "rays: 45", "rays: 0", {"bad.yaml:14:11:", "sensors.laser.rays = 0", "[1, "}},
    {"TooManyColumns",
     "columns: 90",
     "columns: 62500000",
     {"bad.yaml:7:14:", "sensors.lidar.columns = 62500000", "[1, 65536]"}},
    {"ABillionRays",
     "type: laser_2d\n    rays: 45\n    min_azimuth_deg: -90\n    max_azimuth_deg: 90\n",
     "type: pinhole_camera\n    width: 40000\n    height: 25000\n    fx: 9\n    fy: 9\n    cx: 0\n    cy: 0\n",
     {"bad.yaml:12:5:", "sensors.laser", "40000", "25000"}},
    {"BooleanIsNumber", "columns: 90", "columns: 90\n    rolling: 1", {"rolling = 1 is not true or false"}},
    {"UnknownPreset", "VLP-16", "VPL-16", {"bad.yaml:6:13:", "sensors.lidar.preset", "VPL-16", "VLP-16"}},
    {"UnknownType", "laser_2d", "laser2d", {"bad.yaml:13:11:", "sensors.laser.type", "laser2d", "laser_2d"}},
    {"UnknownPolicy",
     "columns: 90",
     "range_policy: kep",
     {"bad.yaml:7:19:", "range_policy = kep is not one of keep, clamp, drop", "'keep'"}},

    // Names and references.
    {"SensorTwice", "name: laser", "name: lidar", {"bad.yaml:12:5:", "'lidar' is there twice"}},
    {"SensorNameIsPath", "name: laser", "name: ../laser", {"bad.yaml:12:11:", "../laser", "letters"}},
    {"SensorNameIsDots", "name: laser", "name: ..", {"bad.yaml:12:11:", "letters"}},
    {"SensorNameIsEmpty", "name: laser", "name: ''", {"bad.yaml:12:11:", "letters"}},
    {"EntityTwice", "name: crate", "name: cart", {"bad.yaml:27:", "'cart'"}},
    {"EntityWithoutName", "name: crate", "name: ''", {"bad.yaml:27:"}},
    {"UnknownMesh", "mesh: floor", "mesh: flor", {"bad.yaml:25:27:", "mesh = flor", "'floor'"}},
    {"UnknownParent", "parent: cart}", "parent: card}", {"bad.yaml:27:65:", "entities.crate.parent", "card", "cart"}},
    {"UnknownSensorParent",
     "parent: cart\n",
     "parent: cat\n",
     {"bad.yaml:19:13:", "sensors.laser.parent", "cat", "cart"}},
    {"CyclicParent", "position_m: [3, 0, 0.5]", "parent: crate", {"bad.yaml:27:", "crate", "cart"}},
    {"ParentOfItself", "position_m: [3, 0, 0.5]", "parent: cart", {"bad.yaml:26:", "cart"}},
    {"IgnoresNobody", "parent: cart\n", "ignore: [crate, flor]\n", {"bad.yaml:19:21:", "flor is neither", "'floor'"}},
    {"IgnoresNoList", "parent: cart\n", "ignore: crate\n", {"bad.yaml:19:13:", "ignore = crate is not a list"}},
    {"SeesNoParent", "parent: cart\n", "see_parent: true\n", {"bad.yaml:19:17:", "see_parent = true needs a parent"}},
    {"EmptyLabel", "mesh: floor}", "mesh: floor, label: ''}", {"bad.yaml:25:41:", "is no name of a label"}},
    {"LabelNotInTheTable",
     "  entities:\n    - {name: floor, mesh: floor}",
     "  labels: {floor: 1}\n  entities:\n    - {name: floor, mesh: floor, label: flor}",
     {"bad.yaml:26:41:", "label = flor is not in scene.labels", "'floor'"}},
    {"LabelIdIsZero", "  meshes:", "  labels: {floor: 0}\n  meshes:", {"bad.yaml:21:19:", "labels.floor = 0 is not"}},
    {"LabelIdTwice",
     "  meshes:",
     "  labels: {floor: 1, wall: 1}\n  meshes:",
     {"bad.yaml:21:", "labels.wall", "the id 1 is that of 'floor'"}},
    {"LabelColourIsShort",
     "  meshes:",
     "  labels: {floor: {id: 1, color: [1, 2]}}\n  meshes:",
     {"bad.yaml:21:", "labels.floor.color = [1, 2] is not a list of 3 numbers"}},
    {"LabelColourIsBright",
     "  meshes:",
     "  labels: {floor: {id: 1, color: [1, 2, 256]}}\n  meshes:",
     {"bad.yaml:21:", "= 256 is not a whole number in [0, 255]"}},
    {"EmptyGroup", "mesh: floor}", "mesh: floor, groups: ['']}", {"bad.yaml:25:43:", "is no name of a group"}},
    {"PartOfNothing",
     "mesh: floor}",
     "mesh: floor, part_of_parent: true}",
     {"bad.yaml:25:50:", "part_of_parent = true needs a parent"}},

    // Poses and motion.
    {"PositionIsShort", "[0, 0, 1]", "[0, 0]", {"bad.yaml:8:17:", "position_m = [0, 0] is not a list of 3 numbers"}},
    {"PositionHasText", "[0, 0, 1]", "[0, up, 1]", {"bad.yaml:8:21:", "sensors.lidar.position_m.1 = up"}},
    {"NanPosition", "[0, 0, 1]", "[0, .nan, 1]", {"bad.yaml:8:21:", "position_m.1 = .nan", "finite"}},
    {"ZeroScale", "mesh: floor}", "mesh: floor, scale: 0}", {"bad.yaml:25:", "floor", "scale"}},
    {"QuaternionNotUnit",
     "columns: 90",
     "quaternion_xyzw: [0, 0, 0, 2]",
     {"bad.yaml:7:22:", "quaternion_xyzw", "length 2"}},
    {"TwoRotations",
     "columns: 90",
     "rpy_deg: [0, 0, 0]\n    quaternion_xyzw: [0, 0, 0, 1]",
     {"bad.yaml:8:22:", "both"}},
    {"PoseAndMotion", "columns: 90", "motion: {keyframes: [{time_s: 0}]}", {"bad.yaml:8:17:", "position_m", "motion"}},
    {"KeyframesGoBack",
     "position_m: [3, 0, 0.5]",
     "motion: {keyframes: [{time_s: 1}, {time_s: 0}]}",
     {"bad.yaml:26:", "cart.motion.keyframes", "does not come after"}},
    {"NoKeyframes",
     "position_m: [3, 0, 0.5]",
     "motion: {keyframes: []}",
     {"bad.yaml:26:", "keyframes", "at least one"}},
    {"KeyframeWithoutTime",
     "position_m: [3, 0, 0.5]",
     "motion: {keyframes: [{position_m: [0, 0, 0]}]}",
     {"bad.yaml:26:", "keyframes.0", "'time_s' is missing"}},
    {"BadReflectivity",
     "mesh: floor}",
     "mesh: floor, reflectivity: 1.5}",
     {"bad.yaml:25:48:", "reflectivity = 1.5 is not in [0, 1]"}},
    {"OneSidedIsANumber", "mesh: floor}", "mesh: floor, one_sided: 2}", {"bad.yaml:25:45:", "one_sided"}},

    // Meshes and other files.
    {"MissingMeshFile",
     "{plane: {size_m: [20, 20]}}",
     "gone.ply",
     {"bad.yaml:22:12:", "scene.meshes.floor", "gone.ply"}},
    {"EmptyMeshFile",
     "{plane: {size_m: [20, 20]}}",
     "empty.obj",
     {"bad.yaml:22:12:", "scene.meshes.floor", "empty.obj"}},
    {"BadIndexInMesh", "{plane: {size_m: [20, 20]}}", "bad_index.obj", {"bad.yaml:22:12:", "bad_index.obj"}},
    {"MeshWithoutArea", "{plane: {size_m: [20, 20]}}", "flat.obj", {"bad.yaml:22:12:", "flat.obj"}},
    {"UnknownUpAxis",
     "{plane: {size_m: [20, 20]}}",
     "{file: flat.obj, up_axis: w}",
     {"bad.yaml:22:38:", "scene.meshes.floor.up_axis = w"}},
    {"UnknownKeyOfAMeshFile",
     "{plane: {size_m: [20, 20]}}",
     "{file: flat.obj, up_axes: z}",
     {"bad.yaml:22:29:", "scene.meshes.floor.up_axes is not a known key", "'up_axis'"}},
    {"MeshIsFolder", "{plane: {size_m: [20, 20]}}", ".", {"bad.yaml:22:12:", "scene.meshes.floor"}},
    {"UnknownPrimitive", "{plane: {", "{plain: {", {"bad.yaml:22:13:", "scene.meshes.floor.plain", "'plane'"}},
    {"NegativeSize", "[1, 1, 1]", "[1, -1, 1]", {"bad.yaml:23:29:", "scene.meshes.box.box.size_m.1 = -1", "] m"}},
    {"UnknownShapeKey", "[1, 1, 1]", "[1, 1, 1], segments: 8", {"bad.yaml:23:", "box.segments is not a known key"}},
    {"MissingTrajectory",
     "columns: 90\n    position_m: [0, 0, 1]",
     "motion: {file: gone.tum}",
     {"bad.yaml:7:20:", "gone.tum"}},
    {"TrajectoryGoesBack",
     "columns: 90\n    position_m: [0, 0, 1]",
     "motion: {file: back.tum}",
     {"bad.yaml:7:20:", "back.tum"}},
    {"RayTableWithoutMinimum",
     "preset: VLP-16\n    columns: 90",
     "type: ray_table\n    max_range_m: 9\n    rays: gone.csv",
     {"bad.yaml:5:5:", "sensors.lidar: the key 'min_range_m' is missing"}},
    {"MissingRays",
     "preset: VLP-16\n    columns: 90",
     "type: ray_table\n    min_range_m: 0\n    max_range_m: 9\n    rays: gone.csv",
     {"bad.yaml:9:11:", "sensors.lidar.rays", "gone.csv"}},
    {"EmptyRayTable",
     "preset: VLP-16\n    columns: 90",
     "type: ray_table\n    min_range_m: 0\n    max_range_m: 9\n    rays: no_rays.csv",
     {"bad.yaml:9:11:", "no_rays.csv"}},

    // Outputs.
    {"UnknownOutput", "[pcd,", "[pdc,", {"bad.yaml:11:15:", "outputs.0 = pdc is not one of", "'pcd'"}},
    {"UnknownOutputWithOptions", "[pcd,", "[pdc: {keep_misses: true},", {"bad.yaml:11:", "outputs.pdc", "'pcd'"}},
    {"UnknownOutputOption",
     "[pcd,",
     "[pcd: {keep_mises: true},",
     {"bad.yaml:11:", "outputs.pcd.keep_mises", "'keep_misses'"}},
    {"OutputOptionOfOtherKind",
     "[pcd,",
     "[pcd: {color: range},",
     {"bad.yaml:11:", "outputs.pcd.color is not a known key"}},
    {"UnknownChannel",
     "[pcd,",
     "[npy: {channels: [rnge]},",
     {"bad.yaml:11:", "channels.0 = rnge is not one of", "'range'"}},
    {"NoChannel", "[pcd,", "[npy: {channels: []},", {"bad.yaml:11:", "channels = []"}},
    {"SameFileTwice", "[pcd,", "[pcd, pcd,", {"bad.yaml:11:", "same file", "cloud_000000.pcd"}},
};

INSTANTIATE_TEST_SUITE_P(Defects, BadScene, testing::ValuesIn(kSceneDefects),
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
    try {
      read_scene_file(file);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(file.string(), 0), 0U) << error.what();
    }
  }
}

TEST(SceneFile, AliasesThatGrowWithoutBoundAreRefused) {
  std::string text = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (char i = '1'; i <= '9'; ++i) {  // a1: &a1 [*a0, *a0, ...
    text.append("a").append(1, i).append(": &a").append(1, i).append(" [");
    for (int k = 0; k < 10; ++k) text.append("*a").append(1, static_cast<char>(i - 1)).append(k < 9 ? ", " : "]\n");
  }
  const TemporaryFolder folder;
  try {
    read_scene_file(folder.write("bomb.yaml", text));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("2000000 values"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace fathom
