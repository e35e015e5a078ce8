// SPDX-License-Identifier: MIT
// Simulators over one set of trees: each is what it is alone, also side by side.

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>

#include "render/shared_trees.hpp"
#include "render/test_scenes.hpp"
#include "support/casters.hpp"

namespace fathom {
namespace {

using test::all_channels;
using test::make_lidar;
using test::make_room_scene;
using test::make_sensor;
using test::same_bits;

class SharedTreesOf : public testing::TestWithParam<CasterKind> {};
INSTANTIATE_TEST_SUITE_P(Casters, SharedTreesOf, testing::ValuesIn(test::casters()),
                         [](const auto& instance) { return std::string(to_string(instance.param)); });

Sensor noisy_lidar() { return make_sensor(make_lidar(8, 90), test::three_gaussians()); }

/// Two frames; the ball of the second stands elsewhere in each simulator.
std::vector<Frame> render_two(Simulator simulator, std::uint32_t k) {
  const SensorId id = simulator.add_sensor(noisy_lidar());
  std::vector<Frame> frames(2, Frame(all_channels()));
  simulator.render(id, 0, frames[0]);
  simulator.scene().set_pose(EntityId{2}, {{-2.0 + 0.3 * k, 2, 0}, {}});
  simulator.render(id, 1, frames[1]);
  return frames;
}

TEST_P(SharedTreesOf, EachSimulatorIsItself) {
  constexpr std::uint32_t kSimulators = 6;
  const Compute compute = {.threads = 1, .caster = GetParam()};
  const SharedTrees trees(make_room_scene(), compute, 0.0);
  std::vector<std::vector<Frame>> side_by_side(kSimulators);
  std::vector<std::thread> threads;
  for (std::uint32_t k = 0; k < kSimulators; ++k) {
    threads.emplace_back([&, k] {
      side_by_side[k] = render_two(trees.make_simulator(make_room_scene(), {.seed = k, .compute = compute}), k);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t k = 0; k < kSimulators; ++k) {
    const std::vector<Frame> alone = render_two(Simulator(make_room_scene(), {.seed = k, .compute = compute}), k);
    for (std::size_t i : {0U, 1U}) {
      EXPECT_TRUE(same_bits(side_by_side[k][i].range_m(), alone[i].range_m())) << k;
      EXPECT_TRUE(same_bits(side_by_side[k][i].triangle_id(), alone[i].triangle_id())) << k;
    }
    EXPECT_FALSE(same_bits(alone[0].range_m(), alone[1].range_m()));
  }
}

}  // namespace
}  // namespace fathom
