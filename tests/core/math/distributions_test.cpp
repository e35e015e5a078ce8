// SPDX-License-Identifier: MIT
#include <fathom/core/distributions.hpp>

#include <fathom/core/random.hpp>

#include "support/expect.hpp"
#include "support/statistics.hpp"

namespace fathom {
namespace {

/// Gauss-Legendre, five points, over `pieces` equal parts.
double integrate(const std::function<double(double)>& f, double low, double high, int pieces) {
  constexpr double kX[] = {0, 0.5384693101056831, 0.9061798459386640};
  constexpr double kW[] = {0.5688888888888889, 0.4786286704993665, 0.2369268850561891};
  double sum = 0;
  const double half = (high - low) / pieces / 2;
  for (int i = 0; i < pieces; ++i) {
    const double middle = low + (2 * i + 1) * half;
    sum += half * kW[0] * f(middle);
    for (int k = 1; k < 3; ++k) sum += half * kW[k] * (f(middle - half * kX[k]) + f(middle + half * kX[k]));
  }
  return sum;
}

template <class Law>
void check_law(const Law& law, double limit, int pieces) {
  EXPECT_NEAR(integrate([&](double z) { return law.density(z); }, 0, limit, pieces), 1, 1e-9);
  EXPECT_EQ(law.cdf(0), 0);
  EXPECT_EQ(law.cdf(limit), 1);
  EXPECT_EQ(law.density(-1e-9), 0);
  EXPECT_EQ(law.density(limit * 1.0001), 0);
  for (const double part : {0.1, 0.5, 0.93}) {
    const double z = part * limit;
    EXPECT_NEAR(integrate([&](double y) { return law.density(y); }, 0, z, pieces), law.cdf(z), 1e-9);
  }
  for (const double u : {1e-12, 1e-3, 0.3, 0.5, 0.77, 0.999, 1 - 1e-12}) {
    const double z = law.quantile(u);
    EXPECT_GE(z, 0);
    EXPECT_LE(z, limit);
    EXPECT_NEAR(law.cdf(z), u, 1e-11);
  }
}

TEST(Distributions, TruncatedNormalObeysItsLaws) {
  for (const double limit : {0.5, 8.0}) {
    for (const double sigma : {0.05, 0.4, 3.0, 100.0}) {
      for (const double place : {0.0, 0.01, 0.5, 1.0}) {
        SCOPED_TRACE(testing::Message() << "Z " << limit << " sigma " << sigma << " center " << place * limit);
        const TruncatedNormal law = {place * limit, sigma, limit};
        check_law(law, limit, 2000);
        const auto d = [&](double z) { return z - law.center; };
        const double mean = integrate([&](double z) { return d(z) * law.density(z); }, 0, limit, 2000);
        const double m2 = integrate([&](double z) { return d(z) * d(z) * law.density(z); }, 0, limit, 2000);
        EXPECT_NEAR(law.mean_shift(), mean, 1e-9 * limit);
        EXPECT_NEAR(law.second_moment(), m2, 1e-9 * limit * limit);
      }
    }
  }
}

TEST(Distributions, SecondMomentRisesFromZeroToTheUniformOnes) {
  const double limit = 5, center = 1.2;
  double before = 0;
  for (double sigma = 1e-3; sigma < 1e6; sigma *= 1.07) {
    const double m2 = TruncatedNormal{center, sigma, limit}.second_moment();
    EXPECT_GE(m2, before) << sigma;
    before = m2;
  }
  const double a = limit - center, uniform = (a * a - a * center + center * center) / 3;
  EXPECT_NEAR(before, uniform, 1e-9);
}

TEST(Distributions, TruncatedExponentialObeysItsLaws) {
  for (const double limit : {0.5, 8.0}) {
    for (const double x : {0.0, 1e-12, 1e-3, 0.15, 0.25, 3.0, 40.0}) {
      SCOPED_TRACE(testing::Message() << "z* " << limit << " lambda z* " << x);
      const TruncatedExponential law = {x / limit, limit};
      check_law(law, limit, 2000);
      const double mean = integrate([&](double z) { return z * law.density(z); }, 0, limit, 2000);
      const double square = integrate([&](double z) { return z * z * law.density(z); }, 0, limit, 2000);
      EXPECT_NEAR(law.mean(), mean, 1e-9 * limit);
      EXPECT_NEAR(law.variance(), square - mean * mean, 1e-9 * limit * limit);
    }
  }
}

TEST(Distributions, TruncatedExponentialAtExtremes) {
  const TruncatedExponential steep = {1e3, 1.0}, flat = {1e-12, 1.0};
  EXPECT_NEAR(steep.quantile(0.5), std::log(2.0) / 1e3, 1e-15);
  EXPECT_NEAR(steep.mean(), 1e-3, 1e-15);
  EXPECT_LE(steep.quantile(1.0), 1.0);
  EXPECT_NEAR(flat.quantile(0.25), 0.25, 1e-12);
  EXPECT_NEAR(flat.density(0.7), 1.0, 1e-11);
  EXPECT_NEAR(flat.mean(), 0.5, 1e-12);
}

/// The law in long double, from its definition: phi(x) over its integral, by Simpson's rule.
struct Slow {
  long double mean, stddev, low, high;

