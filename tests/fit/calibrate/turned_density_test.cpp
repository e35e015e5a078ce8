// SPDX-License-Identifier: MIT
// The density of returns of turned rays beside a slow sum over hundreds of angles.

#include <fathom/core/f64.hpp>
#include <fathom/fit/chain.hpp>
#include <fathom/noise/detail/measured_range_law.hpp>

#include "support/expect.hpp"

namespace fathom::test::turned_density_test {
namespace {

struct Plane {
  double nx, ny, nz, c;
  /// Range at which the direction of this azimuth and elevation meets it.
  [[nodiscard]] double range(const std::array<double, 3>& d) const { return c / (nx * d[0] + ny * d[1] + nz * d[2]); }
};

constexpr double kAzimuth = 0.3;
const Plane kNear = {0.8, 0.6, 0.0, 2.0}, kFar = {-1.0, 0.1, 0.2, -5.0};

/// The nominal ray turned about z by a, as angular_ray turns it.
std::array<double, 3> turned(double a) { return {std::cos(kAzimuth + a), std::sin(kAzimuth + a), 0.0}; }

std::vector<double> nodes(double step, int half) {
  std::vector<double> at;
  for (int k = -half; k <= half; ++k) at.push_back(step * k * (1.0 + 0.05 * std::abs(k)));  // steps differ
  return at;
}

/// One ray, whose nodes from number `edge` on meet the far plane, measured at many ranges, one a frame. NaN: lost.
ChainReturns returns_at(const std::vector<double>& ranges_m, const std::vector<double>& nodes, std::size_t edge) {
  ChainReturns r;
  ChainReturns::TurnedRays& t = r.turned;
  t.axis = Axis::kZ, t.angle_rad = nodes;
  const double clean_m = kNear.range(turned(0));
  for (const double range_m : ranges_m) {
    r.range_m.push_back(static_cast<float>(range_m)), r.clean_range_m.push_back(static_cast<float>(clean_m));
    r.clean_x_m.push_back(static_cast<float>(clean_m * std::cos(kAzimuth)));
    r.clean_y_m.push_back(static_cast<float>(clean_m * std::sin(kAzimuth)));
    r.incidence_rad.push_back(0.3F), r.energy.push_back(1.0F);
    r.frame.push_back(static_cast<std::uint32_t>(r.frame.size()));
    t.rays.push_back({.direction = {std::cos(kAzimuth), std::sin(kAzimuth), 0.0},
                      .origin_m = {},
                      .normal = {kNear.nx, kNear.ny, 0.0},
                      .surroundings = edge < nodes.size() ? 0 : ChainReturns::TurnedRays::kOneSurface});
  }
  if (edge >= nodes.size()) return r;
  for (std::size_t k = 0; k < nodes.size(); ++k) t.met.push_back(k < edge ? 0 : 1);
  t.first_surface = {0, 2};
  for (const Plane& p : {kNear, kFar}) t.surfaces.push_back({{p.nx, p.ny, p.nz}, p.c, 1.0});
  return r;
}

/// Share of the edge's places that leave an angle to the near plane.
double near_share(double a, const std::vector<double>& nodes, std::size_t edge) {
  if (edge >= nodes.size()) return 1.0;
  const double low = nodes[edge - 1], high = nodes[edge];
  return std::clamp((high - a) / (high - low), 0.0, 1.0);
}

double normal(double x, double mean, double deviation) {
  return std::exp(-0.5 * std::pow((x - mean) / deviation, 2)) / (deviation * std::sqrt(2 * std::numbers::pi));
}

struct Angle {
  double mean, deviation;
};

/// Sum over the angle of weight times value(range).
template <class F>
double mixture(const Angle& law, const std::vector<double>& nodes, std::size_t edge, F value, int steps = 800) {
  double sum = 0, weights = 0;
  for (int k = 0; k <= steps; ++k) {
    const double v = 7.0 * (2.0 * k / steps - 1), a = law.mean + v * law.deviation;
    const double weight = std::exp(-0.5 * v * v), share = near_share(a, nodes, edge);
    weights += weight;
    if (share > 0) sum += weight * share * value(kNear.range(turned(a)));
    if (share < 1) sum += weight * (1 - share) * value(kFar.range(turned(a)));
  }
  return sum / weights;
}

constexpr double kStepM = 0.004;

std::vector<double> many_ranges(double step_m = kStepM) {
  std::vector<double> ranges = {NAN};
  for (double r = 1.8; r < 2.6; r += step_m) ranges.push_back(double{static_cast<float>(r)});
  for (double r = 4.4; r < 6.0; r += step_m) ranges.push_back(double{static_cast<float>(r)});
  return ranges;
}

/// Probability by which the two are apart: half the sum of |difference| over the ranges, which are `step_m` apart.
template <class F>
double apart(const NoiseChain& chain, const ChainReturns& returns, double step_m, F oracle) {
  const std::vector<FrameScore> scores = score_frames(chain, returns, 1);
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const double weight = std::isnan(returns.range_m[i]) ? 1.0 : step_m;
    const double expected = oracle(double{returns.range_m[i]});
    sum += 0.5 * weight * std::abs(std::exp(scores[i].nats) - expected), all += weight * expected;
  }
  EXPECT_NEAR(all, 1, 0.01);
  return sum;
}

NoiseChain chain_of(const Angle& law, std::vector<Noise> others) {
  NoiseChain chain = {AngularRay{
      .axis = Axis::kZ, .mean_rad = static_cast<float>(law.mean), .stddev_rad = static_cast<float>(law.deviation)}};
  for (Noise& noise : others) chain.emplace_back(std::move(noise));
  return chain;
}

/// Deviations from a twentieth of the step between nodes to several steps.
class TurnedDensity : public testing::TestWithParam<double> {};

TEST_P(TurnedDensity, OfNormalErrorsIsTheSumOverAngles) {
  const std::vector<double> grid = nodes(0.004, 16);
  for (const double mean : {0.0, -0.003}) {
    const Angle law = {mean, 0.004 * GetParam()};
    for (const std::size_t edge : {17U, 19U, 33U}) {
      for (const double sigma : {0.02, 0.004}) {
        const ChainReturns returns = returns_at(many_ranges(), grid, edge);
        const NoiseChain chain = chain_of(law, {DistanceNoise{0.0F, static_cast<float>(sigma), 0.0F}, Dropout{0.1F}});
        const double off = apart(chain, returns, kStepM, [&](double r) {
          if (std::isnan(r)) return 0.1;
          return 0.9 * mixture(law, grid, edge, [&](double z) { return normal(r, z, sigma); });
        });
        EXPECT_LT(off, 0.015) << "mean " << mean << " edge " << edge << " sigma " << sigma;
      }
    }
  }
}

/// These densities take long: the ranges are as far apart as the narrowest density allows.
TEST_P(TurnedDensity, OfOtherErrorsIsNearlyTheSumOverAngles) {
  constexpr double kWideM = 0.01;
  constexpr int kAngles = 200;
  const std::vector<double> grid = nodes(0.004, 16);
  const Angle law = {0.001, 0.004 * GetParam()};
  const auto oracle_of = [&](const MeasuredRangeLaw& error, std::size_t edge) {
    return [&, edge](double r) {
      if (std::isnan(r)) return 0.0;
      return mixture(
          law, grid, edge,
          [&](double z) {
            MeasuredRangeLaw at = error;
            at.mean_m = z;
            return density(at, r, nullptr);
          },
          kAngles);
    };
  };
  MeasuredRangeLaw uniform;
  uniform.normal_m = 0.01, uniform.low_m = -0.05, uniform.high_m = 0.05;
  const ChainReturns returns = returns_at(many_ranges(kWideM), grid, 18);
  const NoiseChain rounded = chain_of(law, {DistanceNoise{0.0F, 0.01F, 0.0F}, UniformNoise{-0.05F, 0.05F}});
  EXPECT_LT(apart(rounded, returns, kWideM, oracle_of(uniform, 18)), 0.05);
  MeasuredRangeLaw heavy;
  heavy.student_m = 0.02, heavy.nu = 4.0;
  EXPECT_LT(apart(chain_of(law, {StudentNoise{0.02F, 0.0F, 4.0F}}), returns, kWideM, oracle_of(heavy, 18)), 0.05);
}

TEST_P(TurnedDensity, OfReadingsIsNearlyTheSumOverAngles) {
  const std::vector<double> grid = nodes(0.004, 16);
  const Angle law = {0.001, 0.004 * GetParam()};
  std::vector<double> ranges = {NAN};
  for (double r = 0.5 * kStepM; r < 8.0; r += kStepM) ranges.push_back(double{static_cast<float>(r)});
  ChainReturns returns = returns_at(ranges, grid, 18);
  returns.max_range_m = 8.0;
  const BeamMixture mixed = {0.5F, 0.25F, 0.05F, 0.2F, 0.03F, 0.5F, 0.0F};
  const double off = apart(chain_of(law, {mixed}), returns, kStepM, [&](double r) {
    if (std::isnan(r)) return 0.05;
    return mixture(law, grid, 18, [&](double z) {
      MeasuredRangeLaw at = MeasuredRangeLaw::of_clean(z);
      at.limit_m = 8.0;
      BeamMixture::act(mixed, at);
      return density(at, r, nullptr);
    });
  });
  EXPECT_LT(off, 0.02);
}

INSTANTIATE_TEST_SUITE_P(Steps, TurnedDensity, testing::Values(0.05, 0.3, 1.0, 3.0));

TEST(TurnedRays, AloneTheyHaveTheDensityOfTheAngleThatGivesTheRange) {
  const std::vector<double> grid = nodes(0.004, 16);
  const Angle law = {0.001, 0.004};
  const ChainReturns returns = returns_at(many_ranges(), grid, 33);
  const double h = 1e-6;
  const double off = apart(chain_of(law, {}), returns, kStepM, [&](double r) {
    if (std::isnan(r)) return 0.0;
    double low = -0.5, high = 0.5;  // the range falls with the angle
    for (int k = 0; k < 60; ++k) {
      const double a = 0.5 * (low + high);
      (kNear.range(turned(a)) > r ? low : high) = a;
    }
    const double slope = (kNear.range(turned(low + h)) - kNear.range(turned(low - h))) / (2 * h);
    return normal(low, law.mean, law.deviation) / std::abs(slope);
  });
  EXPECT_LT(off, 0.02);  // the range is taken as linear in the angle
}

TEST(TurnedRays, WhatMeetsNothingIsLost) {
  const std::vector<double> grid = nodes(0.004, 16);
  ChainReturns returns = returns_at({NAN}, grid, 17);
  for (std::uint8_t& met : returns.turned.met) met = met == 0 ? 0 : ChainReturns::TurnedRays::kNothing;
  const Angle law = {0.0, 0.006};
  const double expected = 1 - 0.8 * mixture(law, grid, 17, [](double z) { return z < 4 ? 1.0 : 0.0; });
  const NoiseChain chain = chain_of(law, {DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.2F}});
  EXPECT_NEAR(score_frames(chain, returns)[0].nats, std::log(expected), 1e-4);
}

