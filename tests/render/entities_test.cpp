// SPDX-License-Identifier: MIT
// Entities in frames: which ones a sensor ignores, and their labels.

#include <fathom/sensor/presets.hpp>

#include "render/any_sensors.hpp"

namespace fathom::test {

// Sensors on robots: what a sensor ignores is as if it were not there, for it alone.

namespace {

class Ignore : public testing::Test {
 protected:
  static SimulatorOptions options() { return {.seed = 7, .compute = {.threads = 2}}; }
};

/// A room, and a body in it that consists of the entities from the third on.
struct Robot {
  Scene scene = make_room_scene();
  EntityId body = add("body", {0.6, 0.4, 0.8}, {{0, 0, -1}, {}});

  EntityId add(const std::string& name, const Vec3& size_m, const Pose& pose, EntityId parent = kNoEntity,
               bool part = false, std::vector<std::string> groups = {}) {
    return scene.add_entity({.name = name,
                             .mesh = MeshId{0},
                             .parent_from_entity = pose,
                             .scale = size_m,
                             .parent = parent,
                             .part_of_parent = part,
                             .groups = std::move(groups)});
  }
  /// A lidar of a metre of range in the middle of the body.
  [[nodiscard]] Sensor lidar(const std::string& name = "lidar") const {
    Sensor sensor = make_sensor(find_preset("VLP-16").model, {}, {}, name);
    sensor.parent = body;
    return sensor;
  }
};

/// How many returns come from an entity.
std::size_t returns_from(const Frame& frame, EntityId entity) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    count += frame.reason()[i] == Reason::kHit && frame.entity_id()[i] == index(entity) ? 1 : 0;
  }
  return count;
}

TEST_F(Ignore, ALidarWithinTheBodyThatCarriesItSeesTheRoom) {
  const Robot robot;
  Sensor sensor = robot.lidar();
  const Frame frame = render_once(robot.scene, sensor, all_channels(), options());
  ASSERT_EQ(frame.size(), 28928U);
  EXPECT_EQ(count_of(frame, Reason::kHit), frame.size());
  EXPECT_GT(returns_from(frame, EntityId{0}), frame.size() / 2);
  EXPECT_GT(returns_from(frame, EntityId{1}), 0U);
  EXPECT_EQ(returns_from(frame, robot.body), 0U);
  sensor.see_parent = true;
  EXPECT_EQ(count_of(render_once(robot.scene, sensor, all_channels(), options()), Reason::kBelowMinRange), 28928U);
}

TEST_F(Ignore, WhatIsIgnoredIsAsIfItWereNotThere) {
  // A stereo camera behind a post that it ignores, whose shadows would be seen. Its frames and the rolling lidar's
  // equal the frames of a room without the post.
  Scene without = make_room_scene();
  Scene with = without;
  const EntityId post = with.add_entity(
      {.name = "post", .mesh = MeshId{0}, .parent_from_entity = Pose{{1, 0.1, 0}, {}}, .scale = {0.1, 0.2, 3}});
  Sensor camera = make_sensor(make_stereo(97, 61, 60, 0.2), {StereoShadow{.tolerance = 0.01F}, StereoEnergy{.pow = 2},
                                                             EdgeLoss{.low_probability = 0.2F}});
  Sensor lidar = make_sensor(make_lidar(16, 360), three_gaussians(), {{-1, 0, 0.3}, {}});
  lidar.parent_from_sensor = Trajectory({{0, {{-1, 0, 0.3}, {}}}, {1, {{0, 1, 0}, from_roll_pitch_yaw(0, 0, 1)}}});
  lidar.rolling = true;
  for (Sensor sensor : {camera, lidar}) {
    const Frame expected = render_once(without, sensor, all_channels(), options());
    const Frame seen = render_once(with, sensor, all_channels(), options());
    EXPECT_FALSE(same_bits(seen.range_m(), expected.range_m())) << "the post should be in the way";
    sensor.ignore = {post};
    EXPECT_EQ(channels_that_differ(render_once(with, sensor, all_channels(), options()), expected), "");
  }
}

