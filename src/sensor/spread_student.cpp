// SPDX-License-Identifier: MIT
#include "sensor/spread_student.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include <fathom/core/f64.hpp>

namespace fathom {

namespace {

constexpr std::size_t kMostTerms = 24;
constexpr double kDone = 1e-14;        // limit of the remaining terms, as a share of the sum
constexpr double kLeastShare = 1e-3;   // least sum, as a share of the largest term: cancellation loses digits
constexpr double kMostReach = 0.5;     // of the radius of convergence, for spreads that end
constexpr double kReach = 0.8;         // square of the share of that radius beyond which a normal must be negligible
constexpr double kBeyondReach = 28.0;  // e^-28, of the density

/// Even moments E[S^2m] / (2m)!, for m = 0, 1, ...; for a sum of independent S the product of their series.
using Moments = std::array<double, kMostTerms>;

/// The factors from one moment to the next, of a uniform and of a normal, and the mean over a uniform.
struct Factors {
  Moments uniform = {}, mean = {}, normal = {};
  constexpr Factors() {
    for (std::size_t m = 0; m < kMostTerms; ++m) {
      const auto n = static_cast<double>(2 * m);
      uniform[m] = 1.0 / ((n + 1.0) * (n + 2.0)), mean[m] = 1.0 / (n + 1.0), normal[m] = 1.0 / (n + 2.0);
    }
  }
};
constexpr Factors kFactors;

Moments uniform_moments(double half) {
  Moments out;
  double each = 1.0;
  for (std::size_t m = 0; m < kMostTerms; ++m)
    out[m] = each * kFactors.mean[m], each *= half * half * kFactors.uniform[m];
  return out;
}

Moments normal_moments(double deviation) {
  Moments out;
  double each = 1.0;
  for (std::size_t m = 0; m < kMostTerms; ++m) out[m] = each, each *= deviation * deviation * kFactors.normal[m];
  return out;
}

Moments together(const Moments& a, const Moments& b) {
  Moments out = {};
  for (std::size_t m = 0; m < kMostTerms; ++m) {
    for (std::size_t j = 0; j <= m; ++j) out[m] += a[j] * b[m - j];
  }
  return out;
}

Moments moments_of(const SmallSpread& spread, double scale) {
  Moments all = uniform_moments(spread.half_step * scale);
  if (spread.half_width > 0.0) all = together(all, uniform_moments(spread.half_width * scale));
  if (spread.deviation > 0.0) all = together(all, normal_moments(spread.deviation * scale));
  return all;
}

/// Whether the normal's mass beyond the radius of the series is negligible.
bool is_short(double deviation, double square, double x, double nu) {
  const double reach = 0.5 * kReach * square;
  const double above = 0.5 * (nu + 1.0) * math::log1p(x * x / nu);  // log of the peak over the density at x
  return reach > (kBeyondReach + above) * deviation * deviation;
}

}  // namespace

std::optional<double> spread_student(double x, double nu, const SmallSpread& spread) {
  const double square = nu + x * x, ends = spread.half_step + spread.half_width;
  if (!(ends * ends < kMostReach * kMostReach * square)) return std::nullopt;
  if (spread.deviation > 0.0 && !is_short(spread.deviation, square, x, nu)) return std::nullopt;
  // With the order L of the polynomials: D_n = n! C_n L^(-n/2), of moderate size even for a large L.
  const double order = 0.5 * (nu + 1.0), root = std::sqrt(order), by_root = 1.0 / root, by_order = 1.0 / order;
  const double by_radius = 1.0 / std::sqrt(square), u = std::abs(x) * by_radius;
  const Moments moments = moments_of(spread, root * by_radius);
  double sum = 1.0, largest = 1.0, before = 1.0, now = 2.0 * u * root;
  const auto advance = [&](double n) {
    const double along = 2.0 * u * (n + order - 1.0) * by_root, back = (n - 1.0) * (n + 2.0 * order - 2.0) * by_order;
    const double next = along * now - back * before;
    before = now, now = next;
  };
  for (std::size_t m = 1; m < kMostTerms; ++m) {
    const auto n = static_cast<double>(2 * m);
    advance(n), advance(n + 1.0);
    // `now` has the odd order 2m + 1, `before` 2m: together they bound the terms that follow.
    const double term = before * moments[m], follows = std::abs(before) + std::abs(now) / (2.0 * root + n * by_root);
    sum += term;
    largest = std::max(largest, std::abs(term));
    if (follows * moments[m] > kDone * std::abs(sum)) continue;
    if (sum > kLeastShare * largest) return sum;
    break;
  }
  return std::nullopt;
}

}  // namespace fathom
