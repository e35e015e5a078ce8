// SPDX-License-Identifier: MIT
// Simulators over shared trees, frozen frames, and frames that are stopped.

#include "render/simulators.hpp"

#include "render/test_scenes.hpp"

namespace fathom {

// Simulators over one set of trees: each is what it is alone, also side by side.

namespace {

using test::all_channels;
using test::make_lidar;
using test::make_room_scene;
using test::make_sensor;
using test::same_bits;

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

TEST(SharedTrees, EachSimulatorIsItself) {
  constexpr std::uint32_t kSimulators = 6;
  const Compute compute = {.threads = 1};
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

// Which frame a frozen one repeats, whatever was asked before, and what it costs to find.

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

namespace fathom::test {

// A frame can be stopped while it is rendered, and the simulator is as good as new.

namespace {

Sensor camera() {
  Sensor sensor;
  sensor.name = "camera";
  sensor.model = PinholeCamera::from_fov(200, 100, 1.0);
  return sensor;
}

Scene room() {
  Scene scene;
  Entity walls;
  walls.name = "walls";
  walls.mesh = scene.add_mesh(make_box({8, 6, 3}));
  scene.add_entity(walls);
  return scene;
}

TEST(Stop, EndsAFrameAndSpoilsNothing) {
  for (const int threads : {1, 3}) {
    std::atomic<int> asked = 0;
    std::atomic<bool> stop = false;
    SimulatorOptions options;
    options.compute.threads = threads;
    options.should_stop = [&] { return ++asked > 5 && stop; };
    Simulator simulator(room(), options);
    const SensorId id = simulator.add_sensor(camera());
    Frame frame({Channel::kRange, Channel::kReason});
    simulator.render(id, 0, frame);
    EXPECT_GE(asked, 200 * 100 / 1024);
    const std::vector<float> before(frame.range_m().begin(), frame.range_m().end());
    stop = true, asked = 0;
    EXPECT_THROW(simulator.render(id, 0, frame), Interrupted);
    EXPECT_LT(asked, 5 + 2 * threads + 2);
    stop = false;
    simulator.render(id, 0, frame);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), frame.range_m().begin()));
  }
}

}  // namespace
}  // namespace fathom::test
