// SPDX-License-Identifier: MIT
#include "calibrate/chain_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "calibrate/chain_climb.hpp"
#include "calibrate/no_number.hpp"
#include "calibrate/small_matrix.hpp"

namespace fathom {

namespace {

constexpr double kStepErrors = 0.5;   // of the differences, in errors of one parameter alone
constexpr double kLimitShare = 1e-6;  // of its error by which a value is off its limit

/// Steps to both sides, single floats as the values are.
double exact_step(double value, double step) { return as_float(value + step) - value; }

/// Minus the second derivatives of the log-likelihood by the parameters in `inner`.
SmallMatrix observed_information(const ChainLikelihood& likelihood, std::span<const double> values,
                                 std::span<const std::size_t> inner, std::span<const double> steps) {
  const std::size_t n = inner.size();
  SmallMatrix information(n);
  const double top = likelihood.total(values);
  const auto at = [&](std::size_t j, double a, std::size_t k, double b) {
    std::vector<double> moved(values.begin(), values.end());
    moved[inner[j]] += a;
    if (j != k) moved[inner[k]] += b;
    return likelihood.total(moved);
  };
  for (std::size_t j = 0; j < n; ++j) {
    const double a = steps[inner[j]];
    information(j, j) = -(at(j, a, j, 0) - 2.0 * top + at(j, -a, j, 0)) / (a * a);
    for (std::size_t k = 0; k < j; ++k) {
      const double b = steps[inner[k]];
      const double mixed = at(j, a, k, b) - at(j, a, k, -b) - at(j, -a, k, b) + at(j, -a, k, -b);
      information(j, k) = information(k, j) = -mixed / (4.0 * a * b);
    }
  }
  return information;
}

/// sum_g s_g s_g' G / (G - 1) of the parameters in `inner`; nothing for one cluster.
std::optional<SmallMatrix> clustered_square(const std::vector<std::vector<double>>& scores,
                                            std::span<const std::size_t> inner, std::span<const std::uint32_t> cluster,
                                            std::size_t clusters) {
  if (clusters < 2) return std::nullopt;
  const std::size_t n = inner.size();
  SmallMatrix square(n);
  std::vector<double> sum(n, 0.0);
  for (std::size_t i = 0; i < cluster.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k) sum[k] += scores[inner[k]][i];
    if (i + 1 < cluster.size() && cluster[i + 1] == cluster[i]) continue;
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) square(j, k) += sum[j] * sum[k];
    }
    std::fill(sum.begin(), sum.end(), 0.0);
  }
  const double factor = static_cast<double>(clusters) / static_cast<double>(clusters - 1);
  for (double& v : square.values) v *= factor;
  return square;
}

SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b) {
  SmallMatrix c(a.n);
  for (std::size_t i = 0; i < a.n; ++i) {
    for (std::size_t j = 0; j < a.n; ++j) {
      for (std::size_t k = 0; k < a.n; ++k) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

/// The largest part of `inner` whose information has an inverse: whoever comes last and does what others do is left
/// out.
std::vector<std::size_t> independent(const SmallMatrix& information) {
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < information.n; ++k) {
    std::vector<std::size_t> tried = kept;
    tried.push_back(k);
    SmallMatrix part(tried.size());
    for (std::size_t a = 0; a < tried.size(); ++a) {
      for (std::size_t b = 0; b < tried.size(); ++b) part(a, b) = information(tried[a], tried[b]);
    }
    if (inverse_of(part, 1e-7)) kept = tried;
  }
  return kept;
}

}  // namespace

ChainErrors chain_errors(const ChainLikelihood& likelihood, std::span<const double> values,
                         std::span<const std::uint32_t> cluster) {
  const std::size_t n = values.size();
  ChainErrors out = {std::vector<double>(n, kNoNumber),     std::vector<double>(n, kNoNumber),
                     std::vector<double>(n * n, kNoNumber), std::vector<bool>(n, false),
                     std::vector<bool>(n, false),           0};
  for (std::size_t i = 0; i < cluster.size(); ++i) out.clusters += i == 0 || cluster[i] != cluster[i - 1] ? 1 : 0;

  std::vector<double> steps(n);
  for (std::size_t k = 0; k < n; ++k) steps[k] = std::max(1e-4 * std::abs(values[k]), 1e-7);
  std::vector<std::vector<double>> scores = scores_of(likelihood, values, steps);
  std::vector<std::size_t> inner;
  for (std::size_t k = 0; k < n; ++k) {
    double square = 0.0;
    for (const double s : scores[k]) square += s * s;
    if (!(square > 0.0)) {
      out.is_unidentified[k] = true;
      continue;
    }
    const double alone = 1.0 / std::sqrt(square);
    const double room = std::min(values[k] - likelihood.free(k).low, likelihood.free(k).high - values[k]);
    out.is_at_limit[k] = room <= kLimitShare * alone;
    if (out.is_at_limit[k]) continue;
    steps[k] = exact_step(values[k], std::min(kStepErrors * alone, 0.5 * room));
    inner.push_back(k);
  }
  const SmallMatrix all = observed_information(likelihood, values, inner, steps);
  const std::vector<std::size_t> kept = independent(all);
  for (std::size_t k = 0; k < inner.size(); ++k) {
    if (std::find(kept.begin(), kept.end(), k) == kept.end()) out.is_unidentified[inner[k]] = true;
  }
  SmallMatrix information(kept.size());
  std::vector<std::size_t> learned;
  for (std::size_t a = 0; a < kept.size(); ++a) {
    learned.push_back(inner[kept[a]]);
    for (std::size_t b = 0; b < kept.size(); ++b) information(a, b) = all(kept[a], kept[b]);
  }
  const auto naive = inverse_of(information, 1e-12);
  if (!naive) return out;
  scores = scores_of(likelihood, values, steps);
  const auto square = clustered_square(scores, learned, cluster, out.clusters);
  const SmallMatrix covariance = square ? product(product(*naive, *square), *naive) : *naive;
  for (std::size_t a = 0; a < learned.size(); ++a) {
    const std::size_t j = learned[a];
    out.naive[j] = std::sqrt((*naive)(a, a));
    out.error[j] = std::max(out.naive[j], std::sqrt(std::max(0.0, covariance(a, a))));
    for (std::size_t b = 0; b < learned.size(); ++b) {
      const double scale = std::sqrt((*naive)(a, a) * (*naive)(b, b));
      out.correlations[j * n + learned[b]] = (*naive)(a, b) / scale;
    }
    if (!(out.error[j] < std::abs(values[j]))) out.is_unidentified[j] = true;
  }
  return out;
}

}  // namespace fathom
