// SPDX-License-Identifier: MIT
// The trigonometric functions against those of libm in long double, which have eleven bits more.

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <fathom/math/trigonometry.hpp>

namespace fathom {
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
