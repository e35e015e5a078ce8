// SPDX-License-Identifier: MIT
// What angular_ray does is learned from frames of the simulator, alone and in chains.

#include "fit/calibrate/turned_scenes.hpp"

namespace fathom::test::turned_learning_test {
namespace {

struct Case {
  std::string name;
  SceneSetup setup;
  std::vector<std::string> free;
  double wrong = 0.7;  ///< share of the true values from which learning begins
  std::size_t most_returns = 300'000;
};

SceneSetup fan(NoiseChain noise) { return turned_setup(make_posts(), make_fan(8, 96), std::move(noise)); }

Case alone() { return {"alone", fan({AngularRay{Axis::kZ, 0.001F, 0.002F}}), {"angular_ray.*"}}; }

Case with_distance() {
  return {"with_distance",
          fan({AngularRay{Axis::kZ, 0.001F, 0.002F}, DistanceNoise{0, 0.02F, 0}, Dropout{0.05F}}),
          {"angular_ray.*", "distance.stddev_m", "dropout.*"}};
}

/// Learns at many seeds. 95 % intervals must hold the truth in a share [0.88, 1] of them. With few seeds the lower
/// limit is three deviations of that share below 95 %.
void expect_coverage(const Case& c, int seeds) {
  const NoiseChain& truth = c.setup.sensors.front().sensor.noise;
  const std::vector<ChainParameter> free = parameters_of(truth, c.free);
  const NoiseChain start = with_wrong_values(truth, free, c.wrong);
  std::vector<double> held(free.size(), 0), error(free.size(), 0);
  for (int seed = 1; seed <= seeds; ++seed) {
    const ChainFrames frames =
        turned_frames(c.setup, start, 12, static_cast<std::uint64_t>(seed), {.most_returns = c.most_returns});
    const ChainFit fit = fit_chain(start, free, frames.returns, {.hold_out = 0});
    ASSERT_GE(fit.log_likelihood, fit.start_log_likelihood);
    ASSERT_GT(fit.at_edges, 500U);
    for (std::size_t k = 0; k < free.size(); ++k) {
      const Fit::Parameter& p = fit.parameters[k];
      const double value = value_of(truth, free[k]);
      EXPECT_TRUE(std::isfinite(p.std_error)) << p.name << " at seed " << seed;
      held[k] += p.low_95 <= value && value <= p.high_95 ? 1 : 0;
      error[k] += p.std_error / seeds;
    }
  }
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_GE(held[k], std::min(0.88 * seeds, 0.95 * seeds - 3 * std::sqrt(0.95 * 0.05 * seeds)))
        << c.name << ' ' << free[k].field;
    EXPECT_LT(error[k], 0.3 * std::abs(value_of(truth, free[k]))) << c.name << ' ' << free[k].field;
  }
}

TEST(TurnedLearning, IntervalsHoldTheTruthAlone) { expect_coverage(alone(), static_cast<int>(repetitions(2))); }
TEST(TurnedLearning, IntervalsHoldTheTruthBesideDistanceAndDropout) {
  expect_coverage(with_distance(), static_cast<int>(repetitions(1)));
}

/// Straight ahead at a plain wall nothing tells the deviation; the rest is still right.
TEST(TurnedLearning, OnAFeaturelessWallTheDeviationIsFlagged) {
  SpinningLidar lidar = make_fan(8, 96);
  lidar.elevation_rad = even_elevations(8, 0.01, -0.01);
  lidar.start_azimuth_rad = 0.02, lidar.span_rad = 0.04;
  const NoiseChain truth = {AngularRay{Axis::kZ, 0, 0.002F}, DistanceNoise{0.01F, 0.02F, 0}, Dropout{0.05F}};
  const std::vector<ChainParameter> free =
      parameters_of(truth, {"angular_ray.stddev_rad", "distance.mean_m", "*.stddev_m", "dropout.*"});
  for (const std::uint64_t seed : {1U, 2U}) {
    const ChainFrames frames = turned_frames(turned_setup(make_wall(), lidar, truth), truth, 10, seed);
    const ChainFit fit = fit_chain(truth, free, frames.returns, {.hold_out = 0});
    EXPECT_EQ(fit.at_edges, 0U);
    const Fit::Parameter& angle = fit.parameters[0];
    EXPECT_TRUE(angle.status != Fit::Status::kLearned) << angle.value << " +- " << angle.std_error;
    EXPECT_TRUE(std::ranges::any_of(texts_of(fit.findings),
                                    [](const std::string& flag) { return flag.find("angular_ray.stddev_rad") == 0; }));
    for (std::size_t k = 1; k < free.size(); ++k) {
      const Fit::Parameter& p = fit.parameters[k];
      EXPECT_LT(std::abs(p.value - value_of(truth, free[k])), 3.5 * p.std_error) << p.name << " seed " << seed;
    }
  }
}

TEST(TurnedLearning, ThreadsChangeNoBit) {
  const Case c = with_distance();
  const NoiseChain& truth = c.setup.sensors.front().sensor.noise;
  const std::vector<ChainParameter> free = parameters_of(truth, c.free);
  const NoiseChain start = with_wrong_values(truth, free, 0.7);
  std::vector<ChainFit> fits;
  std::vector<ChainFrames> frames;
  for (const int threads : {1, 3}) {
    ChainFrames::Options options;
    options.run.compute.threads = threads;
    frames.push_back(turned_frames(c.setup, start, 4, 5, options));
    fits.push_back(fit_chain(start, free, frames.back().returns, {.hold_out = 0, .threads = threads}));
  }
  EXPECT_EQ(frames[0].returns.turned.met, frames[1].returns.turned.met);
  const std::vector<ChainReturns::TurnedRays::Surface>&a = frames[0].returns.turned.surfaces,
        &b = frames[1].returns.turned.surfaces;
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end(),
                         [](const auto& p, const auto& q) { return p.plane_m == q.plane_m && p.normal == q.normal; }));
  EXPECT_EQ(fits[0].log_likelihood, fits[1].log_likelihood);
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_EQ(fits[0].parameters[k].value, fits[1].parameters[k].value);
    EXPECT_EQ(fits[0].parameters[k].std_error, fits[1].parameters[k].std_error);
  }
}

