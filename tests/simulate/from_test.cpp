// SPDX-License-Identifier: MIT
// Robots in scene files: where they stand, what hangs on their links, and what is refused.

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/simulate/run.hpp>

#include "simulate/scene_fixture.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::input_error;
using test::replaced;
using test::TemporaryFolder;

/// A mast on a base, which turns, and a camera link without shape at its top, 2 m up and 0.5 m out.
const std::string kMast = R"(<robot name="mast"><transmission name="t"/>
<link name="base"><visual><geometry><box size="1 1 0.2"/></geometry></visual>
  <collision><geometry><box size="2 2 0.2"/></geometry></collision></link>
<link name="mast"><visual><origin xyz="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry></visual></link>
<link name="camera"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="mast"/><axis xyz="0 0 1"/></joint>
<joint name="head" type="fixed"><origin xyz="0.5 0 2"/><parent link="mast"/><child link="camera"/></joint></robot>)";

const std::string kRobotScene = R"(sensors:
  - {name: laser, type: laser_2d, rays: 3, min_azimuth_deg: -1, max_azimuth_deg: 1, min_range_m: 0.05, max_range_m: 20, parent: camera}
scene:
  from:
    file: mast.urdf
    joints: {turn: 1.5707963267948966}
    position_m: [1, 2, 3]
  meshes:
    wall: {box: {size_m: [20, 0.1, 20]}}
  entities:
    - {name: wall, mesh: wall, position_m: [0, 10, 0]}
    - {name: flag, mesh: wall, parent: camera, scale: 0.001, position_m: [0, 0, 1]}
)";

class From : public testing::Test {
 protected:
  void SetUp() override {
#ifndef FATHOM_URDF
    GTEST_SKIP() << "this build has no urdfdom";
#endif
    folder_.write("mast.urdf", kMast);
  }
  SceneSetup read(const std::string& scene = kRobotScene, const std::vector<std::string>& set = {}) const {
    return read_scene_file(folder_.write("s.yaml", scene), set);
  }
  std::string refusal(const std::string& from, const std::string& to) const {
    const std::string text = input_error([&] { read(replaced(kRobotScene, from, to)); });
    EXPECT_EQ(text.rfind(folder_.path().string(), 0), 0U) << text;
    return text.substr(folder_.path().string().size() + 1);
  }
  TemporaryFolder folder_;
};

TEST_F(From, LinksFollowTheEntitiesOfTheListAndSensorsHangOnThem) {
  const SceneSetup setup = read();
  ASSERT_EQ(setup.scene.entities().size(), 4U);
  EXPECT_EQ(setup.scene.entities()[0].name, "wall");
  EXPECT_EQ(setup.scene.entities()[2].name, "base");
  EXPECT_EQ(setup.scene.entities()[3].name, "mast");
  EXPECT_EQ(setup.notes, std::vector<std::string>{"mast.urdf: not read: 1 <transmission>"});
  EXPECT_EQ(setup.inputs.size(), 2U);
  // The camera has turned with the mast: it stands at (1, 2.5, 5) and looks along y.
  const Pose flag = setup.scene.world_from_entity(EntityId{1}, 0);
  EXPECT_LT(norm(flag.translation_m - Vec3{1, 2.5, 6}), 1e-9);
  Simulator simulator = make_simulator(setup);
  EXPECT_EQ(setup.sensors[0].sensor.parent, EntityId{3});
  Frame frame({Channel::kRange});
  simulator.render(SensorId{0}, 0, frame);
  EXPECT_NEAR(frame.range_m()[1], 10 - 0.05 - 2.5, 1e-5);
}

TEST_F(From, ChangesFromOutside) {
  const SceneSetup setup = read(kRobotScene, {"scene.from.joints.turn=0", "scene.from.position_m.0=7"});
  EXPECT_LT(norm(setup.scene.world_from_entity(EntityId{1}, 0).translation_m - Vec3{7.5, 2, 6}), 1e-9);
}

TEST_F(From, ANameAloneIsEnough) {
  const std::string scene = R"(sensors: [{name: laser, preset: RPLIDAR-A2, parent: camera}]
scene: {from: mast.urdf}
)";
  EXPECT_EQ(read(scene).scene.entities().size(), 2U);
}

