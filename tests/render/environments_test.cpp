// SPDX-License-Identifier: MIT
// Batches of environments: each is itself whatever the others are; parameters are drawn once per episode.

#include <fathom/simulate/environments.hpp>

#include "render/parameter_range.hpp"
#include "render/stereo_scenes.hpp"
#include "support/statistics.hpp"

namespace fathom::test {
namespace {

Sensor stereo_sensor() {
  return make_sensor(make_stereo(37, 23, 25, 0.2),
                     {LossAngle{.max_incidence_rad = 1.3F}, StereoShadow{}, StereoEnergy{.min_energy = 0.2F, .pow = 2},
                      EdgeLoss{.low_probability = 0.2F, .high_probability = 0.9F}, DistanceNoise{.stddev_m = 0.01F},
                      Dropout{.probability = 0.1F}});
}

std::vector<ParameterRange> ranges() {
  return {{.entry = 2, .field = "min_energy", .low = 0.1, .high = 0.3},
          {.entry = 2, .field = "pow", .law = ParameterRange::Law::kLogUniform, .low = 1, .high = 20},
          {.entry = 4,
           .field = "mean_m",
           .law = ParameterRange::Law::kNormal,
           .low = -0.05,
           .high = 0.05,
           .mean = 0.01,
           .stddev = 0.02}};
}

Pose pose_of(std::uint32_t environment) {
  return {{0.2 * (environment % 5), -0.1 * (environment % 7), 0.05 * environment},
          from_roll_pitch_yaw(0, 0, 0.3 * environment)};
}

Environments make_batch(std::uint32_t first, std::uint32_t count, const Compute& compute = {.threads = 1}) {
  Environments batch(
      make_room_scene(), stereo_sensor(),
      {.simulator = {.seed = 5, .compute = compute}, .count = count, .first = first, .ranges = ranges()});
  for (std::uint32_t e = first; e < first + count; ++e) {
    batch.set_sensor_pose(e, pose_of(e));
    batch.set_entity_pose(e, EntityId{1}, {{2.5 + 0.01 * e, 1, -1}, from_roll_pitch_yaw(0, 0, 0.1 * e)});
    batch.reset(e, e % 3);
  }
  return batch;
}

TEST(Environments, Environment17AloneEqualsEnvironment17Of64) {
  Environments all = make_batch(0, 64), alone = make_batch(17, 1);
  const std::size_t rays = std::size_t{all.rows()} * all.cols();
  Frame many(all_channels()), one(all_channels());
  for (const std::uint32_t index : {0U, 3U}) {
    all.render(index, many);
    alone.render(index, one);
    ASSERT_EQ(many.rows(), 64 * all.rows());
    ASSERT_EQ(one.size(), rays);
    EXPECT_TRUE(same_environment(many, 17, one, 0, rays));
    EXPECT_FALSE(same_environment(many, 16, one, 0, rays));
  }
}

TEST(Environments, SameBitsForAnySplitAndNumberOfThreads) {
  const auto make = [&](std::uint32_t first, std::uint32_t count, int threads) {
    return make_batch(first, count, {.threads = threads});
  };
  Environments all = make(0, 12, 1), front = make(0, 5, 3), back = make(5, 7, 2);
  const std::size_t rays = std::size_t{all.rows()} * all.cols();
  Frame a(all_channels()), f(all_channels()), b(all_channels());
  all.render(2, a), front.render(2, f), back.render(2, b);
  for (std::uint32_t e = 0; e < 12; ++e) {
    EXPECT_TRUE(e < 5 ? same_environment(a, e, f, e, rays) : same_environment(a, e, b, e - 5, rays)) << e;
  }
}

TEST(Environments, FarApartEnvironmentsDoNotDisturbEachOther) {
  const auto make = [](std::uint32_t first, std::uint32_t count) {
    Environments batch(make_room_scene(), stereo_sensor(),
                       {.simulator = {.compute = {.threads = 1}}, .count = count, .first = first});
    for (std::uint32_t e = first; e < first + count; ++e) batch.set_sensor_pose(e, {{700.0 * e, 0, 0}, {}});
    return batch;
  };
  Environments all = make(0, 3), last = make(2, 1);
  Frame a(all_channels()), b(all_channels());
  all.render(0, a), last.render(0, b);
  EXPECT_TRUE(same_environment(a, 2, b, 0, std::size_t{all.rows()} * all.cols()));
}

TEST(Environments, EnvironmentZeroIsWhatASimulatorRenders) {
  Environments batch(make_room_scene(), stereo_sensor(),
                     {.simulator = {.seed = 5, .compute = {.threads = 1}}, .count = 2});
  Frame many(all_channels());
  batch.render(4, many);
  const Frame plain =
      render_once(make_room_scene(), stereo_sensor(), all_channels(), {.seed = 5, .compute = {.threads = 1}}, 4);
  EXPECT_TRUE(same_environment(many, 0, plain, 0, plain.size()));
  EXPECT_FALSE(same_environment(many, 1, plain, 0, plain.size()));
}

/// From one side of the room to the other in a second.
Trajectory crossing(double from_m, double to_m) {
  return Trajectory({{0, {{from_m, 1, -1}, {}}}, {1, {{to_m, 1, -1}, from_roll_pitch_yaw(0, 0, 1)}}});
}

TEST(Environments, AMovingEntityPlacedInOneEnvironmentMovesOnInTheOthers) {
  Scene scene = make_room_scene();
  Entity mover = {.name = "mover", .mesh = scene.add_mesh(make_box({0.5, 0.5, 2}))};
  mover.parent_from_entity = crossing(1, 3);
  const EntityId id = scene.add_entity(mover);
  const Environments::Options one = {.simulator = {.compute = {.threads = 1}}, .count = 1, .first = 1};
  Environments both(scene, stereo_sensor(), {.simulator = {.compute = {.threads = 1}}, .count = 2}),
      alone(scene, stereo_sensor(), one);
  both.set_entity_pose(0, id, {{2, -1, 0}, {}});
  const std::size_t rays = std::size_t{both.rows()} * both.cols();
  Frame many(all_channels()), single(all_channels()), before(all_channels());
  alone.render(0, before);
  both.render(5, many), alone.render(5, single);
  EXPECT_TRUE(same_environment(many, 1, single, 0, rays));
  EXPECT_FALSE(same_environment(before, 0, single, 0, rays)) << "it does move";
}

TEST(Environments, SensorsMoveAndStandFarOutAsInASimulator) {
  const Trajectory near_path = crossing(-1, 1), far_path = crossing(25, 45);
  for (const Trajectory& path : {near_path, far_path, Trajectory(Pose{{300, -400, 700}, {}})}) {
    Sensor sensor = stereo_sensor();
    sensor.parent_from_sensor = path;
    Scene scene = make_room_scene();
    scene.set_pose(EntityId{0}, path.at(0.5));  // something to be seen from there
    Environments batch(scene, sensor, {.simulator = {.compute = {.threads = 1}}, .count = 1});
    Simulator simulator(scene, {.compute = {.threads = 1}});
    const SensorId id = simulator.add_sensor(sensor);
    Frame of_batch(all_channels()), of_simulator(all_channels()), later(all_channels());
    simulator.render(id, 9, later);  // what came before must not matter
    simulator.render(id, 3, of_simulator);
    batch.render(3, of_batch);
    EXPECT_TRUE(same_environment(of_batch, 0, of_simulator, 0, of_batch.size()));
    const Frame fresh = render_once(scene, sensor, all_channels(), {.compute = {.threads = 1}}, 3);
    EXPECT_TRUE(same_environment(fresh, 0, of_simulator, 0, fresh.size()));
    EXPECT_LT(count_of(of_batch, Reason::kMiss), of_batch.size() / 2);
  }
}

TEST(Environments, AChainThatTheEpisodeCannotDrawChangesNothing) {
  // The weights of the mixture sum to 1 with the drawn w_hit; the weights of the other chain do not.
  const Sensor sensor = make_sensor(make_stereo(20, 10, 25, 0.2), {BeamMixture{.w_hit = 0.7F}});
  const Environments::Options options = {.simulator = {.compute = {.threads = 1}},
                                         .count = 2,
                                         .ranges = {{.entry = 0, .field = "w_hit", .low = 0.7, .high = 0.7}}};
  Environments plain(make_room_scene(), sensor, options), batch(make_room_scene(), sensor, options);
  const NoiseChain other = {BeamMixture{.w_hit = 0.5F, .w_short = 0.35F}};
  const std::string message = input_error([&] { batch.set_noise(1, other); });
  EXPECT_EQ(message.find("sensor '" + sensor.name + "', environment 1: "), 0U) << message;
  plain.reset(1, 3), batch.reset(1, 3);
  Frame a(all_channels()), b(all_channels());
  plain.render(0, a), batch.render(0, b);
  for (const std::uint32_t e : {0U, 1U}) EXPECT_TRUE(same_environment(a, e, b, e, 200)) << e;
}

TEST(Environments, NoiseOfOneEnvironmentIsItsOwn) {
  const Sensor sensor = make_sensor(make_stereo(20, 10, 25, 0.2), {GainBias{}, DistanceNoise{.stddev_m = 0.01F}});
  const Environments::Options options = {.simulator = {.compute = {.threads = 1}},
                                         .count = 3,
                                         .ranges = {{.entry = 0, .field = "bias_m", .low = 0.1, .high = 1.0}}};
  Environments plain(make_room_scene(), sensor, options), batch(make_room_scene(), sensor, options);
  const NoiseChain own = {GainBias{.gain = 0.5F}, DistanceNoise{}};
  batch.set_noise(1, own);
  Frame a(all_channels()), b(all_channels());
  const auto check = [&] {
    plain.render(0, a), batch.render(0, b);
    for (const std::uint32_t e : {0U, 2U}) EXPECT_TRUE(same_environment(a, e, b, e, 200)) << e;
    const std::size_t i = 200 + 77;
    EXPECT_NEAR(b.range_m()[i], 1.5 * b.clean_range_m()[i] + batch.drawn(1)[0].value, 1e-5);
  };
  check();
  plain.reset(1, 4), batch.reset(1, 4);
  EXPECT_EQ(plain.drawn(1)[0].value, batch.drawn(1)[0].value);
  check();
  EXPECT_THROW(batch.set_noise(3, own), InputError);
  EXPECT_THROW(batch.set_noise(0, {DistanceNoise{}}), InputError) << "bias_m has a range";
  NoiseChain of_nobody = own;
  of_nobody[0].by_entity = {{EntityId{99}, GainBias{}}};
  EXPECT_THROW(batch.set_noise(0, of_nobody), InputError) << "no such entity";
  check();
}

TEST(Randomization, DrawnOncePerEpisodeWithinLimitsAndReported) {
  Environments batch = make_batch(0, 200);
  double sum = 0, log_sum = 0;
  for (std::uint32_t e = 0; e < 200; ++e) {
    const std::vector<ParameterRange::Drawn> drawn = batch.drawn(e);
    ASSERT_EQ(drawn.size(), 3U);
    ASSERT_EQ(drawn[0].field, "min_energy");
    ASSERT_TRUE(drawn[0].value >= 0.1 && drawn[0].value <= 0.3);
    ASSERT_TRUE(drawn[1].value >= 1 && drawn[1].value <= 20);
    ASSERT_TRUE(std::abs(drawn[2].value) <= 0.05);
    sum += drawn[0].value, log_sum += std::log(drawn[1].value);
    batch.reset(e, 7);
    EXPECT_NE(batch.drawn(e)[0].value, drawn[0].value);
    batch.reset(e, e % 3);
    EXPECT_EQ(batch.drawn(e)[0].value, drawn[0].value);  // the same episode again
  }
  EXPECT_NEAR(sum / 200, 0.2, 4 * 0.2 / std::sqrt(12 * 200.0));
  EXPECT_NEAR(log_sum / 200, std::log(20) / 2, 4 * std::log(20) / std::sqrt(12 * 200.0));
}

/// The values that a range of gain_bias.bias_m takes in many episodes, in order.
std::vector<double> draws_of(ParameterRange range) {
  range.field = "bias_m";
  Sensor sensor = make_sensor(make_stereo(2, 2, 2, 0.2), {GainBias{}});
  std::vector<double> values;
  for (std::uint32_t episode = 0; episode < 20000; ++episode) {
    values.push_back(draw_ranges(sensor, std::vector{range}, episode_seed(3, 1, episode))[0].value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

/// Kolmogorov's distance of values from a law; above 2.2 / sqrt n in one of 10 000 right samples.
template <class Cdf>
double distance_from(std::vector<double> values, Cdf cdf) {
  for (double& value : values) value = cdf(value);
  return test::ks_distance(std::move(values));
}

TEST(Randomization, DrawsFollowTheirLaws) {
  const double limit = 2.2 / std::sqrt(20000.0);
  EXPECT_LT(distance_from(draws_of({.low = -1, .high = 3}), [](double x) { return (x + 1) / 4; }), limit);
  EXPECT_LT(distance_from(draws_of({.law = ParameterRange::Law::kLogUniform, .low = 0.1, .high = 5}),
                          [](double x) { return std::log(x / 0.1) / std::log(50.0); }),
            limit);
  const auto normal = [](double x) { return 0.5 * std::erfc(-(x - 0.5) / 0.2 / std::sqrt(2.0)); };
  const ParameterRange wide{.law = ParameterRange::Law::kNormal, .low = -10, .high = 10, .mean = 0.5, .stddev = 0.2};
  EXPECT_LT(distance_from(draws_of(wide), normal), limit);
  // Clipped, not cut off: what lies beyond a limit gathers there.
  const ParameterRange narrow{.law = ParameterRange::Law::kNormal, .low = 0.4, .high = 0.6, .mean = 0.5, .stddev = 0.2};
  const std::vector<double> clipped = draws_of(narrow);
  const auto at_low = static_cast<double>(std::count(clipped.begin(), clipped.end(), 0.4));
  const double p = normal(0.4);
  EXPECT_NEAR(at_low, 20000 * p, 4 * std::sqrt(20000 * p * (1 - p)));
  EXPECT_EQ(clipped.back(), 0.6);
}

TEST(Randomization, TheDrawnParameterIsTheOneThatActs) {
  Sensor sensor = make_sensor(make_stereo(20, 10, 25, 0.2), {GainBias{}});
  Environments batch(make_room_scene(), sensor,
                     {.simulator = {.compute = {.threads = 1}},
                      .count = 8,
                      .ranges = {{.entry = 0, .field = "bias_m", .low = 0.1, .high = 1.0}}});
  Frame f({Channel::kRange, Channel::kCleanRange});
  batch.render(0, f);
  for (std::uint32_t e = 0; e < 8; ++e) {
    const std::size_t i = e * std::size_t{200} + 77;
    EXPECT_NEAR(f.range_m()[i] - f.clean_range_m()[i], batch.drawn(e)[0].value, 1e-5);
  }
}

TEST(Randomization, PerEntityRowsHaveRangesOfTheirOwn) {
  Sensor sensor = make_sensor(make_stereo(20, 10, 25, 0.2), {StereoEnergy{}});
  sensor.noise[0].by_entity = {{EntityId{1}, StereoEnergy{.pow = 3}}};
  Environments batch(make_room_scene(), sensor,
                     {.simulator = {.compute = {.threads = 1}},
                      .count = 2,
                      .ranges = {{.entry = 0, .field = "pow", .low = 1, .high = 2},
                                 {.entry = 0, .field = "pow", .low = 1, .high = 2, .entity = EntityId{1}}}});
  EXPECT_NE(batch.drawn(0)[0].value, batch.drawn(0)[1].value);
}

TEST(Randomization, WrongRangesAreRefused) {
  const auto refused = [](ParameterRange range) {
    EXPECT_THROW(Environments(make_room_scene(), stereo_sensor(),
                              {.simulator = {.compute = {.threads = 1}}, .ranges = {std::move(range)}}),
                 InputError);
  };
  refused({.entry = 9, .field = "pow", .low = 1, .high = 2});
  refused({.entry = 2, .field = "pwo", .low = 1, .high = 2});
  refused({.entry = 2, .field = "energy", .low = 0, .high = 1});  // a choice, not a number
  refused({.entry = 2, .field = "pow", .low = -1, .high = 2});
  refused({.entry = 2, .field = "pow", .low = 3, .high = 2});
  refused({.entry = 2, .field = "pow", .low = std::nan(""), .high = 2});
  refused({.entry = 2, .field = "min_energy", .law = ParameterRange::Law::kLogUniform, .low = 0, .high = 0.5});
  refused(
      {.entry = 2, .field = "pow", .law = ParameterRange::Law::kNormal, .low = 1, .high = 2, .mean = 1, .stddev = -1});
  refused({.entry = 2, .field = "pow", .low = 1, .high = 2, .entity = EntityId{0}});  // no such row
  EXPECT_THROW(Environments(make_room_scene(), stereo_sensor(), {.count = 0}), InputError);
}

}  // namespace
}  // namespace fathom::test
