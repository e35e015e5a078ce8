// SPDX-License-Identifier: MIT
#include "calibrate/clustered_error.hpp"

#include <algorithm>
#include <cmath>

#include "beam/student_t.hpp"

namespace fathom {

namespace {

constexpr double kNormal95 = 1.959963984540054;  // quantile of 0.975

}  // namespace

ClusteredError clustered_error(double naive, const std::optional<ClusterVariance>& of_clusters) {
  ClusteredError both = {naive, kNormal95 * naive};
  if (!of_clusters) return both;
  const double by_cluster = std::sqrt(of_clusters->variance);
  both.error = std::max(both.error, by_cluster);
  both.half_width = std::max(both.half_width, student_t_quantile(0.975, of_clusters->degrees) * by_cluster);
  return both;
}

}  // namespace fathom
