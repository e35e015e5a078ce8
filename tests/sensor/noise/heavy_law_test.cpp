// SPDX-License-Identifier: MIT
// Laws with a t, by series and closed forms, against the slow sum over the normals of its mixture.

#include <initializer_list>

#include <fathom/core/distributions.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/noise/detail/measured_range_law.hpp>

#include "sensor/spread_student.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

/// Sum of f(deviation, weight) over t = N / sqrt(u), u ~ gamma(nu / 2, nu / 2): trapezoids in log u, of a third of the
/// step that StudentNodes takes.
template <class F>
double mixture(double nu, F f) {
  const double half = 0.5 * nu, step = 0.12 * std::min(1.0, std::sqrt(2.0 / nu));
  double sum = 0, weights = 0;
  for (const int side : {1, -1}) {
    for (int k = side > 0 ? 0 : 1;; ++k) {
      const double y = side * k * step, log_weight = half * (y + 1 - std::exp(y));
      if (log_weight < -60) break;
      const double weight = std::exp(log_weight);
      weights += weight, sum += weight * f(std::exp(-0.5 * y));
    }
  }
  return sum / weights;
}

/// P(low < scale t + normal + uniform < high); the uniform by Simpson's rule.
double slow_probability(const MeasuredRangeLaw& law, double low, double high) {
  const auto about = [&](double shift) {
    return mixture(law.nu, [&](double scale) {
      const double s = std::hypot(law.normal_m, scale * law.student_m);
      return math::normal_between((low - law.mean_m - shift) / s, (high - law.mean_m - shift) / s);
    });
  };
  const double width = law.high_m - law.low_m;
  if (!(width > 0)) return about(law.low_m);
  constexpr int kSteps = 64;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    sum += (i == 0 || i == kSteps ? 1 : i % 2 == 1 ? 4 : 2) * about(law.low_m + width * i / kSteps);
  }
  return sum / (3 * kSteps);
}

double slow_density(const MeasuredRangeLaw& law, double range_m) {
  const double h = 1e-3 * law.student_m;  // of a mean over so little, with its first correction
  const auto mean = [&](double half) { return slow_probability(law, range_m - half, range_m + half) / (2 * half); };
  return (4 * mean(h) - mean(2 * h)) / 3;
}

MeasuredRangeLaw heavy(double nu, double scale_m, double normal_m = 0, double width_m = 0) {
  MeasuredRangeLaw law = MeasuredRangeLaw::of_clean(4.0);
  law.add_student(scale_m, nu);
  law.add_normal(0.0, normal_m);
  if (width_m > 0) law.add_uniform(-0.3 * width_m, 0.7 * width_m);
  return law;
}

void expect_same(const MeasuredRangeLaw& law, double range_m, double half_m) {
  const double slow = slow_probability(law, range_m - half_m, range_m + half_m);
  if (!(slow > 1e-250)) return;
  const double fast = probability(law, range_m - half_m, range_m + half_m);
  const double rounding = 4e-16 * range_m / half_m;  // of the ends
  EXPECT_NEAR(fast / slow, 1.0, 1e-8 + rounding)
      << "nu " << law.nu << ", scale " << law.student_m << ", normal " << law.normal_m << ", uniform "
      << law.high_m - law.low_m << ", " << range_m << " +- " << half_m;
  EXPECT_NEAR(log_density(law, range_m, half_m), std::log(slow / (2 * half_m)), 1e-8 + rounding);
}

TEST(HeavyLaw, IsTheSlowSumOverNormals) {
  for (const double nu : {0.5, 1.0, 1.7, 4.0, 30.0, 1e4}) {
    for (const double x : {0.0, 0.4, -1.3, 3.0, -9.0, 200.0, 1e5}) {
      for (const double half : {1e-4, 0.1, 0.5, 2.0, 30.0}) {
        for (const double normal : {0.0, 0.003, 0.2, 2.0}) {
          if (nu > 10 && std::abs(x) > 10) continue;  // further out than the slow sum goes
          expect_same(heavy(nu, 0.02, 0.02 * normal), 4.0 + 0.02 * x, 0.02 * half);
        }
      }
    }
  }
}

