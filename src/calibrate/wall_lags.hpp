// SPDX-License-Identifier: MIT
#pragma once
// How errors of neighbouring rays go together: autocorrelations at lags of rows, columns and frames.

#include <cstddef>
#include <span>
#include <vector>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// Sums of products over the errors of a frame, [rays], in what WallRays::error() counts; NaN: none.
WallFrameSums lag_sums(const WallRays& rays, std::span<const float> standardised);
/// products[lag] / pairs[lag] by that of lag 0; NaN where there is none.
template <std::size_t Count>
double lag_correlation(const WallLagSums<Count>& sums, std::size_t lag) {
  const double variance = sums.products[0] / sums.pairs[0], covariance = sums.products[lag] / sums.pairs[lag];
  return covariance / variance;  // 0 / 0: NaN
}

/// The correlations at lags from 1 on, with errors by leaving out one group of frames after the other. `member`: a
/// WallLagSums of WallFrameSums.
std::vector<Estimate> lag_correlations(const WallWork& work,
                                       WallLagSums<WallMeasure::kLags + 1> WallFrameSums::*member);
std::vector<Estimate> lag_correlations(const WallWork& work,
                                       WallLagSums<WallMeasure::kLagsInTime + 1> WallFrameSums::*member);

}  // namespace fathom
