// SPDX-License-Identifier: MIT
#include <fathom/math/interval_normal.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/math/random.hpp>

#include "support/statistics.hpp"

namespace fathom {
namespace {

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
    std::sort(u.begin(), u.end());
    double distance = 0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      distance = std::max({distance, std::abs(u[i] - static_cast<double>(i) / kDraws),
                           std::abs(u[i] - static_cast<double>(i + 1) / kDraws)});
    }
    EXPECT_GT(test::ks_p_value(distance, kDraws), test::kLowestP);
  }
}

}  // namespace
}  // namespace fathom