TEST_F(Ignore, BackRaysPassThroughWhatTheCameraIgnores) {
  // The post stands where the emitter does not see it: only the ray from the left camera meets it.
  Scene scene = make_plane_scene({4, 0});
  const EntityId post = scene.add_entity({.name = "post",
                                          .mesh = scene.add_mesh(make_box({0.02, 0.02, 10})),
                                          .parent_from_entity = Pose{{0.2, 0.19, 0}, {}}});
  Sensor camera = make_sensor(make_stereo(41, 31, 80, 0.4), {StereoShadow{}});
  const Frame hidden = render_once(scene, camera, all_channels(), options());
  EXPECT_EQ(returns_from(hidden, post), 0U);
  EXPECT_GT(count_of(hidden, Reason::kHiddenLeft), 0U);
  camera.ignore = {post};
  EXPECT_EQ(count_of(render_once(scene, camera, all_channels(), options()), Reason::kHit), 41U * 31U);
}

TEST_F(Ignore, PartsGoWithTheirWholeAndChildrenAreSeen) {
  Robot robot;
  const EntityId lid = robot.add("lid", {0.7, 0.7, 0.02}, {{0, 0, 0.45}, {}}, robot.body, true);
  const EntityId knob = robot.add("knob", {0.1, 0.1, 0.1}, {{0.5, 0, 0}, {}}, lid, true);
  const EntityId arm = robot.add("arm", {0.1, 0.1, 2}, {{1, 0, 0}, {}}, robot.body);
  for (const EntityId carrier : {robot.body, lid, knob}) {
    Sensor sensor = robot.lidar();
    sensor.parent = carrier;
    sensor.parent_from_sensor = inverse(robot.scene.world_from_entity(carrier, 0)) * Pose{{0, 0, -1}, {}};
    const Frame frame = render_once(robot.scene, sensor, all_channels(), options());
    for (const EntityId own : {robot.body, lid, knob}) EXPECT_EQ(returns_from(frame, own), 0U) << index(own);
    EXPECT_GT(returns_from(frame, arm), 0U) << "a lidar sees the arm of its robot";
    EXPECT_EQ(count_of(frame, Reason::kHit), frame.size());
  }
  Sensor above = make_sensor(make_lidar(), {}, {{0, 0, 1}, from_roll_pitch_yaw(0, 1.3, 0)});
  above.ignore = {knob};
  const Frame frame = render_once(robot.scene, above, all_channels(), options());
  EXPECT_EQ(returns_from(frame, knob), 0U);
  EXPECT_GT(returns_from(frame, lid), 0U) << "a part alone can be ignored";
}

TEST_F(Ignore, AGroupHoldsWhateverBelongsToIt) {
  Robot robot;
  const EntityId arm = robot.add("arm", {0.1, 0.1, 2}, {{1, 0, 0}, {}}, robot.body, false, {"robot", "moving"});
  const EntityId hand = robot.add("hand", {0.3, 0.3, 0.3}, {{0, 0.9, 0}, {}}, arm, true);
  Simulator simulator(robot.scene, options());
  Sensor sensor = robot.lidar();
  sensor.ignore_groups = {"nobody", "robot"};
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame(all_channels());
  simulator.render(id, 0, frame);
  EXPECT_EQ(returns_from(frame, arm) + returns_from(frame, hand), 0U);
  EXPECT_EQ(count_of(frame, Reason::kHit), frame.size());
  const std::size_t before = returns_from(frame, EntityId{0});
  Entity later = robot.scene.entities()[index(arm)];
  later.name = "later", later.parent = kNoEntity, later.parent_from_entity = Pose{{-1, 0, -1}, {}};
  const EntityId of_group = simulator.scene().add_entity(later);
  later.name = "other", later.groups = {"moving"}, later.parent_from_entity = Pose{{0, -1, -1}, {}};
  const EntityId of_another = simulator.scene().add_entity(later);
  simulator.render(id, 0, frame);
  EXPECT_EQ(returns_from(frame, of_group), 0U);
  EXPECT_GT(returns_from(frame, of_another), 0U);
  EXPECT_EQ(returns_from(frame, EntityId{0}) + returns_from(frame, of_another), before);
}

