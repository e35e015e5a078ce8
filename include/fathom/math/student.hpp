// SPDX-License-Identifier: MIT
#pragma once
// Student's t with any real number of degrees of freedom nu, in portable double precision (f64.hpp).
//
//   t(x) = c(nu) (1 + x^2 / nu)^(-(nu + 1) / 2),   c(nu) = Gamma((nu + 1) / 2) / (sqrt(nu pi) Gamma(nu / 2))
//
// Sources: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), chapters 6 and 26; Press et al., Numerical
// Recipes, section 6.4 (the continued fraction of the incomplete beta function).

#include <fathom/math/f64.hpp>

namespace fathom::math {

/// h(x) = log Gamma(x + 1/2) - log Gamma(x) - log(x) / 2 and its first two derivatives, x > 0.
struct GammaStep {
  double value, slope, bend;
};

/// Relative errors below 1e-13. h(x) = h(x + 1) + log(1 - 1 / (2 x + 1)^2) / 2, until Stirling's series holds.
inline GammaStep gamma_step(double x) {
  GammaStep step = {0.0, 0.0, 0.0};
  for (; x < 12.0; x += 1.0) {
    const double odd = 2.0 * x + 1.0, cubic = 2.0 * x * (x + 1.0) * odd;
    step.value += 0.5 * log1p(-1.0 / (odd * odd));
    step.slope += 1.0 / cubic;
    step.bend -= (12.0 * x * (x + 1.0) + 2.0) / (cubic * cubic);
  }
  constexpr double kC[] = {-1.0 / 8, 1.0 / 192, -1.0 / 640, 17.0 / 14336, -31.0 / 18432, 691.0 / 180224};
  const double inverse = 1.0 / x, square = inverse * inverse;
  double power = inverse;  // x^-n
  for (int k = 0; k < 6; ++k, power *= square) {
    const double n = 2 * k + 1;
    step.value += kC[k] * power;
    step.slope -= n * kC[k] * power * inverse;
    step.bend += n * (n + 1.0) * kC[k] * power * square;
  }
  return step;
}

/// log c(nu).
inline double student_log_peak(double nu) { return gamma_step(0.5 * nu).value - 0.91893853320467274178; }

/// t(x), `log_peak` = student_log_peak(nu).
FATHOM_KERNEL double student_density(double x, double nu, double log_peak) {
  return exp(log_peak - 0.5 * (nu + 1.0) * log1p(x * x / nu));
}

/// P(0 < T < x) and P(T > x) for x >= 0.
struct StudentMass {
  double inside, beyond;
};

/// The smaller of the two with a relative error below 1e-12, where nu is above 1e4 below 1e-10.
inline StudentMass student_mass(double x, double nu, double log_peak) {
  constexpr int kMostTerms = 10'000;
  constexpr double kDone = 1e-16, kTiny = 1e-300;
  const double scaled = x * student_density(x, nu, log_peak), below_1 = x * x / (nu + x * x), w = nu / (nu + x * x);
  if (x * x * (nu + 2.0) < 3.0 * nu) {  // the series of the incomplete beta function about the middle
    double term = 1.0, sum = 1.0;
    for (int n = 0; n < kMostTerms && term > kDone * sum; ++n) {
      term *= (0.5 * (nu + 1.0) + n) / (1.5 + n) * below_1;
      sum += term;
    }
    return {scaled * sum, 0.5 - scaled * sum};
  }
  // Its continued fraction, by Lentz's method, of I_w(nu / 2, 1 / 2).
  const double a = 0.5 * nu, b = 0.5;
  const auto away = [](double value) { return value > -kTiny && value < kTiny ? kTiny : value; };
  double c = 1.0, d = 1.0 / away(1.0 - (a + b) * w / (a + 1.0)), fraction = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * w / ((a + 2 * m - 1.0) * (a + 2 * m));
    d = 1.0 / away(1.0 + even * d), c = away(1.0 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * w / ((a + 2 * m) * (a + 2 * m + 1.0));
    d = 1.0 / away(1.0 + odd * d), c = away(1.0 + odd / c);
    const double change = d * c - 1.0;
    fraction *= d * c;
    if (change > -kDone && change < kDone) break;
  }
  const double beyond = scaled * fraction / nu;
  return {0.5 - beyond, beyond};
}

/// P(a < T < b) for a <= b, without cancellation.
inline double student_between(double a, double b, double nu, double log_peak) {
  if (a > 0.0) return student_mass(a, nu, log_peak).beyond - student_mass(b, nu, log_peak).beyond;
  if (b < 0.0) return student_mass(-b, nu, log_peak).beyond - student_mass(-a, nu, log_peak).beyond;
  return student_mass(-a, nu, log_peak).inside + student_mass(b, nu, log_peak).inside;
}

/// The x >= 0 with P(T > x) = p, p in [1e-280, 1/2]; relative error below 1e-12, near 1/2 an absolute one.
inline double student_tail_point(double p, double nu, double log_peak) {
  constexpr int kMostSteps = 100;
  constexpr double kDone = 1e-14, kLeast = 1e-290;
  if (!(p < 0.5)) return 0.0;
  const auto density = [&](double x) { return student_density(x, nu, log_peak); };
  // P(0 < T < x) is concave, and log P(T > x) is concave over log x: Newton's steps come to the root from one side.
  double x = 0.0;
  for (int i = 0; i < kMostSteps; ++i) {
    const StudentMass mass = student_mass(x, nu, log_peak);
    if (mass.beyond < 0.3) break;
    const double step = (mass.beyond - p) / density(x);
    x += step;
    if (step > -kDone * x && step < kDone * x) return x;
  }
  if (p > 0.3) return x;
  for (int i = 0; i < kMostSteps; ++i) {
    const double beyond = student_mass(x, nu, log_peak).beyond;
    // Beyond what doubles hold there is no slope to follow.
    const double step = beyond > kLeast ? log(beyond / p) * beyond / (x * density(x)) : -0.25;
    x *= exp(step < 2.0 ? step : 2.0);
    if (step > -kDone && step < kDone) break;
  }
  return x;
}

}  // namespace fathom::math
