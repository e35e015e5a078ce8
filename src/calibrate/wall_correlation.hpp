// SPDX-License-Identifier: MIT
#pragma once
// The closed forms of noise/correlation.hpp fitted to measured correlations.

#include <cstddef>
#include <span>

#include <fathom/calibrate/wall.hpp>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// E[F F'] of the field of noise/correlation.hpp at a lag along one direction of size `size_px`, as its kernels of
/// whole pixels have it.
double field_correlation(CorrelationShape shape, double size_px, std::size_t lag);

/// E[F(t) F(t')] of frames `lag` apart, over the frames that follow from stamp 0 on.
double time_correlation(double time_s, double rate_hz, std::size_t lag);

/// Fits shape and sizes to the sums of a work's frames. `shared`: the share of the variance that is the model's own and
/// not of rounding, in (0, 1].
WallCorrelation fit_correlation(const WallWork& work, double shared, const WallOptions& options);

}  // namespace fathom
