// SPDX-License-Identifier: MIT
// What is simulated is learned: returns drawn by the kernels of the models, and the parameters that made them.

#include <fathom/calibrate/chain.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "noise/blocks.hpp"
#include "support/error_text.hpp"

namespace fathom::test {
namespace {

constexpr std::uint32_t kPerFrame = 1024;

/// Returns of a camera 0.5 to 6 m in front of surfaces, at all angles, after the chain.
ChainReturns simulate(const NoiseChain& chain, std::uint32_t frames, std::uint64_t seed) {
  ChainReturns out;
  out.optics = {500.0F, 320.0F, 0.1F};  // those of fill_surface()
  SurfaceBlock surface;
  for (std::uint32_t frame = 0; frame < frames; ++frame) {
    Lanes lanes = make_equal_lanes(kPerFrame, 1, 0, 0);
    for (std::uint32_t i = 0; i < kPerFrame; ++i) {
      const PhiloxBlock words = keyed_block({.seed = seed + 9}, frame * kPerFrame + i, 0);
      const auto unit = [&](int k) { return uniform_from_word(words.word[k]); };
      const float x = 0.5F + 5.5F * unit(0), y = x * (unit(1) - 0.5F), z = x * (unit(2) - 0.5F);
      const float range = std::sqrt(x * x + y * y + z * z);
      lanes.returns[i] = {x, y, z, range, range};
      if (i % 4 == 0) lanes.quads[i / 4] = (frame * kPerFrame + i) / 4;
    }
    const Lanes clean = lanes;
    for (std::size_t k = 0; k < chain.size(); ++k) apply(chain[k].noise, detect_isa(), {seed, frame, k}, lanes);
    for (std::uint32_t i = 0; i < kPerFrame; ++i) {
      if (i % 4 == 0) fill_surface(&clean.quads[i / 4], 4, surface);
      const Surface s = surface_of_lane(surface, i % 4, out.optics);
      const bool is_hit = lanes.reasons[i] == static_cast<std::uint32_t>(Reason::kHit);
      out.range_m.push_back(is_hit ? lanes.returns[i].range_m : NAN);
      out.clean_range_m.push_back(clean.returns[i].range_m);
      out.clean_x_m.push_back(clean.returns[i].x), out.clean_y_m.push_back(clean.returns[i].y);
      out.incidence_rad.push_back(std::acos(s.cos_emitter));
      out.energy.push_back(return_energy(EnergyAngle::kCosine, s));
      out.frame.push_back(frame);
    }
  }
  return out;
}

/// The chain as it is before learning: other values of all that is free.
NoiseChain spoilt(NoiseChain chain, const std::vector<ChainParameter>& free) {
  for (const ChainParameter& p : free) {
    for (const FieldValue& v : chain[p.entry].noise.values()) {
      if (v.name != p.field) continue;
      const bool is_energy = chain[p.entry].noise.slug() == StereoEnergy::kSlug && p.field == "min_energy";
      const double wrong = is_energy ? 0.5 * v.number() : 1.7 * v.number();
      chain[p.entry].noise = chain[p.entry].noise.with(p.field, wrong);
    }
  }
  return chain;
}

double truth_of(const NoiseChain& chain, const ChainParameter& p) {
  for (const FieldValue& v : chain[p.entry].noise.values()) {
    if (v.name == p.field) return v.number();
  }
  return NAN;
}

struct Case {
  std::string name;
  NoiseChain chain;
};

std::vector<Case> cases() {
  return {
      {"distance", {DistanceNoise{0.03F, 0.02F, 0.004F}}},
      {"lidar", {DistanceNoise{-0.02F, 0.03F, 0.0F}, UniformNoise{-0.1F, 0.15F}, Dropout{0.04F}}},
      {"heavy", {GainBias{0.01F, 0.02F}, StudentNoise{0.02F, 0.003F, 2.5F}}},
      {"stereo",
       {StereoEnergy{0.1F, 3.0F, EnergyNormalization::kThreshold}, Disparity{0.1F, 0.08F, 16.0F}, Dropout{0.02F}}},
      {"texture", {TextureLoss{0.0F, 0.9F, 8.0F, 0.0F, 10.0F, 0.08F, 0.02F}, DistanceNoise{0.0F, 0.02F, 0.0F}}},
  };
}

std::vector<ChainParameter> free_of(const Case& c) {
  if (c.name != "texture" && c.name != "lidar") return chain_parameters(c.chain, "*");
  std::vector<ChainParameter> free;
  for (const char* pattern : c.name == "lidar"
                                 ? std::vector{"*.stddev_m", "uniform.*", "dropout.*"}
                                 : std::vector{"texture_loss.midpoint", "texture_loss.width", "*.stddev_m"}) {
    for (const ChainParameter& p : chain_parameters(c.chain, pattern)) free.push_back(p);
  }
  return free;
}

TEST(Chain, EveryParameterIsLearnedWithinItsErrors) {
  double squares = 0, count = 0;
  for (const Case& c : cases()) {
    const std::vector<ChainParameter> free = free_of(c);
    for (const std::uint64_t seed : {11U, 12U}) {
      const ChainReturns returns = simulate(c.chain, 24, seed);
      const ChainFit fit = fit_chain(spoilt(c.chain, free), free, returns, {.hold_out = 6});
      EXPECT_GT(fit.log_likelihood, fit.start_log_likelihood) << c.name;
      EXPECT_GT(fit.gain_nats, 3 * fit.gain_error) << c.name;
      ASSERT_EQ(fit.parameters.size(), free.size());
      for (std::size_t k = 0; k < free.size(); ++k) {
        const LearnedParameter& p = fit.parameters[k];
        const double truth = truth_of(c.chain, free[k]), z = (p.value - truth) / p.std_error;
        ASSERT_TRUE(std::isfinite(p.std_error)) << c.name << ' ' << p.name << " = " << p.value;
        EXPECT_LT(std::abs(z), 4) << c.name << ' ' << p.name << " = " << p.value << " +- " << p.std_error << ", not "
                                  << truth;
        EXPECT_FALSE(p.is_unidentified) << c.name << ' ' << p.name;
        EXPECT_GE(p.std_error, p.naive_error);
        squares += z * z, ++count;
      }
    }
  }
  // Errors that are too large would pass every line above.
  EXPECT_GT(squares / count, 0.4);
  EXPECT_LT(squares / count, 1.8);
}

TEST(Chain, ThreadsChangeNoBit) {
  const Case c = cases()[1];
  const std::vector<ChainParameter> free = free_of(c);
  const ChainReturns returns = simulate(c.chain, 8, 5);
  const ChainFit one = fit_chain(spoilt(c.chain, free), free, returns, {.threads = 1});
  const ChainFit three = fit_chain(spoilt(c.chain, free), free, returns, {.threads = 3});
  EXPECT_EQ(one.log_likelihood, three.log_likelihood);
  EXPECT_EQ(one.held_out_nats, three.held_out_nats);
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_EQ(one.parameters[k].value, three.parameters[k].value);
    EXPECT_EQ(one.parameters[k].std_error, three.parameters[k].std_error);
  }
}

TEST(Chain, LearningAgainFromTheEndChangesNothing) {
  const Case c = cases()[0];
  const ChainReturns returns = simulate(c.chain, 10, 3);
  const std::vector<ChainParameter> free = free_of(c);
  const ChainFit first = fit_chain(spoilt(c.chain, free), free, returns);
  const ChainFit second = fit_chain(first.chain, free, returns);
  EXPECT_GE(second.log_likelihood, first.log_likelihood);
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_NEAR(second.parameters[k].value, first.parameters[k].value, 0.05 * first.parameters[k].std_error);
  }
}

