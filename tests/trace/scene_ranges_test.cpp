// SPDX-License-Identifier: MIT
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/grid_map.hpp>
#include <fathom/sensor/pattern.hpp>

#include "trace/shoot.hpp"

namespace fathom::test {
namespace {

constexpr double kLimitM = 30.0;

Scene make_furnished_room() {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1})), ball = scene.add_mesh(make_sphere(0.6));
  scene.add_entity({.name = "room", .mesh = box, .scale = {12, 8, 4}});
  scene.add_entity(
      {.name = "table", .mesh = box, .parent_from_entity = Pose{{3, 1, -1}, from_roll_pitch_yaw(.1, 0, .4)}});
  scene.add_entity({.name = "ball", .mesh = ball, .parent_from_entity = Pose{{-2, -2, 0}, {}}});
  return scene;
}

/// Poses anywhere, turned anyhow; some outside the room, which see it from outside or not at all.
std::vector<Pose> random_poses(std::size_t count) {
  std::mt19937 random(2);
  std::vector<Pose> poses;
  for (const WorldRay& ray : random_rays(random, count, {}, 7)) {
    const Vec3 d = ray.direction;
    poses.push_back({ray.origin, from_roll_pitch_yaw(3 * d.x, 1.5 * d.y, 3 * d.z)});
  }
  return poses;
}

RayFan sphere_of_rays(std::size_t count) {
  std::mt19937 random(3);
  RayFan fan;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 d = random_direction(random);
    fan.x.push_back(static_cast<float>(d.x)), fan.y.push_back(static_cast<float>(d.y));
    fan.z.push_back(static_cast<float>(d.z));
  }
  return fan;
}

std::vector<float> cast(const ExpectedRanges& ranges, const std::vector<Pose>& poses, const RayFan& fan) {
  std::vector<float> out(poses.size() * fan.size());
  ranges.cast(poses, fan, kLimitM, out);
  return out;
}

TEST(SceneRanges, AgreesWithTheOracleForAnyPoseAndRay) {
  const Scene scene = make_furnished_room();
  const BruteCaster oracle(scene, 0);
  const auto poses = random_poses(60);             // about a third of them inside
  for (const std::size_t rays : {1, 7, 16, 60}) {  // fewer than a packet, and a number that no packet divides
    const RayFan fan = sphere_of_rays(rays);
    for (const Compute& compute : every_isa()) {
      const auto got = cast(*make_scene_ranges(scene, {.compute = compute}), poses, fan);
      std::size_t misses = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        const Pose& pose = poses[i / rays];
        const std::size_t k = i % rays;
        const double want =
            oracle.cast(pose.translation_m, rotate(pose.rotation, {fan.x[k], fan.y[k], fan.z[k]})).range_m;
        ASSERT_NEAR(got[i], std::min(want, kLimitM), 2e-5) << i;
        misses += want > kLimitM;
      }
      EXPECT_LT(misses, got.size() * 4 / 5);
      if (rays == 60) {
        EXPECT_GT(misses, 0U);
      }
    }
  }
}

TEST(SceneRanges, APoseCanHoldTheSensorWhereItIsMounted) {
  const Scene scene = make_furnished_room();
  const Pose mount = {{0.2, -0.1, 0.5}, from_roll_pitch_yaw(0, 0.2, 0.3)};
  const auto poses = random_poses(20);
  std::vector<Pose> mounted;
  for (const Pose& pose : poses) mounted.push_back(pose * mount);
  const RayFan fan = sphere_of_rays(9);
  EXPECT_EQ(cast(*make_scene_ranges(scene, {.pose_from_sensor = mount}), poses, fan),
            cast(*make_scene_ranges(scene), mounted, fan));
}

TEST(SceneRanges, FarFromTheWorldsOriginAsNear) {
  const Pose far = {{3e5, -2e5, 40}, from_roll_pitch_yaw(0, 0, 1)};
  Scene here = make_furnished_room(), there = make_furnished_room();
  for (std::uint32_t e = 0; e < 3; ++e) {
    there.set_pose(EntityId{e}, far * here.world_from_entity(EntityId{e}, 0));
  };
  const auto poses = random_poses(50);
  std::vector<Pose> moved;
  for (const Pose& pose : poses) moved.push_back(far * pose);
  const RayFan fan = sphere_of_rays(8);
  const auto a = cast(*make_scene_ranges(here), poses, fan), b = cast(*make_scene_ranges(there), moved, fan);
  std::size_t different = 0;  // rays that graze an edge may go either way
  for (std::size_t i = 0; i < a.size(); ++i) different += std::abs(a[i] - b[i]) > 1e-3;
  EXPECT_LE(different, 1U);
}

TEST(SceneRanges, EntitiesStandWhereTheyAreAtTheStamp) {
  Scene scene;
  scene.add_entity(
      {.name = "wall",
       .mesh = scene.add_mesh(make_box({1, 4, 4})),
       .parent_from_entity = Trajectory(std::vector<Trajectory::Key>{{0, {{3, 0, 0}, {}}}, {2, {{7, 0, 0}, {}}}})});
  const RayFan fan = RayFan::planar(std::vector<double>{0.0});
  EXPECT_FLOAT_EQ(cast(*make_scene_ranges(scene, {.stamp_s = 0}), {Pose{}}, fan)[0], 2.5F);
  EXPECT_FLOAT_EQ(cast(*make_scene_ranges(scene, {.stamp_s = 1}), {Pose{}}, fan)[0], 4.5F);
}

TEST(SceneRanges, NamesWhatIsWrong) {
  const Scene scene = make_furnished_room();
  const auto refusal = [&](const SceneRangesOptions& options) {
    return input_error([&] { (void)make_scene_ranges(scene, options); });
  };
  EXPECT_EQ(refusal({.pose_from_sensor = {{NAN, 0, 0}, {}}}),
            "scene ranges: pose_from_sensor is not a finite rigid transform");
  EXPECT_NE(refusal({.pose_from_sensor = {{}, {2, 0, 0, 0}}}), "");
  EXPECT_NE(refusal({.stamp_s = INFINITY}), "");
  EXPECT_NE(refusal({.near_m = Vec3{0, NAN, 0}}), "");
  EXPECT_EQ(refusal({}), "");
}

}  // namespace
}  // namespace fathom::test
