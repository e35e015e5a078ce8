// SPDX-License-Identifier: MIT
#pragma once
// Truncated distributions and Student's t as plain functions in portable double precision (f64.hpp), so that samplers
// give the same bits everywhere.

#include <fathom/core/f64.hpp>

namespace fathom {

/// Normal(center, sigma) cut to [0, limit] and renormalised; sigma > 0, 0 <= center <= limit. With a = -center / sigma
/// and b = (limit - center) / sigma, the mass kept is N = Phi(b) - Phi(a) >= Phi(b - a) - 1/2.
struct TruncatedNormal {
  double center, sigma, limit;

  [[nodiscard]] double lower() const { return -center / sigma; }
  [[nodiscard]] double upper() const { return (limit - center) / sigma; }
  [[nodiscard]] double mass() const { return math::normal_between(lower(), upper()); }

  [[nodiscard]] double density(double z) const {
    if (!(z >= 0.0 && z <= limit)) return 0.0;
    return math::normal_density((z - center) / sigma) / (sigma * mass());
  }

  [[nodiscard]] double cdf(double z) const {
    if (z <= 0.0) return 0.0;
    if (z >= limit) return 1.0;
    return math::normal_between(lower(), (z - center) / sigma) / mass();
  }

  /// Inverts the smaller of the two tails, so that neither end loses digits.
  [[nodiscard]] double quantile(double u) const {
    const double n = mass();
    const double below = math::normal_cdf(lower()) + u * n;
    const double above = math::normal_cdf(-upper()) + (1.0 - u) * n;
    double z = below < above ? tail_point(below, 1.0) : tail_point(above, -1.0);
    z = z > 0.0 ? z : 0.0;
    return z < limit ? z : limit;
  }

  /// E[z] - center = sigma (phi(a) - phi(b)) / N.
  [[nodiscard]] double mean_shift() const {
    return sigma * (math::normal_density(lower()) - math::normal_density(upper())) / mass();
  }

  /// E[(z - center)^2] = sigma^2 [1 + (a phi(a) - b phi(b)) / N]; rises strictly with sigma, from 0 to the value of
  /// the uniform distribution. For a sigma large against the interval the bracket loses all digits, and a series of the
  /// moments of exp(-x^2/2) replaces it.
  [[nodiscard]] double second_moment() const {
    const double a = lower(), b = upper();
    if (a > -0.5 && a < 0.5 && b > -0.5 && b < 0.5) return sigma * sigma * flat_second_moment(a, b);
    return sigma * sigma * (1.0 + (a * math::normal_density(a) - b * math::normal_density(b)) / mass());
  }

 private:
  [[nodiscard]] double tail_point(double p, double sign) const {
    if (!(p > 0.0)) return sign > 0.0 ? 0.0 : limit;
    return center + sign * sigma * math::normal_quantile(p);
  }

  /// int x^2 e^{-x^2/2} / int e^{-x^2/2} over [a, b], |a|, |b| < 1/2, term by term.
  [[nodiscard]] static double flat_second_moment(double a, double b) {
    double power_a = a, power_b = b, factor = 1.0, top = 0.0, bottom = 0.0;
    for (int n = 0; n < 12; ++n) {
      bottom += factor * (power_b - power_a) / (2 * n + 1);
      power_a *= a * a;
      power_b *= b * b;
      top += factor * (power_b - power_a) / (2 * n + 3);
      factor *= -0.5 / (n + 1);
    }
    return top / bottom;
  }
};

/// Exponential of rate `rate` >= 0 cut to [0, limit]: density rate e^{-rate z} / (1 - e^{-rate limit}). Rate 0 is the
/// uniform distribution. limit > 0.
struct TruncatedExponential {
  double rate, limit;

  /// x / (1 - e^{-x}), 1 at 0.
  [[nodiscard]] static double rise(double x) { return x > 0.0 ? x / -math::expm1(-x) : 1.0; }

  [[nodiscard]] double density(double z) const {
    if (!(z >= 0.0 && z <= limit)) return 0.0;
    return rise(rate * limit) / limit * math::exp(-rate * z);
  }

  [[nodiscard]] double cdf(double z) const {
    if (z <= 0.0) return 0.0;
    if (z >= limit) return 1.0;
    const double x = rate * limit;
    return x > 1e-290 ? math::expm1(-rate * z) / math::expm1(-x) : z / limit;
  }

