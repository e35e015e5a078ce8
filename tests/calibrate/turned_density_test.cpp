// SPDX-License-Identifier: MIT
// The density of returns of turned rays beside a slow sum over hundreds of angles.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/calibrate/chain.hpp>
#include <fathom/math/f64.hpp>
#include <fathom/noise/measured_range_law.hpp>

#include "support/error_text.hpp"

namespace fathom::test::turned_density_test {
namespace {

struct Plane {
  double nx, ny, nz, c;
  /// Range at which the direction of this azimuth and elevation meets it.
  [[nodiscard]] double range(const std::array<double, 3>& d) const { return c / (nx * d[0] + ny * d[1] + nz * d[2]); }
};

constexpr double kAzimuth = 0.3;
const Plane kNear = {0.8, 0.6, 0.0, 2.0}, kFar = {-1.0, 0.1, 0.2, -5.0};

/// The nominal ray turned about z by a, then about y by b, as angular_ray turns it.
std::array<double, 3> turned(double a, double b) {
  const double x = std::cos(kAzimuth + a), y = std::sin(kAzimuth + a);
  return {std::cos(b) * x, y, -std::sin(b) * x};
}

std::vector<double> nodes(double step, int half) {
  std::vector<double> at;
  for (int k = -half; k <= half; ++k) at.push_back(step * k * (1.0 + 0.05 * std::abs(k)));  // steps differ
  return at;
}

/// One ray, whose nodes from number `edge` of the first axis on meet the far plane, measured at many ranges: each in a
/// frame of its own. NaN: lost.
ChainReturns returns_at(const std::vector<double>& ranges_m, const std::vector<double>& first,
                        const std::vector<double>& second, std::size_t edge) {
  ChainReturns r;
  TurnedRays& t = r.turned;
  t.axes = {Axis::kZ};
  if (!second.empty()) t.axes.push_back(Axis::kY);
  t.first_rad = first, t.second_rad = second;
  const double clean_m = kNear.range(turned(0, 0));
  for (const double range_m : ranges_m) {
    r.range_m.push_back(static_cast<float>(range_m)), r.clean_range_m.push_back(static_cast<float>(clean_m));
    r.clean_x_m.push_back(static_cast<float>(clean_m * std::cos(kAzimuth)));
    r.clean_y_m.push_back(static_cast<float>(clean_m * std::sin(kAzimuth)));
    r.incidence_rad.push_back(0.3F), r.energy.push_back(1.0F);
    r.frame.push_back(static_cast<std::uint32_t>(r.frame.size()));
    t.direction_x.push_back(static_cast<float>(std::cos(kAzimuth)));
    t.direction_y.push_back(static_cast<float>(std::sin(kAzimuth))), t.direction_z.push_back(0.0F);
    t.normal_x.push_back(static_cast<float>(kNear.nx)), t.normal_y.push_back(static_cast<float>(kNear.ny));
    t.normal_z.push_back(0.0F);
    t.surroundings.push_back(edge < first.size() ? 0 : TurnedRays::kOneSurface);
  }
  if (edge >= first.size()) return r;
  for (std::size_t k = 0; k < t.nodes(); ++k) t.met.push_back(k % first.size() < edge ? 0 : 1);
  t.first_surface = {0, 2};
  for (const Plane& p : {kNear, kFar}) {
    t.surface_x.push_back(static_cast<float>(p.nx)), t.surface_y.push_back(static_cast<float>(p.ny));
    t.surface_z.push_back(static_cast<float>(p.nz)), t.surface_m.push_back(static_cast<float>(p.c));
    t.surface_energy.push_back(1.0F);
  }
  return r;
}

/// Share of the edge's places that leave an angle to the near plane.
double near_share(double a, const std::vector<double>& first, std::size_t edge) {
  if (edge >= first.size()) return 1.0;
  const double low = first[edge - 1], high = first[edge];
  return std::clamp((high - a) / (high - low), 0.0, 1.0);
}

double normal(double x, double mean, double deviation) {
  return std::exp(-0.5 * std::pow((x - mean) / deviation, 2)) / (deviation * std::sqrt(2 * std::numbers::pi));
}

struct Angles {
  double mean_a, deviation_a, mean_b = 0, deviation_b = 0;
};

/// Sum over the angles of weight times value(a, b, plane).
template <class F>
double mixture(const Angles& law, const std::vector<double>& first, std::size_t edge, F value) {
  const bool both = law.deviation_b > 0;
  const int steps_a = both ? 400 : 800, steps_b = both ? 60 : 0;
  double sum = 0, weights = 0;
  for (int j = 0; j <= steps_b; ++j) {
    const double u = both ? 7.0 * (2.0 * j / steps_b - 1) : 0, b = law.mean_b + u * law.deviation_b;
    for (int k = 0; k <= steps_a; ++k) {
      const double v = 7.0 * (2.0 * k / steps_a - 1), a = law.mean_a + v * law.deviation_a;
      const double weight = std::exp(-0.5 * (u * u + v * v)), share = near_share(a, first, edge);
      weights += weight;
      if (share > 0) sum += weight * share * value(kNear.range(turned(a, b)));
      if (share < 1) sum += weight * (1 - share) * value(kFar.range(turned(a, b)));
    }
  }
  return sum / weights;
}

constexpr double kStepM = 0.004;

std::vector<double> many_ranges() {
  std::vector<double> ranges = {NAN};
  for (double r = 1.8; r < 2.6; r += kStepM) ranges.push_back(double{static_cast<float>(r)});
  for (double r = 4.4; r < 6.0; r += kStepM) ranges.push_back(double{static_cast<float>(r)});
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

NoiseChain chain_of(const Angles& law, std::vector<Noise> others) {
  NoiseChain chain = {AngularRay{
      .axis = Axis::kZ, .mean_rad = static_cast<float>(law.mean_a), .stddev_rad = static_cast<float>(law.deviation_a)}};
  if (law.deviation_b > 0) {
    chain.emplace_back(AngularRay{.axis = Axis::kY,
                                  .mean_rad = static_cast<float>(law.mean_b),
                                  .stddev_rad = static_cast<float>(law.deviation_b)});
  }
  for (Noise& noise : others) chain.emplace_back(std::move(noise));
  return chain;
}

/// Deviations from a twentieth of the step between nodes to several steps.
class TurnedDensity : public testing::TestWithParam<double> {};

TEST_P(TurnedDensity, OfNormalErrorsIsTheSumOverAngles) {
  const std::vector<double> first = nodes(0.004, 16);
  for (const double mean : {0.0, -0.003}) {
    const Angles law = {mean, 0.004 * GetParam()};
    for (const std::size_t edge : {17U, 19U, 33U}) {
      for (const double sigma : {0.02, 0.004}) {
        const ChainReturns returns = returns_at(many_ranges(), first, {}, edge);
        const NoiseChain chain = chain_of(law, {DistanceNoise{0.0F, static_cast<float>(sigma), 0.0F}, Dropout{0.1F}});
        const double off = apart(chain, returns, kStepM, [&](double r) {
          if (std::isnan(r)) return 0.1;
          return 0.9 * mixture(law, first, edge, [&](double z) { return normal(r, z, sigma); });
        });
        EXPECT_LT(off, 0.015) << "mean " << mean << " edge " << edge << " sigma " << sigma;
      }
    }
  }
}

TEST_P(TurnedDensity, OfOtherErrorsIsNearlyTheSumOverAngles) {
  const std::vector<double> first = nodes(0.004, 16);
  const Angles law = {0.001, 0.004 * GetParam()};
  const auto oracle_of = [&](const MeasuredRangeLaw& error, std::size_t edge) {
    return [&, edge](double r) {
      if (std::isnan(r)) return 0.0;
      return mixture(law, first, edge, [&](double z) {
        MeasuredRangeLaw at = error;
        at.mean_m = z;
        return density(at, r, nullptr);
      });
    };
  };
  MeasuredRangeLaw uniform;
  uniform.normal_m = 0.01, uniform.low_m = -0.05, uniform.high_m = 0.05;
  const ChainReturns returns = returns_at(many_ranges(), first, {}, 18);
  const NoiseChain rounded = chain_of(law, {DistanceNoise{0.0F, 0.01F, 0.0F}, UniformNoise{-0.05F, 0.05F}});
  EXPECT_LT(apart(rounded, returns, kStepM, oracle_of(uniform, 18)), 0.05);
  MeasuredRangeLaw heavy;
  heavy.student_m = 0.02, heavy.nu = 4.0;
  EXPECT_LT(apart(chain_of(law, {StudentNoise{0.02F, 0.0F, 4.0F}}), returns, kStepM, oracle_of(heavy, 18)), 0.05);
}

TEST_P(TurnedDensity, OfReadingsIsNearlyTheSumOverAngles) {
  const std::vector<double> first = nodes(0.004, 16);
  const Angles law = {0.001, 0.004 * GetParam()};
  std::vector<double> ranges = {NAN};
  for (double r = 0.5 * kStepM; r < 8.0; r += kStepM) ranges.push_back(double{static_cast<float>(r)});
  ChainReturns returns = returns_at(ranges, first, {}, 18);
  returns.max_range_m = 8.0;
  const BeamMixture mixed = {0.5F, 0.25F, 0.05F, 0.2F, 0.03F, 0.5F, 0.0F};
  const double off = apart(chain_of(law, {mixed}), returns, kStepM, [&](double r) {
    if (std::isnan(r)) return 0.05;
    return mixture(law, first, 18, [&](double z) {
      MeasuredRangeLaw at = MeasuredRangeLaw::of_clean(z);
      at.limit_m = 8.0;
      BeamMixture::act(mixed, at);
      return density(at, r, nullptr);
    });
  });
  EXPECT_LT(off, 0.02);
}

TEST_P(TurnedDensity, OfTwoAxesIsTheSumOverBoth) {
  const std::vector<double> first = nodes(0.004, 8), second = nodes(0.005, 8);
  const Angles law = {0.001, 0.004 * GetParam(), -0.002, 0.005 * GetParam()};
  for (const std::size_t edge : {9U, 17U}) {
    std::vector<double> ranges;
    for (double r = 1.8; r<6.0; r += r> 2.5 && r < 4.3 ? 1.8 : 0.01) ranges.push_back(double{static_cast<float>(r)});
    const ChainReturns returns = returns_at(ranges, first, second, edge);
    const double off = apart(chain_of(law, {DistanceNoise{0.0F, 0.02F, 0.0F}}), returns, 0.01, [&](double r) {
      return mixture(law, first, edge, [&](double z) { return normal(r, z, 0.02); });
    });
    EXPECT_LT(off, 0.02) << edge;
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, TurnedDensity, testing::Values(0.05, 0.3, 1.0, 3.0));

TEST(TurnedRays, AloneTheyHaveTheDensityOfTheAngleThatGivesTheRange) {
  const std::vector<double> first = nodes(0.004, 16);
  const Angles law = {0.001, 0.004};
  const ChainReturns returns = returns_at(many_ranges(), first, {}, 33);
  const double h = 1e-6;
  const double off = apart(chain_of(law, {}), returns, kStepM, [&](double r) {
    if (std::isnan(r)) return 0.0;
    double low = -0.5, high = 0.5;  // the range falls with the angle
    for (int k = 0; k < 60; ++k) {
      const double a = 0.5 * (low + high);
      (kNear.range(turned(a, 0)) > r ? low : high) = a;
    }
    const double slope = (kNear.range(turned(low + h, 0)) - kNear.range(turned(low - h, 0))) / (2 * h);
    return normal(low, law.mean_a, law.deviation_a) / std::abs(slope);
  });
  EXPECT_LT(off, 0.02);  // the range is taken as linear in the angle
}

TEST(TurnedRays, WhatMeetsNothingIsLost) {
  const std::vector<double> first = nodes(0.004, 16);
  ChainReturns returns = returns_at({NAN}, first, {}, 17);
  for (std::uint8_t& met : returns.turned.met) met = met == 0 ? 0 : TurnedRays::kNothing;
  const Angles law = {0.0, 0.006};
  const double expected = 1 - 0.8 * mixture(law, first, 17, [](double z) { return z < 4 ? 1.0 : 0.0; });
  const NoiseChain chain = chain_of(law, {DistanceNoise{0.0F, 0.02F, 0.0F}, Dropout{0.2F}});
  EXPECT_NEAR(score_frames(chain, returns)[0].nats, std::log(expected), 1e-4);
}

TEST(TurnedRays, ALimitOfIncidenceIsSmoothedByTheAngles) {
  // The near plane turns away as the angle falls; nothing beyond the limit comes back.
  const std::vector<double> first = nodes(0.004, 16);
  const Angles law = {0.0, 0.004};
  const auto incidence = [](double a) {
    const std::array<double, 3> d = turned(a, 0);
    return std::acos(kNear.nx * d[0] + kNear.ny * d[1]);
  };
  for (const double at : {-0.004, 0.0, 0.003}) {
    ChainReturns returns = returns_at({NAN, 2.09}, first, {}, 33);
    NoiseChain chain = chain_of(law, {DistanceNoise{0.0F, 0.05F, 0.0F}});
    chain.insert(chain.begin() + 1, LossAngle{static_cast<float>(incidence(at))});
    const std::vector<FrameScore> scores = score_frames(chain, returns);
    const double kept = math::normal_cdf(-at / law.deviation_a);
    EXPECT_NEAR(std::exp(scores[0].nats), 1 - kept, 0.03) << at;
  }
}

TEST(TurnedRays, RefuseInOneLine) {
  const std::vector<double> first = nodes(0.004, 16);
  const ChainReturns returns = returns_at({2.1, 2.2}, first, {}, 17);
  const auto refusal = [&](const NoiseChain& chain, const ChainReturns& data) {
    return input_error([&] { (void)score_frames(chain, data); });
  };
  const AngularRay x{Axis::kX, 0, 0.01F}, y{Axis::kY, 0, 0.01F}, z{Axis::kZ, 0, 0.01F};
  const DistanceNoise error{0, 0.02F, 0};
  EXPECT_TRUE(contains(refusal({x, error}, returns), "turns the rays about x, and the returns do not tell"));
  EXPECT_TRUE(contains(refusal({x, y, z, error}, returns), "about three axes"));
  EXPECT_TRUE(contains(refusal({z, y, z, error}, returns), "about z before and after another axis"));
  ChainReturns bad = returns;
  bad.turned.met[0] = 7;
  EXPECT_TRUE(contains(refusal({z, error}, bad), "meets surface 7 of 2"));
  bad = returns, bad.turned.normal_x.pop_back();
  EXPECT_TRUE(contains(refusal({z, error}, bad), "1 directions or normals of turned rays given, not 2"));
  bad = returns, bad.turned.first_rad = {0.0, 0.0, 1.0};
  EXPECT_TRUE(contains(refusal({z, error}, bad), "ascending"));
  bad = returns, bad.edge_rad = bad.jump = bad.jump_rad = {0.0F, 0.0F};
  EXPECT_TRUE(contains(refusal({z, EdgeLoss{.high_probability = 0.5F}, error}, bad), "edge_loss beside angular_ray"));
}

}  // namespace
}  // namespace fathom::test::turned_density_test
