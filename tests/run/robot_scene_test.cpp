// SPDX-License-Identifier: MIT
// Robots in scene files: places, children of links, sensors, parts of mesh files, labels, and errors.

#include "run/scene_fixture.hpp"

namespace fathom::test {
namespace {

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
  // The camera has turned with the mast: it is at (1, 2.5, 5) and looks along y.
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
  EXPECT_TRUE(contains(input_error([&] { read(replaced(scene, "prefix: top_, ", "")); }),
                       "scene.from.1: there is a link 'camera' before; give the robot a prefix"));
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
  EXPECT_TRUE(contains(input_error([&] { read(slip); }),
                       "scene.from.label = mast is not in scene.labels (nearest known: 'mats')"))
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

// The whole robot turns about its frame, away from its mast: no key of a link can describe that.
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
    // The camera is 0.5 m out in the direction of the mast, which is turned by 90 degrees in the robot.
    const Pose flag = scene.world_from_entity(EntityId{1}, stamp_s);
    const Vec3 out = {2 * stamp_s - 0.5 * std::sin(turned), 0.5 * std::cos(turned), 3};
    EXPECT_LT(norm(flag.translation_m - out), 1e-9) << stamp_s;
  }
  const std::string both = replaced(kRobotScene, "position_m: [1, 2, 3]", "position_m: [1, 2, 3]\n    " + motion);
  EXPECT_TRUE(
      contains(input_error([&] { read(both); }), "scene.from.position_m = [1, 2, 3] and motion are both given"));
  const std::string taken =
      replaced(replaced(kRobotScene, "position_m: [1, 2, 3]", motion), "name: wall", "name: mast_motion");
  EXPECT_TRUE(contains(input_error([&] { read(taken); }), "mast_motion"));
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
  EXPECT_TRUE(contains(input_error([&] { read(scene); }), "'gone.stl': no such file"));
  const SceneSetup setup = read(replaced(scene, "gone.urdf", "gone.urdf, missing: skip"));
  ASSERT_EQ(setup.notes.size(), 1U);
  EXPECT_TRUE(contains(setup.notes[0], "'gone.stl': no such file"));
  EXPECT_TRUE(contains(input_error([&] { read(replaced(scene, "gone.urdf", "gone.urdf, missing: ship")); }), "'skip'"));
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
  EXPECT_TRUE(
      contains(input_error([&] { read(replaced(far, "parent: camera, scale", "scale")); }),
               "s.yaml:5:5: scene.from: link 'base': its place and its parents' places add up to 1000000010 m, more "
               "than 1e9 m"));
}

SceneSetup read_text(const std::string& text) { return read_scene_text(text, "s.yaml", {}); }

TEST(RobotScene, ASensorIgnoresItsParentAndWhatItNames) {
  const std::string text = replaced(kScene, "mesh: box, position_m: [0, 3, 0.5], parent: cart",
                                    "mesh: box, parent: cart, part_of_parent: true, groups: [robot, load]");
  const SceneSetup usual = read_text(text);
  EXPECT_EQ(usual.scene.entities()[2].groups, (std::vector<std::string>{"robot", "load"}));
  EXPECT_TRUE(usual.scene.entities()[2].part_of_parent);
  EXPECT_FALSE(usual.scene.entities()[1].part_of_parent);
  const Sensor& laser = usual.sensors[1].sensor;
  EXPECT_FALSE(laser.see_parent);
  EXPECT_TRUE(laser.ignore.empty() && laser.ignore_groups.empty());
  const SceneSetup setup = read_text(replaced(
      text, "    parent: cart\n", "    parent: cart\n    see_parent: true\n    ignore: [crate, load, floor]\n"));
  EXPECT_TRUE(setup.sensors[1].sensor.see_parent);
  EXPECT_EQ(setup.sensors[1].sensor.ignore, (std::vector<EntityId>{EntityId{2}, EntityId{0}}));
  EXPECT_EQ(setup.sensors[1].sensor.ignore_groups, std::vector<std::string>{"load"});
  const std::string both =
      replaced(replaced(text, "robot, load", "robot, floor"), "    parent: cart\n", "    ignore: [floor]\n");
  EXPECT_TRUE(contains(input_error([&] { read_text(both); }), "= floor is the name of an entity and of a group"));
}

