// SPDX-License-Identifier: MIT
// What learning a chain promises besides right values.

#include "fit/calibrate/chain_simulator.hpp"
#include "support/expect.hpp"

namespace fathom::test::chain_rules_test {
namespace {

const NoiseChain& lidar_chain() {
  static const NoiseChain chain = {LossAngle{1.3F}, DistanceNoise{0.01F, 0.02F, 0.0F}, UniformNoise{-0.1F, 0.15F},
                                   Dropout{0.04F}};
  return chain;
}

bool has_flag(const ChainFit& fit, const std::string& what) {
  return std::ranges::any_of(texts_of(fit.findings),
                             [&](const std::string& flag) { return flag.find(what) != std::string::npos; });
}

TEST(ChainRules, ThreadsChangeNoBit) {
  const std::vector<ChainParameter> free = parameters_of(lidar_chain(), {"loss_angle.*", "*.stddev_m", "dropout.*"});
  const NoiseChain start = with_wrong_values(lidar_chain(), free, 0.8);
  const ChainReturns returns = simulate_returns(lidar_chain(), 8, 512, 5);
  const ChainFit one = fit_chain(start, free, returns, {.threads = 1});
  const ChainFit three = fit_chain(start, free, returns, {.threads = 3});
  EXPECT_EQ(one.log_likelihood, three.log_likelihood);
  EXPECT_EQ(one.held_out->nats, three.held_out->nats);
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_EQ(one.parameters[k].value, three.parameters[k].value);
    EXPECT_EQ(one.parameters[k].std_error, three.parameters[k].std_error);
  }
}

TEST(ChainRules, LearningNeverLowersTheLikelihood) {
  const std::vector<ChainParameter> free = parameters_of(lidar_chain(), {"loss_angle.*", "uniform.*", "dropout.*"});
  const ChainReturns returns = simulate_returns(lidar_chain(), 6, 256, 7);
  const auto end = fit_chain(lidar_chain(), free, returns).log_likelihood;
  for (const double factor : {0.05, 0.5, 1.0, 1.15}) {
    const ChainFit fit = fit_chain(with_wrong_values(lidar_chain(), free, factor), free, returns);
    EXPECT_GE(fit.log_likelihood, fit.start_log_likelihood) << factor;
    EXPECT_NEAR(fit.log_likelihood, end, 0.05) << factor;  // and the start does not decide where it ends
  }
}

TEST(ChainRules, TwoModelsThatDoTheSameAreFlagged) {
  const NoiseChain twice = {DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.1F}, Dropout{0.2F}};
  const ChainFit fit = fit_chain(twice, chain_parameters(twice, "dropout.*"), simulate_returns(twice, 24, 512, 4));
  ASSERT_EQ(fit.parameters.size(), 2U);
  EXPECT_EQ(fit.parameters[0].name, "1.dropout.probability");
  EXPECT_TRUE(fit.parameters[0].status == Fit::Status::kUnidentified ||
              fit.parameters[1].status == Fit::Status::kUnidentified);
  EXPECT_TRUE(has_flag(fit, "cannot be learned")) << fit.findings.size();
}

TEST(ChainRules, ALimitThatNothingReachedIsFlaggedAndStays) {
  // All returns are farther than 0.5 m, so no disparity exceeds 100 px.
  const InvalidBand band = {.left_band = false, .max_disparity_px = 300.0F};
  const NoiseChain chain = {band, DistanceNoise{0.0F, 0.02F, 0.0F}};
  const ChainFit fit =
      fit_chain(chain, chain_parameters(chain, "invalid_band.max_disparity_px"), simulate_returns(chain, 24, 512, 4));
  EXPECT_EQ(fit.parameters[0].status, Fit::Status::kUnidentified);
  EXPECT_TRUE(std::isnan(fit.parameters[0].std_error));
  EXPECT_EQ(fit.parameters[0].value, 300);
  EXPECT_TRUE(has_flag(fit, "invalid_band.max_disparity_px cannot be learned"));
}

