// SPDX-License-Identifier: MIT
#pragma once
// Elementary functions in single precision, built from + - * / sqrt only, so that every compiler and instruction set
// gives the same bits (libm does not: glibc picks FMA variants at run time). Branch-free, so that loops over them
// vectorise. Compile with -ffp-contract=off. tests/core/math/math_test.cpp checks the stated errors against double
// precision.

#include <cstdint>
#include <numbers>

#include <fathom/core/export.hpp>

namespace fathom::math {

inline constexpr float kInfinity = __builtin_inff();

FATHOM_KERNEL std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
FATHOM_KERNEL float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }

/// `condition ? a : b` on the bits, because g++ would turn the ternary into a branch.
FATHOM_KERNEL float select(bool condition, float a, float b) {
  const auto mask = static_cast<std::uint32_t>(-static_cast<std::int32_t>(condition));
  return float_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

/// Natural logarithm of a positive normal x; relative error below 1e-7, also next to x = 1.
/// Reduction to [sqrt(1/2), sqrt(2)) and the atanh series, log m = 2 atanh((m - 1) / (m + 1)).
FATHOM_KERNEL float log(float x) {
  const std::uint32_t bits = bits_of(x) + (0x3f800000U - 0x3f3504f3U);
  const auto exponent = static_cast<float>(static_cast<std::int32_t>(bits >> 23U) - 127);
  const auto m = float_of((bits & 0x007fffffU) + 0x3f3504f3U);
  const float f = m - 1.0F;
  const float s = f / (2.0F + f);
  const float s2 = s * s;
  // 2/3, 2/5, 2/7, 2/9: |s| <= 0.1716, so the first term left out is below 3e-9.
  const float series = s2 * (0.66666667F + s2 * (0.4F + s2 * (0.28571430F + s2 * 0.22222222F)));
  // log m = f - s (f - series), arranged so that the large parts cancel last (fdlibm, __ieee754_log).
  return exponent * 0.693359375F + (f - (s * (f - series) + exponent * 2.12194440e-4F));
}

struct SinCos {
  float sin, cos;
};

/// Sine and cosine of x in [-pi/4, pi/4] (Taylor to x^9 and x^8, absolute error below 5e-8 and 1e-7).
FATHOM_KERNEL SinCos sincos_octant(float x) {
  const float x2 = x * x;
  const float s = x + x * x2 * (-1.6666667e-1F + x2 * (8.3333333e-3F + x2 * (-1.9841270e-4F + x2 * 2.7557319e-6F)));
  const float c = 1.0F - x2 * (0.5F - x2 * (4.1666668e-2F - x2 * (1.3888889e-3F - x2 * 2.4801587e-5F)));
  return {s, c};
}

/// Turns the octant result by `quadrant` right angles (only its two low bits matter), by swapping and sign bits.
FATHOM_KERNEL SinCos turn_quadrants(SinCos v, std::uint32_t quadrant) {
  const std::uint32_t swap = 0U - (quadrant & 1U);
  const auto s = bits_of(v.sin);
  const auto c = bits_of(v.cos);
  const std::uint32_t differ = (s ^ c) & swap;
  const std::uint32_t sin_sign = (quadrant & 2U) << 30U;
  const std::uint32_t cos_sign = ((quadrant + 1U) & 2U) << 30U;
  return {float_of((s ^ differ) ^ sin_sign), float_of((c ^ differ) ^ cos_sign)};
}

/// Sine and cosine of |x| <= 1e4; absolute error below 1.2e-7 (Cody-Waite in three parts).
FATHOM_KERNEL SinCos sincos(float x) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer
  const float turned = x * 0.63661977F + kRound;
  const std::uint32_t quadrant = bits_of(turned);
  const float n = turned - kRound;
  const float r = ((x - n * 1.5703125F) - n * 4.837512969970703e-4F) - n * 7.549789948768648e-8F;
  return turn_quadrants(sincos_octant(r), quadrant);
}

