// SPDX-License-Identifier: MIT
// The noise of a sensor is found again from frames of walls that it made.

#include <fathom/fit/wall.hpp>

#include "fit/calibrate/walls.hpp"
#include "fit/frames/cloud_frames.hpp"
#include "support/expect.hpp"

namespace fathom::test::wall_test {
namespace {

std::string chosen_law(const WallFit& fit) {
  for (const WallFit::Law& law : fit.loss_laws) {
    if (law.is_chosen) return law.name;
  }
  return {};
}

bool has_flag(const WallFit& fit, const std::string& part) {
  return std::ranges::any_of(texts_of(fit.chain.findings),
                             [&](const std::string& flag) { return flag.find(part) != std::string::npos; });
}

StereoEnergy energy_law() {
  return {.min_energy = 0.15F, .pow = 6.0F, .normalization = EnergyNormalization::kThreshold};
}

constexpr double kSeeds = 2.0;  // bench/study_walls has 200

/// How estimates of one parameter lie about the truth.
struct Coverage {
  std::string name;
  double truth;
  double held = 0.0, sum = 0.0, count = 0.0;

  void add(double value, double error) {
    if (std::isnan(error)) return;  // at a limit, which is flagged
    const double off = (value - truth) / error;
    held += std::abs(off) < 2.0 ? 1.0 : 0.0, sum += off, count += 1.0;
  }
  void expect_as_said() const {
    EXPECT_GE(count, 0.9 * kSeeds) << name;
    // Two errors hold the truth 95.4 times of 100, and those by frames a little less often: three binomial deviations.
    EXPECT_GE(held, 0.954 * count - 3.0 * std::sqrt(count * 0.954 * 0.046) - 1.0) << name;
    EXPECT_LT(std::abs(sum / count), 4.0 / std::sqrt(count)) << name;
  }
};

/// Learns from walls that the chain made, seed by seed.
void expect_coverage(const WallSensor& sensor, const std::vector<WallMeasure::Plane>& planes, const NoiseChain& chain,
                     const std::string& law, std::vector<Coverage> parameters, const WallOptions& options,
                     std::vector<Coverage> sizes = {}) {
  double right = 0.0, seeds = 0.0;
  for (std::uint64_t seed = 1; seeds < kSeeds; ++seed, seeds += 1.0) {
    const WallFit fit = fit_wall(simulate_wall(sensor, planes, chain, {.seed = seed}), options);
    right += chosen_law(fit) == law ? 1.0 : 0.0;
    if (chosen_law(fit) != law) continue;
    for (Coverage& c : parameters) c.add(fit.chain[c.name].value, fit.chain[c.name].std_error);
    const Estimate found[] = {fit.correlation.across_px, fit.correlation.down_px};
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k].add(found[k].value, found[k].std_error);
  }
  EXPECT_GE(right, 0.95 * seeds) << law;
  for (const Coverage& c : parameters) c.expect_as_said();
  for (const Coverage& c : sizes) c.expect_as_said();
}

TEST(WallCoverage, OfAStereoCamera) {
  expect_coverage(stereo_sensor(64, 48), walls(24, 0.5, 3.0, 60.0, 20.0),
                  {energy_law(), ChainEntry(Disparity{.stddev_px = 0.08F}, Correlation{1.5F, 1.2F}), Dropout{0.02F}},
                  "stereo_energy + dropout",
                  {{"stereo_energy.min_energy", 0.15F},
                   {"stereo_energy.pow", 6.0},
                   {"disparity.stddev_px", 0.08F},
                   {"dropout.probability", 0.02F}},
                  {.most_returns = 5000}, {{"across", 1.5}, {"down", 1.2F}});
}

TEST(WallCoverage, OfADepthCamera) {
  expect_coverage(depth_sensor(64, 48), walls(30, 0.5, 4.0, 40.0, 15.0),
                  {DistanceNoise{0.0F, 0.002F, 0.003F}, Dropout{0.05F}}, "dropout",
                  {{"distance.stddev_m", 0.002F}, {"distance.stddev_per_m", 0.003F}, {"dropout.probability", 0.05F}},
                  {.most_returns = 5000});
}

TEST(WallCoverage, OfALaser) {
  expect_coverage(laser_sensor(), walls(60, 0.5, 6.0, 20.0),
                  {DistanceNoise{0.0F, 0.01F, 0.002F}, LossAngle{1.2F}, Dropout{0.05F}}, "loss_angle + dropout",
                  {{"distance.stddev_m", 0.01F}, {"distance.stddev_per_m", 0.002F}, {"dropout.probability", 0.05F}},
                  {.border = WallOptions::BorderLosses::kOfWall, .most_returns = 5000});
}

TEST(Wall, OfAStereoCameraHasTheStepsOfTheDisparity) {
  const NoiseChain chain = {Disparity{.stddev_px = 0.05F, .steps_per_px = 16.0F}};
  const WallFit fit = fit_wall(simulate_wall(stereo_sensor(), walls(24, 0.5, 2.0, 30.0, 10.0), chain, {.seed = 5}),
                               {.most_returns = 10'000});
  EXPECT_EQ(fit.chain["disparity.steps_per_px"].value, 16.0);
  const Fit::Parameter& deviation = fit.chain["disparity.stddev_px"];
  EXPECT_NEAR(deviation.value, 0.05, 3 * deviation.std_error);
  EXPECT_TRUE(has_flag(fit, "no return was lost"));
  EXPECT_TRUE(has_flag(fit, "no distance was measured by tape"));
  EXPECT_EQ(fit.correlation.across_px.value, 0.0);
  EXPECT_EQ(fit.correlation.down_px.value, 0.0);
}

TEST(Wall, TellsTheShapeOfTheCorrelation) {
  for (const CorrelationShape shape : {CorrelationShape::kGaussian, CorrelationShape::kExponential}) {
    const Correlation truth = {.across_px = 2.5F, .down_px = 1.8F, .shape = shape};
    const NoiseChain chain = {ChainEntry(Disparity{.stddev_px = 0.08F}, truth)};
    const WallFit fit =
        fit_wall(simulate_wall(stereo_sensor(160, 120), walls(20, 0.8, 1.6, 20.0, 10.0), chain, {.seed = 8}),
                 {.most_returns = 5000});
    EXPECT_EQ(fit.correlation.shape, shape);
    EXPECT_LT(fit.correlation.misfit, 0.02);
    EXPECT_GT(fit.correlation.other_misfit, 2.0 * fit.correlation.misfit);
    EXPECT_NEAR(fit.correlation.across_px.value, 2.5, 4.0 * fit.correlation.across_px.std_error);
    EXPECT_NEAR(fit.correlation.down_px.value, 1.8, 4.0 * fit.correlation.down_px.std_error);
    EXPECT_LT(fit.correlation.across_px.std_error, 0.1);
  }
}

TEST(Wall, TellsTheCorrelationInTimeOfStillFrames) {
  const double rate_hz = 30.0;
  for (const double time_s : {0.0, 4.0 / rate_hz, std::numeric_limits<double>::infinity()}) {
    const NoiseChain chain = {ChainEntry(DistanceNoise{.stddev_m = 0.01F}, Correlation{.time_s = time_s})};
    std::vector<WallMeasure::Plane> planes(40, wall_at(1.0, 10));
    planes.insert(planes.end(), 40, wall_at(2.0, -20));
    const WallFrames frames = simulate_wall(depth_sensor(40, 30), planes, chain, {.seed = 4, .rate_hz = rate_hz});
    const WallFit fit = fit_wall(frames, {.still = true, .rate_hz = rate_hz, .most_returns = 2000});
    if (std::isfinite(time_s)) {
      EXPECT_NEAR(fit.correlation.time_s.value, time_s, 0.08 * time_s);
    } else {
      EXPECT_TRUE(std::isinf(fit.correlation.time_s.value));
    }
    EXPECT_TRUE(measure_wall(frames, {.rate_hz = rate_hz}).in_time.empty());
  }
}

/// Distances by tape, off by `error_m` in turn to either side.
std::vector<double> tape_of(const std::vector<WallMeasure::Plane>& planes, double error_m) {
  std::vector<double> tape_m;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    tape_m.push_back(planes[k].distance_m + error_m * (k % 4 < 2 ? 1.0 : -1.0));
  }
  return tape_m;
}

TEST(WallTape, GivesGainAndBias) {
  const NoiseChain chain = {DistanceNoise{.stddev_m = 0.003F}, GainBias{0.02F, -0.015F}};
  for (const WallSensor& sensor : {depth_sensor(), laser_sensor(181, 60)}) {
    // A laser sees upright walls.
    const std::vector<WallMeasure::Plane> planes = walls(24, 0.5, 4.0, 45.0, sensor.camera ? 15.0 : 0.0);
    WallFrames frames = simulate_wall(sensor, planes, chain, {.seed = 4});
    frames.tape_m = tape_of(planes, 0.001);
    const WallFit fit = fit_wall(frames, {.most_returns = 5000});
    ASSERT_TRUE(fit.tape && !fit.tape->is_exact && !fit.tape->is_disparity);
    EXPECT_NEAR(fit.tape->gain.value, 0.02, 3 * fit.tape->gain.std_error);
    EXPECT_NEAR(fit.tape->bias_m.value, -0.015, 3 * fit.tape->bias_m.std_error);
    EXPECT_LT(fit.tape->gain.std_error, 0.002);
    EXPECT_EQ(fit.chain.chain.back().noise.slug(), "gain_bias");
    EXPECT_FALSE(has_flag(fit, "no distance was measured"));
    EXPECT_NEAR(fit.tape->spread_m, 0.001, 4e-4);
  }
}

TEST(WallTape, GivesTheBiasOfADisparity) {
  const NoiseChain chain = {Disparity{.bias_px = 0.3F, .stddev_px = 0.05F}};
  const std::vector<WallMeasure::Plane> planes = walls(24, 0.5, 3.0, 45.0, 15.0);
  WallFrames frames = simulate_wall(stereo_sensor(), planes, chain, {.seed = 4});
  frames.tape_m = tape_of(planes, 0.001);
  const WallFit fit = fit_wall(frames, {.most_returns = 5000});
  ASSERT_TRUE(fit.tape && fit.tape->is_disparity && !fit.tape->is_exact);
  EXPECT_NEAR(fit.tape->bias_px.value, 0.3, 3 * fit.tape->bias_px.std_error);
  EXPECT_LT(fit.tape->bias_px.std_error, 0.03);
}

TEST(WallTape, ThatAgreesAddsNothingToTheChain) {
  const std::vector<WallMeasure::Plane> planes = walls(24, 0.5, 3.0, 45.0, 15.0);
  WallFrames frames = simulate_wall(depth_sensor(), planes, {DistanceNoise{.stddev_m = 0.003F}}, {.seed = 4});
  frames.tape_m = tape_of(planes, 0.001);
  const WallFit fit = fit_wall(frames, {.most_returns = 5000});
  ASSERT_TRUE(fit.tape && fit.tape->is_exact);
  EXPECT_EQ(fit.chain.chain.size(), 1U);
}

TEST(Wall, SaysWhatItCannotTell) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.002F, 0.003F}, Dropout{0.05F}};
  WallFrames frames =
      simulate_wall(depth_sensor(64, 48), std::vector<WallMeasure::Plane>(6, wall_at(1.5, 0)), chain, {.seed = 4});
  frames.sensor.camera->fx_px = frames.sensor.camera->fy_px = 300.0;  // a narrow view: all at one distance and angle
  frames = simulate_wall(frames.sensor, std::vector<WallMeasure::Plane>(6, wall_at(1.5, 0)), chain, {.seed = 4});
  frames.tape_m.assign(6, 1.5);
  const WallFit fit = fit_wall(frames, {.most_returns = 5000});
  EXPECT_TRUE(has_flag(fit, "how the deviation grows with the range cannot be learned"));
  EXPECT_TRUE(has_flag(fit, "whether incidence loses returns cannot be learned"));
  EXPECT_TRUE(has_flag(fit, "whether distance loses returns cannot be learned"));
  EXPECT_TRUE(has_flag(fit, "scale and bias cannot be separated, and the scale counts as exact"));
  EXPECT_TRUE(has_flag(fit, "below 20 they are uncertain themselves"));
  EXPECT_EQ(chosen_law(fit), "dropout");
  EXPECT_NEAR(fit.chain["distance.stddev_m"].value, 0.0065, 2e-4);
}