TEST_F(From, SeveralStandInOneScene) {
  const std::string scene =
      replaced(kRobotScene, "    file: mast.urdf\n    joints: {turn: 1.5707963267948966}\n    position_m: [1, 2, 3]\n",
               "    - mast.urdf\n    - {file: mast.urdf, prefix: top_, parent: camera, reflectivity: 0.25, geometry: "
               "collision}\n");
  const SceneSetup setup = read(scene);
  ASSERT_EQ(setup.scene.entities().size(), 5U);
  const Entity& top = setup.scene.entities()[4];
  EXPECT_EQ(top.name, "top_base");
  EXPECT_EQ(top.reflectivity, 0.25F);
  EXPECT_EQ(setup.scene.meshes()[index(top.mesh)].vertices_m, make_box({2, 2, 0.2}).vertices_m);
  EXPECT_LT(norm(setup.scene.world_from_entity(EntityId{4}, 0).translation_m - Vec3{0.5, 0, 2}), 1e-9);
  EXPECT_NE(input_error([&] {
              read(replaced(scene, "prefix: top_, ", ""));
            }).find("scene.from.1: there is a link 'camera' before; give the robot a prefix"),
            std::string::npos);
}

TEST_F(From, ARobotSaysOfAllItsLinksWhatAnEntitySaysOfItself) {
  const std::string file = "    file: mast.urdf\n";
  const std::string said = file + "    groups: [robots]\n    label: mast\n    one_sided: true\n";
  const SceneSetup setup = read(replaced(kRobotScene, file, said));
  ASSERT_EQ(setup.scene.entities().back().name, "mast");
  EXPECT_EQ(setup.scene.entities().back().groups, std::vector<std::string>{"robots"});
  EXPECT_EQ(setup.scene.entities().back().label, "mast");
  EXPECT_TRUE(setup.scene.entities().back().one_sided);
  const std::string slip = replaced(replaced(kRobotScene, file, said), "scene:\n", "scene:\n  labels: {mats: 3}\n");
  EXPECT_NE(
      input_error([&] { read(slip); }).find("scene.from.label = mast is not in scene.labels (nearest known: 'mats')"),
      std::string::npos)
      << input_error([&] { read(slip); });
}

TEST_F(From, AMovingSensorKeepsItsMotionInTheFrameOfTheLink) {
  const std::string motion =
      "parent: camera, motion: {loop: true, keyframes: [{time_s: 0}, {time_s: 1, position_m: [1, 0, 0]}]}}";
  const SceneSetup setup = read(replaced(kRobotScene, "parent: camera}", motion));
  const Trajectory& path = setup.sensors[0].sensor.parent_from_sensor;
  EXPECT_TRUE(path.loops());
  EXPECT_LT(norm(path.at(0.5).translation_m - Vec3{1, 0, 2}), 1e-9);
}

// The whole robot turns about its own frame, from which its mast stands out: no key of a link could say that.
TEST_F(From, ARobotMoves) {
  const std::string motion =
      "motion: {keyframes: [{time_s: 0}, {time_s: 2, position_m: [4, 0, 0], rpy_deg: [0, 0, 90]}]}";
  const SceneSetup setup = read(replaced(kRobotScene, "position_m: [1, 2, 3]", motion));
  const Scene& scene = setup.scene;
  const EntityId mover = scene.find_entity("mast_motion"), base = scene.find_entity("base");
  EXPECT_EQ(scene.entities()[index(mover)].mesh, kNoMesh);
  EXPECT_EQ(scene.entities()[index(base)].parent, mover);
  for (const double stamp_s : {0.0, 0.7, 1.0, 2.0}) {
    const double turned = stamp_s / 2 * std::numbers::pi / 2;
    const Pose at = scene.world_from_entity(scene.find_entity("mast"), stamp_s);
    EXPECT_LT(norm(at.translation_m - Vec3{2 * stamp_s, 0, 0}), 1e-9);
    // The camera stands 0.5 m out in the direction of the mast, which is turned by 90 degrees in the robot.
    const Pose flag = scene.world_from_entity(EntityId{1}, stamp_s);
    const Vec3 out = {2 * stamp_s - 0.5 * std::sin(turned), 0.5 * std::cos(turned), 3};
    EXPECT_LT(norm(flag.translation_m - out), 1e-9) << stamp_s;
  }
  const std::string both = replaced(kRobotScene, "position_m: [1, 2, 3]", "position_m: [1, 2, 3]\n    " + motion);
  EXPECT_NE(input_error([&] { read(both); }).find("scene.from.position_m = [1, 2, 3] and motion are both given"),
            std::string::npos);
  const std::string taken =
      replaced(replaced(kRobotScene, "position_m: [1, 2, 3]", motion), "name: wall", "name: mast_motion");
  EXPECT_NE(input_error([&] { read(taken); }).find("mast_motion"), std::string::npos);
}

