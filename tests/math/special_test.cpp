// SPDX-License-Identifier: MIT
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <fathom/math/f64.hpp>

namespace fathom {
namespace {

double relative(double got, double want) { return want == 0.0 ? std::abs(got) : std::abs(got / want - 1.0); }

// The C library is the oracle: it is good to about one unit in the last place, 2e-16.
TEST(Special, ElementaryFunctionsAgreeWithTheCLibrary) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(-700, 700), tiny(-18, 0), size(-300, 300);
  for (int i = 0; i < 200000; ++i) {
    const double x = exponent(random);
    EXPECT_LT(relative(math::exp(x), std::exp(x)), 1e-15) << x;
    const double small = (i % 2 == 0 ? 1 : -1) * std::pow(10.0, tiny(random));
    EXPECT_LT(relative(math::expm1(small), std::expm1(small)), 1e-15) << small;
    EXPECT_LT(relative(math::log1p(0.99 * small), std::log1p(0.99 * small)), 1e-15) << small;
    const double y = std::pow(10.0, size(random));
    EXPECT_LT(relative(math::log(y), std::log(y)), 1e-15) << y;
    EXPECT_NEAR(math::log(1.0 + 0.3 * small), std::log(1.0 + 0.3 * small), 2e-16) << small;
  }
}

TEST(Special, ElementaryFunctionsAtTheirEnds) {
  EXPECT_EQ(math::exp(0.0), 1.0);
  EXPECT_EQ(math::exp(-1e9), 0.0);
  EXPECT_EQ(math::exp(-INFINITY), 0.0);
  EXPECT_EQ(math::expm1(0.0), 0.0);
  EXPECT_EQ(math::expm1(-1e9), -1.0);
  EXPECT_EQ(math::log(1.0), 0.0);
  EXPECT_EQ(math::log1p(0.0), 0.0);
}

TEST(Special, ErrorFunctionsAgreeWithTheCLibrary) {
  for (double x = -6.0; x < 25.9; x += 0.00117) {
    EXPECT_LT(relative(math::erfc(x), std::erfc(x)), x < 5 ? 1e-14 : 2e-13) << x;
    EXPECT_LT(relative(math::erf(x), std::erf(x)), 1e-14) << x;
  }
  for (const double x : {0.0, 1e-300, 1e-20, -1e-9}) EXPECT_LT(relative(math::erf(x), std::erf(x)), 1e-15) << x;
}

TEST(Special, NormalUpperTailIsRightToTheDigitsOfOne) {
  for (double x = 0.0; x < 40.0; x += 0.00037) {
    EXPECT_NEAR(math::normal_upper_tail(x, math::exp(-0.5 * x * x)), 0.5 * std::erfc(x * math::kSqrtHalf), 3e-16) << x;
  }
}

TEST(Special, NormalQuantileInvertsTheCdf) {
  for (double log_p = -290; log_p < -0.31; log_p += 0.173) {
    const double p = std::pow(10.0, log_p);
    const double x = math::normal_quantile(p);
    // dp / p = x dx near a tail, so p recovers to the accuracy of x times x^2.
    EXPECT_LT(relative(math::normal_cdf(x), p), 1e-14 * (10 + x * x)) << p;
    EXPECT_EQ(math::normal_quantile(0.5), 0.0);
  }
  // Textbook values, Abramowitz and Stegun table 26.5.
  EXPECT_NEAR(math::normal_quantile(0.975), 1.95996398454005, 1e-13);
  EXPECT_NEAR(math::normal_quantile(0.005), -2.57582930354890, 1e-13);
}

TEST(Special, NormalBetweenKeepsItsDigitsInBothTailsAndNearZero) {
  EXPECT_LT(relative(math::normal_between(10, 11), math::normal_between(-11, -10)), 1e-13);
  EXPECT_LT(relative(math::normal_between(-1e-9, 1e-9), 2e-9 * math::kInverseSqrtTwoPi), 1e-14);
  EXPECT_LT(relative(math::normal_between(-1, 1), 0.682689492137085897), 1e-14);
}

}  // namespace
}  // namespace fathom
