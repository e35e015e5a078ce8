// SPDX-License-Identifier: MIT
#include "calibrate/distance_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "base/small_matrix.hpp"
#include "calibrate/clustered_error.hpp"

namespace fathom {

namespace {

constexpr std::size_t kParameters = 3;  // mean, stddev, stddev_per_m
using ThreeNumbers = std::array<double, kParameters>;

/// The law at one pair.
struct PairScore {
  double d, s, u;  ///< expected range, deviation there, error by it

  PairScore(const DistanceErrors& e, std::size_t i, const DistanceCalibration& at)
      : d(e.expected_m[i]), s(at.stddev_m.value + at.stddev_per_m.value * d), u((e.error_m[i] - at.mean_m.value) / s) {}
  [[nodiscard]] ThreeNumbers slopes() const {
    const double by_sigma = (u * u - 1.0) / s;
    return {u / s, by_sigma, by_sigma * d};
  }
  /// Adds minus the second derivatives.
  void add_information(FixedMatrix<kParameters>& h) const {
    const double inverse2 = 1.0 / (s * s), by_sigma = (3.0 * u * u - 1.0) * inverse2, mixed = 2.0 * u * inverse2;
    h[0][0] += inverse2;
    h[1][0] += mixed, h[2][0] += mixed * d;
    h[1][1] += by_sigma, h[2][1] += by_sigma * d, h[2][2] += by_sigma * d * d;
  }
};

/// Of each pair the cluster that its scan is in: scans by their numbers, in stretches.
std::vector<std::size_t> clusters_of(const DistanceErrors& e, std::size_t most, std::size_t& clusters) {
  std::vector<std::uint32_t> scans = e.scan;
  std::sort(scans.begin(), scans.end());
  scans.erase(std::unique(scans.begin(), scans.end()), scans.end());
  clusters = most > 0 ? std::min(most, scans.size()) : scans.size();
  const Stretches stretches = {.scans = scans.size(), .clusters = clusters};
  std::vector<std::size_t> cluster;
  cluster.reserve(e.scan.size());
  for (const std::uint32_t scan : e.scan) {
    const auto at = std::lower_bound(scans.begin(), scans.end(), scan);
    cluster.push_back(stretches.of_scan(static_cast<std::uint64_t>(at - scans.begin())));
  }
  return cluster;
}

/// By how much each cluster moves a parameter, and how much of what is known of it that tells: [parameters][clusters].
struct ClusterMoves {
  std::array<std::vector<double>, kParameters> moved, share;

  ClusterMoves(const DistanceErrors& e, const DistanceCalibration& at, const FixedMatrix<kParameters>& inverse,
               std::size_t most, std::size_t& clusters) {
    const std::vector<std::size_t> cluster = clusters_of(e, most, clusters);
    ThreeNumbers all = {};
    for (auto* of : {&moved, &share}) {
      for (std::vector<double>& values : *of) values.assign(clusters, 0.0);
    }
    for (std::size_t i = 0; i < cluster.size(); ++i) {
      const ThreeNumbers slopes = PairScore(e, i, at).slopes();
      for (std::size_t k = 0; k < kParameters; ++k) {
        double move = 0.0;
        for (std::size_t j = 0; j < kParameters; ++j) move += inverse[k][j] * slopes[j];
        moved[k][cluster[i]] += move, share[k][cluster[i]] += move * move, all[k] += move * move;
      }
    }
    for (std::size_t k = 0; k < kParameters; ++k) {
      for (double& of : share[k]) of = all[k] > 0.0 ? of / all[k] : 0.0;
    }
  }
};

void set_error(double naive, const std::optional<ClusterVariance>& of_clusters, double low, IntervalEstimate& p) {
  const ClusteredError error = clustered_error(naive, of_clusters);
  p.std_error = error.error, p.naive_error = naive;
  p.low_95 = std::max(low, p.value - error.half_width), p.high_95 = p.value + error.half_width;
}

}  // namespace

void add_distance_errors(const DistanceErrors& errors, bool stddev_free, bool per_m_free,
                         const DistanceCalibrationOptions& options, DistanceCalibration& out) {
  FixedMatrix<kParameters> information = {};
  for (std::size_t i = 0; i < errors.error_m.size(); ++i) PairScore(errors, i, out).add_information(information);
  std::vector<std::size_t> free = {0};
  if (stddev_free) free.push_back(1);
  if (per_m_free) free.push_back(2);
  const auto inverse = inverse_of(information, free, 1e-14);
  if (!inverse) return;
  const bool knows_scans = !errors.scan.empty();
  ClusterMoves moves(errors, out, *inverse, options.stretches, out.clusters);
  if (knows_scans && out.clusters == 1) {
    out.flags.push_back(one_cluster_flag("readings"));
    return;
  }
  const Neighbours neighbours(out.clusters, options.stretches > 0);
  const std::array<IntervalEstimate*, kParameters> parameters = {&out.mean_m, &out.stddev_m, &out.stddev_per_m};
  for (const std::size_t k : free) {
    std::optional<ClusterVariance> of_clusters;
    if (out.clusters > 1) of_clusters = cluster_variance(moves.moved[k], moves.share[k], neighbours);
    const double least = k == 0 ? -std::numeric_limits<double>::infinity() : 0.0;
    set_error(std::sqrt((*inverse)[k][k]), of_clusters, least, *parameters[k]);
  }
  out.stretches = knows_scans ? options.stretches : 0;
  if (!knows_scans) {
    out.flags.emplace_back(
        "nothing tells which pairs are of one scan: errors take all as independent, and are too small where pairs of a "
        "scan, or of a place, err together");
  } else if (const std::string few = few_clusters_flag(out.clusters, options.stretches); !few.empty()) {
    out.flags.push_back(few);
  }
}

}  // namespace fathom