TEST(HeavyLaw, SpreadsByAUniformAsTheSlowSumDoes) {
  for (const double nu : {0.6, 2.0, 7.0}) {
    for (const double x : {0.0, -1.3, 4.0, 60.0}) {
      for (const double half : {0.05, 0.6, 8.0}) {
        for (const double normal : {0.0, 0.05, 1.0}) {
          expect_same(heavy(nu, 0.02, 0.02 * normal, 0.01), 4.0 + 0.02 * x, 0.02 * half);
        }
      }
    }
  }
}

TEST(HeavyLaw, HasTheDensityOfTheSlowSum) {
  for (const double nu : {0.5, 1.7, 30.0}) {
    for (const double x : {0.0, -1.3, 9.0}) {
      for (const double normal : {0.0, 0.05, 1.5}) {
        for (const double width : {0.0, 0.1, 2.0}) {
          const MeasuredRangeLaw law = heavy(nu, 0.02, 0.02 * normal, 0.02 * width);
          const double slow = slow_density(law, 4.0 + 0.02 * x);
          EXPECT_NEAR(density(law, 4.0 + 0.02 * x) / slow, 1.0, 1e-6)
              << nu << ' ' << x << ' ' << normal << ' ' << width;
        }
      }
    }
  }
}

/// The closed form of P(a < T < b), which cancels nowhere that half is not small against x.
TEST(HeavyLaw, MeansOverAStepAreThoseOfTheDistribution) {
  int taken = 0;
  for (const double nu : {0.5, 1.0, 2.5, 12.0, 300.0, 1e6}) {
    const double log_peak = math::student_log_peak(nu);
    for (double x = 0; x < 1e6; x = 1.3 * x + 0.1) {
      for (const double half : {0.02, 0.2, 0.45, 0.05 * x}) {
        const auto share = spread_student(x, nu, {.half_step = half});
        const double between = math::student_between(x - half, x + half, nu, log_peak);
        // A difference of tails loses digits by cancellation.
        const double cost = half > x ? 1.0 : math::student_mass(x - half, nu, log_peak).beyond / between;
        if (!share || !(between > 1e-280) || !(cost < 1e3)) continue;
        ++taken;
        const double of_series = *share * 2 * half * math::student_density(x, nu, log_peak);
        EXPECT_NEAR(of_series / between, 1.0, (nu > 1e4 ? 3e-10 : 1e-11) * (1 + cost)) << nu << ' ' << x << ' ' << half;
      }
    }
  }
  EXPECT_GT(taken, 300);
}

TEST(HeavyLaw, SeriesAreNotTakenWhereTheyDoNotHold) {
  EXPECT_FALSE(spread_student(0.0, 1.0, {.half_step = 1.0}));
  EXPECT_FALSE(spread_student(0.0, 1.0, {.deviation = 0.5}));
  // A normal that carries the middle of the t further out than its own tail reaches.
  EXPECT_FALSE(spread_student(1e6, 30.0, {.deviation = 5e4}));
  EXPECT_TRUE(spread_student(0.0, 1.0, {.half_step = 0.1}));
  EXPECT_TRUE(spread_student(10.0, 1.0, {.half_step = 1.0, .half_width = 1.0, .deviation = 0.3}));
}

/// Any split of an interval: probabilities add up whichever way each part is found.
RC_GTEST_PROP(HeavyLaw, ProbabilitiesOfPartsAddUp, ()) {
  const auto between = [](int low, int high) { return *rc::gen::inRange(low, high); };
  const double nu = std::exp(between(-60, 500) / 100.0), scale_m = 0.02;
  const double normal_m = between(0, 2) == 0 ? 0.0 : scale_m * std::exp(between(-600, 100) / 100.0);
  const double width_m = between(0, 2) == 0 ? 0.0 : scale_m * std::exp(between(-300, 100) / 100.0);
  const MeasuredRangeLaw law = heavy(nu, scale_m, normal_m, width_m);
  const StudentNodes nodes(nu);
  const double low = 4.0 + scale_m * between(-800, 800) / 100.0,
               length = scale_m * std::exp(between(-200, 300) / 100.0);
  const int parts = between(2, 12);
  double sum = 0;
  for (int k = 0; k < parts; ++k) {
    sum += probability(law, low + length * k / parts, low + length * (k + 1) / parts, &nodes);
  }
  const double whole = probability(law, low, low + length, &nodes);
  RC_ASSERT(std::abs(sum - whole) < 3e-8 * whole + 1e-15);
}

}  // namespace
}  // namespace fathom::test