/// Angle of (x, y) from +x in [-pi, pi], for arguments that are not both infinite; absolute error below 3e-7. It has
/// the sign of y, zeros included, as in C, but ignores the sign of a zero x: atan2(0, -0) is 0.
FATHOM_KERNEL float atan2(float y, float x) {
  const float ax = float_of(bits_of(x) & 0x7fffffffU);
  const float ay = float_of(bits_of(y) & 0x7fffffffU);
  const bool steep = ay > ax;
  const float small = select(steep, ax, ay);
  const float large = select(steep, ay, ax);
  const float q = small / select(large > 0.0F, large, 1.0F);
  // atan q = pi/4 + atan((q - 1) / (q + 1)) above tan(pi/8) keeps the series argument below 0.4142.
  const bool upper = q > 0.41421356F;
  const float t = select(upper, (q - 1.0F) / (q + 1.0F), q);
  const float t2 = t * t;
  const float atan_t =
      t - t * t2 * (3.33329491539e-1F - t2 * (1.99777106478e-1F - t2 * (1.38776856032e-1F - t2 * 8.05374449538e-2F)));
  float angle = atan_t + select(upper, 0.25F * std::numbers::pi_v<float>, 0.0F);
  angle = select(steep, 0.5F * std::numbers::pi_v<float> - angle, angle);
  angle = select(x < 0.0F, std::numbers::pi_v<float> - angle, angle);
  return float_of(bits_of(angle) | (bits_of(y) & 0x80000000U));
}

/// Square root without errno; the instruction is correctly rounded.
FATHOM_KERNEL float sqrt(float x) { return __builtin_sqrtf(x); }

/// e^x; relative error below 2e-7 for x in [-87, 88]; 0 below, e^88 above. x = n ln 2 + r, |r| <= 0.347, Taylor to r^7.
FATHOM_KERNEL float exp(float x) {
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it rounds to the nearest integer
  const float inside = select(x > 88.0F, 88.0F, select(x < -87.0F, -87.0F, x));
  const float turned = inside * 1.44269504F + kRound;
  const float n = turned - kRound;
  const float r = (inside - n * 0.693359375F) + n * 2.12194440e-4F;
  const float series =
      1.0F +
      r * (1.0F +
           r * (0.5F + r * (1.6666667e-1F +
                            r * (4.1666668e-2F + r * (8.3333333e-3F + r * (1.3888889e-3F + r * 1.9841270e-4F))))));
  const float power = float_of((bits_of(turned) + (127U - 0x4b400000U)) << 23U);
  return select(x < -87.0F, 0.0F, series * power);
}

/// x^power for x clamped to [0, 1] and power > 0: exp(power log x). Relative error below 2e-7 + 2e-7 power |log x|.
FATHOM_KERNEL float power_of_fraction(float x, float power) {
  constexpr float kSmallestNormal = 1.17549435e-38F;
  const bool positive = x >= kSmallestNormal;
  const float value = exp(power * log(select(positive, x, 1.0F)));
  return select(positive, select(x < 1.0F, value, 1.0F), 0.0F);
}

/// Standard normal distribution function, in [0, 1): the float below 1 replaces 1. Absolute error below 2.4e-7;
/// relative error of the lower tail below 3e-6 for x in [-9, 0]; 0 below -13.2. The upper tail is
/// exp(-x^2 / 2) P(t), t = 1 - 8 / (x + 4), as in f64.hpp, with a polynomial through Chebyshev's nodes on [0, 9].
FATHOM_KERNEL float normal_cdf(float x) {
  const float ax = float_of(bits_of(x) & 0x7fffffffU);
  const float t = 1.0F - 8.0F / (select(ax < 9.0F, ax, 9.0F) + 4.0F), t2 = t * t;
  const float even =
      9.44106430e-2F + t2 * (1.24379262e-1F + t2 * (3.08644362e-2F + t2 * (5.11545513e-4F - t2 * 1.96038498e-4F)));
  const float odd =
      -1.70397714e-1F + t2 * (-7.17074350e-2F + t2 * (-8.49225558e-3F + t2 * (6.45694847e-4F - t2 * 7.84383301e-5F)));
  const float tail = exp(-0.5F * ax * ax) * (even + t * odd);
  const float share = select(x < 0.0F, tail, 1.0F - tail);
  return select(share < 1.0F, share, 0x1.fffffep-1F);
}

}  // namespace fathom::math
