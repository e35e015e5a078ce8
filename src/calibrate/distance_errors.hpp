// SPDX-License-Identifier: MIT
#pragma once
// Errors of what was learned of distances.

#include <cstdint>
#include <span>
#include <vector>

#include <fathom/calibrate/calibrate.hpp>

#include "beam/stretches.hpp"

namespace fathom {

/// What the errors are of: pairs with finite ranges. Arrays [pairs].
struct DistanceErrors {
  std::vector<double> error_m, expected_m;
  std::vector<std::uint32_t> scan = {};  ///< empty: not known
  double mean_expected_m = 0.0;
  bool one_range = true;  ///< all expected ranges are equal
};

/// Fills in errors and intervals of mean, stddev and stddev_per_m, those of `free` only, and what they rest on, with
/// its flags: from the observed information A of independent pairs, and from the scores of clusters
/// (cluster_variance.hpp).
void add_distance_errors(const DistanceErrors& errors, bool stddev_free, bool per_m_free,
                         const DistanceCalibrationOptions& options, DistanceCalibration& out);

}  // namespace fathom