TEST_F(From, AnEntityWithoutAMeshCarriesRobotsAndSensors) {
  const std::string text = replaced(replaced(kRobotScene, "position_m: [1, 2, 3]", "parent: cart"), "  entities:\n",
                                    "  entities:\n    - {name: cart, position_m: [1, 2, 3]}\n");
  const Scene scene = read(text).scene;
  EXPECT_EQ(scene.entities()[0].mesh, kNoMesh);
  EXPECT_LT(norm(scene.world_from_entity(scene.find_entity("flag"), 0).translation_m - Vec3{1, 2.5, 6}), 1e-9);
}

TEST_F(From, MeshesThatAreMissingAreLeftOutWhenAsked) {
  folder_.write("gone.urdf",
                "<robot name='g'><link name='l'><visual><geometry><mesh "
                "filename='gone.stl'/></geometry></visual></link></robot>");
  const std::string scene = "sensors: [{name: laser, preset: RPLIDAR-A2}]\nscene: {from: {file: gone.urdf}}\n";
  EXPECT_NE(input_error([&] { read(scene); }).find("'gone.stl': no such file"), std::string::npos);
  const SceneSetup setup = read(replaced(scene, "gone.urdf", "gone.urdf, missing: skip"));
  ASSERT_EQ(setup.notes.size(), 1U);
  EXPECT_NE(setup.notes[0].find("'gone.stl': no such file"), std::string::npos);
  EXPECT_NE(input_error([&] { read(replaced(scene, "gone.urdf", "gone.urdf, missing: ship")); }).find("'skip'"),
            std::string::npos);
}

TEST_F(From, NotesAreWarningsOfTheRun) {
  RunOptions options;
  options.out = folder_ / "out";
  const RunResult result = run_scene(read(), options);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0], "mast.urdf: not read: 1 <transmission>");
}

TEST_F(From, TheShippedArmHoldsItsCameraOverTheTable) {
  const SceneSetup setup = read_scene_file(std::string(FATHOM_SOURCE_DIR) + "/examples/09_robot/arm.yaml");
  EXPECT_TRUE(setup.notes.empty());
  const Scene& scene = setup.scene;
  const Pose left = scene.world_from_entity(scene.find_entity("left_finger"), 0);
  const Pose right = scene.world_from_entity(scene.find_entity("right_finger"), 0);
  EXPECT_NEAR(norm(left.translation_m - right.translation_m), 0.1, 1e-9) << "the right one follows the left one";
  const Pose camera = make_simulator(setup).world_from_sensor(SensorId{0}, 0);
  EXPECT_LT(rotate(camera.rotation, {1, 0, 0}).z, -0.98) << "it looks down";
  EXPECT_GT(camera.translation_m.z, 0.72);
}

TEST_F(From, IsRefusedWithPlaceAndReason) {
  EXPECT_EQ(refusal("mast.urdf", "must.urdf"),
            "s.yaml:5:11: scene.from.file: " + (folder_ / "must.urdf").string() + ": no such file");
  EXPECT_EQ(refusal("turn: 1.57", "trun: 1.57"),
            "s.yaml:5:5: scene.from: there is no joint 'trun' (nearest known: 'turn')");
  EXPECT_EQ(refusal("turn: 1.5707963267948966", "turn: .nan"),
            "s.yaml:6:20: scene.from.joints.turn = .nan is not a finite number");
  EXPECT_EQ(refusal("position_m", "position"),
            "s.yaml:7:5: scene.from.position is not a known key (nearest known: 'position_m')");
  EXPECT_EQ(refusal("file: mast.urdf", "file: mast.urdf\n    geometry: visible"),
            "s.yaml:6:15: scene.from.geometry = visible is not one of visual, collision");
  EXPECT_EQ(refusal("file: mast.urdf", "file: mast.urdf\n    packages: {a: gone}"),
            "s.yaml:6:19: scene.from.packages.a = gone is not a folder");
  EXPECT_EQ(refusal("parent: camera}", "parent: camra}"),
            "s.yaml:2:129: sensors.laser.parent: there is no entity or link 'camra' (nearest known: 'camera')");
  EXPECT_EQ(refusal("name: wall", "name: mast"),
            "s.yaml:5:5: scene.from: link 'mast': the name is taken; give the robot a prefix");
  EXPECT_EQ(refusal("position_m: [1, 2, 3]", "parent: flag"),
            "s.yaml:12:40: scene.entities.flag.parent: entity 'flag' would hang on itself, through 'mast'");
  const std::string far = replaced(kRobotScene, "position_m: [1, 2, 3]", "position_m: [1e9, 2, 3]\n    parent: wall");
  EXPECT_NE(
      input_error([&] { read(replaced(far, "parent: camera, scale", "scale")); })
          .find("s.yaml:5:5: scene.from: link 'base': its place and those of its parents add up to 1000000010 m, more "
                "than 1e9 m"),
      std::string::npos);
}

}  // namespace
}  // namespace fathom
