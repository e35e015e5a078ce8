// SPDX-License-Identifier: MIT
#pragma once
// One patch of 24 x 24 pixels: a cubic taken off it, the sums that correlations are made of, and what the cubic does to
// them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fathom/calibrate/measure_depth.hpp>

namespace fathom {

inline constexpr std::size_t kPatchSide = DepthMeasure::kPatchSide, kPatchPixels = kPatchSide * kPatchSide;
inline constexpr std::size_t kLagCount = DepthMeasure::kLags + 1;  ///< lag 0 included

/// [kPatchSide, kPatchSide], row-major.
using PatchValues = std::span<double, kPatchPixels>;
using ConstPatchValues = std::span<const double, kPatchPixels>;

/// By lag, 0 first.
using ByLag = std::array<double, kLagCount>;

/// Along rows and along columns; of lag 0 both have the same.
struct LagPair {
  ByLag across{}, down{};
};

/// Why a patch is not used; kGood ones may still be rough.
enum class PatchState : std::uint8_t { kGood, kHole, kStep };

/// Of depths [kPatchSide, kPatchSide] in an image of `cols` columns, NaN: a hole. `first` points at the first one.
PatchState patch_state(const float* first, std::size_t cols);

/// Takes off the polynomial in x and y of total degree 3 that fits best by least squares.
void remove_cubic(PatchValues values);

/// Mean square of the means of blocks of 6 x 6 pixels: noise is small in it, and what an edge or a crease leaves is
/// not.
double block_mean_square(ConstPatchValues residual);

/// Means of products of values `lag` apart.
LagPair lag_means(ConstPatchValues residual);

/// What lag_means() is on average after remove_cubic() for a field with these covariances, which is separable,
/// c(x, y) = across[x] down[y] / c(0, 0), and has none beyond the last lag. Exact.
LagPair after_cubic(const LagPair& covariances);

/// The covariances for which after_cubic() gives `measured`, by fixed-point iteration: c += measured - after_cubic(c).
/// White noise takes some ten steps; there are 200 at most, so that what the cubic takes whole, and no estimator can
/// put back, does not grow without bounds. Zeros where measured.across[0] is not above 0.
LagPair before_cubic(const LagPair& measured);

}  // namespace fathom
