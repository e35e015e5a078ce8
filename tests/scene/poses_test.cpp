// SPDX-License-Identifier: MIT
// Trajectories, offsets of poses, and poses in the world.

#include "scene/poses.hpp"

#include <fathom/scene/trajectory.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

const Pose kA = {{0, 0, 0}, {}}, kB = {{2, 4, 6}, from_roll_pitch_yaw(0, 0, 1.0)}, kC = {{2, 4, 0}, {}};
const std::vector<Trajectory::Key> kKeys = {{1.0, kA}, {2.0, kB}, {4.0, kC}};

void expect_near(const Pose& got, const Pose& expected) {
  EXPECT_LT(norm(got.translation_m - expected.translation_m), 1e-12);
  EXPECT_NEAR(std::abs(dot(got.rotation, expected.rotation)), 1.0, 1e-12);
}

TEST(Trajectory, AFixedPoseNeverChanges) {
  const Trajectory t = kB;
  EXPECT_TRUE(t.is_fixed());
  for (const double stamp : {-1e9, 0.0, 3.5, 1e9}) expect_near(t.at(stamp), kB);
  expect_near(Trajectory().at(7), Pose{});
}

TEST(Trajectory, InterpolatesBetweenKeysAndHoldsOutside) {
  const Trajectory t(kKeys);
  expect_near(t.at(-5), kA);
  expect_near(t.at(1), kA);
  expect_near(t.at(1.5), {{1, 2, 3}, from_roll_pitch_yaw(0, 0, 0.5)});
  expect_near(t.at(1.25), {{0.5, 1, 1.5}, from_roll_pitch_yaw(0, 0, 0.25)});
  expect_near(t.at(2), kB);
  expect_near(t.at(3), {{2, 4, 3}, from_roll_pitch_yaw(0, 0, 0.5)});
  expect_near(t.at(4), kC);
  expect_near(t.at(1e6), kC);
}

TEST(Trajectory, LoopRepeatsFromTheFirstKey) {
  const Trajectory t(kKeys, true);
  for (const double stamp : {1.0, 1.25, 2.0, 2.5, 3.9}) {
    for (const int periods : {-7, -1, 1, 1000}) expect_near(t.at(stamp + 3.0 * periods), t.at(stamp));
  }
  expect_near(t.at(4.0), kA);
  expect_near(t.at(0.0), t.at(3.0));
}

TEST(Trajectory, ALoopOfOneKeyIsFixed) { expect_near(Trajectory({{3.0, kB}}, true).at(-2), kB); }

RC_GTEST_PROP(Trajectory, MovesWithoutJumps, ()) {
  const Trajectory t(kKeys);
  const double stamp = *rc::gen::inRange(0, 5'000'000) * 1e-6, step = 1e-6;
  const double moved = norm(t.at(stamp + step).translation_m - t.at(stamp).translation_m);
  RC_ASSERT(moved <= step * norm(Vec3{2, 4, 6}) + 1e-12);  // the fastest leg
}

TEST(Trajectory, HoldReplacesEverything) {
  Trajectory t(kKeys, true);
  t.hold(kB);
  EXPECT_TRUE(t.is_fixed());
  expect_near(t.at(1.2), kB);
  expect_near(t.at(9), kB);
}

TEST(Trajectory, NormalisesNearlyUnitQuaternions) {
  const Trajectory t = Pose{{}, {1.005, 0, 0, 0}};
  EXPECT_DOUBLE_EQ(t.at(0).rotation.w, 1.0);
}

