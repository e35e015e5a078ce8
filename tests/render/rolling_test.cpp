// SPDX-License-Identifier: MIT
// Rolling frames: every ray from the pose at its own time.

#include <cmath>

#include <gtest/gtest.h>

#include "render/test_scenes.hpp"
#include "support/brute_caster.hpp"
#include "support/casters.hpp"

namespace fathom {
namespace {

using test::make_lidar;
using test::make_room_scene;
using test::make_sensor;
using test::render_once;

Sensor moving_sensor(bool rolling) {
  Sensor sensor = make_sensor(make_lidar(8, 180));
  sensor.parent_from_sensor = Trajectory({{0.0, {{-1, 0, 0}, {}}}, {0.1, {{1, 1, 0.5}, from_roll_pitch_yaw(0, 0, 1)}}});
  sensor.rolling = rolling;
  return sensor;
}

TEST(Rolling, EveryRayIsCastFromThePoseAtItsTime) {
  const Scene scene = make_room_scene();
  const BruteCaster brute(scene, 0.0);
  const Sensor sensor = moving_sensor(true);
  const RayPattern pattern = make_pattern(sensor.model);
  const Frame frame = render_once(scene, sensor);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const Pose pose = sensor.parent_from_sensor.at(pattern.time_offset_s[i]);
    const Vec3 direction =
        rotate(pose.rotation, {pattern.direction_x[i], pattern.direction_y[i], pattern.direction_z[i]});
    const BruteCaster::Hit hit = brute.cast(pose.translation_m, direction);
    ASSERT_NEAR(frame.range_m()[i], hit.range_m, 2e-5 * hit.range_m);
    const Vec3 expected = pose.translation_m + hit.range_m * direction;
    const Vec3 world = {frame.hit_world_m().x[i], frame.hit_world_m().y[i], frame.hit_world_m().z[i]};
    ASSERT_LT(norm(world - expected), 1e-4);  // undistorted in the world
    ASSERT_NEAR(frame.hit_sensor_m().x[i], frame.range_m()[i] * pattern.direction_x[i], 1e-5);  // distorted as measured
  }
}

TEST(Rolling, AStandingSensorIsNotDistorted) {
  const Sensor still =
      make_sensor(make_lidar(8, 180), test::three_gaussians(), {{1, 0, 0}, from_roll_pitch_yaw(0, 0, 0.3)});
  Sensor rolling = still;
  rolling.rolling = true;
  for (const CasterKind caster : test::casters()) {
    const SimulatorOptions options = {.seed = 7, .compute = {.threads = 1, .caster = caster}};
    const Frame plain = render_once(make_room_scene(), still, test::all_channels(), options);
    const Frame rolled = render_once(make_room_scene(), rolling, test::all_channels(), options);
    // Rays with origins of their own go another way through Embree, which may round otherwise (support/casters.hpp).
    const float slack = caster == CasterKind::kTree ? 0.0F : 1e-5F;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      ASSERT_NEAR(plain.range_m()[i], rolled.range_m()[i], slack * plain.range_m()[i]);
    }
  }
}

TEST(Rolling, WithoutItTheWholeFrameIsCastFromItsStart) {
  const Sensor sensor = moving_sensor(false);
  const Frame moving = render_once(make_room_scene(), sensor);
  const Frame fixed = render_once(make_room_scene(), make_sensor(make_lidar(8, 180), {}, {{-1, 0, 0}, {}}));
  for (std::size_t i = 0; i < moving.size(); ++i) ASSERT_EQ(moving.range_m()[i], fixed.range_m()[i]);
}

TEST(Rolling, FollowsTheEntityItIsAttachedTo) {
  Scene scene = make_room_scene();
  const EntityId cart =
      scene.add_entity({.name = "cart",
                        .mesh = MeshId{0},
                        .parent_from_entity = Trajectory({{0.0, {{0, 0, -1.9}, {}}}, {0.1, {{1, 0, -1.9}, {}}}}),
                        .scale = {0.1, 0.1, 0.1}});
  Laser2d laser;  // two rays ahead, the second fired when the cart has moved on
  laser.rays = 2, laser.min_azimuth_rad = 0.0, laser.max_azimuth_rad = 1e-3, laser.rate_hz = 10,
  laser.max_range_m = 100;
  Sensor sensor = make_sensor(laser, {}, {{0, 0, 1.9}, {}});
  sensor.parent = cart;
  sensor.rolling = true;
  const RayPattern pattern = make_pattern(laser);
  const Frame f = render_once(scene, sensor);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(f.hit_world_m().x[i], 6.0, 1e-5);
  EXPECT_NEAR(f.range_m()[0] - f.range_m()[1], 10.0 * (pattern.time_offset_s[1] - pattern.time_offset_s[0]), 1e-5);
}

}  // namespace
}  // namespace fathom
