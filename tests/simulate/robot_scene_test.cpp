// SPDX-License-Identifier: MIT
// What a scene file says of sensors on robots, of the parts of mesh files and of labels arrives as it was said.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/simulate/run.hpp>

#include "simulate/scene_fixture.hpp"
#include "simulate/scene_text.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::input_error;
using test::kScene;
using test::replaced;
using test::TemporaryFolder;

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
  EXPECT_NE(input_error([&] { read_text(both); }).find("= floor is the name of an entity and of a group"),
            std::string::npos);
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
  EXPECT_NE(error_of("{file: car.obj, split: nodes}", ", parts: {rof: {}}")
                .find("entities.e.parts.rof is no part of the mesh"),
            std::string::npos);
  EXPECT_NE(error_of("{file: car.obj, split: bones}", "").find("split = bones is not one of nodes, materials"),
            std::string::npos);
  EXPECT_NE(error_of("{file: car.obj, splt: nodes}", "").find("'split'"), std::string::npos);
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
}  // namespace fathom
