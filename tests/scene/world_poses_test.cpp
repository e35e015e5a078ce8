// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scene/world_poses.hpp"

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
