// SPDX-License-Identifier: MIT
// The channel of labels: that of the entity struck, whatever became of the return.

#include <gtest/gtest.h>

#include <fathom/simulate/environments.hpp>

#include "render/stereo_scenes.hpp"
#include "support/casters.hpp"

namespace fathom {
namespace {

using test::all_channels;
using test::count_of;
using test::make_lidar;
using test::make_sensor;
using test::render_once;

/// The room with its walls, the table and a second table; the ball has no label, and the room has no end at one side.
Scene labelled_scene() {
  const Scene room = test::make_room_scene();
  Scene scene;
  for (const Mesh& mesh : room.meshes()) scene.add_mesh(mesh);
  scene.add_label({"table", 40, {}});
  const char* const labels[] = {"wall", "table", ""};
  for (std::size_t i = 0; i < 3; ++i) {
    Entity entity = room.entities()[i];
    entity.label = labels[i];
    scene.add_entity(entity);
  }
  return scene;
}

void expect_labels_of_entities(const Frame& frame, const Scene& scene) {
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const std::uint32_t entity = frame.entity_id()[i];
    ASSERT_EQ(frame.label()[i], entity == index(kNoEntity) ? 0 : scene.label_id(EntityId{entity}));
  }
}

TEST(Labels, AreThoseOfTheEntitiesStruck) {
  const Scene scene = labelled_scene();
  EXPECT_EQ(scene.label_id(EntityId{0}), 41U);
  for (const CasterKind caster : test::casters()) {
    Sensor sensor = make_sensor(make_lidar(), {Dropout{.probability = 0.5F}}, {{7, 0, 0}, {}});
    const Frame frame =
        render_once(scene, sensor, all_channels(), {.seed = 7, .compute = {.threads = 1, .caster = caster}});
    ASSERT_GT(count_of(frame, Reason::kMiss), 0U);
    ASSERT_GT(count_of(frame, Reason::kDropout), 0U);
    expect_labels_of_entities(frame, scene);
    // Alone, without the channels that need entities anyway.
    const Frame alone = render_once(scene, sensor, {Channel::kLabel}, {.compute = {.threads = 1, .caster = caster}});
    EXPECT_TRUE(test::same_bits(alone.label(), frame.label()));
  }
}

TEST(Labels, OfEntitiesAddedLaterAndOfEnvironments) {
  Simulator simulator(labelled_scene(), {.compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(make_sensor(make_lidar()));
  Frame frame(all_channels());
  simulator.render(id, 0, frame);
  simulator.scene().add_entity(
      {.name = "late", .mesh = MeshId{0}, .parent_from_entity = Pose{{1, 0, 0}, {}}, .label = "table"});
  simulator.render(id, 0, frame);
  expect_labels_of_entities(frame, simulator.scene());
  const Scene scene = simulator.scene();
  Environments batch(scene, make_sensor(make_lidar()), {.simulator = {.compute = {.threads = 1}}, .count = 3});
  batch.set_entity_pose(1, EntityId{3}, {{0, 2, 0}, {}});
  batch.render(0, frame);
  expect_labels_of_entities(frame, scene);
}

}  // namespace
}  // namespace fathom