TEST(Wall, TheBandThatTheRightLensDoesNotSeeIsNoLossOfTheWall) {
  const NoiseChain chain = {InvalidBand{}, Disparity{.stddev_px = 0.05F}, Dropout{0.01F}};
  const WallFit fit = fit_wall(simulate_wall(stereo_sensor(160, 60), walls(20, 0.6, 1.5, 10.0), chain, {.seed = 4}),
                               {.most_returns = 10'000});
  EXPECT_GT(fit.measure.hidden, 1000U);
  EXPECT_TRUE(has_flag(fit, "the right lens does not see"));
  const Fit::Parameter& dropout = fit.chain["dropout.probability"];
  EXPECT_NEAR(dropout.value, 0.01, 3 * dropout.std_error);
}

TEST(Wall, SimulatedWithWhatWasLearnedMeasuresTheSame) {
  const NoiseChain chain = {energy_law(), ChainEntry(Disparity{.stddev_px = 0.08F}, Correlation{2.0F, 1.5F}),
                            Dropout{0.02F}};
  const WallFrames frames = simulate_wall(stereo_sensor(), walls(30, 0.5, 3.0, 60.0, 20.0), chain, {.seed = 21});
  const WallFit fit = fit_wall(frames, {.most_returns = 10'000});
  const WallFrames again = simulate_wall(fit, {.seed = 22});
  EXPECT_EQ(again.measured_m.size(), frames.measured_m.size());
  const WallMeasure measure = measure_wall(again, {}, &fit.measure);
  EXPECT_NEAR(measure.deviation, fit.measure.deviation, 0.03 * fit.measure.deviation);
  const auto lost = [](const WallMeasure& m) {
    return static_cast<double>(m.lost) / static_cast<double>(m.readings + m.lost);
  };
  EXPECT_NEAR(lost(measure), lost(fit.measure), 0.05 * lost(fit.measure));
  for (std::size_t lag = 0; lag < 6; ++lag) {
    EXPECT_NEAR(measure.across[lag].value, fit.measure.across[lag].value, 0.05);
    EXPECT_NEAR(measure.down[lag].value, fit.measure.down[lag].value, 0.05);
  }
  for (std::size_t k = 0; k < measure.by_incidence.size(); ++k) {
    const WallMeasure::Bin &a = fit.measure.by_incidence[k], &b = measure.by_incidence[k];
    if (a.readings + a.lost < 2000) continue;
    EXPECT_NEAR(a.fill(), b.fill(), 0.06) << a.low << " degrees";
  }
}

TEST(Wall, SensorIsAnEntryOfASceneFile) {
  const NoiseChain chain = {ChainEntry(Disparity{.stddev_px = 0.0625F}, Correlation{2.0F, 1.5F})};
  EXPECT_EQ(wall_sensor_yaml(stereo_sensor(), 3.0, chain, "mine"),
            "name: mine\ntype: stereo_camera\nwidth: 96\nheight: 72\nfx: 57.6\nfy: 57.6\nprincipal_point_px: [47.5, "
            "35.5]\nbaseline_m: 0.125\nreference: left\nmax_range_m: 10\nnoise:\n" +
                chain_yaml(chain, 2));
  const std::string laser = wall_sensor_yaml(laser_sensor(5, 90.0), 3.0, {}, "mine");
  EXPECT_EQ(laser.substr(0, 33), "name: mine\ntype: laser_2d\nrays: 5");
  WallSensor crooked = laser_sensor(5, 90.0);
  std::swap(crooked.azimuth_rad[1], crooked.azimuth_rad[2]);
  EXPECT_THROW(static_cast<void>(wall_sensor_model(crooked, 1.0)), InputError);
}

}  // namespace
}  // namespace fathom::test::wall_test
