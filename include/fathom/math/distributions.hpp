// SPDX-License-Identifier: MIT
#pragma once
// Distributions on an interval, each as density, cdf, quantile and moments. Plain functions of their parameters, in
// portable double precision (f64.hpp), so that a sampler made of them gives the same bits everywhere.

#include <fathom/math/f64.hpp>

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
  /// the uniform distribution. Where sigma is large against the interval, that bracket loses all its digits and the
  /// moments of exp(-x^2/2) are summed as a series instead.
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

}  // namespace fathom