TEST(TurnedLearning, NeverLowersTheLikelihood) {
  const Case c = with_distance();
  const NoiseChain& truth = c.setup.sensors.front().sensor.noise;
  const std::vector<ChainParameter> free = parameters_of(truth, c.free);
  const ChainFrames frames = turned_frames(c.setup, truth, 5, 9);
  const ChainFit from_truth = fit_chain(truth, free, frames.returns, {.hold_out = 0});
  EXPECT_GE(from_truth.log_likelihood, from_truth.start_log_likelihood);
  for (const double factor : {0.3, 1.3}) {
    const ChainFit fit = fit_chain(with_wrong_values(truth, free, factor), free, frames.returns, {.hold_out = 0});
    EXPECT_GE(fit.log_likelihood, fit.start_log_likelihood) << factor;
    EXPECT_NEAR(fit.log_likelihood, from_truth.log_likelihood, 0.05) << factor;
  }
}

/// A scene that moves is cast for each frame; one that stands still, once for all of them.
TEST(TurnedLearning, OneCastForAllFramesIsACastForEach) {
  const NoiseChain noise = with_distance().setup.sensors.front().sensor.noise;
  SceneSetup moving = fan(noise);
  Entity bird;
  bird.name = "bird", bird.mesh = MeshId{0};
  bird.parent_from_entity =
      Trajectory(std::vector<Trajectory::Key>{{0.0, Pose{{-20, 0, 50}, {}}}, {10.0, Pose{{-20, 5, 50}, {}}}});
  moving.scene.add_entity(bird);
  ASSERT_TRUE(moving.scene.moves());
  const ChainFrames once = turned_frames(fan(noise), noise, 3, 1), each = turned_frames(moving, noise, 3, 1);
  EXPECT_LT(once.returns.turned.met.size(), each.returns.turned.met.size());
  const std::vector<FrameScore> a = score_frames(noise, once.returns), b = score_frames(noise, each.returns);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].nats, b[k].nats);
}

TEST(TurnedLearning, TheTrueChainScoresBest) {
  const Case c = with_distance();
  const NoiseChain& truth = c.setup.sensors.front().sensor.noise;
  NoiseChain straight(truth.begin() + 1, truth.end()), wide = truth;
  wide[0].noise = wide[0].noise.with("stddev_rad", 0.003);
  const ChainFrames frames = turned_frames(c.setup, truth, 20, 2, {.other_chain = wide});
  const std::vector<FrameScore> scores = score_frames(truth, frames.returns);
  for (const NoiseChain& other : {straight, wide}) {
    const MeanScore gain = score_difference(scores, score_frames(other, frames.returns));
    EXPECT_GT(gain.nats, 3 * gain.std_error);
  }
}

TEST(TurnedLearning, SaysWhereTheAnglesLeaveTheNodes) {
  const Case c = with_distance();
  const NoiseChain& truth = c.setup.sensors.front().sensor.noise;
  const std::vector<ChainParameter> free = parameters_of(truth, {"angular_ray.stddev_rad"});
  const ChainFrames near = turned_frames(c.setup, truth, 10, 2, {.angle_scale_rad = 0.0005});
  const ChainFit fit = fit_chain(truth, free, near.returns, {.hold_out = 0});
  EXPECT_TRUE(std::ranges::any_of(texts_of(fit.findings), [](const std::string& flag) {
    return flag.find("reaches beyond the angles that were cast") != std::string::npos;
  }));
  // From coarse nodes the value is right all the same, with a larger error.
  const ChainFrames far = turned_frames(c.setup, truth, 20, 2, {.angle_scale_rad = 0.02});
  const Fit::Parameter p = fit_chain(truth, free, far.returns, {.hold_out = 0}).parameters[0];
  EXPECT_LT(std::abs(p.value - 0.002), 3.5 * p.std_error) << p.value << " +- " << p.std_error;
}

}  // namespace
}  // namespace fathom::test::turned_learning_test