TEST(ChainRules, ALimitThatReturnsContradictMovesAndIsCalledABound) {
  // Returns to 1.4 rad of incidence came back, and none was lost beyond.
  const NoiseChain chain = {LossAngle{1.1F}, DistanceNoise{0.0F, 0.02F, 0.0F}};
  ChainReturns returns = simulate_returns({DistanceNoise{0.0F, 0.02F, 0.0F}}, 24, 512, 4);
  float most = 0.0F;
  for (float& angle : returns.incidence_rad) angle = std::min(angle, 1.4F), most = std::max(most, angle);
  const ChainFit fit = fit_chain(chain, chain_parameters(chain, "loss_angle.*"), returns, {.hold_out = 0});
  EXPECT_EQ(fit.parameters[0].status, Fit::Status::kUnidentified);
  EXPECT_TRUE(std::isnan(fit.parameters[0].std_error));
  EXPECT_NEAR(fit.parameters[0].value, most, 0.05);
  EXPECT_TRUE(has_flag(fit, "loss_angle.max_incidence_rad is at least about 1.4"));
  EXPECT_FALSE(has_flag(fit, "stays as given"));
}

TEST(ChainRules, EndsOfAUniformThatFewReturnsHoldHaveNoError) {
  const NoiseChain chain = {UniformNoise{-0.1F, 0.1F}};
  const auto fitted = [&](const NoiseChain& truth) {
    return fit_chain(chain, chain_parameters(chain, "*"), simulate_returns(truth, 24, 256, 4), {.hold_out = 0});
  };
  const ChainFit heavy = fitted({StudentNoise{0.02F, 0.0F, 3.0F}});
  for (const Fit::Parameter& p : heavy.parameters) {
    EXPECT_TRUE(std::isnan(p.std_error)) << p.name;
    EXPECT_TRUE(has_flag(heavy, (p.name + " is held by few returns").c_str())) << p.name;
  }
  const ChainFit even = fitted({UniformNoise{-0.07F, 0.05F}});
  for (const Fit::Parameter& p : even.parameters) EXPECT_LT(p.std_error, 1e-4) << p.name;
  EXPECT_FALSE(has_flag(even, "held by few"));
}

TEST(ChainRules, AChainWithoutAnErrorOfRangesIsRefusedWhereRangesErr) {
  const ChainReturns noisy = simulate_returns({DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.1F}}, 4, 512, 4);
  const NoiseChain losses = {Dropout{0.2F}};
  const std::string text = input_error([&] { (void)fit_chain(losses, chain_parameters(losses, "*"), noisy); });
  EXPECT_TRUE(contains(text, "has no error of ranges")) << text;
  const ChainReturns exact = simulate_returns({Dropout{0.1F}}, 4, 512, 4);
  EXPECT_NEAR(fit_chain(losses, chain_parameters(losses, "*"), exact).parameters[0].value, 0.1, 0.03);
}

TEST(ChainRules, ABiasThatIsNotThereIsNotFound) {
  const NoiseChain plain = {DistanceNoise{0.0F, 0.02F, 0.0F}, GainBias{0.0F, 0.0F}};
  const ChainFit none = fit_chain(plain, chain_parameters(plain, "gain_bias.*"), simulate_returns(plain, 24, 512, 4));
  for (const Fit::Parameter& p : none.parameters) EXPECT_LT(std::abs(p.value), 3 * p.std_error) << p.name;
}

TEST(ChainRules, ReturnsThatTheChainHoldsForImpossibleAreCounted) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}};
  ChainReturns returns = simulate_returns(chain, 24, 512, 4);
  const auto fitted = [&] {
    return fit_chain(chain, chain_parameters(chain, "distance.stddev_m"), returns, {.hold_out = 0});
  };
  EXPECT_FALSE(has_flag(fitted(), "impossible"));
  for (std::size_t i = 0; i < returns.size(); i += 1000) returns.range_m[i] += 30.0F;  // what the scene lacks
  EXPECT_TRUE(has_flag(fitted(), "13 of 12 288 returns are as good as impossible"));
}

