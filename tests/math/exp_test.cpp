// SPDX-License-Identifier: MIT
// math::exp and math::power_of_fraction against double precision.

#include <cmath>

#include <gtest/gtest.h>

#include <fathom/math/f32.hpp>

namespace fathom {
namespace {

TEST(Exp, StaysWithinItsStatedError) {
  double worst = 0;
  for (double x = -86.9; x < 88; x += 1.7e-4) {
    const auto f = static_cast<float>(x);
    const double exact = std::exp(double{f});
    worst = std::max(worst, std::abs(math::exp(f) - exact) / exact);
  }
  EXPECT_LT(worst, 2e-7);
  EXPECT_EQ(math::exp(0.0F), 1.0F);
  EXPECT_EQ(math::exp(-100.0F), 0.0F);
  EXPECT_EQ(math::exp(200.0F), math::exp(88.0F));
}

TEST(PowerOfFraction, StaysWithinItsStatedErrorAndClamps) {
  for (const float power : {1e-9F, 1e-4F, 0.01F, 0.5F, 1.0F, 2.5F, 14.0F, 100.0F, 1000.0F, 1e5F, 1e7F}) {
    for (double x = 1e-6; x < 1; x += 1.3e-5) {
      const auto f = static_cast<float>(x);
      const double exact = std::pow(double{f}, double{power}), exponent = double{power} * std::abs(std::log(double{f}));
      if (exponent > 86) continue;
      ASSERT_NEAR(math::power_of_fraction(f, power), exact, exact * (2e-7 + 2e-7 * exponent)) << f << "^" << power;
    }
    EXPECT_EQ(math::power_of_fraction(0.0F, power), 0.0F);
    EXPECT_EQ(math::power_of_fraction(-3.0F, power), 0.0F);
    EXPECT_EQ(math::power_of_fraction(1.0F, power), 1.0F);
    EXPECT_EQ(math::power_of_fraction(7.0F, power), 1.0F);
  }
}

}  // namespace
}  // namespace fathom
