// SPDX-License-Identifier: MIT
// Rays in frames: the names of quads in a plan, grids of parallel rays, rolling frames.

#include "render/plan.hpp"
#include "render/stereo_scenes.hpp"
#include "sensor/kinds.hpp"
#include "support/brute_caster.hpp"

namespace fathom::test {

// What a plan of casts promises to the noise: names of quads that every block may read in whole vectors of 8.

namespace {

RC_GTEST_PROP(CastPlan, HasNamesOfQuadsForWholeVectors, ()) {
  const auto cols = static_cast<std::uint32_t>(*rc::gen::inRange(1, 200)),
             rows = static_cast<std::uint32_t>(*rc::gen::inRange(1, 60));
  CastPlan plan;
  make_plan(make_pattern(make_stereo(cols, rows, 40.0, 0.3, CameraReference::kLeft)), false, plan);
  for (std::uint32_t block = 0; block < plan.blocks(); ++block) {
    const std::uint32_t first = plan.first_lanes[block] / 4, end = plan.first_lanes[block + 1] / 4;
    RC_ASSERT(first + (end - first + 7) / 8 * 8 <= plan.quad_keys.size());
  }
}

// Grids of parallel rays: where they start, where they point, what their axes follow.

constexpr double kRoll = 0.2, kPitch = -0.3, kYaw = 0.6;

/// What the axes of a grid on a body of that roll, pitch and yaw shall be.
Quaternion axes_of(GridAlignment alignment) {
  switch (alignment) {
    case GridAlignment::kBase:
      return from_roll_pitch_yaw(kRoll, kPitch, kYaw);
    case GridAlignment::kYaw:
      return from_roll_pitch_yaw(0, 0, kYaw);
    case GridAlignment::kWorld:
      break;
  }
  return {};
}

TEST(GridScanner, PointsDownFromAnAlignedGrid) {
  GridScanner grid;
  grid.size_x_m = 1.6, grid.size_y_m = 1.0, grid.start_height_m = 5;
  EXPECT_EQ(shape_of(grid).cols, 17U);
  EXPECT_EQ(shape_of(grid).rows, 11U);
  const Pose body{{1, 2, 1}, from_roll_pitch_yaw(kRoll, kPitch, kYaw)};
  Scene scene;
  scene.add_entity({.name = "ground", .mesh = scene.add_mesh(make_plane(50, 50))});
  for (const GridAlignment alignment : {GridAlignment::kBase, GridAlignment::kYaw, GridAlignment::kWorld}) {
    grid.alignment = alignment;
    const Frame f = render_once(scene, make_sensor(grid, {}, body));
    ASSERT_EQ(f.size(), 17U * 11U);
    const Pose axes{body.translation_m, axes_of(alignment)};
    const Vec3 down = rotate(axes.rotation, {0, 0, -1});
    for (std::size_t i = 0; i < f.size(); ++i) {
      const Vec3 start = axes * Vec3{(double(i % 17) - 8) * 0.1, (double(i / 17) - 5) * 0.1, 5};
      const double range = start.z / -down.z;  // the ground lies at z = 0
      const Vec3 hit = start + range * down;
      ASSERT_NEAR(f.range_m()[i], range, 1e-5);
      ASSERT_NEAR(f.hit_world_m().x[i], hit.x, 1e-5);
      ASSERT_NEAR(f.hit_world_m().y[i], hit.y, 1e-5);
      ASSERT_NEAR(f.hit_world_m().z[i], 0.0, 1e-5);
    }
  }
}

// Rolling frames: every ray from the pose at its own time.

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
  const Sensor still = make_sensor(make_lidar(8, 180), three_gaussians(), {{1, 0, 0}, from_roll_pitch_yaw(0, 0, 0.3)});
  Sensor rolling = still;
  rolling.rolling = true;
  const SimulatorOptions options = {.seed = 7, .compute = {.threads = 1}};
  const Frame plain = render_once(make_room_scene(), still, all_channels(), options);
  const Frame rolled = render_once(make_room_scene(), rolling, all_channels(), options);
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(plain.range_m()[i], rolled.range_m()[i]);
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
}  // namespace fathom::test
