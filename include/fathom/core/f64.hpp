// SPDX-License-Identifier: MIT
#pragma once
// Elementary, trigonometric and normal-distribution functions in double precision. They use only + - * / sqrt and bit
// moves, so that every compiler and instruction set gives the same bits, unlike libm (f32.hpp). exp, expm1 and log are
// branch-free, so that loops over them vectorise. Compile with -ffp-contract=off. tests/core/math/ checks the errors
// stated here.

#include <cstdint>

#include <fathom/core/export.hpp>

namespace fathom::math {

inline constexpr double kSqrtHalf = 0.70710678118654752440;
inline constexpr double kInverseSqrtTwoPi = 0.39894228040143267794;

FATHOM_KERNEL std::uint64_t bits64_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
FATHOM_KERNEL double double_of(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }

FATHOM_KERNEL double select(bool condition, double a, double b) { return condition ? a : b; }

/// x = k ln 2 + rest with |rest| <= 0.35, and 2^k; x in [-708, 709].
struct SplitExponent {
  double rest, power;
};
FATHOM_KERNEL SplitExponent split_exponent(double x) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to the nearest integer
  const double turned = x * 1.44269504088896340736 + kRound;
  const double k = turned - kRound;
  // ln 2 in two parts (fdlibm): k times the first is exact.
  const double rest = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
  return {rest, double_of((bits64_of(turned) + 1023U) << 52U)};
}

/// exp(r) - 1 for |r| <= 0.35 (Taylor to r^13).
FATHOM_KERNEL double expm1_small(double r) {
  const double r2 = r * r;
  // Even and odd halves side by side: the chain of dependent products is half as long.
  const double even =
      1.0 / 2 + r2 * (1.0 / 24 + r2 * (1.0 / 720 + r2 * (1.0 / 40320 + r2 * (1.0 / 3628800 + r2 * (1.0 / 479001600)))));
  const double odd =
      1.0 / 6 +
      r2 * (1.0 / 120 + r2 * (1.0 / 5040 + r2 * (1.0 / 362880 + r2 * (1.0 / 39916800 + r2 * (1.0 / 6227020800)))));
  return r + r2 * (even + r * odd);
}

/// Relative error below 4e-16; 0 below -708, exp(709) above 709.
FATHOM_KERNEL double exp(double x) {
  const double high = select(x > 709.0, 709.0, x);
  const double clamped = select(high < -708.0, -708.0, high);
  const SplitExponent s = split_exponent(clamped);
  return select(x < -708.0, 0.0, s.power + s.power * expm1_small(s.rest));
}

/// exp(x) - 1; relative error below 1e-15; -1 below -708, as exp above.
FATHOM_KERNEL double expm1(double x) {
  const double high = select(x > 709.0, 709.0, x);
  const double clamped = select(high < -708.0, -708.0, high);
  const SplitExponent s = split_exponent(clamped);
  return s.power * expm1_small(s.rest) + (s.power - 1.0);
}

