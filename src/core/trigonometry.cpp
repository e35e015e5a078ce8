// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

#include <fathom/core/f64.hpp>

namespace fathom::math {

namespace {

// A constant as a sum of two doubles.
struct Sum {
  double high, low;
};
constexpr Sum kPi = {3.141592653589793, 1.2246467991473532e-16};
constexpr Sum kHalfPi = {1.5707963267948966, 6.123233995736766e-17};

/// x = quadrant pi/2 + angle + rest, |angle| <= pi/4, and |rest| below the last bit of angle.
struct Reduced {
  double angle, rest;
  std::uint64_t quadrant;  ///< only its two low bits matter
};

/// |x| <= 2^20 pi/2 (Cody and Waite, Software Manual for the Elementary Functions, 1980).
Reduced reduce(double x) {
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to the nearest integer
  const double turned = x * 0.6366197723675814 + kRound;
  const double n = turned - kRound;
  // pi/2 in three parts. n times each of the first two is exact, and so is the first difference.
  const double a = x - n * 0x1.921fb544p+0;
  const double b = n * 0x1.0b4611a6p-34;
  const double c = n * 0x1.3198a2e037073p-69;
  // a - b with its rounding (Knuth's sum of two).
  const double high = a - b;
  const double back = a - high;
  const double low = ((a - (high + back)) + (back - b)) - c;
  const double angle = high + low;
  return {angle, (high - angle) + low, __builtin_bit_cast(std::uint64_t, turned)};
}

/// c[0] - c[1] x + c[2] x^2 - ..., from the inside out (Horner).
template <std::size_t N>
double alternating_sum(const double (&c)[N], double x) {
  double sum = c[N - 1];
  for (std::size_t i = N - 1; i-- > 0;) sum = c[i] - x * sum;
  return sum;
}

/// sin(x + rest) for |x| <= pi/4: Taylor to x^19.
double sin_octant(double x, double rest) {
  const double x2 = x * x;
  constexpr double kSeries[] = {
      1.0 / 120,        1.0 / 5040,          1.0 / 362880,          1.0 / 39916800,
      1.0 / 6227020800, 1.0 / 1307674368000, 1.0 / 355687428096000, 1.0 / 121645100408832000.0};
  const double series = alternating_sum(kSeries, x2);
  // The derivative of the sine counts for `rest`: 1 - x^2 / 2 is enough of it.
  return x - ((x2 * (0.5 * rest - x * x2 * series) - rest) + x * x2 * (1.0 / 6));
}

/// cos(x + rest) for |x| <= pi/4: Taylor to x^18.
double cos_octant(double x, double rest) {
  const double x2 = x * x;
  constexpr double kSeries[] = {1.0 / 24,        1.0 / 720,         1.0 / 40320,          1.0 / 3628800,
                                1.0 / 479001600, 1.0 / 87178291200, 1.0 / 20922789888000, 1.0 / 6402373705728000};
  const double series = alternating_sum(kSeries, x2);
  const double half = 0.5 * x2;
  const double one = 1.0 - half;
  return one + (((1.0 - one) - half) + (x2 * x2 * series - x * rest));
}

/// atan(k / 8)
constexpr Sum kAtanEighths[] = {{0.0, 0.0},
                                {0.12435499454676144, -3.1253241424539383e-18},
                                {0.24497866312686414, 1.0698755618734451e-17},
                                {0.35877067027057225, -2.4623815582638635e-17},
                                {0.4636476090008061, 2.2698777452961687e-17},
                                {0.5585993153435624, -5.4556305485916264e-18},
                                {0.6435011087932844, 1.5834785051444286e-17},
                                {0.7188299996216245, -2.1478388444456983e-17},
                                {0.7853981633974483, 3.061616997868383e-17}};

}  // namespace

SinCos64 sincos(double x) {
  constexpr double kFar = 0x1p20 * std::numbers::pi / 2;
  if (!(std::abs(x) < std::numeric_limits<double>::infinity())) {
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  }
  // std::remainder is exact.
  const Reduced r = reduce(std::abs(x) <= kFar ? x : std::remainder(x, 2.0 * std::numbers::pi));
  // The sums lose the sign of -0.
  const double s = x == 0.0 ? x : sin_octant(r.angle, r.rest);
  const double c = cos_octant(r.angle, r.rest);
  switch (r.quadrant & 3U) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

double sin(double x) { return sincos(x).sin; }
double cos(double x) { return sincos(x).cos; }

double tan(double x) {
  const SinCos64 v = sincos(x);
  return v.sin / v.cos;
}

double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return std::numeric_limits<double>::quiet_NaN();
  double ax = std::abs(x), ay = std::abs(y);
  if (std::isinf(ax) || std::isinf(ay)) {  // as the corners and axes of a square
    ax = std::isinf(ax) ? 1.0 : 0.0;
    ay = std::isinf(ay) ? 1.0 : 0.0;
  }
  const bool steep = ay > ax;
  double small = steep ? ax : ay, large = steep ? ay : ax;
  if (large > 0x1p1000 || large < 0x1p-900) {  // the sums below shall neither overflow nor lose digits
    const double scale = large > 0x1p1000 ? 0x1p-100 : 0x1p160;
    small *= scale, large *= scale;
  }
  // atan(q) = atan(k/8) + atan((q - k/8) / (1 + q k/8)), whose argument is at most 1/16.
  const double q = large > 0.0 ? small / large : 0.0;
  const auto k = static_cast<int>(std::floor(q * 8.0 + 0.5));
  const double eighths = k / 8.0;
  const double t = k == 0 ? q : (small - eighths * large) / (large + eighths * small);
  const double t2 = t * t;
  constexpr double kSeries[] = {1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15};
  const double series = alternating_sum(kSeries, t2);
  const double low = kAtanEighths[k].low - t * t2 * series;
  const bool behind = std::signbit(x);
  if (!steep && !behind) return std::copysign(kAtanEighths[k].high + (t + low), y);
  const Sum base = steep ? kHalfPi : kPi;
  const double sign = steep && behind ? 1.0 : -1.0;  // the angle grows away from +y only towards -x
  const double high = base.high + sign * kAtanEighths[k].high;
  const double lost = (base.high - high) + sign * kAtanEighths[k].high;
  return std::copysign(high + (lost + (base.low + sign * (t + low))), y);
}

double asin(double x) { return atan2(x, std::sqrt((1.0 - x) * (1.0 + x))); }
double acos(double x) { return atan2(std::sqrt((1.0 - x) * (1.0 + x)), x); }

}  // namespace fathom::math
