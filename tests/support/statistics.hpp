// SPDX-License-Identifier: MIT
#pragma once
// What the tests of random numbers compare with: closed forms in double precision, independent of the library. Samples
// come from fixed seeds, so each verdict is the same in every run; the limits are those a right generator would pass.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace fathom::test {

/// P(X <= x) for a standard normal.
inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// The largest distance of the distribution of values in [0, 1] from the uniform one. Pass F(x) for a law with
/// distribution function F.
inline double ks_distance(std::vector<double> u) {
  std::sort(u.begin(), u.end());
  const auto n = static_cast<double>(u.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, u[i] - rank / n, (rank + 1.0) / n - u[i]});
  }
  return distance;
}

/// P(D > distance) for n draws of the right law: Kolmogorov's series, with Stephens' correction for small n (J. R.
/// Statist. Soc. B 32, 1970).
inline double ks_p_value(double distance, std::size_t n) {
  const double root = std::sqrt(static_cast<double>(n));
  const double x = (root + 0.12 + 0.11 / root) * distance;
  if (x < 0.2) return 1.0;
  double sum = 0.0;
  for (int k = 1; k <= 100; ++k) sum += (k % 2 == 1 ? 2.0 : -2.0) * std::exp(-2.0 * k * k * x * x);
  return std::clamp(sum, 0.0, 1.0);
}

/// P(X > statistic) for a chi-square law: the regularised upper incomplete gamma function.
inline double chi_square_p_value(double statistic, double degrees) {
  const double a = degrees / 2, x = statistic / 2;
  if (!(x > 0.0)) return 1.0;
  const double scale = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1.0) {  // series of the lower function
    double term = 1.0 / a, sum = term;
    for (int n = 1; n < 10000 && term > sum * 1e-16; ++n) sum += term *= x / (a + n);
    return 1.0 - scale * sum;
  }
  double fraction = 0.0;  // Legendre's continued fraction of the upper one, from its tail
  for (int n = 2000; n >= 1; --n) fraction = n * (n - a) / (x + 2 * n + 1 - a - fraction);
  return scale / (x + 1.0 - a - fraction);
}

/// Pearson's statistic of values in [0, 1] against the uniform law on `cells` equal cells; the p-value follows with
/// cells - 1 degrees of freedom. Pass F(x) to test a law with distribution function F.
inline double chi_square_p_of_uniforms(std::span<const double> u, std::size_t cells) {
  std::vector<double> counts(cells, 0.0);
  for (const double value : u) {
    const auto cell = static_cast<std::size_t>(value * static_cast<double>(cells));
    ++counts[std::min(cell, cells - 1)];
  }
  const double expected = static_cast<double>(u.size()) / static_cast<double>(cells);
  double statistic = 0.0;
  for (const double count : counts) statistic += (count - expected) * (count - expected) / expected;
  return chi_square_p_value(statistic, static_cast<double>(cells - 1));
}

/// The smallest and the largest p-value that pass: a right generator would fail once in 50 000 verdicts. A fit that is
/// too good fails too. Samples are fixed, so that each verdict is the same in every run.
inline constexpr double kLowestP = 1e-5, kHighestP = 1.0 - 1e-5;

struct Moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0;  ///< kurtosis is 3 for a normal
};

inline Moments moments_of(std::span<const double> x) {
  const auto n = static_cast<double>(x.size());
  Moments m;
  for (const double v : x) m.mean += v / n;
  double third = 0, fourth = 0;
  for (const double v : x) {
    const double d = v - m.mean;
    m.variance += d * d / n, third += d * d * d / n, fourth += d * d * d * d / n;
  }
  m.skewness = third / std::pow(m.variance, 1.5);
  m.kurtosis = fourth / (m.variance * m.variance);
  return m;
}

/// Pearson correlation of two samples of equal length.
inline double correlation(std::span<const double> a, std::span<const double> b) {
  const Moments ma = moments_of(a), mb = moments_of(b);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - ma.mean) * (b[i] - mb.mean);
  return sum / static_cast<double>(a.size()) / std::sqrt(ma.variance * mb.variance);
}

/// Whether a count of n trials with probability p lies within `sigmas` deviations of the binomial law.
inline bool is_binomial(double count, double n, double p, double sigmas) {
  return std::abs(count - n * p) <= sigmas * std::sqrt(n * p * (1 - p));
}

}  // namespace fathom::test