TEST_F(Ignore, AnyNumberOfSensorsIgnoreWhatTheyLike) {
  // Fifty robots, each within its own body; more than there are bits. Each sees all the others and itself not.
  constexpr std::uint32_t kRobots = 50;
  Scene scene = make_room_scene();
  std::vector<EntityId> bodies;
  for (std::uint32_t i = 0; i < kRobots; ++i) {
    bodies.push_back(scene.add_entity({.name = "robot" + std::to_string(i),
                                       .mesh = MeshId{0},
                                       .parent_from_entity = Pose{{-5 + 1.1 * (i % 10), -3 + 1.2 * (i / 10.0), -1}, {}},
                                       .scale = {0.5, 0.4, 0.6}}));
  }
  Simulator simulator(scene, options());
  std::vector<Sensor> sensors;
  for (std::uint32_t i = 0; i <= kRobots; ++i) {
    Sensor sensor = make_sensor(make_lidar(4, 180), {}, {}, "s" + std::to_string(i));
    if (i < kRobots) sensor.parent = bodies[i];
    if (i % 3 == 0) sensor.ignore = {bodies[(i + 7) % kRobots]};
    if (i == kRobots) sensor.ignore.clear();
    sensors.push_back(sensor);
    simulator.add_sensor(sensor);
  }
  Frame frame(all_channels());
  for (const std::uint32_t moved : {0U, 1U}) {
    for (std::uint32_t i = 0; i <= kRobots; ++i) {
      simulator.render(SensorId{i}, 0, frame);
      EXPECT_EQ(channels_that_differ(frame, render_once(simulator.scene(), sensors[i], all_channels(), options())), "");
      for (const EntityId ignored : sensors[i].ignore) EXPECT_EQ(returns_from(frame, ignored), 0U);
      EXPECT_TRUE(i == kRobots || returns_from(frame, bodies[i]) == 0);
    }
    simulator.scene().set_pose(bodies[3], {{0.3, 0.2 + moved, -1}, {}});
  }
}

TEST_F(Ignore, EnvironmentsRenderWhatASimulatorDoes) {
  Robot robot;
  const EntityId arm = robot.add("arm", {0.1, 0.1, 2}, {{1, 0, 0}, {}}, robot.body, false, {"arm"});
  Sensor sensor = robot.lidar();
  sensor.model = make_lidar(8, 90);
  sensor.ignore_groups = {"arm"};
  Environments batch(robot.scene, sensor, {.simulator = options(), .count = 9});
  for (std::uint32_t e = 1; e < 9; ++e) {
    batch.set_entity_pose(e, robot.body, {{0.1 * e, -0.2 * e, -1}, from_roll_pitch_yaw(0, 0, 0.4 * e)});
  }
  Frame frames(all_channels());
  batch.render(0, frames);
  EXPECT_EQ(returns_from(frames, robot.body) + returns_from(frames, arm), 0U);
  EXPECT_EQ(count_of(frames, Reason::kHit), frames.size());
  Scene third = robot.scene;
  third.set_pose(robot.body, {{0.3, -0.6, -1}, from_roll_pitch_yaw(0, 0, 1.2)});
  SimulatorOptions alone = options();
  alone.seed = episode_seed(alone.seed, 3, 0);
  const Frame frame = render_once(third, sensor, all_channels(), alone);
  EXPECT_TRUE(same_bits(frames.range_m().subspan(3 * frame.size(), frame.size()), frame.range_m()));
}

