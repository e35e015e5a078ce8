// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/scene/trajectory.hpp>

#include "support/error_text.hpp"

namespace fathom::test {
namespace {

const Pose kA = {{0, 0, 0}, {}}, kB = {{2, 4, 6}, from_roll_pitch_yaw(0, 0, 1.0)}, kC = {{2, 4, 0}, {}};
const std::vector<StampedPose> kKeys = {{1.0, kA}, {2.0, kB}, {4.0, kC}};

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
  const auto text = [](std::vector<StampedPose> keys) { return input_error([&] { Trajectory t(std::move(keys)); }); };
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
