// SPDX-License-Identifier: MIT
// Hits of extended laws, as densities: against quadrature, closed forms, their limits, and what is drawn.

#include <fathom/core/distributions.hpp>
#include <fathom/fit/beam.hpp>
#include <fathom/noise/beam_density.hpp>

#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom::test::hit_density_test {
namespace {

struct Case {
  HitTail tail;
  double sigma_m, expected_m;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const double expected_m : {0.03, 0.4, 5.0, 9.97, 10.0}) {
    for (const double sigma_m : {0.02, 0.3, 8.0}) {
      for (const double nu : {0.5, 1.0, 1.7, 2.0, 4.0, 60.0})
        all.push_back({{HitLaw::kStudentT, nu, 0}, sigma_m, expected_m});
      for (const double growth : {0.0, 0.01, 0.4}) all.push_back({{HitLaw::kGrows, 4, growth}, sigma_m, expected_m});
    }
  }
  return all;
}

std::string name_of(const Case& c) {
  return "law " + std::to_string(static_cast<int>(c.tail.hit)) + ", nu " + std::to_string(c.tail.nu_hit) + ", growth " +
         std::to_string(c.tail.sigma_hit_per_m) + ", sigma " + std::to_string(c.sigma_m) + ", z* " +
         std::to_string(c.expected_m);
}

BeamParameters parameters_of(const Case& c) { return {.6, .2, .05, .15, c.sigma_m, .4, 0.0, c.tail}; }
constexpr BeamSensor kSensor = {.max_range_m = 10, .miss = MissPolicy::kBook};

/// Simpson's rule over [low, high], cut where the density may bend: at the surface and around it.
template <class F>
double integral(const F& f, double low, double high, double center, double sigma) {
  std::vector<double> cuts = {low, high};
  for (double far = 0.25 * sigma; far < 40.0; far *= 1.6) cuts.push_back(center - far), cuts.push_back(center + far);
  cuts.push_back(center);
  std::erase_if(cuts, [&](double cut) { return cut < low || cut > high; });
  std::sort(cuts.begin(), cuts.end());
  constexpr int kSteps = 64;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    const double from = cuts[i], to = cuts[i + 1], h = (to - from) / kSteps;
    if (!(h > 0)) continue;
    // The ends belong to this piece: a density may jump there.
    const double inner = 1e-9 * h;
    double part = f(from + inner) + f(to - inner);
    for (int k = 1; k < kSteps; ++k) part += (k % 2 == 1 ? 4 : 2) * f(from + k * h);
    sum += part * h / 3;
  }
  return sum;
}

TEST(HitDensity, IntegratesToOneAndToItsCdf) {
  for (const Case& c : cases()) {
    const HitDensity hit(c.tail, c.expected_m, c.sigma_m, 10);
    const auto density = [&](double z) { return hit.density(z); };
    EXPECT_NEAR(integral(density, 0, 10, c.expected_m, c.sigma_m), 1, 1e-7) << name_of(c);
    for (const double z : {0.01, 0.39, 2.0, 5.1, 9.96}) {
      EXPECT_NEAR(integral(density, 0, z, c.expected_m, c.sigma_m), hit.cdf(z), 1e-7) << name_of(c) << ", z " << z;
    }
    EXPECT_EQ(hit.density(-1e-9), 0);
    EXPECT_EQ(hit.density(10.001), 0);
  }
}

TEST(HitDensity, HasItsMoments) {
  for (const Case& c : cases()) {
    const HitDensity hit(c.tail, c.expected_m, c.sigma_m, 10);
    const double mean = integral([&](double z) { return z * hit.density(z); }, 0, 10, c.expected_m, c.sigma_m);
    const double variance =
        integral([&](double z) { return (z - mean) * (z - mean) * hit.density(z); }, 0, 10, c.expected_m, c.sigma_m);
    EXPECT_NEAR(hit.mean(), mean, 1e-6) << name_of(c);
    EXPECT_NEAR(hit.variance(), variance, 1e-6) << name_of(c);
  }
}

TEST(HitDensity, QuantilesInvertTheCdf) {
  for (const Case& c : cases()) {
    const HitDensity hit(c.tail, c.expected_m, c.sigma_m, 10);
    for (const double u : {1e-9, 1e-4, 0.03, 0.2, 0.5, 0.7, 0.97, 0.9999, 1 - 1e-9}) {
      const double z = hit.quantile(u);
      ASSERT_TRUE(z >= 0 && z <= 10) << name_of(c);
      EXPECT_NEAR(hit.cdf(z), u, 1e-11) << name_of(c) << ", u " << u;
    }
  }
}

TEST(HitDensity, IsCauchysAtOneAndKnownAtTwo) {
  const double at_1 = math::student_log_peak(1), at_2 = math::student_log_peak(2);
  for (const double x : {1e-6, 0.1, 0.8, 1.0, 1.3, 2.0, 9.0, 1e3, 1e7}) {
    const math::StudentMass one = math::student_mass(x, 1, at_1), two = math::student_mass(x, 2, at_2);
    const double root = std::sqrt(2 + x * x);
    EXPECT_NEAR(one.beyond / (std::atan2(1.0, x) / std::numbers::pi), 1, 1e-12) << x;
    EXPECT_NEAR(one.inside / (std::atan(x) / std::numbers::pi), 1, 1e-12) << x;
    EXPECT_NEAR(two.beyond / (1 / (root * (root + x))), 1, 1e-12) << x;
    EXPECT_NEAR(two.inside / (0.5 * x / root), 1, 1e-12) << x;
    EXPECT_NEAR(math::student_tail_point(one.beyond, 1, at_1), x, 1e-9 * x + 1e-12) << x;
  }
}

