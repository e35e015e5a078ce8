// SPDX-License-Identifier: MIT
#include "beam/student_t.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fathom/math/f64.hpp>

namespace fathom {

namespace {

constexpr double kMany = 1000.0;  // degrees of freedom: the sum below has half as many terms

/// I_x(a, b), the incomplete beta function, for x below (a + 1) / (a + b + 2). Source: Abramowitz and Stegun, 26.5.8,
/// worked out from its front by Lentz's method.
double incomplete_beta(double a, double b, double x) {
  constexpr int kMostTerms = 300;
  double ratio = 1.0, inverse = 1.0 / (1.0 - (a + b) * x / (a + 1.0)), fraction = inverse;
  for (int k = 1; k < kMostTerms; ++k) {
    const double even = k * (b - k) * x / ((a + 2.0 * k - 1.0) * (a + 2.0 * k));
    const double odd = -(a + k) * (a + b + k) * x / ((a + 2.0 * k) * (a + 2.0 * k + 1.0));
    const double before = fraction;
    for (const double term : std::array{even, odd}) {
      inverse = 1.0 / (1.0 + term * inverse), ratio = 1.0 + term / ratio;
      fraction *= inverse * ratio;
    }
    if (std::abs(fraction - before) < 1e-15 * fraction) break;
  }
  const double scale = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b);
  return std::exp(scale + a * std::log(x) + b * std::log1p(-x)) * fraction / a;
}

/// P(|T| <= t) of any degrees. Source: Abramowitz and Stegun, 26.7.1.
double any_mass_within(double t, double degrees) {
  const double a = 0.5 * degrees, b = 0.5, x = degrees / (degrees + t * t);
  if (t == 0.0) return 0.0;
  return x < (a + 1.0) / (a + b + 2.0) ? 1.0 - incomplete_beta(a, b, x) : incomplete_beta(b, a, 1.0 - x);
}

/// P(|T| <= t), of a whole number of degrees a finite sum. Source: Abramowitz and Stegun, 26.7.3 and 26.7.4.
double mass_within(double t, double degrees) {
  if (std::floor(degrees) != degrees) return any_mass_within(t, degrees);
  const double theta = std::atan(t / std::sqrt(degrees)), cos = std::cos(theta), cos2 = cos * cos;
  const bool odd = std::fmod(degrees, 2.0) == 1.0;
  double term = odd ? cos : 1.0, sum = degrees > 1.0 ? term : 0.0;
  for (double k = odd ? 3.0 : 2.0; k <= degrees - 2.0; k += 2.0) sum += term *= (k - 1.0) / k * cos2;
  return odd ? 2.0 / std::numbers::pi * (theta + std::sin(theta) * sum) : std::sin(theta) * sum;
}

/// Of many degrees: Abramowitz and Stegun, 26.7.5; the next term is below 1e-12.
double expanded_quantile(double x, double degrees) {
  const double x2 = x * x, n = degrees;
  const double g1 = (x2 + 1.0) / 4.0, g2 = ((5.0 * x2 + 16.0) * x2 + 3.0) / 96.0;
  const double g3 = (((3.0 * x2 + 19.0) * x2 + 17.0) * x2 - 15.0) / 384.0;
  return x * (1.0 + (g1 + (g2 + g3 / n) / n) / n);
}

}  // namespace

double student_t_quantile(double p, double degrees) {
  if (p < 0.5) return -student_t_quantile(1.0 - p, degrees);
  if (degrees >= kMany) return expanded_quantile(math::normal_quantile(p), degrees);
  double low = 0.0, high = 1.0;
  while (mass_within(high, degrees) < 2.0 * p - 1.0 && high < 1e300) high *= 2.0;
  for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (mass_within(middle, degrees) < 2.0 * p - 1.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace fathom
