// SPDX-License-Identifier: MIT
#pragma once
// How errors of neighbouring rays go together: autocorrelations at lags of rows, columns and frames.

#include <cstddef>
#include <span>
#include <vector>

#include <fathom/calibrate/wall.hpp>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// Sums of products over the errors of a frame, [rays], in what WallRays::error() counts; NaN: none.
WallFrameSums lag_sums(const WallRays& rays, std::span<const float> standardised);
/// The mean product at a lag, divided by the mean product at lag 0; NaN without pairs.
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

// The closed forms of noise/correlation.hpp fitted to measured correlations.

/// E[F F'] of the field of noise/correlation.hpp at a lag along one direction of size `size_px`, as its kernels of
/// whole pixels have it.
double field_correlation(CorrelationShape shape, double size_px, std::size_t lag);

/// E[F(t) F(t')] of frames `lag` apart, over the frames that follow from stamp 0 on.
double time_correlation(double time_s, double rate_hz, std::size_t lag);

/// Fits shape and sizes to the sums of a work's frames. `shared`: the share of the variance that is the model's own and
/// not of rounding, in (0, 1].
WallCorrelation fit_correlation(const WallWork& work, double shared, const WallOptions& options);

}  // namespace fathom