TEST(Trajectory, RefusesBadKeysByName) {
  const auto text = [](std::vector<Trajectory::Key> keys) {
    return input_error([&] { Trajectory t(std::move(keys)); });
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(text({}), "a trajectory needs at least one pose");
  EXPECT_EQ(text({{1, kA}, {1, kB}}), "trajectory pose 1: time 1 s does not come after 1 s");
  EXPECT_EQ(text({{1, kA}, {0.5, kB}}), "trajectory pose 1: time 0.5 s does not come after 1 s");
  EXPECT_EQ(text({{kNan, kA}}), "trajectory pose 0: time is not finite");
  EXPECT_EQ(text({{0, kA}, {kInf, kA}}), "trajectory pose 1: time is not finite");
  EXPECT_EQ(text({{0, kA}, {1, {{0, kNan, 0}, {}}}}), "trajectory pose 1: position is not finite");
  EXPECT_EQ(text({{0, {{0, 0, kInf}, {}}}}), "trajectory pose 0: position is not finite");
  EXPECT_EQ(text({{0, {{}, {0, 0, 0, 0}}}}), "trajectory pose 0: quaternion has length 0, not 1");
  EXPECT_EQ(text({{0, {{}, {2, 0, 0, 0}}}}), "trajectory pose 0: quaternion has length 2, not 1");
  EXPECT_EQ(text({{0, {{}, {kNan, 0, 0, 0}}}}), "trajectory pose 0: quaternion has length nan, not 1");
  EXPECT_EQ(input_error([] { Trajectory t(Pose{{kNan, 0, 0}, {}}); }), "pose: position is not finite");
}

TEST(Trajectory, AFailedHoldChangesNothing) {
  Trajectory t(kKeys);
  EXPECT_NE(input_error([&] { t.hold({{NAN, 0, 0}, {}}); }), "");
  expect_near(t.at(2), kB);
}

}  // namespace
}  // namespace fathom::test

namespace fathom {
namespace {

double between(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 100001) * 1e-5; }
Vec3 any_vector(double most) { return {between(-most, most), between(-most, most), between(-most, most)}; }
bool near(const Vec3& a, const Vec3& b, double bound) { return norm(a - b) <= bound; }

/// Rodrigues' formula.
Vec3 turned(const Vec3& rotation, const Vec3& v) {
  const double angle = norm(rotation);
  if (angle == 0.0) return v;
  const Vec3 k = (1.0 / angle) * rotation;
  return std::cos(angle) * v + std::sin(angle) * cross(k, v) + (1.0 - std::cos(angle)) * dot(k, v) * k;
}

RC_GTEST_PROP(PoseOffset, ARotationVectorTurnsAsRodriguesSays, ()) {
  const Vec3 rotation = std::pow(10.0, *rc::gen::inRange(-12, 1)) * any_vector(3.0), v = any_vector(5.0);
  const Quaternion q = from_rotation_vector(rotation);
  RC_ASSERT(std::abs(dot(q, q) - 1.0) < 1e-14);
  RC_ASSERT(near(rotate(q, v), turned(rotation, v), 1e-13));
}

TEST(PoseOffset, ZeroIsNoRotation) {
  EXPECT_EQ(from_rotation_vector({}), Quaternion{});
  EXPECT_EQ(from_rotation_vector({1e-300, 0, 0}).x, 5e-301);
  EXPECT_EQ(pose_offset(std::array{1.0, 2.0, 3.0, 0.0, 0.0, 0.0}), (Pose{{1, 2, 3}, {}}));
}

// Of one axis, it is roll, pitch or yaw.
TEST(PoseOffset, AboutOneAxisItIsAnEulerAngle) {
  const double a = 0.7;
  const Quaternion found[] = {from_rotation_vector({a, 0, 0}), from_rotation_vector({0, a, 0}),
                              from_rotation_vector({0, 0, a})};
  const Quaternion wanted[] = {from_roll_pitch_yaw(a, 0, 0), from_roll_pitch_yaw(0, a, 0),
                               from_roll_pitch_yaw(0, 0, a)};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(dot(found[i], wanted[i]), 1.0, 1e-15);
}

RC_GTEST_PROP(PoseOffset, AnOffsetIsInTheFrameOfTheNominalPose, ()) {
  const Pose nominal = {any_vector(10), from_rotation_vector(any_vector(3))};
  const Pose offset = pose_offset(std::array{0.1, -0.2, 0.3, between(-1, 1), between(-1, 1), between(-1, 1)});
  const Vec3 point = any_vector(4);
  const Pose now = moved(nominal, offset);
  RC_ASSERT(near(now * point, nominal * (offset * point), 1e-12));
  RC_ASSERT(Trajectory(now).at(0.0) == moved(Trajectory(nominal), offset).at(3.0));
}

TEST(PoseOffset, EveryKeyOfAMotionTakesIt) {
  const Trajectory motion({{0, {{0, 0, 0}, {}}}, {2, {{4, 0, 0}, from_roll_pitch_yaw(0, 0, std::numbers::pi / 2)}}},
                          true);
  const Trajectory found = moved(motion, {{0, 1, 0}, {}});
  EXPECT_TRUE(found.loops());
  ASSERT_EQ(found.keys().size(), 2U);
  EXPECT_TRUE(near(found.at(0).translation_m, {0, 1, 0}, 1e-15));
  EXPECT_TRUE(near(found.keys()[1].pose.translation_m, {3, 0, 0}, 1e-15));
  EXPECT_EQ(found.keys()[1].stamp_s, 2);
}

}  // namespace
}  // namespace fathom

