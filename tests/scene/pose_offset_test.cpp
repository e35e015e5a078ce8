// SPDX-License-Identifier: MIT
#include "scene/pose_offset.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