TEST_F(Ignore, NoiseOfAWholeIsThatOfItsPartsUnlessTheyHaveTheirOwn) {
  Robot robot;
  const EntityId lid = robot.add("lid", {0.7, 0.7, 0.02}, {{0, 0, 0.45}, {}}, robot.body, true);
  const EntityId knob = robot.add("knob", {0.2, 0.2, 0.2}, {{0, 0, 0.1}, {}}, lid, true);
  const EntityId arm = robot.add("arm", {0.1, 0.1, 2}, {{1, 0, 0}, {}}, robot.body);
  Sensor above = make_sensor(make_lidar(32, 360), {}, {{0, 0, 1}, from_roll_pitch_yaw(0, 1.3, 0)});
  const Frame clean = render_once(robot.scene, above, all_channels(), options());
  const auto shift_of = [&](const Frame& frame, EntityId entity) {
    for (std::size_t i = 0; i < frame.size(); ++i) {
      if (frame.entity_id()[i] == index(entity)) return frame.range_m()[i] - clean.range_m()[i];
    }
    ADD_FAILURE() << "entity " << index(entity) << " is not seen";
    return 0.0F;
  };
  const DistanceNoise usual = {.mean_m = 0.125F}, of_body = {.mean_m = 0.25F}, of_knob = {.mean_m = 0.5F};
  above.noise = {ChainEntry(usual, std::vector<EntityEntry>{{robot.body, of_body}})};
  const Frame whole = render_once(robot.scene, above, all_channels(), options());
  EXPECT_NEAR(shift_of(whole, lid), 0.25, 1e-5);
  EXPECT_NEAR(shift_of(whole, knob), 0.25, 1e-5);
  EXPECT_NEAR(shift_of(whole, arm), 0.125, 1e-5);
  EXPECT_NEAR(shift_of(whole, EntityId{0}), 0.125, 1e-5);
  above.noise = {ChainEntry(usual, std::vector<EntityEntry>{{robot.body, of_body}, {knob, of_knob}})};
  const Frame own = render_once(robot.scene, above, all_channels(), options());
  EXPECT_NEAR(shift_of(own, lid), 0.25, 1e-5);
  EXPECT_NEAR(shift_of(own, knob), 0.5, 1e-5);
}

TEST(IgnoreRefusals, NameWhatIsWrong) {
  const auto refusal = [](auto change) {
    Sensor sensor = make_sensor(make_lidar());
    change(sensor);
    return input_error([&] { render_once(make_room_scene(), sensor); });
  };
  EXPECT_EQ(refusal([](Sensor& s) {
              s.ignore = {EntityId{1}, EntityId{3}};
            }),
            "sensor 'lidar': ignore: entity 3 is not in [0, 3)");
  EXPECT_EQ(refusal([](Sensor& s) { s.ignore_groups = {""}; }),
            "sensor 'lidar': ignore_groups: the name of a group is empty");
  Scene scene = make_room_scene();
  EXPECT_EQ(input_error([&] {
              scene.add_entity({.name = "a", .groups = {"b", ""}});
            }),
            "entity 'a': the name of a group is empty");
}

TEST(Scene, AWholeIsFoundFromItsParts) {
  Robot robot;
  const EntityId lid = robot.add("lid", {1, 1, 1}, {}, robot.body, true);
  const EntityId knob = robot.add("knob", {1, 1, 1}, {}, lid, true);
  const EntityId arm = robot.add("arm", {1, 1, 1}, {}, knob);
  const EntityId hand = robot.add("hand", {1, 1, 1}, {}, arm, true);
  EXPECT_EQ(robot.scene.whole_of(knob), robot.body);
  EXPECT_EQ(robot.scene.whole_of(hand), arm);
  robot.scene.set_parent(lid, kNoEntity);
  EXPECT_EQ(robot.scene.whole_of(knob), lid) << "a part that was taken off is a whole";
}

// The channel of labels: that of the entity struck, whatever became of the return.

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
  Sensor sensor = make_sensor(make_lidar(), {Dropout{.probability = 0.5F}}, {{7, 0, 0}, {}});
  const Frame frame = render_once(scene, sensor, all_channels(), {.seed = 7, .compute = {.threads = 1}});
  ASSERT_GT(count_of(frame, Reason::kMiss), 0U);
  ASSERT_GT(count_of(frame, Reason::kDropout), 0U);
  expect_labels_of_entities(frame, scene);
  // Alone, without the channels that need entities anyway.
  const Frame alone = render_once(scene, sensor, {Channel::kLabel}, {.compute = {.threads = 1}});
  EXPECT_TRUE(test::same_bits(alone.label(), frame.label()));
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
}  // namespace fathom::test