bool has_flag(const ChainFit& fit, const std::string& what) {
  return std::any_of(fit.flags.begin(), fit.flags.end(),
                     [&](const std::string& flag) { return flag.find(what) != std::string::npos; });
}

TEST(Chain, WhatTheReturnsCannotTellIsFlagged) {
  // Two models that lose alike: only their product shows.
  const NoiseChain twice = {DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.1F}, Dropout{0.2F}};
  const ChainFit fit = fit_chain(twice, chain_parameters(twice, "dropout.*"), simulate(twice, 8, 4));
  EXPECT_TRUE(fit.parameters[0].is_unidentified || fit.parameters[1].is_unidentified);
  EXPECT_TRUE(has_flag(fit, "cannot be told")) << fit.flags.size();
  // A bias that is not there.
  const NoiseChain plain = {DistanceNoise{0.0F, 0.02F, 0.0F}, GainBias{0.0F, 0.0F}};
  const ChainFit none = fit_chain(plain, chain_parameters(plain, "gain_bias.*"), simulate(plain, 8, 4));
  for (const LearnedParameter& p : none.parameters) EXPECT_LT(std::abs(p.value), 4 * p.std_error) << p.name;
}

TEST(Chain, FramesThatErrTogetherWidenTheErrors) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}};
  ChainReturns returns = simulate(chain, 40, 8);
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const float shift = uniform_from_word(keyed_block({.seed = 1}, returns.frame[i], 0).word[0]) - 0.5F;
    returns.range_m[i] += 0.02F * shift;
  }
  const ChainFit fit = fit_chain(chain, chain_parameters(chain, "distance.mean_m"), returns, {.hold_out = 0});
  // Deviation of a frame's shift 0.02 / sqrt(12), over 40 frames; if returns were independent 1 / 32 of 0.02 a frame.
  EXPECT_NEAR(fit.parameters[0].std_error, 0.02 / std::sqrt(12.0 * 40), 0.3 * 0.02 / std::sqrt(12.0 * 40));
  EXPECT_LT(fit.parameters[0].naive_error, 0.2 * fit.parameters[0].std_error);
  EXPECT_EQ(fit.judged, 0U);
  EXPECT_TRUE(std::isnan(fit.held_out_nats));
}