TEST(RobotScene, PartsOfAFileBecomeEntities) {
  const TemporaryFolder folder;
  folder.write("car.obj",
               "v 1 2 3\nv 2 2 3\nv 1 4 3\no door\nusemtl paint\nf 1 2 3\nusemtl glass\nf 1 3 2\no roof\nf 2 3 1\n");
  const auto read_with = [&](const std::string& mesh, const std::string& entity, const std::string& noise = "") {
    const std::string parent = mesh.find("nodes") != std::string::npos ? "e/door" : "e";
    const std::string text =
        "sensors:\n  - name: s\n    preset: VLP-16\n" + noise + "scene:\n  meshes: {m: " + mesh +
        "}\n  entities:\n    - {name: e, mesh: m, position_m: [1, 0, 0], scale: 2, groups: [load]" + entity +
        "}\n    - {name: f, mesh: m, parent: " + parent + "}\n";
    return read_scene_file(folder.write("s.yaml", text));
  };
  const SceneSetup setup =
      read_with("{file: car.obj, split: nodes}",
                ", label: car, one_sided: true, parts: {roof: {reflectivity: 0.25, groups: [top], label: roof, "
                "one_sided: false}}",
                "    ignore: [e/roof, f]\n    noise: [distance: {entities: {e: {mean_m: 1}, f/door: {mean_m: 2}}}]\n");
  const auto& entities = setup.scene.entities();
  ASSERT_EQ(entities.size(), 6U);
  const auto name = [&](std::size_t i) { return entities[i].name; };
  EXPECT_EQ((std::vector<std::string>{name(0), name(1), name(2), name(3), name(4), name(5)}),
            (std::vector<std::string>{"e", "f", "e/door", "e/roof", "f/door", "f/roof"}));
  EXPECT_EQ(entities[0].mesh, kNoMesh);
  EXPECT_EQ(entities[1].parent, EntityId{2});
  EXPECT_EQ(setup.scene.meshes().size(), 2U) << "parts are kept once";
  EXPECT_EQ(setup.scene.mesh_name(entities[3].mesh), "m/roof");
  EXPECT_EQ(entities[5].mesh, entities[3].mesh);
  EXPECT_TRUE(entities[3].part_of_parent);
  EXPECT_EQ(entities[3].parent, EntityId{0});
  EXPECT_EQ(entities[3].scale, (Vec3{2, 2, 2}));
  EXPECT_EQ(entities[3].reflectivity, 0.25F);
  EXPECT_EQ(entities[2].reflectivity, 1.0F);
  EXPECT_TRUE(entities[2].one_sided);
  EXPECT_FALSE(entities[1].one_sided || entities[3].one_sided);
  EXPECT_EQ(entities[2].label, "car");
  EXPECT_EQ(entities[3].label, "roof");
  EXPECT_EQ(entities[3].groups, std::vector<std::string>{"top"});
  EXPECT_EQ(setup.scene.world_from_entity(EntityId{3}, 0).translation_m, (Vec3{1, 0, 0}));
  EXPECT_EQ(setup.sensors[0].sensor.ignore, (std::vector<EntityId>{EntityId{3}, EntityId{1}}));
  EXPECT_EQ(setup.sensors[0].sensor.noise[0].by_entity[1].entity, EntityId{4});
  EXPECT_EQ(read_with("{file: car.obj, split: materials, up_axis: y}", "").scene.entities()[3].name, "e/glass");
  const auto error_of = [&](const std::string& mesh, const std::string& entity) {
    return input_error([&] { read_with(mesh, entity); });
  };
  EXPECT_TRUE(contains(error_of("{file: car.obj, split: nodes}", ", parts: {rof: {}}"),
                       "entities.e.parts.rof is no part of the mesh"));
  EXPECT_TRUE(contains(error_of("{file: car.obj, split: bones}", ""), "split = bones is not one of nodes, materials"));
  EXPECT_TRUE(contains(error_of("{file: car.obj, splt: nodes}", ""), "'split'"));
}

TEST(RobotScene, LabelsArriveWithTheirIds) {
  std::string text = replaced(kScene, "mesh: floor}", "mesh: floor, label: ground}");
  text = replaced(text, "parent: cart}", "parent: cart, label: box}");
  const Scene usual = read_text(text).scene;
  EXPECT_EQ(usual.label_id(EntityId{0}), 1U);
  EXPECT_EQ(usual.label_id(EntityId{1}), 0U);
  EXPECT_EQ(usual.label_id(EntityId{2}), 2U);
  const Scene table =
      read_text(
          replaced(text, "  meshes:\n", "  labels: {box: 62, ground: {id: 7, color: [1, 2, 3]}, sky: 10}\n  meshes:\n"))
          .scene;
  EXPECT_EQ(table.label_id(EntityId{0}), 7U);
  EXPECT_EQ(table.label_id(EntityId{2}), 62U);
  ASSERT_EQ(table.labels().size(), 3U);
  EXPECT_EQ(table.labels()[1].color, (std::array<std::uint8_t, 3>{1, 2, 3}));
  EXPECT_EQ(table.labels()[2].color, std::nullopt);
}

}  // namespace
}  // namespace fathom::test
