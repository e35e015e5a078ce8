// SPDX-License-Identifier: MIT
// What is simulated is learned: returns drawn by the kernels of the models, and the parameters that made them.

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/fit/chain.hpp>

#include "fit/calibrate/chain_simulator.hpp"
#include "fit/calibrate/learned_cases.hpp"
#include "fit/chain/chain_likelihood.hpp"
#include "support/sanitized.hpp"
#include "support/statistics.hpp"

namespace fathom::test::chain_test {
namespace {

class LearnedChain : public testing::TestWithParam<LearnedCase> {};

TEST_P(LearnedChain, HasTheParametersThatMadeTheReturns) {
  const LearnedCase& c = GetParam();
  const std::vector<ChainParameter> free = parameters_of(c.chain, c.free);
  const ChainReturns returns =
      simulate_returns(c.chain, c.frames, kSanitized ? 256 : c.per_frame, 11);  // fewer: wider errors
  const ChainFit fit = fit_chain(with_wrong_values(c.chain, free, c.wrong), free, returns, {.hold_out = 6});
  EXPECT_GT(fit.log_likelihood, fit.start_log_likelihood);
  EXPECT_GT(fit.held_out->gain_nats, 0);
  ASSERT_EQ(fit.parameters.size(), free.size());
  for (std::size_t k = 0; k < free.size(); ++k) {
    const FitParameter& p = fit.parameters[k];
    const double truth = value_of(c.chain, free[k]);
    std::cout << c.name << ' ' << p.name << " = " << p.value << " +- " << p.std_error << ", made by " << truth << '\n';
    if (free[k].field == "steps_per_px") {
      EXPECT_EQ(p.value, truth);
      EXPECT_TRUE(std::isnan(p.std_error));  // it is known, or it is not
      continue;
    }
    ASSERT_TRUE(std::isfinite(p.std_error)) << p.name;
    EXPECT_LT(std::abs(p.value - truth), 3 * p.std_error) << p.name;
    const bool is_told = p.std_error < 0.5 * std::abs(truth);
    EXPECT_TRUE(is_told || kSanitized) << p.name << ": so wide an error would hold anything";
    EXPECT_NE(p.status, ParameterStatus::kUnidentified) << p.name;
    EXPECT_GE(p.std_error, p.naive_error);
  }
  EXPECT_TRUE(fit.findings.empty()) << fit.findings.front().text.text();
  // Learned once more from its end, it stays there.
  const ChainFit again = fit_chain(fit.chain, free, returns, {.hold_out = 6});
  EXPECT_GE(again.log_likelihood, fit.log_likelihood);
  for (std::size_t k = 0; k < free.size(); ++k) {
    const FitParameter &first = fit.parameters[k], &second = again.parameters[k];
    const double error = std::isnan(first.std_error) ? 0.0 : first.std_error;
    EXPECT_NEAR(second.value, first.value, 0.1 * error) << first.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Alone, LearnedChain, testing::ValuesIn(models_alone()),
                         [](const auto& test) { return test.param.name; });
INSTANTIATE_TEST_SUITE_P(Chains, LearnedChain, testing::ValuesIn(models_together()), [](const auto& test) {
  std::string name = test.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(ChainCoverage, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const NoiseChain chain = {LossAngle{1.2F}, DistanceNoise{0.01F, 0.02F, 0.004F}, Dropout{0.1F}};
  const std::vector<ChainParameter> free = chain_parameters(chain, "*");
  const auto seeds = static_cast<double>(repetitions(10));
  std::vector<double> held(free.size(), 0.0), squares(free.size(), 0.0);
  for (std::uint64_t seed = 1; seed <= repetitions(10); ++seed) {
    const ChainReturns returns = simulate_returns(chain, 30, 64, 77 + 501 * seed);
    const ChainFit fit = fit_chain(with_wrong_values(chain, free, 0.7), free, returns, {.hold_out = 0});
    for (std::size_t k = 0; k < free.size(); ++k) {
      const FitParameter& p = fit.parameters[k];
      const double truth = value_of(chain, free[k]);
      held[k] += truth >= p.low_95 && truth <= p.high_95 ? 1.0 : 0.0;
      squares[k] += std::pow((p.value - truth) / p.std_error, 2) / seeds;
    }
  }
  for (std::size_t k = 0; k < free.size(); ++k) {
    std::cout << free[k].field << ": " << held[k] << " of " << seeds << ", mean square " << squares[k] << '\n';
    // Three of its binomial deviations below 95 %; the larger of two errors holds the truth somewhat more often.
    EXPECT_GE(held[k], 0.95 * seeds - 3.0 * std::sqrt(0.95 * 0.05 * seeds)) << free[k].field;
    if (free[k].field == "max_incidence_rad") continue;  // the likelihood jumps there: its law is not normal
    // Right errors fail twice in a thousand: for 10 seeds the mean square is in (0.148, 2.96).
    const double p = chi_square_p_value(seeds * squares[k], seeds);
    EXPECT_TRUE(p > 0.001 && p < 0.999) << free[k].field << ", p = " << p;
  }
}

// Pictures of a learned chain show shares of errors in bins, measured and expected.

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
}  // namespace fathom::test::chain_test
