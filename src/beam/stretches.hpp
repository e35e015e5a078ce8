// SPDX-License-Identifier: MIT
#pragma once
// What errs together: neighbouring scans of a sensor that moves see the same place.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fathom {

/// Which scans of all data err together: those of a stretch of the way. Scans are counted through all parts.
struct Stretches {
  std::uint64_t scans = 0;     ///< of all parts
  std::uint64_t clusters = 0;  ///< at most as many as scans
  std::span<const std::uint32_t> given = {};  ///< [scans] the cluster of each; empty: about equal numbers of scans
  [[nodiscard]] std::uint64_t of_scan(std::uint64_t scan) const {
    return given.empty() ? scan * clusters / scans : given[scan];
  }
};

/// `wanted` stretches, or each scan if that is 0, unless the stretch of each scan is given. Throws InputError if it is
/// given for another number of scans.
Stretches make_stretches(std::uint64_t scans, std::size_t wanted, std::span<const std::uint32_t> given);

/// How far stretches of the way err together. What lies at the end of one is seen from the next, so neighbours are
/// taken as correlated, by Bartlett's weights 1 - l / (L + 1) at distance l.
struct Neighbours {
  std::size_t lags = 0;  // L

  Neighbours(std::size_t clusters, bool are_stretches) {
    constexpr std::size_t kMostLags = 2, kClustersPerLag = 20;
    if (are_stretches) lags = std::min(kMostLags, clusters / kClustersPerLag);
  }
  [[nodiscard]] double weight(std::size_t lag) const {
    return 1.0 - static_cast<double>(lag) / static_cast<double>(lags + 1);
  }
  /// As the scores of all clusters sum to 0, products of different ones are negative on average. G / (G - 1) for L = 0.
  [[nodiscard]] double small_sample_factor(double clusters) const {
    return clusters > 1.0 ? clusters / (clusters - static_cast<double>(lags + 1)) : 1.0;
  }
  /// What t has: G - 1 for L = 0. A sum of products counts as its mean square does.
  [[nodiscard]] double degrees(double clusters) const {
    double squares = 1.0;
    for (std::size_t lag = 1; lag <= lags; ++lag) squares += 2.0 * weight(lag) * weight(lag);
    return std::max(1.0, std::floor(clusters / squares) - 1.0);
  }
  /// Calls add(a, b, times) for all products of two clusters' scores, of which their sum with these factors is the
  /// outer product of Newey and West (Econometrica 55 (1987)), which is never negative.
  template <class Add>
  void for_each_product(std::size_t clusters, Add add) const {
    const double factor = small_sample_factor(static_cast<double>(clusters));
    for (std::size_t g = 0; g < clusters; ++g) {
      add(g, g, factor);
      for (std::size_t lag = 1; lag <= lags && lag <= g; ++lag) {
        add(g, g - lag, factor * weight(lag));
        add(g - lag, g, factor * weight(lag));
      }
    }
  }
};

/// What is said of standard errors that rest on so few clusters, of stretches of the way (0: of scans); empty: enough.
std::string few_clusters_flag(std::size_t clusters, std::size_t stretches);

/// What is said where there is one cluster alone. `what`: "rays".
std::string one_cluster_flag(std::string_view what);

}  // namespace fathom