TEST(TurnedRays, SmoothLossesAreThoseWhereTheMeanAngleMeetsTheSurface) {
  const std::vector<double> grid = nodes(0.004, 16);
  const Angle law = {0.002, 0.003};
  ChainReturns returns = returns_at({NAN}, grid, grid.size());
  returns.energy = {0.5F};
  const double head_on = 0.5 / std::cos(double{returns.incidence_rad[0]});
  const double lost = mixture(law, grid, grid.size(), [&](double range_m) {
    return std::pow((1 - head_on * kNear.c / range_m) / 0.9, 3);  // of the energy, the cosine of incidence is c / range
  });
  NoiseChain chain = chain_of(law, {DistanceNoise{0.0F, 0.02F, 0.0F}});
  chain.insert(chain.begin() + 1,
               StereoEnergy{.min_energy = 0.1F, .pow = 3.0F, .normalization = EnergyNormalization::kThreshold});
  EXPECT_GT(lost, 0.1);
  EXPECT_NEAR(std::exp(score_frames(chain, returns)[0].nats), lost, 1e-4);
}

TEST(TurnedRays, RefuseInOneLine) {
  const std::vector<double> grid = nodes(0.004, 16);
  const ChainReturns returns = returns_at({2.1, 2.2}, grid, 17);
  const auto refusal = [&](const NoiseChain& chain, const ChainReturns& data) {
    return input_error([&] { (void)score_frames(chain, data); });
  };
  const AngularRay x{Axis::kX, 0, 0.01F}, y{Axis::kY, 0, 0.01F}, z{Axis::kZ, 0, 0.01F};
  const DistanceNoise error{0, 0.02F, 0};
  EXPECT_TRUE(contains(refusal({x, error}, returns), "turns the rays about x, and the returns do not tell"));
  EXPECT_TRUE(contains(refusal({z, y, error}, returns), "turns the rays about z and about y"));
  EXPECT_TRUE(contains(refusal({z, MatchingWindow{}, error}, returns), "matching_window beside angular_ray"));
  EXPECT_TRUE(contains(refusal({z, LossAngle{1.2F}, error}, returns), "loss_angle beside angular_ray"));
  EXPECT_TRUE(contains(refusal({z, InvalidBand{}, error}, returns), "invalid_band beside angular_ray"));
  EXPECT_TRUE(contains(refusal({z, StereoEnergy{}, error}, returns), "stereo_energy beside angular_ray"));
  ChainReturns bad = returns;
  bad.turned.met[0] = 7;
  EXPECT_TRUE(contains(refusal({z, error}, bad), "meets surface 7 of 2"));
  bad = returns, bad.turned.rays.pop_back();
  EXPECT_TRUE(contains(refusal({z, error}, bad), "1 returns of turned rays given, not 2"));
  bad = returns, bad.turned.angle_rad = {0.0, 0.0, 1.0};
  EXPECT_TRUE(contains(refusal({z, error}, bad), "ascending"));
  bad = returns, bad.edge_rad = bad.jump = bad.jump_rad = {0.0F, 0.0F};
  EXPECT_TRUE(contains(refusal({z, EdgeLoss{.high_probability = 0.5F}, error}, bad), "edge_loss beside angular_ray"));
}

}  // namespace
}  // namespace fathom::test::turned_density_test
