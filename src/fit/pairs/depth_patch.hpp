// SPDX-License-Identifier: MIT
#pragma once
// One patch of 24 x 24 pixels: its residual of a cubic, the sums behind correlations, and the effect of the cubic on
// them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include <fathom/fit/measure_depth.hpp>

#include "core/compute.hpp"

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

/// Mean square of the means of blocks of 6 x 6 pixels. Noise is small in it, but not the remains of an edge or a
/// crease.
double block_mean_square(ConstPatchValues residual);

/// Means of products of values `lag` apart.
LagPair lag_means(ConstPatchValues residual);

/// Mean of lag_means() after remove_cubic() for a field with these covariances. The field is separable,
/// c(x, y) = across[x] down[y] / c(0, 0), and uncorrelated beyond the last lag. Exact.
LagPair after_cubic(const LagPair& covariances);

/// The covariances for which after_cubic() gives `measured`, by fixed-point iteration: c += measured - after_cubic(c).
/// White noise takes some ten steps. The limit of 200 bounds fields that the cubic absorbs entirely: no estimator can
/// restore them. Zeros where measured.across[0] is not above 0.
LagPair before_cubic(const LagPair& measured);

/// Estimates get their errors by leaving out one group of patches after the other (jackknife). A place in the image
/// belongs to the same group in every frame, so that an error that stays is counted once.
inline constexpr std::size_t kPatchGroups = 16;

/// Sums over patches.
struct PatchSums {
  double patches = 0.0;
  LagPair lags;             ///< of lag_means(), in (1/m)^2
  double square_m = 0.0;    ///< of mean squares, m^2
  ByLag in_time{}, both{};  ///< means of products of two frames, and the mean of their two squares

  void add(const PatchSums& other);
};
using PatchGroups = std::array<PatchSums, kPatchGroups>;

/// All patches that are about as rough: block_mean_square() within 1/16 of an octave. The limit of roughness is known
/// when the last frame is in, and memory does not grow with frames.
struct RoughnessBin {
  std::uint64_t patches = 0;
  PatchGroups groups;
  std::vector<PatchSums> bands;  ///< of distance
};

/// The number of the bin of a block_mean_square(); a larger one is rougher.
int roughness_bin(double mean_square);

using RoughnessBins = std::map<int, RoughnessBin>;

/// Bins up to this number are used: roughness up to 4 times the median patch's. Bins must not be empty.
int last_used_bin(const RoughnessBins& bins);

/// Estimates in the units of the sums; NaN without patches.
struct PatchSummary {
  double residual = 0.0, residual_m = 0.0;    ///< root mean squares
  double deviation = 0.0, deviation_m = 0.0;  ///< corrected
  double put_back = 1.0;                      ///< deviation / residual
  LagPair residual_correlation, correlation;
  ByLag in_time{};

  /// The corrected numbers, which have errors: both deviations, then lags 1 to kLags across, down and in time.
  [[nodiscard]] std::vector<double> estimates() const;
};
PatchSummary summarise(const PatchSums& sums);

/// Standard errors of estimates(), by leaving out one group at a time; NaN where fewer than two groups have patches.
std::vector<double> jackknife_errors(const PatchGroups& groups);

/// Patches of one size without steps, a quadric off. The median one counts as that of a wall.
class WallPatches {
 public:
  explicit WallPatches(std::uint32_t side) : side_(side) {}
  /// An image; NaN: a hole or left out.
  void add(std::span<const float> depth_m, std::size_t rows, std::size_t cols, Executor& executor);
  /// `unit`: px m; NaN: unknown.
  [[nodiscard]] DepthMeasure::Wall result(double unit) const;

 private:
  struct Bin {
    std::uint64_t patches = 0;
    double square = 0.0;
  };
  std::uint32_t side_;
  std::uint64_t patches_ = 0;
  std::map<int, Bin> bins_;  ///< by roughness_bin() of the mean square
};

/// Signs that an image of whole levels of 0.1 mm is not the raw one of a stereo camera. Other images show none.
struct FilterTraces {
  bool off_levels = false;  ///< disparities are not on steps of 1/32 px, where a step is 2.5 mm or more of depth
  bool fills_band = false;  ///< the band at the left border is narrower than the disparity
};
[[nodiscard]] FilterTraces find_filter_traces(std::span<const float> depth_m, std::size_t cols,
                                              double focal_baseline_px_m);

/// What a pixel of a depth image is.
enum class DepthPixel : std::uint8_t { kMeasured, kHole, kLeftOut };

/// Holes connected over the 4 neighbours left, right, above and below.
struct HoleBlobs {
  struct Blob {
    std::uint32_t size = 0;  ///< pixels
    bool whole = true;       ///< touches neither the border of the image nor a pixel that is left out
  };
  std::vector<Blob> blobs;               ///< in the order of their first pixels
  std::vector<std::uint32_t> blob_size;  ///< of the blob of each pixel; 0: no hole
};
/// `pixels` [rows, cols].
HoleBlobs find_blobs(std::span<const DepthPixel> pixels, std::uint32_t rows, std::uint32_t cols);

}  // namespace fathom
