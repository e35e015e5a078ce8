// SPDX-License-Identifier: MIT
#pragma once
// The error and the interval of a parameter that both independent data and clusters of them speak of.

#include <optional>

#include "calibrate/cluster_variance.hpp"

namespace fathom {

struct ClusteredError {
  double error, half_width;  ///< of the 95 % interval
};

/// The larger of the error of independent data and that of clusters, and the wider of the normal interval of the one
/// and Student's t of the other: where few clusters tell a parameter, their error is uncertain and has a large
/// quantile, but that of all data is not. Nothing: clusters do not tell how others would differ.
ClusteredError clustered_error(double naive, const std::optional<ClusterVariance>& of_clusters);

}  // namespace fathom
