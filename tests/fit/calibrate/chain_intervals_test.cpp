// SPDX-License-Identifier: MIT
// Intervals follow the likelihood: closed forms of what it is along one parameter.

#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "fit/calibrate/chain_simulator.hpp"

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
    const FitParameter p = fit_chain(chain, chain_parameters(chain, "*"), returns, {.hold_out = 0}).parameters.front();
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
  const FitParameter p = fit_chain(chain, chain_parameters(chain, "*"), returns, {.hold_out = 0}).parameters.front();
  EXPECT_NEAR(p.value, 5.0 / 4992, 1e-5);
  EXPECT_GT(p.low_95, 0);
  EXPECT_GT(p.std_error, p.naive_error);
  EXPECT_LT(p.high_95, 6 * p.value);
}

TEST(ChainIntervals, OfASingleLossEndAboveNothing) {
  ChainReturns returns = simulate_returns({Dropout{0.0F}}, 20, 64, 1);
  returns.range_m[333] = NAN;
  const NoiseChain chain = {Dropout{0.01F}};
  const FitParameter p = fit_chain(chain, chain_parameters(chain, "*"), returns, {.hold_out = 0}).parameters.front();
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
  for (const FitParameter& p : fit.parameters) {
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
  const FitParameter& p = fit.parameters[0];
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