TEST(ChainRules, FramesThatErrTogetherWidenTheErrors) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}};
  ChainReturns returns = simulate_returns(chain, 40, 1024, 8);
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const float shift = uniform_from_word(keyed_block({.seed = 1}, returns.frame[i], 0).word[0]) - 0.5F;
    returns.range_m[i] += 0.02F * shift;
  }
  const ChainFit fit = fit_chain(chain, chain_parameters(chain, "distance.mean_m"), returns, {.hold_out = 0});
  // Deviation of a frame's shift 0.02 / sqrt(12), over 40 frames; if returns were independent 1 / 32 of 0.02 a frame.
  const double expected = 0.02 / std::sqrt(12.0 * 40);
  EXPECT_NEAR(fit.parameters[0].std_error, expected, 0.3 * expected);
  EXPECT_LT(fit.parameters[0].naive_error, 0.2 * fit.parameters[0].std_error);
  EXPECT_FALSE(fit.held_out);
  const ChainFit blocks =
      fit_chain(chain, chain_parameters(chain, "distance.mean_m"), returns, {.hold_out = 0, .block_frames = 4});
  EXPECT_EQ(blocks.blocks, 10U);
  EXPECT_TRUE(has_flag(blocks, "errors rest on 10 independent frames"));
}

TEST(ChainRules, AScoreIsTheMeanLogDensity) {
  const NoiseChain chain = {DistanceNoise{0.01F, 0.02F, 0.0F}, Dropout{0.25F}};
  const ChainReturns returns = simulate_returns(chain, 3, 512, 6);
  const std::vector<FrameScore> scores = score_frames(chain, returns);
  ASSERT_EQ(scores.size(), 3U);
  double sum = 0;
  for (std::size_t i = 0; i < 512; ++i) {
    const double e = (double{returns.range_m[i]} - double{returns.clean_range_m[i]} - 0.01) / 0.02;
    const double hit = std::log(0.75) - 0.5 * e * e - std::log(0.02 * std::sqrt(2 * std::numbers::pi));
    sum += std::isnan(returns.range_m[i]) ? std::log(0.25) : hit;
  }
  EXPECT_NEAR(scores[0].nats, sum / 512, 1e-4);
  EXPECT_EQ(scores[0].returns, 512U);
  EXPECT_GT(scores[1].lost, 80U);
  const MeanScore mean = mean_score(scores);
  EXPECT_NEAR(mean.nats, (scores[0].nats + scores[1].nats + scores[2].nats) / 3, 1e-12);
  const NoiseChain wide = {DistanceNoise{0.01F, 0.04F, 0.0F}, Dropout{0.25F}};
  const MeanScore difference = score_difference(scores, score_frames(wide, returns));
  // E log N(s) / N(2 s) = log 2 - 3 / 8 of a return that is there.
  EXPECT_NEAR(difference.nats, 0.75 * (std::log(2) - 0.375), 4 * difference.std_error);
  EXPECT_LT(difference.std_error, 0.02);
  EXPECT_TRUE(contains(input_error([&] { (void)score_difference(scores, {}); }), "cannot be compared"));
}

/// Many ranges leave the limits; the law includes what happens to them.
TEST(ChainRules, ReturnsThatNoiseCarriedOutOfTheLimitsAreCounted) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.3F, 0.0F}};
  for (const ChainReturns::Outside outside :
       {ChainReturns::Outside::kKept, ChainReturns::Outside::kClamped, ChainReturns::Outside::kLost}) {
    ChainReturns returns = simulate_returns(chain, 24, 512, 3);
    returns.min_range_m = 1.0, returns.max_range_m = 4.0, returns.outside = outside;
    ChainReturns inside = returns;
    for (auto* values : {&inside.range_m, &inside.clean_range_m, &inside.clean_x_m, &inside.clean_y_m,
                         &inside.incidence_rad, &inside.energy}) {
      values->clear();
    }
    inside.edge_rad.clear(), inside.jump.clear(), inside.jump_rad.clear(), inside.frame.clear();
    std::size_t left = 0;
    for (std::size_t i = 0; i < returns.size(); ++i) {
      if (returns.clean_range_m[i] < 1.0F || returns.clean_range_m[i] > 4.0F) continue;
      float range_m = returns.range_m[i];
      if (range_m < 1.0F || range_m > 4.0F) {
        ++left;
        if (outside == ChainReturns::Outside::kClamped) range_m = std::clamp(range_m, 1.0F, 4.0F);
        if (outside == ChainReturns::Outside::kLost) range_m = NAN;
      }
      inside.range_m.push_back(range_m), inside.clean_range_m.push_back(returns.clean_range_m[i]);
      inside.clean_x_m.push_back(returns.clean_x_m[i]), inside.clean_y_m.push_back(returns.clean_y_m[i]);
      inside.incidence_rad.push_back(0), inside.energy.push_back(1), inside.frame.push_back(returns.frame[i]);
    }
    ASSERT_GT(left, 200U);
    const NoiseChain start = {DistanceNoise{0.05F, 0.2F, 0.0F}};
    const ChainFit fit = fit_chain(start, parameters_of(start, {"*.mean_m", "*.stddev_m"}), inside);
    EXPECT_LT(std::abs(fit.parameters[0].value), 3 * fit.parameters[0].std_error);
    EXPECT_LT(std::abs(fit.parameters[1].value - 0.3), 3 * fit.parameters[1].std_error);
    EXPECT_LT(fit.parameters[1].std_error, 0.01);
  }
}

