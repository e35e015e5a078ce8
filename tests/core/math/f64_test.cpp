// SPDX-License-Identifier: MIT
#include <fathom/core/f64.hpp>

#include "support/expect.hpp"

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

// The trigonometric functions against libm in long double, which has eleven more bits.

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kInf = std::numeric_limits<double>::infinity();

long double error(double got, long double want) { return std::abs(static_cast<long double>(got) - want); }
long double relative(double got, long double want) {
  return want == 0.0L ? std::abs(static_cast<long double>(got)) : error(got, want) / std::abs(want);
}

void check_angle(double x) {
  const long double sine = std::sin(static_cast<long double>(x)), cosine = std::cos(static_cast<long double>(x));
  EXPECT_LT(error(math::sin(x), sine), 2e-16L) << x;
  EXPECT_LT(error(math::cos(x), cosine), 2e-16L) << x;
  EXPECT_LT(relative(math::sin(x), sine), 1e-15L) << x;
  EXPECT_LT(relative(math::cos(x), cosine), 1e-15L) << x;
  EXPECT_LT(relative(math::tan(x), std::tan(static_cast<long double>(x))), 1e-15L) << x;
}

TEST(Trigonometry, SineCosineAndTangentAreThoseOfLibmToTheirErrors) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> turn(-2 * kPi, 2 * kPi), far(-1e6, 1e6), exponent(-300, 0);
  for (int i = 0; i < 100000; ++i) {
    check_angle(turn(random));
    check_angle(far(random));
    check_angle(std::pow(10.0, exponent(random)));
  }
}

TEST(Trigonometry, ZerosOfSineAndCosineKeepTheirDigits) {
  for (int n = 1; n < 600000; n = n < 1000 ? n + 1 : n + 997) {
    for (const double x : {n * (kPi / 2), n * (kPi / 4)}) {
      check_angle(x);
      check_angle(std::nextafter(x, kInf));
      check_angle(-std::nextafter(x, 0.0));
    }
  }
}

TEST(Trigonometry, SpecialAnglesAreWhatUsersExpect) {
  EXPECT_EQ(math::sin(0.0), 0.0);
  EXPECT_TRUE(std::signbit(math::sin(-0.0)));
  EXPECT_EQ(math::cos(0.0), 1.0);
  EXPECT_EQ(math::sin(kPi / 2), 1.0);
  EXPECT_EQ(math::cos(kPi), -1.0);
  EXPECT_EQ(math::cos(kPi / 2), 6.123233995736766e-17);
  EXPECT_EQ(math::sin(kPi), 1.2246467991473532e-16);
  EXPECT_EQ(math::sin(5e-324), 5e-324);
  for (int degrees = 0; degrees <= 360; ++degrees) {
    const double x = degrees * (kPi / 180);
    EXPECT_EQ(math::sin(-x), -math::sin(x));
    EXPECT_EQ(math::cos(-x), math::cos(x));
  }
  for (const double x : {kInf, -kInf, std::nan("")}) {
    EXPECT_TRUE(std::isnan(math::sin(x)));
    EXPECT_TRUE(std::isnan(math::cos(x)));
    EXPECT_TRUE(std::isnan(math::tan(x)));
  }
}

TEST(Trigonometry, FarAnglesAreOffByLessThanTheirOwnRounding) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> exponent(6, 15);
  for (int i = 0; i < 100000; ++i) {
    const double x = std::pow(10.0, exponent(random));
    EXPECT_LT(error(math::sin(x), std::sin(static_cast<long double>(x))), 2e-16L + 4e-17L * x) << x;
    EXPECT_LT(error(math::cos(x), std::cos(static_cast<long double>(x))), 2e-16L + 4e-17L * x) << x;
  }
  EXPECT_LE(std::abs(math::sin(1e300)), 1.0);
}

TEST(Trigonometry, Atan2IsThatOfLibmToItsError) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> near(-1, 1), exponent(-300, 300);
  const auto check = [](double y, double x) {
    EXPECT_LT(relative(math::atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))), 5e-16L)
        << y << " " << x;
  };
  for (int i = 0; i < 300000; ++i) {
    check(near(random), near(random));
    const double size = std::pow(10.0, exponent(random));
    check(size * near(random), size * near(random));
    check(near(random) * std::pow(10.0, exponent(random) / 40), near(random));
  }
  for (int k = -64; k <= 64; ++k) {  // the joints of its table
    for (const double x : {-1.0, 1.0}) {
      check(k / 64.0, x);
      check(std::nextafter(k / 64.0, 2.0), x);
      check(x, k / 64.0);
      check(x, std::nextafter(k / 64.0, -2.0));
    }
  }
}

TEST(Trigonometry, Atan2OnTheAxesAndBeyondIsThatOfC) {
  const double denormal = 5e-324, largest = std::numeric_limits<double>::max();
  for (const double y : {0.0, -0.0, 1.0, -1.0, kInf, -kInf, denormal, -denormal, largest, -largest}) {
    for (const double x : {0.0, -0.0, 1.0, -1.0, kInf, -kInf, denormal, -denormal, largest, -largest}) {
      EXPECT_EQ(math::atan2(y, x), std::atan2(y, x)) << y << " " << x;
      EXPECT_EQ(std::signbit(math::atan2(y, x)), std::signbit(y)) << y << " " << x;
    }
    EXPECT_TRUE(std::isnan(math::atan2(y, std::nan(""))));
    EXPECT_TRUE(std::isnan(math::atan2(std::nan(""), y)));
  }
}

TEST(Trigonometry, ArcSineAndArcCosineAreThoseOfLibmToTheirError) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> value(-1, 1), exponent(-16, 0);
  const auto check = [](double x) {
    EXPECT_LT(relative(math::asin(x), std::asin(static_cast<long double>(x))), 1e-15L) << x;
    EXPECT_LT(relative(math::acos(x), std::acos(static_cast<long double>(x))), 1e-15L) << x;
  };
  for (int i = 0; i < 200000; ++i) {
    check(value(random));
    const double small = std::pow(10.0, exponent(random));
    check(small);
    check(1.0 - small);
    check(small - 1.0);
  }
  EXPECT_EQ(math::acos(1.0), 0.0);
  EXPECT_EQ(math::acos(-1.0), kPi);
  EXPECT_EQ(math::acos(0.0), kPi / 2);
  EXPECT_EQ(math::asin(0.0), 0.0);
  EXPECT_EQ(math::asin(-1.0), -kPi / 2);
  EXPECT_TRUE(std::isnan(math::acos(1.0000001)));
  EXPECT_TRUE(std::isnan(math::asin(-2.0)));
}

}  // namespace
}  // namespace fathom
