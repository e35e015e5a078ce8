// SPDX-License-Identifier: MIT
// Intervals follow the likelihood: closed forms of what it is along one parameter.

#include "fit/calibrate/chain_study.hpp"
#include "support/statistics.hpp"

namespace fathom::test::chain_intervals_test {
namespace {

/// Twice the fall of the losses' binomial log-likelihood from its maximum.
double binomial_fall(const ChainReturns& returns, double p) {
  double lost = 0;
  for (const float range_m : returns.range_m) lost += std::isnan(range_m) ? 1 : 0;
  const double kept = static_cast<double>(returns.size()) - lost, best = lost / static_cast<double>(returns.size());
  return 2 * (lost * std::log(best / p) + kept * std::log((1 - best) / (1 - p)));
}

TEST(ChainIntervals, OfFewLossesAreAsSkewedAsTheirLikelihood) {
  const NoiseChain chain = {Dropout{0.006F}};
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
    const ChainReturns returns = simulate_returns(chain, 30, 64, seed);
    const Fit::Parameter p =
        fit_chain(chain, chain_parameters(chain, "*"), returns, {.hold_out = 0}).parameters.front();
    ASSERT_GT(p.low_95, 0);
    const double below = std::sqrt(binomial_fall(returns, p.low_95)),
                 above = std::sqrt(binomial_fall(returns, p.high_95));
    // Never narrower than what independent returns say, and to both sides as far.
    EXPECT_GT(below, 1.96 * 0.97);
    EXPECT_NEAR(above / below, 1, 0.06);
    EXPECT_GT((p.high_95 - p.value) / (p.value - p.low_95), 1.15) << "losses are few: the interval reaches farther up";
  }
}

/// Five losses of five thousand, four of them in one frame: that frame does not tell all, and the others tell by having
/// none.
TEST(ChainIntervals, OfLossesInFewFramesCountTheFramesThatHaveNone) {
  ChainReturns returns = simulate_returns({Dropout{0.0F}}, 24, 208, 1);
  for (const std::size_t i : {700U, 705U, 720U, 760U, 2200U}) returns.range_m[i] = NAN;
  const NoiseChain chain = {Dropout{0.01F}};
  const Fit::Parameter p = fit_chain(chain, chain_parameters(chain, "*"), returns, {.hold_out = 0}).parameters.front();
  EXPECT_NEAR(p.value, 5.0 / 4992, 1e-5);
  EXPECT_GT(p.low_95, 0);
  EXPECT_GT(p.std_error, p.naive_error);
  EXPECT_LT(p.high_95, 6 * p.value);
}

TEST(ChainIntervals, OfASingleLossEndAboveNothing) {
  ChainReturns returns = simulate_returns({Dropout{0.0F}}, 20, 64, 1);
  returns.range_m[333] = NAN;
  const NoiseChain chain = {Dropout{0.01F}};
  const Fit::Parameter p = fit_chain(chain, chain_parameters(chain, "*"), returns, {.hold_out = 0}).parameters.front();
  EXPECT_NEAR(p.value, 1.0 / static_cast<double>(returns.size()), 1e-5);
  EXPECT_GE(p.low_95, 0);
  EXPECT_LT(p.low_95, p.value);
  EXPECT_GT(p.high_95 - p.value, 1.96 * p.naive_error);
  // Of one frame that has it nothing is known of how frames differ.
  EXPECT_LT(p.std_error, 2 * p.naive_error);
  EXPECT_LT(p.high_95, 20 * p.value);
}

/// Of a mean with normal errors the likelihood is a parabola, whatever the others do.
TEST(ChainIntervals, OfAMeanAreAsFarToBothSides) {
  const NoiseChain chain = {DistanceNoise{0.01F, 0.02F, 0.0F}, Dropout{0.1F}};
  const ChainReturns returns = simulate_returns(chain, 40, 64, 3);
  const ChainFit fit =
      fit_chain(chain, parameters_of(chain, {"distance.mean_m", "*.stddev_m"}), returns, {.hold_out = 0});
  for (const Fit::Parameter& p : fit.parameters) {
    EXPECT_NEAR((p.high_95 - p.value) / (p.value - p.low_95), 1, 0.05) << p.name;
    const double widths = (p.high_95 - p.low_95) / 2 / p.std_error;
    EXPECT_GT(widths, 1.9) << p.name;
    EXPECT_LT(widths, 2.15) << p.name << ": 40 frames with equal information have about 38 degrees of freedom";
  }
}

/// Few returns come from far walls. A midpoint of texture loss beyond them follows only from the steepness of the law.
TEST(ChainIntervals, OfAMidpointBeyondTheWallsReachFartherToTheSideThatIsHardlySeen) {
  const NoiseChain chain = {TextureLoss{.texture = 0.0F, .midpoint = 0.012F, .width = 0.006F}};
  const ChainReturns returns = simulate_returns(chain, 40, 64, 8);
  const ChainFit fit = fit_chain(chain, parameters_of(chain, {"*.midpoint", "*.width"}), returns, {.hold_out = 0});
  const auto fall = [&](double midpoint, double width) {
    NoiseChain other = fit.chain;
    other[0].noise = other[0].noise.with("midpoint", midpoint).with("width", width);
    double nats = 0;
    for (const FrameScore& score : score_frames(other, returns))
      nats += score.nats * static_cast<double>(score.returns);
    return 2 * (fit.log_likelihood - nats);
  };
  const Fit::Parameter& p = fit.parameters[0];
  double falls[2] = {1e9, 1e9};
  // The best width of each end, by trying many.
  for (int i = 1; i <= 400; ++i) {
    const double width = 0.00005 * i;
    falls[0] = std::min(falls[0], fall(p.low_95, width)), falls[1] = std::min(falls[1], fall(p.high_95, width));
  }
  EXPECT_NEAR(std::sqrt(falls[0] / falls[1]), 1, 0.08) << p.low_95 << " to " << p.high_95;
  EXPECT_GT(std::sqrt(falls[0]), 1.96 * 0.96);
}

}  // namespace
}  // namespace fathom::test::chain_intervals_test