TEST(ChainRules, RangesInWholeMillimetresGiveTheSameDeviation) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.004F, 0.0F}};
  ChainReturns returns = simulate_returns(chain, 24, 512, 3);
  for (float& range_m : returns.range_m) range_m = 0.01F * std::round(100.0F * range_m);  // steps of 2.5 deviations
  returns.half_step_m = 0.005;
  const ChainFit fit = fit_chain(chain, chain_parameters(chain, "distance.stddev_m"), returns);
  EXPECT_LT(std::abs(fit.parameters[0].value - 0.004), 3 * fit.parameters[0].std_error);
  returns.half_step_m = 0.0;
  const ChainFit blind = fit_chain(chain, chain_parameters(chain, "distance.stddev_m"), returns);
  EXPECT_GT(std::abs(blind.parameters[0].value - 0.004), 6 * blind.parameters[0].std_error);
}

TEST(ChainRules, RefusesInOneLine) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.1F}};
  const ChainReturns returns = simulate_returns(chain, 2, 512, 1);
  const auto refusal = [&](const NoiseChain& c, const char* pattern, const ChainFitOptions& options = {}) {
    return message_of<InputError>([&] { (void)fit_chain(c, chain_parameters(c, pattern), returns, options); });
  };
  EXPECT_TRUE(contains(refusal(chain, "distance.sttdev_m"),
                       "no parameter 'distance.sttdev_m' (nearest known: 'distance.stddev_m')"));
  EXPECT_TRUE(contains(refusal({AngularRay{Axis::kZ, 0.0F, 0.1F}, chain[0]}, "*"), "angular_ray turns the rays"));
  EXPECT_TRUE(contains(refusal({MatchingWindow{}, chain[0]}, "matching_window.*"), "cannot be learned"));
  BeamMixture beam;
  beam.w_hit = 0.5F, beam.w_rand = 0.5F, beam.w_short = beam.w_max = 0.0F;
  EXPECT_TRUE(contains(refusal({StudentNoise{0.1F, 0.0F, 3.0F}, beam}, "student.nu"), "error is not normal"));
  EXPECT_TRUE(contains(refusal({beam}, "beam_mixture.w_hit"), "beam_mixture.w_hit cannot be learned"));
  const ChainEntry by_ring(DistanceNoise{0.0F, 0.1F, 0.0F}, std::vector<RingEntry>{{0, DistanceNoise{}}});
  EXPECT_TRUE(contains(refusal({by_ring}, "*"), "for some rings, and the returns do not know theirs"));
  EXPECT_TRUE(contains(refusal({StudentNoise{0.1F, 0.0F, 3.0F}, Disparity{0.0F, 0.1F, 0.0F}}, "*.stddev_px"),
                       "a random error before"));
  EXPECT_TRUE(
      contains(refusal({GainBias{0.1F, 0.0F}, Disparity{0.0F, 0.1F, 8.0F}}, "*.steps_per_px"), "gain_bias does"));
  EXPECT_TRUE(contains(refusal(chain, "*", {.hold_out = 1}), "hold_out"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)fit_chain(chain, {}, returns); }), "is free"));
  ChainReturns wrong = returns;
  wrong.clean_range_m[3] = NAN;
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)score_frames(chain, wrong); }), "return 3"));
  wrong = returns;
  wrong.jump.clear(), wrong.edge_rad.clear(), wrong.jump_rad.clear();
  const NoiseChain edges = {EdgeLoss{.high_probability = 0.5F}};
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)score_frames(edges, wrong); }), "neighbouring"));
}

