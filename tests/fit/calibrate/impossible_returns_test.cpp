// SPDX-License-Identifier: MIT
// Learning reports a known share of returns that are impossible under the chain.

#include "core/text.hpp"
#include "fit/calibrate/chain_simulator.hpp"
#include "support/expect.hpp"

namespace fathom::test::impossible_returns_test {
namespace {

constexpr std::uint32_t kFrames = 24, kPerFrame = 96;

bool has_flag(const ChainFit& fit, const std::string& what) {
  return std::ranges::any_of(texts_of(fit.findings),
                             [&](const std::string& flag) { return flag.find(what) != std::string::npos; });
}

const NoiseChain& plain_chain() {
  static const NoiseChain chain = {DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.05F}};
  return chain;
}

ChainFit fit_of(const ChainReturns& returns) {
  static const std::vector<ChainParameter> free =
      parameters_of(plain_chain(), {"distance.mean_m", "distance.stddev_m", "dropout.*"});
  return fit_chain(plain_chain(), free, returns, {.hold_out = 0, .threads = 1});
}

/// Indices of every `nth` return that came back.
std::vector<std::size_t> every(const ChainReturns& returns, std::size_t nth) {
  std::vector<std::size_t> places, back;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (!std::isnan(returns.range_m[i])) back.push_back(i);
  }
  for (std::size_t i = nth / 2; i < back.size(); i += nth) places.push_back(back[i]);
  return places;
}

ChainReturns without(ChainReturns returns, const std::vector<std::size_t>& places) {
  const auto cut = [&](auto& values) {
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
      if (!values.empty()) values.erase(values.begin() + static_cast<std::ptrdiff_t>(*place));
    }
  };
  cut(returns.range_m), cut(returns.clean_range_m), cut(returns.clean_x_m), cut(returns.clean_y_m);
  cut(returns.incidence_rad), cut(returns.energy), cut(returns.edge_rad), cut(returns.jump), cut(returns.jump_rad);
  cut(returns.frame);
  return returns;
}

TEST(ImpossibleReturns, LeaveValuesAndErrorsToTheOthers) {
  ChainReturns returns = simulate_returns(plain_chain(), kFrames, kPerFrame, 3);
  const std::vector<std::size_t> spoilt = every(returns, 100);
  const ChainFit others = fit_of(without(returns, spoilt));
  for (std::size_t k = 0; k < spoilt.size(); ++k) returns.range_m[spoilt[k]] += 3.0F + 0.1F * static_cast<float>(k);
  const ChainFit fit = fit_of(returns);
  ASSERT_EQ(fit.parameters.size(), 3U);
  for (std::size_t k = 0; k < 2; ++k) {
    const Fit::Parameter &p = fit.parameters[k], &q = others.parameters[k];
    EXPECT_NEAR(p.value, q.value, 0.01 * q.std_error) << p.name;
    EXPECT_NEAR(p.naive_error, q.naive_error, 2e-3 * q.naive_error) << p.name;
    EXPECT_NEAR(p.std_error, q.std_error, 5e-3 * q.std_error) << p.name;
  }
  EXPECT_TRUE(has_flag(fit, grouped(spoilt.size()) + " of " + grouped(returns.size()) + " returns"));
  EXPECT_TRUE(has_flag(fit, "values and standard errors come from the others"));
}

/// Some lie where the chain begins to hold them for impossible, others nearer.
TEST(ImpossibleReturns, ErrorsAreTheSpreadOfTheValues) {
  constexpr std::uint64_t kSeeds = 30;
  std::vector<double> sum(2, 0.0), squares(2, 0.0), errors(2, 0.0);
  std::size_t with_impossible = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    ChainReturns returns = simulate_returns(plain_chain(), kFrames, kPerFrame / 2, 100 * seed);
    for (const std::size_t i : every(returns, 100)) {
      returns.range_m[i] += 4.0F * (uniform_from_word(keyed_block({.seed = seed}, i, 0).word[0]) - 0.5F);
    }
    const ChainFit fit = fit_of(returns);
    with_impossible += has_flag(fit, "impossible") ? 1 : 0;
    for (std::size_t k = 0; k < 2; ++k) {
      const Fit::Parameter& p = fit.parameters[k];
      sum[k] += p.value, squares[k] += p.value * p.value, errors[k] += p.std_error / kSeeds;
    }
  }
  EXPECT_EQ(with_impossible, kSeeds);
  for (std::size_t k = 0; k < 2; ++k) {
    const double mean = sum[k] / kSeeds, spread = std::sqrt((squares[k] - kSeeds * mean * mean) / (kSeeds - 1));
    // A spread over kSeeds estimates has a deviation of 13 %.
    EXPECT_GT(errors[k] / spread, 0.7) << k;
    EXPECT_LT(errors[k] / spread, 1.5) << k;
  }
}

TEST(ImpossibleReturns, TooManyOfThemLeaveNoErrors) {
  ChainReturns returns = simulate_returns(plain_chain(), kFrames, kPerFrame, 3);
  for (const std::size_t i : every(returns, 15)) returns.range_m[i] += 1000.0F;
  const ChainFit fit = fit_of(returns);
  EXPECT_NEAR(fit.parameters[1].value, 0.02, 0.002);
  for (const Fit::Parameter& p : fit.parameters) {
    EXPECT_TRUE(std::isnan(p.std_error) && std::isnan(p.naive_error) && std::isnan(p.low_95) && std::isnan(p.high_95))
        << p.name;
    EXPECT_NE(p.status, Fit::Status::kUnidentified) << p.name;
  }
  EXPECT_TRUE(has_flag(fit, "above 5 %, what was learned hangs on this limit, and its errors are not known"));
}

}  // namespace
}  // namespace fathom::test::impossible_returns_test