// Intervals of parameters at which the likelihood jumps: what lies between two returns, and ends of a uniform.

namespace fathom::test::jump_intervals_test {
namespace {

constexpr std::uint32_t kFrames = 8, kPerFrame = 128;

Fit::Parameter learned(const NoiseChain& chain, const std::string& pattern, const ChainReturns& returns) {
  const std::vector<ChainParameter> free = chain_parameters(chain, pattern);
  return fit_chain(with_wrong_values(chain, free, 0.9), free, returns, {.hold_out = 0}).parameters.front();
}

TEST(JumpIntervals, OfALimitIsTheMiddleOfWhatLiesBetweenTwoReturns) {
  const NoiseChain chain = {LossAngle{1.2F}};
  const ChainReturns returns = simulate_returns(chain, kFrames, kPerFrame, 3);
  double kept = 0.0, lost = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const auto angle = double{returns.incidence_rad[i]};
    if (std::isnan(returns.range_m[i])) {
      lost = std::min(lost, angle);
    } else {
      kept = std::max(kept, angle);
    }
  }
  const Fit::Parameter limit = learned(chain, "loss_angle.max_incidence_rad", returns);
  const double gap = lost - kept, cell = gap / 32.0;  // which it is at most known to
  EXPECT_NEAR(limit.low_95, kept + 0.025 * gap, 1.5 * cell);
  EXPECT_NEAR(limit.high_95, lost - 0.025 * gap, 1.5 * cell);
  EXPECT_NEAR(limit.high_95 - limit.low_95, 0.95 * gap, 2.0 * cell);
}

/// The likelihood of n errors is width^-n from the outermost one on: a density that falls e-fold in width / n.
TEST(JumpIntervals, OfAnEndOfAUniformGoesOutwards) {
  const NoiseChain chain = {UniformNoise{-0.1F, 0.15F}};
  const ChainReturns returns = simulate_returns(chain, kFrames, kPerFrame, 4);
  double most_m = 0.0;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    most_m = std::max(most_m, double{returns.range_m[i]} - double{returns.clean_range_m[i]});
  }
  const Fit::Parameter high = learned(chain, "uniform.high_m", returns);
  const double fall_m = (0.1 + most_m) / static_cast<double>(returns.size());
  EXPECT_NEAR(high.low_95, most_m, 0.5 * fall_m);
  EXPECT_NEAR(high.high_95, most_m + std::log(20.0) * fall_m, 0.6 * fall_m);
}

TEST(JumpIntervals, HoldTheTruthAsOftenAsTheySay) {
  const NoiseChain limit = {LossAngle{1.2F}}, ends = {UniformNoise{-0.1F, 0.15F}};
  constexpr std::uint32_t kFew = 32;  // in a frame: what the intervals rest on are the returns beside a jump
  const std::size_t seeds = repetitions(40);
  double held[2] = {};
  for (std::size_t seed = 1; seed <= seeds; ++seed) {
    const auto quads = static_cast<std::uint32_t>(seed * kFrames * kFew);
    const Fit::Parameter found[] = {
        learned(limit, "loss_angle.max_incidence_rad", simulate_returns(limit, kFrames, kFew, seed, quads)),
        learned(ends, "uniform.high_m", simulate_returns(ends, kFrames, kFew, seed, quads))};
    const double truth[] = {double{1.2F}, double{0.15F}};
    for (std::size_t k = 0; k < 2; ++k)
      held[k] += found[k].low_95 <= truth[k] && truth[k] <= found[k].high_95 ? 1.0 : 0.0;
  }
  const auto n = static_cast<double>(seeds);
  for (const double count : held) {
    EXPECT_GE(count / n, 0.95 - 3.0 * std::sqrt(0.95 * 0.05 / n));
    EXPECT_LE(count / n, kSanitized ? 1.0 : 0.99);
  }
}

}  // namespace
}  // namespace fathom::test::jump_intervals_test

