// SPDX-License-Identifier: MIT
// When frames are measured and when they arrive: closed forms, the laws of the draws, and the same frames whatever was
// rendered before.

#include <fathom/sensor/presets.hpp>

#include "render/simulators.hpp"
#include "render/test_scenes.hpp"
#include "support/casters.hpp"

namespace fathom::test {
namespace {

constexpr SceneClock kClock = {.rate_hz = 10.0, .start_s = 0.25};

std::vector<FrameTime> times_of(const Timing& timing, std::uint32_t frames, std::uint64_t seed = 3,
                                std::string_view sensor = "lidar") {
  std::vector<FrameTime> times;
  for (std::uint32_t k = 0; k < frames; ++k) times.push_back(frame_time(timing, kClock, seed, sensor, k));
  return times;
}

TEST(Timing, WithoutAnythingSetIsTheClockOfTheScene) {
  for (const std::uint32_t k : {0U, 1U, 7U, 999'999U}) {
    const FrameTime time = frame_time({}, kClock, 1, "lidar", k);
    EXPECT_EQ(time.stamp_s, kClock.start_s + k / kClock.rate_hz);
    EXPECT_EQ(time.delivered_s, time.stamp_s);
    EXPECT_EQ(time.content, k);
    EXPECT_FALSE(time.is_dropped() || time.is_frozen());
  }
}

TEST(Timing, RatePhaseAndLatencyAreExact) {
  const Timing timing = {.rate_hz = 32.0, .phase_s = 0.125, .latency_s = 0.0625};
  for (std::uint32_t k = 0; k < 100; ++k) {
    const FrameTime time = frame_time(timing, kClock, 1, "lidar", k);
    EXPECT_EQ(time.stamp_s, 0.375 + k * 0.03125);  // all of them are sums of powers of two
    EXPECT_EQ(time.delivered_s, 0.4375 + k * 0.03125);
  }
}

TEST(Timing, CountsTheFramesThatBeginInTheRun) {
  const auto count = [](const Timing& timing, std::uint32_t frames) { return count_frames(timing, kClock, frames); };
  EXPECT_EQ(count({}, 7), 7U);
  EXPECT_EQ(count({.rate_hz = 10.0}, 7), 7U);
  EXPECT_EQ(count({.rate_hz = 30.0}, 7), 21U);
  EXPECT_EQ(count({.rate_hz = 25.0}, 1), 3U);  // at 0, 0.04 and 0.08 s
  EXPECT_EQ(count({.rate_hz = 3.0}, 10), 3U);  // the fourth is at 1 s, where the run ends
  EXPECT_EQ(count({.rate_hz = 3.0}, 11), 4U);
  EXPECT_EQ(count({.phase_s = 0.05}, 7), 7U);
  EXPECT_EQ(count({.phase_s = 0.1}, 7), 6U);
  EXPECT_EQ(count({.phase_s = 0.7}, 7), 0U);
  EXPECT_EQ(count({.phase_s = 900}, 7), 0U);
  EXPECT_EQ(count({.latency_s = 5, .jitter_s = 0.01, .drop_frame = 1}, 7), 7U);
  EXPECT_GT(count_frames({.rate_hz = 1e6}, {.rate_hz = 1e-300}, 1'000'000), std::uint64_t{1} << 61U);
  for (std::uint32_t rate = 1; rate < 200; ++rate) {
    EXPECT_EQ(count({.rate_hz = double(rate)}, 1'000'000), std::uint64_t{rate} * 100'000) << rate;
  }
}

TEST(Timing, JitterIsANormalCutAtFourDeviations) {
  constexpr std::uint32_t kFrames = 40'000;
  const Timing timing = {.rate_hz = 100.0, .jitter_s = 0.00125};
  double sum = 0.0, squares = 0.0, product = 0.0, before = 0.0, most = 0.0;
  std::uint32_t inside = 0;
  for (const FrameTime& time : times_of(timing, kFrames)) {
    const double z = (time.stamp_s - kClock.start_s - time.index / 100.0) / 0.00125;
    ASSERT_EQ(time.delivered_s, time.stamp_s);
    sum += z, squares += z * z, product += z * before, before = z;
    most = std::max(most, std::abs(z));
    if (std::abs(z) < 1.0) ++inside;
  }
  // Of a normal cut at c = 4: variance 1 - 2 c phi(c) / (2 Phi(c) - 1).
  const double density = std::exp(-8.0) / std::sqrt(2 * std::numbers::pi), mass = std::erf(4.0 / std::numbers::sqrt2);
  const double variance = 1.0 - 8.0 * density / mass;
  constexpr double kDeviations = 4.5;
  EXPECT_LT(std::abs(sum / kFrames), kDeviations * std::sqrt(variance / kFrames));
  EXPECT_LT(std::abs(squares / kFrames - variance), kDeviations * std::sqrt(2.0 / kFrames));
  EXPECT_LT(std::abs(product / kFrames), kDeviations / std::sqrt(kFrames));
  const double p = std::erf(1.0 / std::numbers::sqrt2) / mass;
  EXPECT_LT(std::abs(inside - kFrames * p), kDeviations * std::sqrt(kFrames * p * (1 - p)));
  EXPECT_LE(most, 4.0 * (1 + 1e-9));
  EXPECT_GT(most, 3.5);
}

TEST(Timing, SharesOfDroppedAndFrozenFramesAreTheirProbabilities) {
  constexpr std::uint32_t kFrames = 40'000;
  const Timing timing = {.drop_frame = 0.1, .freeze = 0.3};
  double dropped = 0, frozen = 0;
  for (const FrameTime& time : times_of(timing, kFrames)) {
    if (time.is_dropped()) ++dropped;
    if (time.is_frozen()) ++frozen;
    ASSERT_FALSE(time.is_dropped() && time.is_frozen());
  }
  const auto agrees = [](double found, double p) {
    return std::abs(found - kFrames * p) < 4.5 * std::sqrt(kFrames * p * (1 - p));
  };
  EXPECT_TRUE(agrees(dropped, 0.1)) << dropped;
  EXPECT_TRUE(agrees(frozen, 0.9 * 0.3)) << frozen;
}

TEST(Timing, AlwaysAndNeverAreCertain) {
  for (const FrameTime& time : times_of({.drop_frame = 1.0}, 500)) EXPECT_TRUE(time.is_dropped());
  for (const FrameTime& time : times_of({.freeze = 1.0}, 500)) {
    EXPECT_EQ(time.content, 0U);
    EXPECT_EQ(time.stamp_s, kClock.start_s);
    EXPECT_EQ(time.delivered_s, kClock.start_s + time.index / kClock.rate_hz);
  }
}

/// What a receiver would note, frame after frame.
RC_GTEST_PROP(Timing, AFrozenFrameIsTheLastOneThatArrivedWhole, (std::uint64_t seed)) {
  const Timing timing = {.rate_hz = 20.0,
                         .latency_s = 0.03,
                         .jitter_s = 0.006,
                         .drop_frame = *rc::gen::inRange(0, 10) / 10.0,
                         .freeze = *rc::gen::inRange(0, 11) / 10.0};
  Timing whole = timing;
  whole.drop_frame = whole.freeze = 0.0;
  std::optional<FrameTime> last;
  double measured_s = -1.0, delivered_s = -1.0;
  for (const FrameTime& time : times_of(timing, 60, seed)) {
    const FrameTime own = frame_time(whole, kClock, seed, "lidar", time.index);
    if (time.is_dropped()) {
      RC_ASSERT(time.stamp_s == own.stamp_s && time.content == time.index);
      continue;
    }
    RC_ASSERT(time.delivered_s == own.delivered_s);
    if (time.is_frozen()) {
      RC_ASSERT(last.has_value());
      RC_ASSERT(time.content == last->content);
      RC_ASSERT(time.stamp_s == last->stamp_s);
    } else {
      RC_ASSERT(time.stamp_s == own.stamp_s);
      last = time;
    }
    RC_ASSERT(time.stamp_s >= measured_s && time.delivered_s > delivered_s);
    measured_s = time.stamp_s, delivered_s = time.delivered_s;
  }
}

RC_GTEST_PROP(Timing, StampsNeverGoBackwards, (std::uint64_t seed)) {
  const double rate_hz = *rc::gen::element(0.001, 1.0, 30.0, 1e6);
  const Timing timing = {.rate_hz = rate_hz, .jitter_s = 0.125 / rate_hz};
  RC_ASSERT_THROWS_AS(check_timing({.rate_hz = rate_hz, .jitter_s = 0.1251 / rate_hz}, kClock), InputError);
  check_timing(timing, kClock);
  double before = -std::numeric_limits<double>::infinity();
  for (const FrameTime& time : times_of(timing, 200, seed)) {
    RC_ASSERT(time.stamp_s >= before);
    before = time.stamp_s;
  }
}

TEST(Timing, SensorsAndSeedsDrawOnTheirOwn) {
  const Timing timing = {.rate_hz = 100.0, .jitter_s = 0.001, .drop_frame = 0.5};
  constexpr std::uint32_t kFrames = 4000;
  const auto a = times_of(timing, kFrames, 1, "a"), b = times_of(timing, kFrames, 1, "b"),
             c = times_of(timing, kFrames, 2, "a");
  for (const auto& other : {b, c}) {
    double product = 0.0, both = 0.0;
    for (std::uint32_t k = 0; k < kFrames; ++k) {
      const double nominal = kClock.start_s + k / 100.0;
      product += (a[k].stamp_s - nominal) * (other[k].stamp_s - nominal) * 1e6;
      if (a[k].is_dropped() && other[k].is_dropped()) ++both;
    }
    EXPECT_LT(std::abs(product) / std::sqrt(double(kFrames)), 4.5);
    EXPECT_LT(std::abs(both - kFrames * 0.25), 4.5 * std::sqrt(kFrames * 0.25 * 0.75));
  }
}

TEST(Timing, RefusesWhatNoSensorHas) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  for (const double bad : {kNan, kInf, -1.0, 1e300}) {
    EXPECT_THROW(check_timing({.rate_hz = bad}, kClock), InputError) << bad;
    EXPECT_THROW(check_timing({.phase_s = bad}, kClock), InputError) << bad;
    EXPECT_THROW(check_timing({.latency_s = bad}, kClock), InputError) << bad;
    EXPECT_THROW(check_timing({.jitter_s = bad}, kClock), InputError) << bad;
    EXPECT_THROW(check_timing({.drop_frame = bad}, kClock), InputError) << bad;
    EXPECT_THROW(check_timing({.freeze = bad}, kClock), InputError) << bad;
  }
  EXPECT_EQ(input_error([] { check_timing({.rate_hz = 0.0}, kClock); }),
            "timing.rate_hz = 0 is not in [0.001, 1000000] Hz");
  EXPECT_EQ(input_error([] { check_timing({.jitter_s = 0.0126}, kClock); }),
            "timing.jitter_s = 0.0126 is above 0.0125 s, an eighth of the time between two frames");
  Simulator simulator(make_room_scene(), {.compute = {.threads = 1}, .rate_hz = 1000.0});
  Sensor sensor = make_sensor(make_lidar());
  sensor.timing.jitter_s = 0.001;
  EXPECT_EQ(input_error([&] { simulator.add_sensor(sensor); }),
            "sensor 'lidar': timing.jitter_s = 0.001 is above 0.000125 s, an eighth of the time between two frames");
}

// Frames.

Scene moving_scene() {
  Scene scene = make_room_scene();
  scene.set_motion(EntityId{1}, Trajectory({{0.0, {{3, 1, -1}, {}}}, {2.0, {{3, -2, 0}, {}}}}));
  return scene;
}

Sensor timed_sensor(const Timing& timing) {
  Sensor sensor = make_sensor(make_lidar(8, 90), {DistanceNoise{.stddev_m = 0.02F}, Dropout{.probability = 0.1F}});
  sensor.parent_from_sensor = Trajectory({{0.0, {{0, 0, 0}, {}}}, {2.0, {{1, 0.5, 0.2}, {}}}});
  sensor.timing = timing;
  return sensor;
}

Frame frame_of(const Sensor& sensor, std::uint32_t index, const SimulatorOptions& options) {
  return render_once(moving_scene(), sensor, all_channels(), options, index);
}

bool same_content(const Frame& a, const Frame& b) {
  return same_environment(a, 0, b, 0, a.size()) && a.stamp_s() == b.stamp_s();
}

constexpr Timing kAllOfIt = {
    .rate_hz = 20.0, .phase_s = 0.02, .latency_s = 0.07, .jitter_s = 0.005, .drop_frame = 0.2, .freeze = 0.4};

TEST(TimedFrames, OfASensorsOwnClockAreThoseOfASceneWithThatClock) {
  const Timing timing = {.rate_hz = 4.0, .phase_s = 0.125, .latency_s = 0.5};
  for (const std::uint32_t k : {0U, 3U, 5U}) {
    const Frame timed = frame_of(timed_sensor(timing), k, {.seed = 7, .compute = {.threads = 1}, .start_s = 0.25});
    const Frame plain =
        frame_of(timed_sensor({}), k, {.seed = 7, .compute = {.threads = 1}, .rate_hz = 4.0, .start_s = 0.375});
    EXPECT_TRUE(same_content(timed, plain));
    EXPECT_EQ(plain.delivered_s(), plain.stamp_s());
    EXPECT_EQ(timed.delivered_s(), timed.stamp_s() + 0.5);
    EXPECT_EQ(timed.index(), k);
  }
}

TEST(TimedFrames, AreWhereTheSensorIsWhenItMeasures) {
  const Timing timing = {.jitter_s = 0.0125};
  Sensor sensor = timed_sensor(timing);
  sensor.noise = {};
  for (const std::uint32_t k : {0U, 4U, 9U}) {
    const Frame timed = frame_of(sensor, k, {.seed = 7, .compute = {.threads = 1}});
    Sensor still = sensor;
    still.timing = {};
    const Frame plain = frame_of(still, 0, {.seed = 7, .compute = {.threads = 1}, .start_s = timed.stamp_s()});
    EXPECT_NE(timed.stamp_s(), k / 10.0);
    EXPECT_TRUE(same_content(timed, plain));
  }
}

TEST(TimedFrames, HaveTheContentThatTheirTimesName) {
  Timing whole = kAllOfIt;
  whole.drop_frame = whole.freeze = 0.0;
  Simulator simulator(moving_scene(), {.seed = 7, .compute = {.threads = 1}});
  const SensorId id = simulator.add_sensor(timed_sensor(kAllOfIt));
  std::uint32_t frozen = 0, dropped = 0;
  Frame frame(all_channels());
  for (std::uint32_t k = 0; k < 25; ++k) {
    simulator.render(id, k, frame);
    const FrameTime time = simulator.frame_time(id, k);
    EXPECT_EQ(frame.index(), k);
    EXPECT_EQ(frame.content_index(), time.content);
    EXPECT_EQ(frame.stamp_s(), time.stamp_s);
    EXPECT_EQ(frame.is_dropped(), time.is_dropped());
    if (!time.is_dropped()) {
      EXPECT_EQ(frame.delivered_s(), time.delivered_s);
    }
    const Frame content = frame_of(timed_sensor(whole), time.content, {.seed = 7, .compute = {.threads = 1}});
    EXPECT_TRUE(same_content(frame, content)) << k;
    frozen += time.is_frozen() ? 1 : 0, dropped += time.is_dropped() ? 1 : 0;
  }
  EXPECT_GT(frozen, 3U);
  EXPECT_GT(dropped, 1U);
}

TEST(TimedFrames, AreTheSameForAnyThreadsInstructionsAndOrder) {
  for (const std::uint32_t k : {11U, 3U, 17U}) {
    const Frame one = frame_of(timed_sensor(kAllOfIt), k, {.seed = 7, .compute = {.threads = 1}});
    for (const Isa isa : usable_isas()) {
      const Frame other = frame_of(timed_sensor(kAllOfIt), k, {.seed = 7, .compute = {.threads = 3, .isa = isa}});
      EXPECT_TRUE(same_content(one, other)) << k;
    }
  }
}

TEST(TimedFrames, NoOtherDrawChanges) {
  const Frame plain = frame_of(timed_sensor({}), 5, {.seed = 7, .compute = {.threads = 1}});
  const Frame late =
      frame_of(timed_sensor({.latency_s = 0.3, .drop_frame = 0.999}), 5, {.seed = 7, .compute = {.threads = 1}});
  EXPECT_TRUE(same_content(plain, late));
}

TEST(TimedFrames, OfARosetteFreezeWithTheirRays) {
  Sensor sensor = make_sensor(find_preset("Mid-40").model, {DistanceNoise{.stddev_m = 0.02F}});
  sensor.timing.freeze = 1.0;
  const Frame first = frame_of(sensor, 0, {.seed = 7, .compute = {.threads = 1}});
  EXPECT_TRUE(same_content(first, frame_of(sensor, 3, {.seed = 7, .compute = {.threads = 1}})));
}

// Environments.

Environments make_timed(std::uint32_t first, std::uint32_t count, bool moved, int threads = 1) {
  Environments batch(moving_scene(),
                     {.simulator = {.seed = 5, .compute = {.threads = threads}}, .count = count, .first = first});
  batch.add_sensor(timed_sensor(kAllOfIt));
  Sensor plain = timed_sensor({});
  plain.name = "plain";
  batch.add_sensor(plain);
  for (std::uint32_t e = first; e < first + count && moved; ++e) {
    batch.set_entity_pose(e, EntityId{2}, {{-2 + 0.1 * e, -2, 0}, {}});
  }
  for (std::uint32_t e = first; e < first + count; ++e) batch.reset(e, e % 2);
  return batch;
}

TEST(TimedEnvironments, EqualTheSimulatorOfTheirEpisode) {
  for (const int threads : {1, 3}) {
    Environments batch = make_timed(3, 6, false, threads);
    const std::size_t rays = std::size_t{batch.rows()} * batch.cols();
    Frame timed(all_channels()), plain(all_channels());
    for (const std::uint32_t k : {0U, 6U, 13U}) {
      const Frame* const of_sensors[] = {&timed, &plain};
      batch.render(k, std::array{&timed, &plain});
      EXPECT_EQ(timed.stamp_s(), 0.02 + k / 20.0);
      EXPECT_EQ(timed.delivered_s(), timed.stamp_s() + 0.07);
      for (std::uint32_t e = 0; e < batch.count(); ++e) {
        Simulator simulator(moving_scene(), {.seed = episode_seed(5, 3 + e, (3 + e) % 2), .compute = {.threads = 1}});
        for (const SensorId id : {SensorId{0}, SensorId{1}}) {
          simulator.add_sensor(batch.sensor(id));
          Frame one(all_channels());
          simulator.render(id, k, one);
          EXPECT_TRUE(same_environment(*of_sensors[index(id)], e, one, 0, rays)) << k << ", " << e;
          const FrameTime time = batch.frame_times(id, k)[e];
          EXPECT_EQ(time.stamp_s, one.stamp_s());
          EXPECT_EQ(time.content, one.content_index());
          EXPECT_EQ(time.is_dropped(), one.is_dropped());
          if (!time.is_dropped()) {
            EXPECT_EQ(time.delivered_s, one.delivered_s());
          }
        }
      }
    }
  }
}

TEST(TimedEnvironments, OneAloneEqualsItselfAmongOthers) {
  Environments all = make_timed(0, 20, true, 2), alone = make_timed(17, 1, true);
  const std::size_t rays = std::size_t{all.rows()} * all.cols();
  Frame many(all_channels()), one(all_channels());
  for (const std::uint32_t k : {1U, 8U, 9U}) {
    all.render(k, many);
    alone.render(k, one);
    EXPECT_TRUE(same_environment(many, 17, one, 0, rays)) << k;
  }
  std::uint32_t others = 0;
  for (const FrameTime& time : all.frame_times(SensorId{0}, 9)) others += time.stamp_s != many.stamp_s() ? 1 : 0;
  EXPECT_EQ(others, 20U);  // each has its own jitter
}

TEST(TimedEnvironments, CannotFreezeRaysThatAllOfThemShare) {
  Environments batch(make_room_scene(), {.simulator = {.compute = {.threads = 1}}, .count = 2});
  Sensor sensor = make_sensor(find_preset("Mid-40").model);
  sensor.timing = {.latency_s = 0.1, .jitter_s = 0.001, .drop_frame = 0.5};
  batch.add_sensor(sensor);
  sensor.name = "frozen", sensor.timing.freeze = 0.5;
  EXPECT_EQ(
      input_error([&] { batch.add_sensor(sensor); }),
      "sensor 'frozen': timing.freeze = 0.5: its rays differ from frame to frame, and all environments share them");
}

}  // namespace
}  // namespace fathom::test
