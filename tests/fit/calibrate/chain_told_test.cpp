// SPDX-License-Identifier: MIT
// No data can distinguish some parameters. One of them keeps its given value and is flagged. The others have the
// standard errors that they have alone.

#include "fit/calibrate/chain_simulator.hpp"
#include "support/expect.hpp"

namespace fathom::test::chain_told_test {
namespace {

struct Told {
  ChainFit fit;
  [[nodiscard]] const Fit::Parameter& operator[](const std::string& name) const { return fit[name]; }
  void expect_as_given(const std::string& name) const {
    const Fit::Parameter& p = (*this)[name];
    EXPECT_EQ(p.status, Fit::Status::kUnidentified) << name;
    EXPECT_TRUE(std::isnan(p.std_error) && std::isnan(p.low_95)) << name;
    EXPECT_EQ(p.value, p.start) << name;
    EXPECT_TRUE(std::ranges::any_of(texts_of(fit.findings), [&](const std::string& flag) {
      return flag.starts_with(name) && flag.find("stays as given") != std::string::npos;
    })) << name;
  }
  void expect_found(const std::string& name, double truth, double most_error) const {
    const Fit::Parameter& p = (*this)[name];
    EXPECT_LT(std::abs(p.value - truth), 3.5 * p.std_error) << name << " = " << p.value << " +- " << p.std_error;
    EXPECT_LT(p.std_error, most_error) << name;
    if (truth != 0.0) EXPECT_NE(p.status, Fit::Status::kUnidentified) << name;
  }
};

Told told(const NoiseChain& start, const std::vector<std::string>& free, const ChainReturns& returns) {
  return {fit_chain(start, parameters_of(start, free), returns, {.hold_out = 0, .threads = 1})};
}

ChainReturns returns_of(const NoiseChain& truth, std::uint64_t seed = 6) {
  return simulate_returns(truth, 24, 128, seed);
}

TEST(ChainTold, TheLowerEndOfAUniformIsTheLower) {
  const ChainReturns returns = returns_of({UniformNoise{-0.02F, 0.03F}});
  for (const UniformNoise& start : {UniformNoise{-0.001F, 0.001F}, UniformNoise{}, UniformNoise{0.01F, -0.01F}}) {
    const Told fit = told({start}, {"uniform.*"}, returns);
    fit.expect_found("uniform.low_m", -0.02, 1e-4);
    fit.expect_found("uniform.high_m", 0.03, 1e-4);
  }
}

TEST(ChainTold, TheMeanOfADistanceIsThatOfAUniform) {
  const ChainReturns sharp = returns_of({UniformNoise{-0.02F, 0.03F}});
  const NoiseChain start = {UniformNoise{-0.01F, 0.01F}, DistanceNoise{0.001F, 0.01F, 0.0F}};
  const Told of_sharp = told(start, {"uniform.*", "distance.mean_m", "distance.stddev_m"}, sharp);
  of_sharp.expect_as_given("distance.mean_m");
  of_sharp.expect_found("uniform.low_m", -0.021, 1e-4);
  of_sharp.expect_found("uniform.high_m", 0.029, 1e-4);
  EXPECT_EQ(of_sharp["distance.stddev_m"].status, Fit::Status::kAtLimit);
  EXPECT_EQ(of_sharp["distance.stddev_m"].value, 0.0);
  const Told of_blunt = told(start, {"uniform.*", "distance.mean_m", "distance.stddev_m"},
                             returns_of({UniformNoise{-0.02F, 0.03F}, DistanceNoise{0.0F, 0.003F, 0.0F}}));
  of_blunt.expect_as_given("distance.mean_m");
  of_blunt.expect_found("uniform.low_m", -0.021, 1e-3);
  of_blunt.expect_found("uniform.high_m", 0.029, 1e-3);
  of_blunt.expect_found("distance.stddev_m", 0.003, 1e-3);
}

TEST(ChainTold, AGainBesideASharpUniformNeedsABluntError) {
  const ChainReturns returns = returns_of({GainBias{0.01F, 0.0F}, UniformNoise{-0.02F, 0.03F}});
  const NoiseChain sharp = {GainBias{0.0F, 0.004F}, UniformNoise{-0.01F, 0.01F}};
  EXPECT_TRUE(contains(input_error([&] {
                         told(sharp, {"gain_bias.*", "uniform.*"}, returns);
                       }),
                       "gain_bias.gain cannot be learned where uniform is the only random error"));
  const Told bias = told(sharp, {"gain_bias.bias_m", "uniform.*"}, returns_of({UniformNoise{-0.02F, 0.03F}}));
  bias.expect_as_given("gain_bias.bias_m");
  bias.expect_found("uniform.low_m", -0.024, 1e-3);
  const Told fit = told({GainBias{0.0F, 0.004F}, UniformNoise{-0.01F, 0.01F}, DistanceNoise{0.0F, 0.01F, 0.0F}},
                        {"gain_bias.*", "uniform.*", "distance.stddev_m"}, returns);
  fit.expect_as_given("gain_bias.bias_m");
  fit.expect_found("gain_bias.gain", 0.01, 1e-3);
  fit.expect_found("uniform.low_m", -0.024, 1e-3);
  fit.expect_found("uniform.high_m", 0.026, 1e-3);
  EXPECT_EQ(fit["distance.stddev_m"].status, Fit::Status::kAtLimit);
}

TEST(ChainTold, AMeanBesideABiasIsHeldAndTheDeviationKeepsItsError) {
  const NoiseChain truth = {GainBias{0.01F, 0.02F}, DistanceNoise{0.005F, 0.02F, 0.0F}};
  const ChainReturns returns = returns_of(truth);
  const NoiseChain start = {GainBias{}, DistanceNoise{0.0F, 0.05F, 0.0F}};
  const Told fit = told(start, {"*.gain", "*.bias_m", "*.mean_m", "*.stddev_m"}, returns);
  const Told alone = told(start, {"*.gain", "*.bias_m", "*.stddev_m"}, returns);
  fit.expect_as_given("distance.mean_m");
  for (const char* name : {"gain_bias.gain", "gain_bias.bias_m", "distance.stddev_m"}) {
    EXPECT_EQ(fit[name].value, alone[name].value) << name;
    EXPECT_EQ(fit[name].std_error, alone[name].std_error) << name;
    EXPECT_TRUE(std::isfinite(fit[name].std_error));
  }
}

TEST(ChainTold, TheFirstOfTwoDropoutsIsHeld) {
  const NoiseChain truth = {Dropout{0.02F}, DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.03F}};
  NoiseChain start = truth;
  start[2].noise = Dropout{0.1F};
  const Told fit = told(start, {"dropout.*", "distance.stddev_m"}, returns_of(truth));
  fit.expect_as_given("0.dropout.probability");
  fit.expect_found("2.dropout.probability", 0.03, 0.01);
  fit.expect_found("distance.stddev_m", 0.02, 1e-3);
}

TEST(ChainTold, OfTwoDistancesOneIsHeld) {
  const NoiseChain truth = {DistanceNoise{0.01F, 0.02F, 0.0F}, DistanceNoise{0.0F, 0.01F, 0.0F}};
  const Told fit = told(truth, {"distance.mean_m", "distance.stddev_m"}, returns_of(truth));
  fit.expect_as_given("0.distance.mean_m");
  fit.expect_as_given("0.distance.stddev_m");
  fit.expect_found("1.distance.mean_m", 0.0, 1e-3);
  fit.expect_found("1.distance.stddev_m", 0.01, 1e-3);
}

TEST(ChainTold, BiasesOfAllRingsAreToldAndTheCommonMeanIsHeld) {
  const NoiseChain truth = {GainBias{}, DistanceNoise{0.0F, 0.02F, 0.0F}};
  ChainReturns returns = returns_of(truth);
  for (std::size_t i = 0; i < returns.size(); ++i) returns.ring.push_back(static_cast<std::uint16_t>(i % 4));
  const std::vector<std::uint16_t> rings = {0, 1, 2, 3};
  std::vector<ChainParameter> free = chain_parameters(truth, "gain_bias.rings.*.bias_m", rings);
  for (const ChainParameter& p : chain_parameters(truth, "distance.mean_m")) free.push_back(p);
  for (const ChainParameter& p : chain_parameters(truth, "distance.stddev_m")) free.push_back(p);
  const Told fit = {fit_chain(truth, free, returns, {.hold_out = 0, .threads = 1})};
  fit.expect_as_given("distance.mean_m");
  for (const char* ring : {"0", "1", "2", "3"}) {
    fit.expect_found("gain_bias.rings." + std::string(ring) + ".bias_m", 0.0, 2e-3);
  }
  fit.expect_found("distance.stddev_m", 0.02, 1e-3);
}

/// What no return shows does not move: nothing is so far that texture fails.
TEST(ChainTold, WhatDoesNothingStays) {
  const TextureLoss far{0.0F, 0.9F, 50.0F, 0.0F, 10.0F, 0.0005F, 0.00002F};
  const NoiseChain truth = {far, DistanceNoise{0.0F, 0.02F, 0.0F}};
  const Told fit = told(truth, {"texture_loss.midpoint", "texture_loss.width", "distance.stddev_m"}, returns_of(truth));
  for (const char* name : {"texture_loss.midpoint", "texture_loss.width"}) {
    const Fit::Parameter& p = fit[name];
    EXPECT_TRUE(p.status != Fit::Status::kLearned) << name;
    if (p.status != Fit::Status::kAtLimit) EXPECT_EQ(p.value, p.start) << name;
  }
  fit.expect_found("distance.stddev_m", 0.02, 1e-3);
}

}  // namespace
}  // namespace fathom::test::chain_told_test
