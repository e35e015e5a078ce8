// SPDX-License-Identifier: MIT
#include "beam/student_t.hpp"

#include <cmath>
#include <numbers>

#include <fathom/math/f64.hpp>

namespace fathom {

namespace {

constexpr double kMany = 1000.0;  // degrees of freedom: the sum below has half as many terms

/// P(|T| <= t), a finite sum. Source: Abramowitz and Stegun, 26.7.3 and 26.7.4.
double mass_within(double t, double degrees) {
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
