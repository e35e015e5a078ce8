// SPDX-License-Identifier: MIT
// Frames of tf: ways through the tree against products of poses, and times between stamps.

#include "io/log/frame_tree.hpp"

#include "support/expect.hpp"

namespace fathom::test {
namespace {

msg::TransformStamped transform(const std::string& parent, const std::string& child, std::int32_t s, const Pose& pose) {
  msg::TransformStamped t;
  t.header = {{s, 0}, parent};
  t.child_frame_id = child;
  t.transform.translation = {pose.translation_m.x, pose.translation_m.y, pose.translation_m.z};
  t.transform.rotation = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w};
  return t;
}

constexpr std::int64_t kSecond = 1'000'000'000;

void expect_near(const Pose& a, const Pose& b) {
  EXPECT_LT(norm(a.translation_m - b.translation_m), 1e-9);
  EXPECT_LT(norm(rotate(a.rotation, {1, 2, 3}) - rotate(b.rotation, {1, 2, 3})), 1e-9);
}

RC_GTEST_PROP(FrameTree, WaysAreProductsOfPoses, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::uniform_real_distribution<double> number(-2.0, 2.0);
  const auto any_pose = [&] {
    return Pose{{number(random), number(random), number(random)},
                from_roll_pitch_yaw(number(random), 0.7 * number(random), number(random))};
  };
  // The parent of frame i is an earlier frame. Odd frames are static, even ones have poses at 0 to 4 s, in any order.
  const int frames = *rc::gen::inRange(2, 9);
  std::vector<int> parent(frames, -1);
  std::vector<std::vector<Pose>> poses(frames);
  FrameTree tree;
  const auto name = [](int i) { return "f" + std::to_string(i); };
  for (int i = 1; i < frames; ++i) {
    parent[i] = *rc::gen::inRange(0, i);
    std::vector<std::int32_t> stamps = {0, 1, 2, 3, 4};
    std::shuffle(stamps.begin(), stamps.end(), random);
    poses[i].resize(5);
    if (i % 2 == 1) poses[i].assign(5, any_pose());
    for (const std::int32_t s : stamps) {
      if (i % 2 == 0) poses[i][s] = any_pose();
      tree.add({{transform(name(parent[i]), name(i), s, poses[i][s])}}, i % 2 == 1);
    }
  }
  const auto root_from = [&](int i, int s) {
    Pose pose;
    for (; i != 0; i = parent[i]) pose = poses[i][s] * pose;
    return pose;
  };
  for (int outer = 0; outer < frames; ++outer) {
    const int inner = *rc::gen::inRange(0, frames);
    FrameTree::Path path = tree.path(name(outer), name(inner));
    for (const int s : {2, 0, 4, 3, 1}) {
      Pose found;
      RC_ASSERT(path.at(s * kSecond, found));
      expect_near(found, inverse(root_from(outer, s)) * root_from(inner, s));
    }
  }
}

TEST(FrameTree, IsInterpolatedBetweenStampsAndUnknownOutsideThem) {
  FrameTree tree;
  tree.add({{transform("map", "base", 3, {{6, 0, 0}, from_roll_pitch_yaw(0, 0, 1.5)}),
             transform("map", "base", 1, {{2, 4, 0}, from_roll_pitch_yaw(0, 0, 0.5)})}},
           false);
  FrameTree::Path path = tree.path("map", "base");
  Pose pose;
  ASSERT_TRUE(path.at(2 * kSecond + kSecond / 2, pose));
  expect_near(pose, {{5, 1, 0}, from_roll_pitch_yaw(0, 0, 1.25)});
  ASSERT_TRUE(path.at(kSecond, pose));
  expect_near(pose, {{2, 4, 0}, from_roll_pitch_yaw(0, 0, 0.5)});
  EXPECT_TRUE(path.at(3 * kSecond, pose));
  EXPECT_FALSE(path.at(3 * kSecond + 1, pose));
  EXPECT_FALSE(path.at(kSecond - 1, pose));
}

TEST(FrameTree, TheLastOfWhatHoldsAlwaysCounts) {
  FrameTree tree;
  tree.add({{transform("/base", "laser", 7, {{1, 0, 0}, {}})}}, true);
  tree.add({{transform("base", "/laser", 3, {{2, 0, 0}, {}})}}, true);
  Pose pose;
  ASSERT_TRUE(tree.path("base", "laser").at(-5 * kSecond, pose));
  EXPECT_EQ(pose.translation_m.x, 2.0);
}

TEST(FrameTree, SaysWhatIsWrong) {
  FrameTree tree;
  EXPECT_EQ(input_error([&] { static_cast<void>(tree.path("map", "laser")); }),
            "nothing connects frame 'laser' with frame 'map'; there is no transform");
  tree.add({{transform("map", "base", 0, {}), transform("odom", "laser", 0, {})}}, false);
  EXPECT_EQ(input_error([&] { static_cast<void>(tree.path("map", "laser")); }),
            "nothing connects frame 'laser' with frame 'map'; frames: base laser map odom");
  EXPECT_EQ(input_error([&] { tree.add({{transform("world", "base", 0, {})}}, false); }),
            "frame 'base' has two parents, 'map' and 'world'");
  EXPECT_EQ(input_error([&] { tree.add({{transform("a", "a", 0, {})}}, false); }), "frame 'a' is its own parent");
  EXPECT_EQ(input_error([&] {
              tree.add({{transform("a", "b", 0, {{}, {0, 0, 0, 0}})}}, false);
            }),
            "the transform from 'a' to 'b' has numbers that are not finite, or no rotation");
  tree.add({{transform("x", "y", 0, {}), transform("y", "z", 0, {}), transform("z", "x", 0, {})}}, false);
  EXPECT_EQ(input_error([&] { static_cast<void>(tree.path("map", "x")); }), "frame 'x' is its own ancestor");
}

}  // namespace
}  // namespace fathom::test