// Intervals hold the truth as often as they say: bench/study_chains.cpp in small.

namespace fathom::test::chain_coverage_test {
namespace {

/// The share of intervals that hold the truth is at most three binomial deviations below 95 %. Reported standard errors
/// match the spread of the estimates, to about as many deviations of a mean square.
void expect_covered(const std::vector<ParameterCoverage>& all, std::size_t seeds) {
  const auto n = static_cast<double>(seeds);
  for (const ParameterCoverage& c : all) {
    ASSERT_EQ(c.off.size(), seeds) << c.name;
    EXPECT_GE(c.share_held(), 0.95 - 3.0 * std::sqrt(0.95 * 0.05 / n)) << c.name;
    EXPECT_NEAR(std::pow(c.spread_over_stated(), 2), 1.0, 3.5 * std::sqrt(2.0 / n) + 0.1) << c.name;
  }
}

/// Few seeds of each: all parameters of all presets are judged together, as if they were independent.
TEST(PresetCoverage, IsWhatIntervalsSay) {
  const std::size_t seeds = repetitions(2);
  ParameterCoverage all;
  for (const char* preset : {"VLP-16", "LMS-111", "real_structured_light"}) {
    for (const ParameterCoverage& c : measure_coverage(preset_study(find_preset(preset)), seeds)) {
      EXPECT_EQ(c.off.size(), seeds) << preset << ' ' << c.name;
      all.add(c);
    }
  }
  EXPECT_TRUE(are_enough_held(all.held, all.off.size())) << all.held << " of " << all.off.size();
  EXPECT_GT(chi_square_p_value(all.squares, static_cast<double>(all.off.size())), kLeastChance) << all.squares;
}

TEST(RingCoverage, IsWhatIntervalsSay) {
  const std::size_t seeds = repetitions(4);
  const std::vector<ParameterCoverage> all = measure_coverage(ring_study(4), seeds);
  ASSERT_EQ(all.size(), 9U);
  expect_covered(all, seeds);
}

/// Many scans see the same misplaced walls of the scene. Only clusters by stretches of the way account for it.
TEST(StretchCoverage, HoldsWhereFramesErrTogether) {
  const std::size_t seeds = repetitions(12);
  ChainStudy study;
  study.truth = {DistanceNoise{0.0F, 0.02F, 0.0F}};
  study.free = chain_parameters(study.truth, "distance.mean_m");
  study.returns = [](std::uint64_t seed) { return uneven_walls(seed, 480, 12); };
  const ParameterCoverage usual = measure_coverage(study, seeds).front();
  study.options.stretches = 0;
  const ParameterCoverage by_frame = measure_coverage(study, seeds).front();
  EXPECT_GE(usual.share_held(), 0.95 - 3.0 * std::sqrt(0.95 * 0.05 / static_cast<double>(seeds)));
  EXPECT_LT(by_frame.share_held(), 0.7);
  EXPECT_GT(by_frame.median_off(), 2 * usual.median_off());
}

TEST(StretchCoverage, StretchesAreTakenWhereTheSensorMoved) {
  ChainReturns returns = uneven_walls(1, 200, 12);
  const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}};
  const std::vector<ChainParameter> free = chain_parameters(chain, "distance.mean_m");
  const ChainFit moved = fit_chain(chain, free, returns, {.hold_out = 0});
  EXPECT_EQ(moved.blocks, 40U);
  EXPECT_EQ(moved.block, "stretch");
  EXPECT_EQ(fit_chain(chain, free, returns, {.hold_out = 0, .block_frames = 5}).block, "frame");
  const ChainFit few = fit_chain(chain, free, returns, {.hold_out = 0, .stretches = 8});
  EXPECT_EQ(few.blocks, 8U);
  ASSERT_FALSE(few.findings.empty());
  EXPECT_TRUE(contains(few.findings.back().text.text(), "errors rest on 8 independent stretches of the way"));
  returns.sensor_moved = false;
  const ChainFit stood = fit_chain(chain, free, returns, {.hold_out = 0});
  EXPECT_EQ(stood.blocks, 200U);
  EXPECT_EQ(stood.block, "frame");
  EXPECT_EQ(stood.parameters[0].value, moved.parameters[0].value);
  EXPECT_LT(stood.parameters[0].std_error, moved.parameters[0].std_error);
  // The error of a mean score by stretches, too.
  const std::vector<FrameScore> scores = score_frames(moved.chain, returns);
  EXPECT_EQ(mean_score(scores).nats, mean_score(scores, 40).nats);
  EXPECT_GT(mean_score(scores, 40).std_error, 1.5 * mean_score(scores).std_error);
}

}  // namespace
}  // namespace fathom::test::chain_coverage_test
