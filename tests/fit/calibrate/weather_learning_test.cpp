// SPDX-License-Identifier: MIT
// Visibility and rates of rain and snow, learned from frames of a known scene.

#include "fit/calibrate/chain_study.hpp"
#include "fit/chain/chain_likelihood.hpp"

namespace fathom::test::weather_learning_test {
namespace {

const std::vector<Noise> kWeathers = {Fog{.visibility_m = 30.0F}, Fog{.visibility_m = 300.0F, .power_scatter = 0.6F},
                                      Rain{.rate_mm_per_h = 50.0F}, Snow{.rate_mm_per_h = 5.0F}};

/// Returns of one surface, which were measured at these ranges.
ChainReturns before_a_surface(float clean_m, std::vector<float> range_m) {
  ChainReturns r;
  const std::size_t n = range_m.size();
  r.range_m = std::move(range_m);
  r.clean_range_m.assign(n, clean_m), r.clean_x_m = r.clean_y_m = r.clean_range_m;
  r.incidence_rad.assign(n, 0.0F), r.energy.assign(n, 1.0F), r.light.assign(n, 0.3F), r.frame.assign(n, 0);
  r.min_range_m = 0.5, r.max_range_m = 120.0, r.outside = ChainReturns::Outside::kLost;
  return r;
}

/// Logarithms of the densities of returns, of a loss that of its probability.
std::vector<double> nats_of(const NoiseChain& chain, const ChainReturns& returns) {
  std::vector<std::size_t> used(returns.size());
  std::iota(used.begin(), used.end(), std::size_t{0});
  const auto executor = make_executor(1);
  return ChainData{returns, used, *executor}.each(chain);
}

/// The density of ranges and the probability of a loss are 1 together.
void expect_whole_law(const Noise& weather, float clean_m, double reach_10_m, double min_range_m) {
  constexpr double kNearM = 0.15;
  std::vector<float> range_m, width_m;
  const auto add = [&](double from, double to, double step) {
    const double steps = std::round((to - from) / step);
    for (double k = 0.5; k < steps; ++k) {
      range_m.push_back(static_cast<float>(from + k * step)), width_m.push_back(static_cast<float>(step));
    }
  };
  const double surface_m = double{clean_m};
  add(0.5, surface_m - kNearM, 0.005), add(surface_m - kNearM, surface_m + kNearM, 5e-4);
  range_m.push_back(NAN);
  ChainReturns returns = before_a_surface(clean_m, range_m);
  returns.least_power = reach_10_m > 0.0 ? 0.1 / (reach_10_m * reach_10_m) : 0.0;
  returns.min_range_m = min_range_m;
  const std::vector<double> nats = nats_of({DistanceNoise{0.0F, 0.02F, 0.0F}, weather, Dropout{0.1F}}, returns);
  double sum = std::exp(nats.back());
  for (std::size_t i = 0; i < width_m.size(); ++i) sum += double{width_m[i]} * std::exp(nats[i]);
  EXPECT_NEAR(sum, 1.0, 1e-3) << weather.slug() << ", surface at " << clean_m << ", reach " << reach_10_m;
}

TEST(WeatherDensity, IsOneWithTheLosses) {
  for (const Noise& weather : kWeathers) {
    for (const float clean_m : {3.0F, 10.0F, 35.0F, 90.0F}) {
      expect_whole_law(weather, clean_m, 0.0, 0.5);
      expect_whole_law(weather, clean_m, 50.0, 0.5), expect_whole_law(weather, clean_m, 20.0, 2.0);
    }
  }
}

/// Shares of losses and of ranges, against frames that the kernels drew.
TEST(WeatherDensity, HasTheSharesOfFrames) {
  for (const ChainStudy& study : weather_studies()) {
    const ChainReturns returns = study.returns(3);
    const ChainDensity density(study.truth, returns);
    const std::vector<double> edges = {0.0, 1.2, 2.0, 3.0, 5.0, 20.0, 30.0, 40.0, 45.0, 60.0, 1e6};
    std::vector<double> expected(edges.size()), drawn(edges.size());
    for (std::size_t i = 0; i < returns.size(); ++i) {
      expected.back() += 1.0 - density.reported(i), drawn.back() += std::isnan(returns.range_m[i]) ? 1.0 : 0.0;
      for (std::size_t bin = 0; bin + 1 < edges.size(); ++bin) {
        const auto range_m = double{returns.range_m[i]};
        expected[bin] += density.probability_between(i, edges[bin], edges[bin + 1]);
        drawn[bin] += range_m > edges[bin] && range_m <= edges[bin + 1] ? 1.0 : 0.0;
      }
    }
    for (std::size_t bin = 0; bin < edges.size(); ++bin) {
      EXPECT_NEAR(drawn[bin], expected[bin], 4.5 * std::sqrt(expected[bin]) + 2.0) << study.name << ' ' << edges[bin];
    }
  }
}

/// A return that its own weather makes impossible would bound what is learned: tables end in steps.
TEST(WeatherDensity, AllowsAllReturnsOfFrames) {
  for (const ChainStudy& study : weather_studies()) {
    const std::vector<double> nats = nats_of(study.truth, study.returns(2));
    EXPECT_GT(*std::ranges::min_element(nats), -20.0) << study.name;
  }
}

TEST(WeatherLearning, FindsTheWeatherOfFrames) {
  for (const ChainStudy& study : weather_studies()) {
    const NoiseChain start = with_wrong_values(study.truth, study.free, 0.6);
    const ChainFit fit = fit_chain(start, study.free, study.returns(1), {.hold_out = 5});
    for (std::size_t k = 0; k < study.free.size(); ++k) {
      const Fit::Parameter& p = fit.parameters[k];
      const double truth = value_of(study.truth, study.free[k]);
      EXPECT_LT(std::abs(p.value - truth), 3.5 * p.std_error) << p.name;
      EXPECT_LT(p.std_error, 0.3 * truth) << p.name;
      EXPECT_EQ(p.status, Fit::Status::kLearned) << p.name;
    }
    EXPECT_GT(fit.held_out->gain_nats, 0.0);
    EXPECT_TRUE(fit.findings.empty()) << fit.findings.front().text.text();
  }
}

std::string refusal(const NoiseChain& chain, const ChainReturns& returns) {
  return input_error([&] { static_cast<void>(ChainDensity(chain, returns)); });
}

TEST(WeatherLearning, RefusesWeatherWithoutADensity) {
  const Noise fog = kWeathers.front(), rain = kWeathers[2];
  ChainReturns returns = before_a_surface(10.0F, {10.0F});
  EXPECT_TRUE(contains(refusal({fog, rain}, returns), "rain comes after other weather"));
  EXPECT_TRUE(contains(refusal({Fog{.visibility_m = 30.0F, .region = FogRegion::kBox}}, returns), "fog is a cloud"));
  EXPECT_TRUE(contains(refusal({BeamMixture{}, fog}, returns), "weather beside a mixture"));
  returns.light.clear();
  EXPECT_TRUE(contains(refusal({fog}, returns), "fog needs the light of surfaces"));
}

}  // namespace
}  // namespace fathom::test::weather_learning_test
