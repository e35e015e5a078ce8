// SPDX-License-Identifier: MIT
// Models that differ by ring, learned at once.

#include "fit/calibrate/chain_study.hpp"

namespace fathom::test::chain_rings_test {
namespace {

const std::vector<std::uint16_t> kRings = {0, 2, 5};

/// Returns of a chain whose rings take turns, with an additional bias for each ring.
ChainReturns ringed(const NoiseChain& chain, const std::vector<float>& bias_m, std::uint32_t frames = 24) {
  ChainReturns returns = simulate_returns(chain, frames, 512, 5);
  for (std::size_t i = 0; i < returns.size(); ++i) {
    returns.ring.push_back(kRings[i % kRings.size()]);
    returns.range_m[i] += bias_m[i % kRings.size()];
  }
  return returns;
}

/// The returns of one ring alone, which know nothing of rings.
ChainReturns of_ring(const ChainReturns& all, std::uint16_t ring) {
  ChainReturns out = all;
  for (auto* values : {&out.range_m, &out.clean_range_m, &out.clean_x_m, &out.clean_y_m, &out.incidence_rad,
                       &out.energy, &out.edge_rad, &out.jump, &out.jump_rad}) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < values->size(); ++i) {
      if (all.ring[i] == ring) (*values)[kept++] = (*values)[i];
    }
    values->resize(kept);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.ring[i] == ring) out.frame[kept++] = all.frame[i];
  }
  out.frame.resize(kept), out.ring.clear();
  return out;
}

TEST(ChainRings, LearnedAtOnceTheyAreWhatEachRingAloneGives) {
  const NoiseChain chain = {GainBias{0.01F, 0.0F}, DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.1F}};
  const ChainReturns returns = ringed(chain, {0.03F, -0.05F, 0.0F});
  // What no ring shares is learned of each by itself; so are change points and shares of losses.
  const NoiseChain start = {GainBias{}, DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.3F}};
  std::vector<ChainParameter> free = chain_parameters(start, "gain_bias.rings.*", kRings);
  for (const ChainParameter& p : chain_parameters(start, "dropout.rings.*", kRings)) free.push_back(p);
  ASSERT_EQ(free.size(), 9U);
  const ChainFit fit = fit_chain(start, free, returns, {.hold_out = 0});
  for (const std::uint16_t ring : kRings) {
    std::vector<ChainParameter> own = chain_parameters(start, "gain_bias.*");
    own.push_back({2, "probability"});
    const ChainFit alone = fit_chain(start, own, of_ring(returns, ring), {.hold_out = 0});
    for (const Fit::Parameter& one : alone.parameters) {
      std::string name = one.name;
      name.insert(name.find('.') + 1, "rings." + std::to_string(ring) + ".");
      const Fit::Parameter& p = fit[name];
      EXPECT_NEAR(p.value, one.value, 0.01 * one.std_error) << name;
      EXPECT_NEAR(p.naive_error, one.naive_error, 0.02 * one.naive_error) << name;
      EXPECT_NEAR(p.std_error, one.std_error, 0.02 * one.std_error) << name;
      EXPECT_EQ(p.start, one.start);
    }
  }
  EXPECT_EQ(fit.chain[0].by_ring.size(), 3U);
  EXPECT_EQ(fit.chain[0].noise.values()[0].number(), 0.0);  // the model itself stays
}

TEST(ChainRings, TellARingsBiasBesideWhatAllShare) {
  const std::vector<float> bias_m = {0.03F, -0.05F, 0.0F};
  const NoiseChain chain = {GainBias{0.0F, 0.0F}, DistanceNoise{0.0F, 0.02F, 0.0F}, LossAngle{1.2F}};
  const ChainReturns returns = ringed(chain, bias_m);
  NoiseChain start = chain;
  start[1].noise = DistanceNoise{0.0F, 0.2F, 0.0F}, start[2].noise = LossAngle{0.7F};
  std::vector<ChainParameter> free = chain_parameters(start, "gain_bias.rings.*.bias_m", kRings);
  free.push_back({1, "stddev_m"});
  for (const ChainParameter& p : chain_parameters(start, "loss_angle.rings.*", kRings)) free.push_back(p);
  const ChainFit fit = fit_chain(start, free, returns, {.hold_out = 6});
  for (std::size_t k = 0; k < kRings.size(); ++k) {
    const std::string ring = "rings." + std::to_string(kRings[k]);
    const Fit::Parameter& bias = fit["gain_bias." + ring + ".bias_m"];
    EXPECT_LT(std::abs(bias.value - double{bias_m[k]}), 3.5 * bias.std_error);
    EXPECT_LT(bias.std_error, 0.001);
    const Fit::Parameter& limit = fit["loss_angle." + ring + ".max_incidence_rad"];
    EXPECT_LT(std::abs(limit.value - 1.2), 5 * limit.std_error);
    EXPECT_LT(limit.std_error, 0.01);
  }
  const Fit::Parameter& shared = fit["distance.stddev_m"];
  EXPECT_LT(std::abs(shared.value - 0.02), 3.5 * shared.std_error);
  EXPECT_GT(fit.held_out->gain_nats, 5 * fit.held_out->gain_error);
  ChainFitOptions threads = {.hold_out = 6};
  threads.threads = 3;
  const ChainFit again = fit_chain(start, free, returns, threads);
  for (std::size_t k = 0; k < free.size(); ++k) {
    EXPECT_EQ(again.parameters[k].value, fit.parameters[k].value);
    const double error = fit.parameters[k].std_error;
    EXPECT_TRUE(again.parameters[k].std_error == error || std::isnan(error));
  }
}

