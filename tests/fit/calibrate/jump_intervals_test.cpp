// SPDX-License-Identifier: MIT
// Intervals of parameters at which the likelihood jumps: what lies between two returns, and ends of a uniform.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/fit/chain.hpp>

#include "fit/calibrate/chain_simulator.hpp"
#include "support/sanitized.hpp"

namespace fathom::test::jump_intervals_test {
namespace {

constexpr std::uint32_t kFrames = 8, kPerFrame = 128;

FitParameter learned(const NoiseChain& chain, const std::string& pattern, const ChainReturns& returns) {
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
  const FitParameter limit = learned(chain, "loss_angle.max_incidence_rad", returns);
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
  const FitParameter high = learned(chain, "uniform.high_m", returns);
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
    const FitParameter found[] = {
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
