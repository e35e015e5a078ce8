// SPDX-License-Identifier: MIT
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/files/read.hpp>

#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom {
namespace {

using test::contains;
using test::message_of;
using test::TemporaryFolder;

TEST(TrajectoryFileTest, ReadsTumLines) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.tum",
                                 "# stamp tx ty tz qx qy qz qw\r\n"
                                 "\n"
                                 "  10.5\t1 2 3 0 0 0 1\r\n"
                                 "11e0 -4 5.25 +6 0 0 0.70710678 0.70710678");
  const Trajectory trajectory = read_trajectory(file);
  const auto& keys = trajectory.keys();
  ASSERT_EQ(keys.size(), 2U);
  EXPECT_EQ(keys[0].stamp_s, 10.5);
  EXPECT_EQ(keys[0].pose, (Pose{{1, 2, 3}, {}}));
  EXPECT_EQ(keys[1].stamp_s, 11.0);
  EXPECT_EQ(keys[1].pose.translation_m, (Vec3{-4, 5.25, 6}));
  // w is last in the file and first in memory: a quarter turn takes x to y.
  const Vec3 turned = rotate(keys[1].pose.rotation, {1, 0, 0});
  EXPECT_NEAR(turned.x, 0.0, 1e-8);
  EXPECT_NEAR(turned.y, 1.0, 1e-8);
}

RC_GTEST_PROP(TrajectoryFileTest, ReadsBackWhatWasWritten, ()) {
  const auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::array<int, 6>>>(
      rc::gen::container<std::array<int, 6>>(rc::gen::inRange(-1000000, 1000000))));
  std::vector<StampedPose> keys;
  std::string text;
  for (const auto& v : values) {
    const double stamp = static_cast<double>(keys.size()) * 0.1 + 1e9;
    const Quaternion q = from_roll_pitch_yaw(v[3] * 1e-6, v[4] * 1e-6, v[5] * 1e-6);
    keys.push_back({stamp, {{v[0] / 7.0, v[1] / 7.0, v[2] / 7.0}, q}});
    text += fmt::format("{} {} {} {} {} {} {} {}\n", stamp, v[0] / 7.0, v[1] / 7.0, v[2] / 7.0, q.x, q.y, q.z, q.w);
  }
  const TemporaryFolder folder;
  const std::vector<StampedPose> found = read_trajectory(folder.write("a.tum", text)).keys();
  RC_ASSERT(found.size() == keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    RC_ASSERT(found[i].stamp_s == keys[i].stamp_s);
    RC_ASSERT(found[i].pose.translation_m == keys[i].pose.translation_m);
    RC_ASSERT(std::abs(dot(found[i].pose.rotation, keys[i].pose.rotation) - 1.0) < 1e-14);
  }
}

TEST(TrajectoryFileTest, NamesTheLineOfWhatIsWrong) {
  const TemporaryFolder folder;
  const std::vector<std::array<std::string, 2>> cases = {
      {"# only a comment\n", "a.tum: holds no poses"},
      {"0 0 0 0 0 0 1\n", "a.tum:1: 7 values, expected 8"},
      {"0 0 0 0 0 0 0 1 9\n", "a.tum:1: 9 values, expected 8"},
      {"0 0 0 0 0 0 0 1\n\n# x\n1 0 zero 0 0 0 0 1\n", "a.tum:4: ty = 'zero' is not a finite number"},
      {"0 0 0 inf 0 0 0 1\n", "a.tum:1: tz = 'inf' is not a finite number"},
      {"nan 0 0 0 0 0 0 1\n", "a.tum:1: stamp = 'nan'"},
      {"0 0 0 0 0 0 0 0\n", "a.tum:1: quaternion has length 0, not 1"},
      {"0 0 0 0 1 0 0 1\n", "a.tum:1: quaternion has length 1.414"},
      {"0 0 0 0 0 0 0 1\n0 0 0 0 0 0 0 1\n", "a.tum:2: stamp 0 s does not come after 0 s"},
      {"5 0 0 0 0 0 0 1\n4 0 0 0 0 0 0 1\n", "a.tum:2: stamp 4 s does not come after 5 s"},
      {"0,0,0,0,0,0,0,1\n", "a.tum:1: 1 values, expected 8"}};
  for (const auto& [text, message] : cases) {
    const auto file = folder.write("a.tum", text);
    EXPECT_TRUE(contains(message_of<InputError>([&] { read_trajectory(file); }), message)) << text;
  }
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_trajectory(folder / "b.tum"); }), "b.tum: no such file"));
}

}  // namespace
}  // namespace fathom
