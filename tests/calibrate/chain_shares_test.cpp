// SPDX-License-Identifier: MIT
// What pictures of a learned chain show: shares of errors in bins, measured and expected.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "calibrate/chain_scores.hpp"
#include "calibrate/chain_simulator.hpp"

namespace fathom::test::chain_shares_test {
namespace {

double sum_of(const BinShares& bins) { return std::accumulate(bins.shares.begin(), bins.shares.end(), 0.0); }

/// The outer bins hold what lies beyond, so that all shares are 1 together.
TEST(ChainShares, HoldAllErrorsAndAgreeWithTheChain) {
  for (const NoiseChain& chain :
       {NoiseChain{DistanceNoise{0.01F, 0.02F, 0.003F}}, NoiseChain{StudentNoise{0.02F, 0.0F, 1.0F}, Dropout{0.2F}},
        NoiseChain{BeamMixture{0.6F, 0.2F, 0.08F, 0.12F, 0.05F, 0.6F, 0.03F}}}) {
    const ChainReturns returns = simulate_returns(chain, 16, 512, 3);
    const std::vector<double> edges = error_edges(returns, 60);
    const BinShares measured = measured_errors(returns, edges), expected = expected_errors(chain, returns, edges);
    EXPECT_NEAR(sum_of(measured), 1.0, 1e-9);
    EXPECT_NEAR(sum_of(expected), 1.0, 1e-3);
    for (std::size_t bin = 0; bin < 60; ++bin) {
      const double p = expected.shares[bin];
      EXPECT_NEAR(measured.shares[bin], p, 4.5 * std::sqrt(p / 6000.0) + 2e-3) << bin;
    }
  }
}

/// Of heavy tails the picture shows the middle: not one bin that holds nearly everything.
TEST(ChainShares, ShowTheMiddleOfHeavyTails) {
  const ChainReturns returns = simulate_returns({StudentNoise{0.02F, 0.0F, 0.6F}}, 16, 512, 3);
  const BinShares measured = measured_errors(returns, error_edges(returns, 60));
  EXPECT_LT(*std::max_element(measured.shares.begin(), measured.shares.end()), 0.4);
}

}  // namespace
}  // namespace fathom::test::chain_shares_test