/// As files and Python may give them.
TEST(ChainRings, DescendingInTheChainTheyStayOneEntryEach) {
  const NoiseChain chain = {GainBias{}, DistanceNoise{0.0F, 0.02F, 0.0F}};
  const std::vector<float> bias_m = {0.03F, -0.05F, 0.01F};
  const ChainReturns returns = ringed(chain, bias_m, 4);
  for (const std::vector<RingEntry>& given : {std::vector<RingEntry>{{5, GainBias{}}, {2, GainBias{}}, {0, GainBias{}}},
                                              {{5, GainBias{}}, {0, GainBias{}}}}) {
    NoiseChain start = chain;
    start[0].by_ring = given;
    const ChainFit fit =
        fit_chain(start, chain_parameters(start, "gain_bias.rings.*.bias_m", kRings), returns, {.hold_out = 0});
    std::vector<std::uint16_t> rings;
    for (const RingEntry& entry : fit.chain[0].by_ring) rings.push_back(entry.ring);
    std::sort(rings.begin(), rings.end());
    EXPECT_EQ(rings, kRings);
    const std::string yaml = chain_yaml(fit.chain, 2);
    for (std::size_t k = 0; k < kRings.size(); ++k) {
      const std::string key = "\n        " + std::to_string(kRings[k]) + ": {";
      EXPECT_TRUE(contains(yaml, key)) << yaml;
      EXPECT_EQ(yaml.find(key), yaml.rfind(key)) << yaml;
      const Fit::Parameter& p = fit["gain_bias.rings." + std::to_string(kRings[k]) + ".bias_m"];
      EXPECT_LT(std::abs(p.value - double{bias_m[k]}), 4 * p.std_error) << p.name;
    }
  }
}

TEST(ChainRings, AChainWithRingsIsScoredByThem) {
  const NoiseChain chain = {GainBias{0.0F, 0.0F}, DistanceNoise{0.0F, 0.02F, 0.0F}};
  const ChainReturns returns = ringed(chain, {0.03F, -0.05F, 0.0F}, 4);
  NoiseChain known = chain;
  known[0].by_ring = {{0, GainBias{0.0F, 0.03F}}, {2, GainBias{0.0F, -0.05F}}};
  const double by_ring = mean_score(score_frames(known, returns)).nats;
  double sum = 0.0;
  for (std::size_t k = 0; k < kRings.size(); ++k) {
    const NoiseChain one = {GainBias{0.0F, k == 0 ? 0.03F : k == 1 ? -0.05F : 0.0F}, chain[1]};
    const ChainReturns part = of_ring(returns, kRings[k]);
    sum += mean_score(score_frames(one, part)).nats * static_cast<double>(part.size());
  }
  EXPECT_NEAR(by_ring, sum / static_cast<double>(returns.size()), 1e-9);
  const std::string yaml = chain_yaml(known, 2);
  EXPECT_TRUE(contains(
      yaml, "  - gain_bias:\n      gain: 0\n      bias_m: 0\n      rings:\n        0: {gain: 0, bias_m: 0.03}\n"))
      << yaml;
}

TEST(ChainRings, RefuseInOneLine) {
  const NoiseChain chain = {GainBias{}, DistanceNoise{0.0F, 0.02F, 0.0F}, StudentNoise{0.1F, 0.0F, 3.0F}};
  const auto refusal = [&](const char* pattern, const std::vector<std::uint16_t>& rings = kRings) {
    return message_of<InputError>([&] { (void)chain_parameters(chain, pattern, rings); });
  };
  EXPECT_TRUE(contains(refusal("gain_bias.rings.1.gain"), "no parameter 'gain_bias.rings.1.gain' of its rings"));
  EXPECT_TRUE(contains(refusal("gain_bias.rings.*", {}), "the rays have none"));
  EXPECT_TRUE(contains(refusal("student.rings.*.nu"), "one law of heavy tails"));
  const ChainReturns returns = ringed({chain[1]}, {0.0F, 0.0F, 0.0F}, 2);
  std::vector<ChainParameter> both = chain_parameters(chain, "gain_bias.rings.*.gain", kRings);
  both.push_back({0, "bias_m"});
  const NoiseChain two = {chain[0], chain[1]};
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)fit_chain(two, both, returns); }),
                       "gain_bias.rings.0.gain and gain_bias.bias_m are both free"));
  ChainReturns wrong = returns;
  wrong.ring.pop_back();
  EXPECT_TRUE(contains(message_of<InputError>([&] { (void)score_frames(two, wrong); }), "rings given for"));
}

}  // namespace
}  // namespace fathom::test::chain_rings_test
