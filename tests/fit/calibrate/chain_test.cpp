// SPDX-License-Identifier: MIT
// What is simulated is learned: returns drawn by the kernels of the models, and the parameters that made them.

#include <fathom/fit/chain.hpp>

#include <fathom/fit/fit.hpp>

#include "fit/beam/synthetic.hpp"
#include "fit/calibrate/chain_simulator.hpp"
#include "fit/calibrate/learned_cases.hpp"
#include "fit/chain/chain_likelihood.hpp"
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
    const Fit::Parameter& p = fit.parameters[k];
    const double truth = value_of(c.chain, free[k]);
    if (free[k].field == "steps_per_px") {
      EXPECT_EQ(p.value, truth);
      EXPECT_TRUE(std::isnan(p.std_error));  // it is known, or it is not
      continue;
    }
    ASSERT_TRUE(std::isfinite(p.std_error)) << p.name;
    EXPECT_LT(std::abs(p.value - truth), 3 * p.std_error) << p.name;
    const bool is_told = p.std_error < 0.5 * std::abs(truth);
    EXPECT_TRUE(is_told || kSanitized) << p.name << ": so wide an error would hold anything";
    EXPECT_NE(p.status, Fit::Status::kUnidentified) << p.name;
    EXPECT_GE(p.std_error, p.naive_error);
  }
  EXPECT_TRUE(fit.findings.empty()) << fit.findings.front().text.text();
  // Learned once more from its end, it stays there.
  const ChainFit again = fit_chain(fit.chain, free, returns, {.hold_out = 6});
  EXPECT_GE(again.log_likelihood, fit.log_likelihood);
  for (std::size_t k = 0; k < free.size(); ++k) {
    const Fit::Parameter &first = fit.parameters[k], &second = again.parameters[k];
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
      const Fit::Parameter& p = fit.parameters[k];
      const double truth = value_of(chain, free[k]);
      held[k] += truth >= p.low_95 && truth <= p.high_95 ? 1.0 : 0.0;
      squares[k] += std::pow((p.value - truth) / p.std_error, 2) / seeds;
    }
  }
  for (std::size_t k = 0; k < free.size(); ++k) {
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

// A mixture of readings (beam_mixture) learned within a chain.

namespace fathom::test::chain_readings_test {
namespace {

constexpr BeamMixture kTruth = {0.6F, 0.2F, 0.08F, 0.12F, 0.05F, 0.6F, 0.03F};

ChainReturns readings(const NoiseChain& chain, std::uint32_t per_frame = 256) {
  return simulate_returns(chain, 24, per_frame, 4);
}

double number(const Noise& noise, const char* field) { return value_of({noise}, {0, field}); }

/// The chain has the values that `fathom fit beam` finds of the same readings, and the same likelihood.
TEST(ChainReadings, AreLearnedAsTheBeamModelIs) {
  const ChainReturns returns = readings({kTruth}, 512);
  BeamData pairs;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const bool is_lost = std::isnan(returns.range_m[i]);
    pairs.reading_m.push_back(is_lost ? static_cast<float>(returns.max_range_m) : returns.range_m[i]);
    pairs.expected_m.push_back(returns.clean_range_m[i]), pairs.scan.push_back(returns.frame[i]);
  }
  FitOptions options;
  options.fit_hit_offset = true, options.stretches = 0;
  const BeamFit beam = fit_beam_model(pairs, {.max_range_m = returns.max_range_m}, options);
  const NoiseChain start = {BeamMixture{}};
  const ChainFit fit = fit_chain(start, chain_parameters(start, "*"), returns, {.hold_out = 0});
  const BeamParameters& p = beam.model;
  const double expected[] = {p.w_short, p.w_max, p.w_rand, p.sigma_hit_m, p.lambda_short_per_m, p.hit_offset_m};
  const BeamParameters e = numbers_of(beam, &Fit::Parameter::std_error);
  const double errors[] = {e.w_short, e.w_max, e.w_rand, e.sigma_hit_m, e.lambda_short_per_m, e.hit_offset_m};
  ASSERT_EQ(fit.parameters.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    const Fit::Parameter& learned = fit.parameters[k];
    EXPECT_NEAR(learned.value, expected[k], 0.02 * errors[k]) << learned.name;
    EXPECT_NEAR(learned.std_error / errors[k], 1.0, 0.15) << learned.name;
  }
  EXPECT_NEAR(number(fit.chain[0].noise, "w_hit"), p.w_hit, 1e-4);
  EXPECT_NEAR(fit.log_likelihood, beam.log_likelihood, 0.05);
  EXPECT_TRUE(fit.findings.empty()) << fit.findings.front().text.text();
}

/// Of a chain far from the truth, too, and with one parameter free the others stay.
TEST(ChainReadings, AreFoundFromFarAway) {
  const ChainReturns returns = readings({kTruth});
  const auto learned = [&](const BeamMixture& start, const char* free) {
    return fit_chain({start}, chain_parameters({start}, free), returns, {.hold_out = 0});
  };
  const ChainFit near = learned(kTruth, "*");
  for (const BeamMixture& start : {BeamMixture{0.0F, 0.5F, 0.3F, 0.2F, 3.0F, 0.0F, -2.0F},
                                   BeamMixture{1.0F, 0.0F, 0.0F, 0.0F, 0.001F, 30.0F, 0.5F}}) {
    const ChainFit far = learned(start, "*");
    for (std::size_t k = 0; k < near.parameters.size(); ++k) {
      const Fit::Parameter& p = near.parameters[k];
      EXPECT_NEAR(far.parameters[k].value, p.value, 0.02 * p.std_error) << p.name;
    }
  }
  BeamMixture wrong = kTruth;
  wrong.w_hit = 0.3F, wrong.w_rand = 0.42F;
  const ChainFit one = learned(wrong, "beam_mixture.w_rand");
  EXPECT_NEAR(one.parameters[0].value, 0.12, 3.5 * one.parameters[0].std_error);
  EXPECT_EQ(number(one.chain[0].noise, "w_short"), number(kTruth, "w_short"));
  const double sum = number(one.chain[0].noise, "w_hit") + number(one.chain[0].noise, "w_rand");
  EXPECT_NEAR(sum, 1.0 - 0.28, 1e-6);
}

/// What other models do as well stays as given: a loss, a mean, a deviation.
TEST(ChainReadings, KeepWhatOtherModelsTell) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}, kTruth, Dropout{0.1F}};
  const ChainReturns returns = readings(chain);
  const auto free = parameters_of(chain, {"*.mean_m", "*.stddev_m", "beam_mixture.*", "dropout.*"});
  const ChainFit fit = fit_chain(chain, free, returns, {.hold_out = 0});
  std::size_t held = 0;
  for (const Fit::Parameter& p : fit.parameters) {
    const bool is_told = p.name == "distance.mean_m" || p.name == "distance.stddev_m" || p.name == "beam_mixture.w_max";
    held += is_told ? 1 : 0;
    EXPECT_EQ(p.status == Fit::Status::kUnidentified, is_told) << p.name;
    if (is_told) EXPECT_EQ(p.value, p.start) << p.name;
    if (!is_told) EXPECT_NEAR(p.value, p.start, 3.5 * p.std_error) << p.name;
  }
  EXPECT_EQ(held, 3U);
}

TEST(ChainReadings, WeightsAboveOneAreMadeSmallerAlike) {
  const Noise full = Noise(kTruth).with({{{"w_short", 0.9}, {"w_max", 0.3}, {"w_rand", 0.3}}}, true);
  EXPECT_EQ(number(full, "w_hit"), 0.0);
  EXPECT_NEAR(number(full, "w_short"), 0.6, 1e-7);
  EXPECT_NEAR(number(full, "w_max"), 0.2, 1e-7);
  const Noise some = Noise(kTruth).with({{{"w_rand", 0.5}}}, true);
  EXPECT_NEAR(number(some, "w_hit"), 0.22, 1e-6);
  EXPECT_EQ(number(some, "w_short"), number(kTruth, "w_short"));
}

TEST(ChainReadings, NeedToKnowHowFarTheSensorMeasures) {
  ChainReturns returns = readings({kTruth});
  returns.max_range_m = 1e9;
  const std::string text = input_error([&] { (void)score_frames({kTruth}, returns); });
  EXPECT_TRUE(contains(text, "how far the sensor measures is not known"));
}

}  // namespace
}  // namespace fathom::test::chain_readings_test