/// Natural logarithm of a positive normal x; relative error below 4e-16 away from 1, absolute below 2e-16 near it.
FATHOM_KERNEL double log(double x) {
  const std::uint64_t bits = bits64_of(x) + (0x3ff0000000000000ULL - 0x3fe6a09e667f3bcdULL);
  const double exponent = double_of((bits >> 52U) | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
  const double m = double_of((bits & 0x000fffffffffffffULL) + 0x3fe6a09e667f3bcdULL);
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  // 2 atanh(s): 2/3, 2/5 ... 2/23 in two halves; |s| <= 0.1716, so the first term left out is below 4e-21.
  const double odd = 2.0 / 3 + s4 * (2.0 / 7 + s4 * (2.0 / 11 + s4 * (2.0 / 15 + s4 * (2.0 / 19 + s4 * (2.0 / 23)))));
  const double even = 2.0 / 5 + s4 * (2.0 / 9 + s4 * (2.0 / 13 + s4 * (2.0 / 17 + s4 * (2.0 / 21))));
  const double series = s2 * (odd + s2 * even);
  return exponent * 6.93147180369123816490e-01 + (f - (s * (f - series) - exponent * 1.90821492927058770002e-10));
}

/// log(1 + x), x > -1; relative error below 1e-15 (corrects the rounding of 1 + x to first order).
FATHOM_KERNEL double log1p(double x) {
  const double u = 1.0 + x;
  return log(u) - ((u - 1.0) - x) / u;
}

/// 1 - erf(x); relative error below 1e-14 (for x above 5, 1e-13), 0 above 26.
/// erfc(x) = t exp(-x^2 + P(t)), t = 2 / (2 + x): Chebyshev fit of P made in extended precision; the form is that of
/// Press et al., Numerical Recipes, section 6.2.2.
FATHOM_KERNEL double erfc(double x) {
  constexpr double kCoefficient[] = {
      -1.302653719781709434,     0.6419697923564902604,     0.01947647320418583625,    -0.009561514786808631542,
      -0.0009465953444820369131, 0.0003668394978527614568,  4.252332480690776555e-05,  -2.027857811253418421e-05,
      -1.624290004647097182e-06, 1.303655835580691796e-06,  1.562644172196768098e-08,  -8.523809591486785795e-08,
      6.529054439254771726e-09,  5.059343495514875659e-09,  -9.913641564225097146e-10, -2.27365122097754422e-10,
      9.646791085540047314e-11,  2.394038228293107751e-12,  -6.886027528350477378e-12, 8.944881341426801774e-13,
      3.13091878269798618e-13,   -1.127077015159079487e-13, 3.802940763946577318e-16,  7.106802939107342842e-15,
      -1.52296523916323201e-15,  -9.46881191076637263e-17,  1.212104147520903785e-16,  -2.824685472503640771e-17};
  constexpr int kTerms = static_cast<int>(sizeof kCoefficient / sizeof kCoefficient[0]);
  const double z = double_of(bits64_of(x) & 0x7fffffffffffffffULL);
  const double t = 2.0 / (2.0 + z);
  // Clenshaw's recurrence, twice side by side: T_2k(x) and T_2k+1(x) / x both follow it in 2 T_2(x). The chain of
  // dependent products is a third as long as that over all terms.
  const double x1 = 2.0 * t - 1.0, y = 4.0 * x1 * x1 - 2.0;
  double even = 0.0, even_before = 0.0, odd = 0.0, odd_before = 0.0;
#pragma GCC unroll 32
  for (int k = kTerms / 2 - 1; k >= 0; --k) {
    const double next_odd = y * odd + (kCoefficient[2 * k + 1] - odd_before);
    odd_before = odd, odd = next_odd;
    if (k == 0) break;
    const double next_even = y * even + (kCoefficient[2 * k] - even_before);
    even_before = even, even = next_even;
  }
  const double series = (0.5 * (kCoefficient[0] + y * even) - even_before) + x1 * (odd - odd_before);
  const double tail = t * exp(-z * z + series);
  return select(x < 0.0, 2.0 - tail, tail);
}

/// erf(x) without cancellation near 0 (Taylor there); relative error below 1e-14.
inline double erf(double x) {
  if (!(x > -0.5 && x < 0.5)) return x < 0.0 ? erfc(-x) - 1.0 : 1.0 - erfc(x);
  const double x2 = x * x;
  double term = x, sum = x;
  for (int n = 1; n <= 13; ++n) {
    term *= -x2 / n;
    sum += term / (2 * n + 1);
  }
  return 1.12837916709551257390 * sum;
}

/// Standard normal density and lower tail.
FATHOM_KERNEL double normal_density(double x) { return kInverseSqrtTwoPi * exp(-0.5 * x * x); }
inline double normal_cdf(double x) { return 0.5 * erfc(-x * kSqrtHalf); }

/// 1 - Phi(x) for x >= 0, given exp(-x^2/2); absolute error below 3e-16, at half the work of erfc. The quotient of the
/// two is a polynomial in t = (x - 4) / (x + 4), a weighted fit on [0, 9] made in extended precision; the substitution
/// is that of Shepherd and Laframboise, Mathematics of Computation 36 (1981).
FATHOM_KERNEL double normal_upper_tail(double x, double exp_half_square) {
  constexpr double kC[] = {0.09441064130191357,     -0.17039772154963162,   0.12437925535848737,
                           -0.07170740655357923,    0.030864814248964086,   -0.008492021955419492,
                           0.0005079056177940446,   0.0006399106336558947,  -0.00018473756746448548,
                           -4.176568824560817e-05,  3.251692011691212e-05,  6.755752696001542e-06,
                           -4.5175149213956836e-06, -2.165409768333132e-06, -2.931351824945161e-07};
  const double t = 1.0 - 8.0 / (x + 4.0), t2 = t * t;
  double even = kC[14], odd = kC[13];
#pragma GCC unroll 8
  for (int k = 12; k >= 0; k -= 2) even = even * t2 + kC[k];
#pragma GCC unroll 8
  for (int k = 11; k >= 1; k -= 2) odd = odd * t2 + kC[k];
  return exp_half_square * (even + t * odd);
}

/// Phi(b) - Phi(a) for a <= b, without cancellation.
inline double normal_between(double a, double b) {
  if (a > 0.0) return 0.5 * (erfc(a * kSqrtHalf) - erfc(b * kSqrtHalf));
  if (b < 0.0) return 0.5 * (erfc(-b * kSqrtHalf) - erfc(-a * kSqrtHalf));
  return 0.5 * (erf(b * kSqrtHalf) + erf(-a * kSqrtHalf));
}

/// The x with Phi(x) = p, p in (0, 1); relative error below 1e-15. Give the smaller tail: near 1 the spacing of p
/// limits the result. Source: Wichura, "Algorithm AS 241", Applied Statistics 37 (1988), PPND16.
FATHOM_KERNEL double normal_quantile(double p) {
  const auto ratio = [](const double* top, const double* bottom, double r) __attribute__((always_inline)) {
    double n = top[7], d = bottom[6];
#pragma GCC unroll 8
    for (int k = 6; k >= 0; --k) n = n * r + top[k];
#pragma GCC unroll 8
    for (int k = 5; k >= 0; --k) d = d * r + bottom[k];
    return n / (d * r + 1.0);
  };
  constexpr double kA[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                           1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                           3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double kB[] = {4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
                           2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
                           5.2264952788528545610e+3};
  constexpr double kC[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                           3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                           2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double kD[] = {2.05319162663775882187e0,  1.67638483018380384940e0,  6.89767334985100004550e-1,
                           1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
                           1.05075007164441684324e-9};
  constexpr double kE[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                           2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                           2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double kF[] = {5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                           7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                           2.04426310338993978564e-15};
  const double q = p - 0.5;
  // Computes all three pieces and then chooses, so that loops over this vectorise.
  const double centre = q * ratio(kA, kB, 0.180625 - q * q);
  const double tail = select(q < 0.0, p, 1.0 - p);
  const double r = __builtin_sqrt(-log(tail));
  const double x = select(r <= 5.0, ratio(kC, kD, r - 1.6), ratio(kE, kF, r - 5.0));
  return select(q >= -0.425 && q <= 0.425, centre, select(q < 0.0, -x, x));
}

// The trigonometric functions are compiled into the library, so that a user's compiler flags do not change them.

struct SinCos64 {
  double sin, cos;
};

/// Sine and cosine of a finite x in radians, else NaN. Up to |x| = 1e6 the error is below 2e-16, and below 1e-15 of the
/// value, also near its zeros. Beyond, the rounding of 2 pi adds 4e-17 |x|, which is less than the rounding of x.
FATHOM_API SinCos64 sincos(double x);
FATHOM_API double sin(double x);
FATHOM_API double cos(double x);

/// Tangent; error below 1e-15 of the value up to |x| = 1e6, beyond as sincos().
FATHOM_API double tan(double x);

/// Angle of (x, y) from +x in [-pi, pi]; error below 5e-16 of the value. Zeros and infinities as in C: it has the sign
/// of y, and atan2(0, -0) is pi.
FATHOM_API double atan2(double y, double x);

/// Error below 1e-15 of the value; NaN outside [-1, 1].
FATHOM_API double asin(double x);
FATHOM_API double acos(double x);

}  // namespace fathom::math
