// SPDX-License-Identifier: MIT
#pragma once
// The normal law on an interval, wherever the interval lies, in portable double precision (f64.hpp).

#include <fathom/math/f64.hpp>

namespace fathom {

/// Normal(mean, stddev) cut to [low, high] and renormalised; stddev > 0, low < high, all finite. Unlike
/// TruncatedNormal, the mean may lie outside. With a = (low - mean) / stddev and b = (high - mean) / stddev, the
/// density on the interval is phi((x - mean) / stddev) / (stddev (Phi(b) - Phi(a))).
struct IntervalNormal {
  double mean, stddev, low, high;

  [[nodiscard]] double lower() const { return (low - mean) / stddev; }
  [[nodiscard]] double upper() const { return (high - mean) / stddev; }
  /// Of the whole normal law, the share that lies on the interval.
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

  /// Inverts the smaller of the two tails of the whole law, so that neither end loses digits, and an interval far from
  /// the mean none at all.
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
  /// So narrow and so near the mean the law is flat to 1e-7, and the tails hold too few digits of so short a way.
  [[nodiscard]] bool is_flat() const { return upper() - lower() < 1e-7 && lower() > -1.0 && upper() < 1.0; }
  [[nodiscard]] double within(double x) const { return x > low ? x < high ? x : high : low; }
};

}  // namespace fathom