  [[nodiscard]] double quantile(double u) const {
    const double x = rate * limit;
    if (!(x > 1e-290)) return u * limit;
    const double kept = u * math::expm1(-x);
    const double z = kept > -1.0 ? -math::log1p(kept) / rate : limit;
    return z < limit ? z : limit;
  }

  /// 1/rate - limit / (e^{rate limit} - 1); falls strictly with the rate, from limit / 2.
  [[nodiscard]] double mean() const { return limit * mean_fraction(rate * limit); }

  [[nodiscard]] double variance() const {
    const double x = rate * limit, x2 = x * x;
    if (x < 0.2) return limit * limit * (1.0 / 12 - x2 / 240 + x2 * x2 / 6048 - x2 * x2 * x2 / 172800);
    const double rest = 1.0 / math::expm1(x);
    return limit * limit * (1.0 / x2 - rest * (1.0 + rest));
  }

  /// mean / limit as a function of x = rate * limit (any sign: the law of 1 - z / limit has the rate -x).
  [[nodiscard]] static double mean_fraction(double x) {
    const double x2 = x * x;
    if (x2 < 0.01) return 0.5 - x * (1.0 / 12 - x2 * (1.0 / 720 - x2 / 30240));
    return 1.0 / x - 1.0 / math::expm1(x);
  }
};

/// Normal(mean, stddev) cut to [low, high] and renormalised; stddev > 0, low < high, all finite. Unlike
/// TruncatedNormal, the mean may lie outside. With a = (low - mean) / stddev and b = (high - mean) / stddev, the
/// density on the interval is phi((x - mean) / stddev) / (stddev (Phi(b) - Phi(a))).
struct IntervalNormal {
  double mean, stddev, low, high;

  [[nodiscard]] double lower() const { return (low - mean) / stddev; }
  [[nodiscard]] double upper() const { return (high - mean) / stddev; }
  /// The share of the normal law that lies on the interval.
  [[nodiscard]] double mass() const { return math::normal_between(lower(), upper()); }

  [[nodiscard]] double density(double x) const {
    if (!(x >= low && x <= high)) return 0.0;
    if (is_flat()) return 1.0 / (high - low);
    return math::normal_density((x - mean) / stddev) / (stddev * mass());
  }

  [[nodiscard]] double cdf(double x) const {
    if (x <= low) return 0.0;
    if (x >= high) return 1.0;
    if (is_flat()) return (x - low) / (high - low);
    return math::normal_between(lower(), (x - mean) / stddev) / mass();
  }

  /// Inverts the smaller tail of the whole law, so that no digits are lost, not even far from the mean.
  [[nodiscard]] double quantile(double u) const {
    if (is_flat()) return within(low + (high - low) * u);
    const double a = lower(), b = upper(), n = mass();
    const double below = math::normal_cdf(a) + u * n, above = math::normal_cdf(-b) + (1.0 - u) * n;
    const bool from_below = below < above;
    const double tail = from_below ? below : above;
    if (!(tail > 0.0)) return from_below ? low : high;
    const double z = math::normal_quantile(tail);
    return within(mean + stddev * (from_below ? z : -z));
  }

 private:
  /// True on a narrow interval near the mean: there the law is flat to 1e-7, and the tails resolve too few digits.
  [[nodiscard]] bool is_flat() const { return upper() - lower() < 1e-7 && lower() > -1.0 && upper() < 1.0; }
  [[nodiscard]] double within(double x) const { return x > low ? x < high ? x : high : low; }
};

}  // namespace fathom

namespace fathom::math {

// Student's t with any real number of degrees of freedom nu.
//
//   t(x) = c(nu) (1 + x^2 / nu)^(-(nu + 1) / 2),   c(nu) = Gamma((nu + 1) / 2) / (sqrt(nu pi) Gamma(nu / 2))
//
// Sources: Abramowitz and Stegun, Handbook of Mathematical Functions (1964), chapters 6 and 26; Press et al., Numerical
// Recipes, section 6.4 (the continued fraction of the incomplete beta function).

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

/// Relative error of the smaller one below 1e-12, or 1e-10 if nu is above 1e4.
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
  // P(0 < T < x) is concave, and log P(T > x) is concave over log x, so Newton's steps approach the root from one side.
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
    // Below the range of doubles there is no slope.
    const double step = beyond > kLeast ? log(beyond / p) * beyond / (x * density(x)) : -0.25;
    x *= exp(step < 2.0 ? step : 2.0);
    if (step > -kDone && step < kDone) break;
  }
  return x;
}

}  // namespace fathom::math
