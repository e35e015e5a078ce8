// SPDX-License-Identifier: MIT
// Which frame a frozen one repeats, whatever was asked before, and what it costs to find.

#include "render/fresh_frames.hpp"

#include <optional>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fathom/simulate/environments.hpp>

#include "render/shared_trees.hpp"
#include "render/test_scenes.hpp"

namespace fathom {
namespace {

using test::make_lidar;
using test::make_room_scene;
using test::make_sensor;

/// Draws that are written down, and count how often they are asked for.
struct WrittenDraws {
  std::vector<bool> dropped, frozen;
  mutable std::size_t looks = 0;

  [[nodiscard]] bool drops(std::uint32_t k) const { return ++looks, dropped[k]; }
  [[nodiscard]] bool freezes(std::uint32_t k) const { return frozen[k]; }
};

WrittenDraws any_draws(std::uint32_t frames) {
  const int drop = *rc::gen::element(0, 5, 10), freeze = *rc::gen::element(0, 5, 9, 10);
  WrittenDraws draws;
  for (std::uint32_t k = 0; k < frames; ++k) {
    draws.dropped.push_back(*rc::gen::inRange(0, 10) < drop);
    draws.frozen.push_back(*rc::gen::inRange(0, 10) < freeze);
  }
  return draws;
}

/// By the words of the law.
std::uint32_t plain_last_before(const WrittenDraws& draws, std::uint32_t index) {
  std::optional<std::uint32_t> first, fresh;
  for (std::uint32_t k = 0; k < index; ++k) {
    if (draws.dropped[k]) continue;
    if (!first) first = k;
    if (!draws.frozen[k]) fresh = k;
  }
  return fresh ? *fresh : first.value_or(index);
}

RC_GTEST_PROP(FreshFrames, AreTheSameInAnyOrder, ()) {
  constexpr std::uint32_t kFrames = 40;
  const WrittenDraws draws = any_draws(kFrames);
  FreshFrames fresh;
  for (std::uint32_t i = 0; i < 80; ++i) {
    const std::uint32_t k = *rc::gen::inRange<std::uint32_t>(0, kFrames);
    RC_ASSERT(fresh.last_before(draws, k) == plain_last_before(draws, k));
  }
  fresh.forget();
  const FreshFrames copy = fresh;
  fresh = copy;
  for (std::uint32_t k = 0; k < kFrames; ++k) RC_ASSERT(fresh.last_before(draws, k) == plain_last_before(draws, k));
}

// A schedule asks for the next frame before this one is rendered, and files ask once more: each look is counted.
TEST(FreshFrames, CostAFewLooksEachHoweverLongFramesStayFrozen) {
  constexpr std::uint32_t kFrames = 20'000;
  for (const bool first_is_dropped : {false, true}) {
    WrittenDraws draws{std::vector<bool>(kFrames + 1, false), std::vector<bool>(kFrames + 1, true)};
    draws.dropped[0] = first_is_dropped;
    for (std::uint32_t k = 3; k < kFrames; k += 7) draws.dropped[k] = true;
    FreshFrames fresh;
    for (std::uint32_t k = 2; k < kFrames; ++k) {
      for (const std::uint32_t asked : {k + 1, k, k - 1}) {
        ASSERT_EQ(fresh.last_before(draws, asked), first_is_dropped ? 1U : 0U);
      }
    }
    EXPECT_LE(draws.looks, 4 * kFrames);
  }
}

Sensor freezing_sensor() {
  Sensor sensor = make_sensor(make_lidar(2, 8));
  sensor.timing = {.rate_hz = 20.0, .jitter_s = 0.005, .drop_frame = 0.1, .freeze = 0.97};
  return sensor;
}

TEST(FreshFrames, OfASimulatorAreThoseOfItsSeed) {
  Simulator simulator(make_room_scene(), {.seed = 7, .compute = {.threads = 1}});
  const Sensor sensor = freezing_sensor();
  const SensorId id = simulator.add_sensor(sensor);
  for (const std::uint64_t seed : {7U, 8U, 7U}) {
    SharedTrees::set_seed(simulator, seed);
    for (const std::uint32_t k : {62U, 61U, 300U, 5U, 6U, 299U, 0U, 60U, 63U}) {
      const FrameTime time = simulator.frame_time(id, k), alone = frame_time(sensor.timing, {}, seed, sensor.name, k);
      EXPECT_EQ(time.content, alone.content) << seed << " " << k;
      EXPECT_EQ(time.stamp_s, alone.stamp_s);
    }
  }
}

TEST(FreshFrames, OfEnvironmentsAreThoseOfTheirEpisodes) {
  const Sensor sensor = freezing_sensor();
  Environments batch(make_room_scene(), sensor, {.simulator = {.seed = 5, .compute = {.threads = 1}}, .count = 3});
  for (const std::uint32_t episode : {0U, 4U, 0U}) {
    for (std::uint32_t e = 0; e < 3; ++e) batch.reset(e, episode);
    for (const std::uint32_t k : {90U, 91U, 7U, 92U}) {
      for (std::uint32_t e = 0; e < 3; ++e) {
        const FrameTime time = batch.frame_times(SensorId{0}, k)[e];
        const FrameTime alone = frame_time(sensor.timing, {}, episode_seed(5, e, episode), sensor.name, k);
        EXPECT_EQ(time.content, alone.content) << episode << " " << k << " " << e;
        EXPECT_EQ(time.stamp_s, alone.stamp_s);
      }
    }
  }
}

}  // namespace
}  // namespace fathom