/// The law of energies is chosen by likelihood, from either start, where it has no fixed parameter.
TEST(ChainRules, TheLawOfEnergiesIsTheLikelierOne) {
  constexpr auto kDocument = EnergyNormalization::kDocument, kThreshold = EnergyNormalization::kThreshold;
  for (const EnergyNormalization law : {kDocument, kThreshold}) {
    const StereoEnergy truth = {.min_energy = 0.1F, .pow = 3.0F, .normalization = law};
    const ChainReturns returns = simulate_returns({truth}, 24, 256, 4);
    for (const EnergyNormalization given : {kDocument, kThreshold}) {
      const NoiseChain start = {StereoEnergy{.min_energy = 0.06F, .pow = 2.0F, .normalization = given}};
      const ChainFit fit = fit_chain(start, chain_parameters(start, "stereo_energy.*"), returns);
      EXPECT_EQ(value_of(fit.chain, {0, "normalization"}), static_cast<double>(law));
      EXPECT_EQ(has_flag(fit, "losses follow the law"), law != given);
      EXPECT_LT(std::abs(fit.parameters[0].value - 0.1), 3.5 * fit.parameters[0].std_error);
      EXPECT_LT(std::abs(fit.parameters[1].value - 3.0), 3.5 * fit.parameters[1].std_error);
      EXPECT_GT(fit.held_out->gain_nats, 0);
      if (given == law) continue;
      const ChainFit of_one = fit_chain(start, chain_parameters(start, "stereo_energy.pow"), returns);
      EXPECT_EQ(value_of(of_one.chain, {0, "normalization"}), static_cast<double>(given));
    }
  }
}

TEST(ChainRules, StepsOfADisparityAreReadOffAlone) {
  const NoiseChain chain = {Disparity{0.0F, 0.1F, 8.0F}}, unknown = {Disparity{0.0F, 0.1F, 0.0F}};
  const std::vector<ChainParameter> free = chain_parameters(unknown, "*.steps_per_px");
  const ChainFit fit = fit_chain(unknown, free, simulate_returns(chain, 24, 512, 2));
  EXPECT_EQ(fit.parameters[0].value, 8);
  EXPECT_EQ(value_of(fit.chain, free[0]), 8);
  const ChainFit smooth = fit_chain(unknown, free, simulate_returns(unknown, 24, 512, 2));
  EXPECT_EQ(smooth.parameters[0].value, 0);
  EXPECT_TRUE(has_flag(smooth, "no common step"));
  EXPECT_EQ(smooth.parameters[0].status, Fit::Status::kUnidentified);
  EXPECT_NE(fit.parameters[0].status, Fit::Status::kUnidentified);
}

TEST(ChainRules, PatternsNameParametersAsFilesDo) {
  const NoiseChain chain = {LossAngle{1.2F}, DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.1F}, Dropout{0.2F}};
  const auto named = [&](const char* pattern) {
    std::string text;
    for (const ChainParameter& p : chain_parameters(chain, pattern)) text += std::to_string(p.entry) + p.field + ' ';
    return text;
  };
  EXPECT_EQ(named("distance.stddev_m"), "1stddev_m ");
  EXPECT_EQ(named("distance.std*"), "1stddev_m 1stddev_per_m ");
  EXPECT_EQ(named("loss_angle.max_incidence_deg"), "0max_incidence_rad ");
  EXPECT_EQ(named("dropout.*"), "2probability 3probability ");
  EXPECT_EQ(named("3.*"), "3probability ");
  EXPECT_EQ(named("*.mean_m"), "1mean_m ");
}

TEST(ChainRules, IsWrittenAsSceneFilesHoldIt) {
  const NoiseChain chain = {ChainEntry(Disparity{0.0F, 0.08F, 16.0F}, Correlation{.across_px = 2.0F}),
                            StereoEnergy{0.18F, 14.0F, EnergyNormalization::kThreshold}};
  const std::string text = chain_yaml(chain);
  EXPECT_TRUE(
      contains(text, "  - disparity: {bias_px: 0, stddev_px: 0.08, steps_per_px: 16, correlation: {across_px: 2,"));
  EXPECT_TRUE(contains(text, "normalization: threshold"));
}

}  // namespace
}  // namespace fathom::test::chain_rules_test
