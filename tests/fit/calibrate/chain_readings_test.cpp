// SPDX-License-Identifier: MIT
// A mixture of readings (beam_mixture) learned within a chain.

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/fit/chain.hpp>
#include <fathom/fit/fit.hpp>

#include "fit/beam/synthetic.hpp"
#include "fit/calibrate/chain_simulator.hpp"
#include "support/error_text.hpp"

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
  const BeamParameters e = numbers_of(beam, &FitParameter::std_error);
  const double errors[] = {e.w_short, e.w_max, e.w_rand, e.sigma_hit_m, e.lambda_short_per_m, e.hit_offset_m};
  ASSERT_EQ(fit.parameters.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    const FitParameter& learned = fit.parameters[k];
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
      const FitParameter& p = near.parameters[k];
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
  for (const FitParameter& p : fit.parameters) {
    const bool is_told = p.name == "distance.mean_m" || p.name == "distance.stddev_m" || p.name == "beam_mixture.w_max";
    std::cout << p.name << " = " << p.value << " +- " << p.std_error << '\n';
    held += is_told ? 1 : 0;
    EXPECT_EQ(p.status == ParameterStatus::kUnidentified, is_told) << p.name;
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
  EXPECT_NE(text.find("how far the sensor measures is not known"), std::string::npos) << text;
}

}  // namespace
}  // namespace fathom::test::chain_readings_test
