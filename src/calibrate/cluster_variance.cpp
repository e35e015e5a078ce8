// SPDX-License-Identifier: MIT
#include "calibrate/cluster_variance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace fathom {

namespace {

constexpr double kLeastRest = 0.05;  // of 1 - h_g: below, the others say too little to compare with
constexpr double kLeastMean = 1e-9;  // of the sum; what is below has lost its digits

/// Calls add(g, h, weight) for all pairs of clusters that count, each once and in both orders.
template <class Add>
void for_each_neighbour(std::size_t clusters, const Neighbours& neighbours, Add add) {
  for (std::size_t g = 0; g < clusters; ++g) {
    add(g, g, 1.0);
    for (std::size_t lag = 1; lag <= std::min(neighbours.lags, g); ++lag) {
      add(g, g - lag, neighbours.weight(lag));
      add(g - lag, g, neighbours.weight(lag));
    }
  }
}

}  // namespace

std::optional<ClusterVariance> cluster_variance(std::span<const double> moved, std::span<const double> share,
                                                const Neighbours& neighbours) {
  const std::size_t clusters = moved.size();
  if (clusters == 0 || *std::max_element(share.begin(), share.end()) > 1.0 - kLeastRest) return std::nullopt;
  // Corrected u_g, and their covariance diag(own) - common common'.
  std::vector<double> corrected(clusters), own(clusters), common(clusters);
  for (std::size_t g = 0; g < clusters; ++g) {
    const double rest = 1.0 - share[g];
    corrected[g] = moved[g] / std::sqrt(rest);
    common[g] = share[g] / std::sqrt(rest);
    own[g] = share[g] * (1.0 - share[g]) / rest + common[g] * common[g];
  }
  // K has the weights of pairs: u' K u, and the traces of K C and (K C)^2 for that covariance C.
  double sum = 0.0, mean = 0.0, squares = 0.0, of_common = 0.0;
  std::vector<double> weighted(clusters, 0.0);  // K common
  for_each_neighbour(clusters, neighbours, [&](std::size_t g, std::size_t h, double weight) {
    sum += weight * corrected[g] * corrected[h];
    squares += weight * weight * own[g] * own[h];
    of_common += weight * common[g] * common[h];
    weighted[g] += weight * common[h];
  });
  for (std::size_t g = 0; g < clusters; ++g) {
    mean += own[g];
    squares -= 2.0 * own[g] * weighted[g] * weighted[g];
  }
  mean -= of_common, squares += of_common * of_common;
  if (!(mean > kLeastMean && squares > 0.0)) return std::nullopt;
  return ClusterVariance{std::max(0.0, sum) / mean, std::max(1.0, mean * mean / squares)};
}

}  // namespace fathom