namespace fathom::test {
namespace {

Scene boxes(std::size_t count) {
  Scene scene;
  scene.add_mesh(make_box({1, 1, 1}));
  for (std::size_t i = 0; i < count; ++i) {
    const double at = 0.1 * static_cast<double>(i % 7);
    scene.add_entity({.name = std::to_string(i),
                      .parent_from_entity = Pose{{at, 1 - at, 0.5 * at}, from_roll_pitch_yaw(at, 2 * at, -at)}});
  }
  return scene;
}

void expect_same_places(WorldPoses& poses, const Scene& scene) {
  const std::vector<Pose>& all = poses.at(scene, 0.0);
  RC_ASSERT(all.size() == scene.entities().size());
  for (std::uint32_t e = 0; e < all.size(); ++e) {
    const Pose one = scene.world_from_entity(EntityId{e}, 0.0);
    RC_ASSERT(norm(all[e].translation_m - one.translation_m) < 1e-9);
    RC_ASSERT(std::abs(dot(all[e].rotation, one.rotation)) > 1 - 1e-9);
  }
}

RC_GTEST_PROP(WorldPoses, AreThoseOfTheEntitiesOneByOne, ()) {
  constexpr std::uint32_t kCount = 12;
  Scene scene = boxes(kCount);
  WorldPoses poses;
  for (int k = 0; k < 20; ++k) {
    const auto child = *rc::gen::inRange(0U, kCount), parent = *rc::gen::inRange(0U, kCount + 1);
    try {
      scene.set_parent(EntityId{child}, parent == kCount ? kNoEntity : EntityId{parent});
    } catch (const std::exception&) {
    }
    if (k % 5 == 0) expect_same_places(poses, scene);
  }
  scene.add_entity({.name = "late", .parent = EntityId{3}});
  expect_same_places(poses, scene);
}

// A chain grown at either end: no step walks along it. With one walk per entity this test takes a minute, not a blink.
TEST(WorldPoses, TakeADeepTree) {
  constexpr std::uint32_t kDeep = 50'000;
  for (const bool from_the_top : {true, false}) {
    Scene scene = boxes(kDeep);
    for (std::uint32_t k = 1; k < kDeep; ++k) {
      const std::uint32_t child = from_the_top ? k : kDeep - k;
      scene.set_parent(EntityId{child}, EntityId{child - 1});
      ASSERT_EQ(scene.find_entity(std::to_string(child)), EntityId{child});
    }
    WorldPoses poses;
    EXPECT_EQ(poses.at(scene, 0.0).size(), kDeep);
    EXPECT_LE(norm(poses.at(scene, 0.0).back().translation_m), farthest_from_world_m(scene).back());
  }
}

}  // namespace
}  // namespace fathom::test
