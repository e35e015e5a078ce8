// SPDX-License-Identifier: MIT
// The errors that f32.hpp and f64.hpp state, measured against double precision. Sweeps take every kStep-th float of the
// domain, kStep odd so that no bit pattern is favoured; all floats of the domains were run once when the numbers were
// written.

#include <fathom/core/f32.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr std::uint32_t kStep = kSanitized ? 8191 : 1021;

/// The largest error over the floats in [low, high], both positive.
double worst(float low, float high, std::uint32_t step, const std::function<double(float)>& error) {
  double largest = 0.0;
  for (std::uint32_t bits = math::bits_of(low); bits <= math::bits_of(high); bits += step) {
    const double e = error(math::float_of(bits));
    if (!(e <= largest)) largest = e;  // a NaN sticks
  }
  return largest;
}

TEST(Math, LogOfEveryNormalFloat) {
  const auto relative_error = [](float x) {
    const double exact = std::log(double{x});
    return exact == 0.0 ? std::abs(math::log(x)) : std::abs(math::log(x) / exact - 1.0);
  };
  EXPECT_LT(worst(0x1p-126F, 0x1.fffffep127F, kStep, relative_error), 1e-7);
  EXPECT_LT(worst(0.5F, 2.0F, kStep / 16, relative_error), 1e-7);
  EXPECT_LT(worst(0.999F, 1.001F, 1, relative_error), 1e-7);
  EXPECT_EQ(math::log(1.0F), 0.0F);
}

TEST(Math, NormalCdfOfEveryFloat) {
  const auto exact = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  const auto error = [&](float x) {
    const float upper = math::normal_cdf(x), lower = math::normal_cdf(-x);
    EXPECT_TRUE(lower >= 0.0F && lower <= 0.5F && upper >= 0.5F && upper < 1.0F) << x;
    return std::max(std::abs(upper - exact(double{x})), std::abs(lower - exact(-double{x})));
  };
  const auto relative_error = [&](float x) { return std::abs(math::normal_cdf(-x) / exact(-double{x}) - 1.0); };
  EXPECT_LT(worst(0x1p-126F, 1e-3F, 64 * kStep, error), 2.4e-7);
  EXPECT_LT(worst(1e-3F, 20.0F, kStep / 16, error), 2.4e-7);
  EXPECT_LT(worst(1e-3F, 9.0F, kStep / 16, relative_error), 3e-6);
  EXPECT_EQ(math::normal_cdf(0.0F), 0.5F);
  EXPECT_EQ(math::normal_cdf(math::kInfinity), 0x1.fffffep-1F);
  EXPECT_EQ(math::normal_cdf(-math::kInfinity), 0.0F);
  EXPECT_EQ(math::normal_cdf(-14.0F), 0.0F);
}

TEST(Math, SinCosOctant) {
  const auto sin_error = [](float x) { return std::abs(math::sincos_octant(x).sin - std::sin(double{x})); };
  const auto cos_error = [](float x) { return std::abs(math::sincos_octant(x).cos - std::cos(double{x})); };
  EXPECT_LT(worst(0.0F, 0.25F * std::numbers::pi_v<float>, kStep, sin_error), 5e-8);
  EXPECT_LT(worst(0.0F, 0.25F * std::numbers::pi_v<float>, kStep, cos_error), 1e-7);
  EXPECT_LT(worst(0.7F, 0.25F * std::numbers::pi_v<float>, 7, cos_error), 1e-7);
}

TEST(Math, SinCosToTenThousand) {
  const auto error = [](float x) {
    const math::SinCos plus = math::sincos(x), minus = math::sincos(-x);
    EXPECT_EQ(plus.sin, -minus.sin) << x;
    EXPECT_EQ(plus.cos, minus.cos) << x;
    return std::max(std::abs(plus.sin - std::sin(double{x})), std::abs(plus.cos - std::cos(double{x})));
  };
  EXPECT_LT(worst(0.0F, 10.0F, kStep, error), 1.2e-7);
  EXPECT_LT(worst(10.0F, 1e4F, kStep / 16, error), 1.2e-7);
}

TEST(Math, Atan2OverAllDirections) {
  double largest = 0.0;
  for (int i = 0; i < static_cast<int>(repetitions(2'000'000)); ++i) {
    const double angle = 1e-6 * i * std::numbers::pi;
    const double radius = std::ldexp(1.0, i % 41 - 20);
    const auto x = static_cast<float>(radius * std::cos(angle)), y = static_cast<float>(radius * std::sin(angle));
    largest = std::max(largest, std::abs(math::atan2(y, x) - std::atan2(double{y}, double{x})));
  }
  EXPECT_LT(largest, 3e-7);
}

TEST(Math, Atan2AtTheAxesAndSignedZeros) {
  EXPECT_EQ(math::atan2(0.0F, 1.0F), 0.0F);
  EXPECT_EQ(math::atan2(1.0F, 0.0F), 0.5F * std::numbers::pi_v<float>);
  EXPECT_EQ(math::atan2(0.0F, -1.0F), std::numbers::pi_v<float>);
  EXPECT_EQ(math::atan2(-1.0F, 0.0F), -0.5F * std::numbers::pi_v<float>);
  EXPECT_EQ(math::atan2(-0.0F, -1.0F), -std::numbers::pi_v<float>);
  EXPECT_EQ(math::bits_of(math::atan2(0.0F, 0.0F)), math::bits_of(0.0F));
  EXPECT_EQ(math::bits_of(math::atan2(-0.0F, 0.0F)), math::bits_of(-0.0F));
  EXPECT_EQ(math::bits_of(math::atan2(-0.0F, 1.0F)), math::bits_of(-0.0F));
  EXPECT_FLOAT_EQ(math::atan2(1.0F, 1.0F), 0.25F * std::numbers::pi_v<float>);
  EXPECT_FLOAT_EQ(math::atan2(1.0F, -1.0F), 0.75F * std::numbers::pi_v<float>);
  EXPECT_FLOAT_EQ(math::atan2(-1.0F, -1.0F), -0.75F * std::numbers::pi_v<float>);
  EXPECT_FLOAT_EQ(math::atan2(-1.0F, 1.0F), -0.25F * std::numbers::pi_v<float>);
  EXPECT_EQ(math::atan2(1.0F, math::kInfinity), 0.0F);
  EXPECT_EQ(math::atan2(-1.0F, -math::kInfinity), -std::numbers::pi_v<float>);
}

TEST(Math, SelectMovesBitsUnchanged) {
  const float payload = math::float_of(0x7fc12345U);
  EXPECT_EQ(math::bits_of(math::select(true, payload, 1.0F)), 0x7fc12345U);
  EXPECT_EQ(math::bits_of(math::select(false, 1.0F, payload)), 0x7fc12345U);
}

TEST(Math, SqrtIsCorrectlyRounded) {
  std::mt19937 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const float x = math::float_of(static_cast<std::uint32_t>(random()) % 0x7f800000U);
    // Rounding a double square root to float is correct: 53 >= 2 * 24 + 2 bits.
    EXPECT_EQ(math::sqrt(x), static_cast<float>(std::sqrt(double{x})));
  }
}

}  // namespace
}  // namespace fathom::test

namespace fathom {

// math::exp and math::power_of_fraction against double precision.

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