TEST(HitDensity, IsTheGaussianAtTheEndsOfBothExtensions) {
  for (const double expected_m : {0.03, 0.4, 5.0, 9.97, 10.0}) {
    for (const double sigma_m : {0.02, 0.3, 8.0}) {
      const BeamDensity book(parameters_of({{}, sigma_m, expected_m}), kSensor, expected_m);
      const BeamDensity grows(parameters_of({{HitLaw::kGrows, 4, 0}, sigma_m, expected_m}), kSensor, expected_m);
      const BeamDensity student(parameters_of({{HitLaw::kStudentT, 1e6, 0}, sigma_m, expected_m}), kSensor, expected_m);
      for (double z = 0.005; z < 10; z += 0.11) {
        EXPECT_EQ(grows.density(z), book.density(z));
        EXPECT_EQ(grows.cdf(z), book.cdf(z));
        const double u = (z - expected_m) / sigma_m;  // log t = log phi + (u^4 - 2 u^2 - 1) / (4 nu) + ...
        if (std::abs(u) < 20) {
          EXPECT_NEAR(student.density(z), book.density(z), 1e-6 * (1 + u * u * u * u) * book.density(z)) << z;
        }
        EXPECT_NEAR(student.cdf(z), book.cdf(z), 1e-6) << z;
      }
      EXPECT_EQ(grows.quantile(.37), book.quantile(.37));
      EXPECT_EQ(grows.mean(), book.mean());
      EXPECT_EQ(grows.variance(), book.variance());
      EXPECT_NEAR(student.mean(), book.mean(), 1e-5);
      EXPECT_NEAR(student.variance(), book.variance(), 1e-4);
    }
  }
}

TEST(HitDensity, GrowsWithTheSurface) {
  const BeamDensity d(parameters_of({{HitLaw::kGrows, 4, .02}, .05, 3}), kSensor, 3);
  EXPECT_DOUBLE_EQ(d.hit().scale(), .05 + .02 * 3);
  BeamParameters moved = parameters_of({{HitLaw::kGrows, 4, .02}, .05, 3});
  moved.hit_offset_m = .5;
  EXPECT_DOUBLE_EQ(BeamDensity(moved, kSensor, 3).hit().scale(), .05 + .02 * 3.5);
}

/// A reading is a draw from F: the largest distance of 20 000 from it passes Kolmogorov's test at 1e-4.
TEST(HitDensity, ReadingsAreDrawnFromTheCdf) {
  constexpr std::size_t kDraws = 20'000;
  std::uint32_t scan = 0;
  for (const Case& c : cases()) {
    const BeamDensity d(parameters_of(c), kSensor, c.expected_m);
    std::vector<double> u;
    for (std::uint32_t i = 0; u.size() < kDraws; ++i) {
      const double z = sample_reading(d, beam_key(7, scan), i);
      if (z < 10) u.push_back(d.cdf(z) / (1 - d.w_max()));
    }
    ++scan;
    EXPECT_LT(ks_distance(u) * std::sqrt(static_cast<double>(kDraws)), 2.23) << name_of(c);
  }
}

TEST(HitDensity, CellsOfRoundedReadingsSumToOne) {
  BeamSensor sensor = kSensor;
  sensor.step_m = 0.05;
  for (const Case& c : cases()) {
    const BeamDensity d(parameters_of(c), sensor, c.expected_m);
    double sum = std::exp(d.log_likelihood(10));
    for (int k = 0; k < 200; ++k) sum += std::exp(d.log_likelihood(0.05 * k));
    EXPECT_NEAR(sum, 1, 1e-9) << name_of(c);
  }
}

TEST(HitDensity, LogarithmsDoNotUnderflow) {
  const BeamDensity grows({1, 0, 0, 0, .001, .4, 0, {HitLaw::kGrows, 4, .0001}}, kSensor, 3);
  EXPECT_NEAR(grows.log_density(9), -0.5 * std::pow(6 / .0013, 2) - std::log(.0013 * std::sqrt(2 * std::numbers::pi)),
              1);
  const BeamDensity student({1, 0, 0, 0, .001, .4, 0, {HitLaw::kStudentT, 900, 0}}, kSensor, 3);
  EXPECT_LT(student.log_density(9), -1000);
  EXPECT_TRUE(std::isfinite(student.log_density(9)));
}

TEST(HitDensity, RefusesNumbersOutsideTheirLimits) {
  const auto error = [](const HitTail& tail) {
    return input_error([&] { BeamDensity(parameters_of({tail, .1, 3}), kSensor, 3); });
  };
  EXPECT_EQ(error({HitLaw::kStudentT, 0.4, 0}), "beam.nu_hit = 0.4 is not in [0.5, 1000000]");
  EXPECT_EQ(error({HitLaw::kStudentT, std::nan(""), 0}), "beam.nu_hit = nan is not in [0.5, 1000000]");
  EXPECT_EQ(error({HitLaw::kGrows, 4, -0.1}), "beam.sigma_hit_per_m = -0.1 is not in [0, 1] m/m");
}

}  // namespace
}  // namespace fathom::test::hit_density_test