TEST(Chain, AScoreIsTheMeanLogDensity) {
  const NoiseChain chain = {DistanceNoise{0.01F, 0.02F, 0.0F}, Dropout{0.25F}};
  const ChainReturns returns = simulate(chain, 2, 6);
  const std::vector<FrameScore> scores = score_frames(chain, returns);
  ASSERT_EQ(scores.size(), 2U);
  double sum = 0;
  for (std::size_t i = 0; i < kPerFrame; ++i) {
    const double e = (double{returns.range_m[i]} - returns.clean_range_m[i] - 0.01) / 0.02;
    const double hit = std::log(0.75) - 0.5 * e * e - std::log(0.02 * std::sqrt(2 * 3.14159265358979));
    sum += std::isnan(returns.range_m[i]) ? std::log(0.25) : hit;
  }
  EXPECT_NEAR(scores[0].nats, sum / kPerFrame, 1e-4);
  EXPECT_EQ(scores[0].returns, kPerFrame);
  EXPECT_GT(scores[1].lost, 200U);
}

TEST(Chain, RefusesInOneLine) {
  const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}, LossAngle{1.2F}};
  const ChainReturns returns = simulate(chain, 2, 1);
  const auto refusal = [&](const NoiseChain& c, const char* pattern) {
    return input_error([&] { (void)fit_chain(c, chain_parameters(c, pattern), returns); });
  };
  EXPECT_NE(refusal(chain, "distance.sttdev_m").find("no parameter 'distance.sttdev_m'"), std::string::npos);
  EXPECT_NE(refusal(chain, "loss_angle.*").find("loss_angle.max_incidence_rad"), std::string::npos);
  EXPECT_NE(refusal({AngularRay{Axis::kZ, 0.0F, 0.1F}, chain[0]}, "*").find("angular_ray turns the rays"),
            std::string::npos);
  const ChainEntry by_ring(DistanceNoise{0.0F, 0.1F, 0.0F}, std::vector<RingEntry>{{0, DistanceNoise{}}});
  EXPECT_NE(refusal({by_ring}, "*").find("entities or rings"), std::string::npos);
  EXPECT_NE(input_error([&] { (void)fit_chain(chain, {}, returns); }).find("free"), std::string::npos);
  EXPECT_NE(input_error([&] {
              (void)fit_chain(chain, chain_parameters(chain, "*"), returns, {.hold_out = 1});
            }).find("hold_out"),
            std::string::npos);
  ChainReturns wrong = returns;
  wrong.clean_range_m[3] = NAN;
  EXPECT_NE(input_error([&] { (void)score_frames(chain, wrong); }).find("return 3"), std::string::npos);
}

TEST(Chain, IsWrittenAsSceneFilesHoldIt) {
  const NoiseChain chain = {ChainEntry(Disparity{0.0F, 0.08F, 16.0F}, Correlation{.across_px = 2.0F}),
                            StereoEnergy{0.18F, 14.0F, EnergyNormalization::kThreshold}};
  const std::string text = chain_yaml(chain);
  EXPECT_NE(
      text.find("  - disparity: {bias_px: 0, stddev_px: 0.08, steps_per_px: 16, correlation: {across_px: 2,"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("normalization: threshold"), std::string::npos) << text;
}

}  // namespace
}  // namespace fathom::test