  [[nodiscard]] long double shape(long double x) const {
    // Against the largest exponent on the interval, so that a far tail does not underflow.
    const long double nearest = std::clamp(mean, low, high);
    const long double z = (x - mean) / stddev, z0 = (nearest - mean) / stddev;
    return std::exp((z0 * z0 - z * z) / 2);
  }
  [[nodiscard]] long double integral(long double from, long double to) const {
    constexpr int kParts = 20000;
    const long double step = (to - from) / kParts;
    long double sum = shape(from) + shape(to);
    for (int i = 1; i < kParts; ++i) sum += (i % 2 == 1 ? 4 : 2) * shape(from + i * step);
    return sum * step / 3;
  }
  [[nodiscard]] long double cdf(long double x) const { return integral(low, x) / integral(low, high); }
};

const IntervalNormal kLaws[] = {{0, 1, -1, 2},        {0.05, 0.02, 0.048, 0.052}, {0, 1, 2, 3},
                                {0, 1, -9, -6},       {10, 0.5, -3, 4},           {0, 1, 20, 20.5},
                                {0, 1e9, -0.5, 0.75}, {-2, 0.1, -2, -1.6},        {0, 1, -0.001, 0.002}};

TEST(IntervalNormal, EqualsTheSlowLaw) {
  for (const IntervalNormal& law : kLaws) {
    SCOPED_TRACE(testing::Message() << law.mean << " " << law.stddev << " " << law.low << " " << law.high);
    const Slow slow = {law.mean, law.stddev, law.low, law.high};
    const long double all = slow.integral(law.low, law.high);
    for (const double part : {0.003, 0.1, 0.5, 0.8, 0.999}) {
      const double x = law.low + part * (law.high - law.low);
      EXPECT_NEAR(law.cdf(x), static_cast<double>(slow.cdf(x)), 1e-7);
      const auto density = static_cast<double>(slow.shape(x) / all);
      EXPECT_NEAR(law.density(x), density, 1e-6 * density);
    }
    EXPECT_EQ(law.cdf(law.low), 0.0);
    EXPECT_EQ(law.cdf(law.high), 1.0);
    EXPECT_EQ(law.density(std::nextafter(law.low, -1e9)), 0.0);
    EXPECT_EQ(law.density(std::nextafter(law.high, 1e9)), 0.0);
  }
}

TEST(IntervalNormal, TheQuantileInvertsTheCdfAndStaysInside) {
  for (const IntervalNormal& law : kLaws) {
    SCOPED_TRACE(testing::Message() << law.mean << " " << law.stddev << " " << law.low << " " << law.high);
    double before = law.low;
    for (const double u : {1e-16, 1e-9, 1e-3, 0.2, 0.5, 0.8, 0.999, 1 - 1e-9, 1 - 1e-16}) {
      const double x = law.quantile(u);
      EXPECT_GE(x, before);
      EXPECT_LE(x, law.high);
      EXPECT_NEAR(law.cdf(x), u, 1e-9);
      before = x;
    }
  }
}

TEST(IntervalNormal, KeyedDrawsHaveTheLaw) {
  std::uint32_t stream = 100;
  for (const IntervalNormal& law : kLaws) {
    SCOPED_TRACE(testing::Message() << law.mean << " " << law.stddev << " " << law.low << " " << law.high);
    constexpr std::size_t kDraws = 20000;
    std::vector<double> u;
    for (std::uint32_t i = 0; i < kDraws; ++i) {
      const PhiloxBlock block = keyed_block({11, 0, stream}, i, 0);
      u.push_back(law.cdf(law.quantile((block.word[0] + 0.5) * 0x1p-32)));
    }
    ++stream;
    const double p = test::chi_square_p_of_uniforms(u, 50);
    EXPECT_TRUE(p > test::kLowestP && p < test::kHighestP) << p;
    EXPECT_GT(test::ks_p_value(test::ks_distance(u), kDraws), test::kLowestP);
  }
}

}  // namespace
}  // namespace fathom
