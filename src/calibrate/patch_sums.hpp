// SPDX-License-Identifier: MIT
#pragma once
// What patches of all frames add up to, kept by how rough they are: which ones are too rough is known when the last
// frame is in, and memory does not grow with frames.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "calibrate/depth_patch.hpp"

namespace fathom {

/// Estimates get their errors by leaving out one group of patches after the other (jackknife). A place in the image
/// belongs to the same group in every frame, so that an error that stays is counted once.
inline constexpr std::size_t kPatchGroups = 16;

/// Sums over patches of one group.
struct GroupSums {
  double patches = 0.0;
  LagPair lags;             ///< of lag_means(), in (1/m)^2
  double square_m = 0.0;    ///< of mean squares, m^2
  ByLag in_time{}, both{};  ///< means of products of two frames, and the mean of their two squares

  void add(const GroupSums& other);
};

/// Sums over the patches of one band of distance.
struct BandSums {
  std::uint64_t patches = 0;
  double square = 0.0, square_m = 0.0;
};

/// All patches that are about as rough: block_mean_square() within 1/16 of an octave.
struct RoughnessBin {
  std::uint64_t patches = 0;
  std::array<GroupSums, kPatchGroups> groups;
  std::vector<BandSums> bands;
};

/// The number of the bin of a block_mean_square(): each octave has kBinsPerOctave, and more is rougher.
inline constexpr int kBinsPerOctave = 16;
int roughness_bin(double mean_square);

using RoughnessBins = std::map<int, RoughnessBin>;

/// Bins up to this number are used: roughness up to 4 times the median patch's. Bins must not be empty.
int last_used_bin(const RoughnessBins& bins);

/// What sums say, in the units of the sums.
struct PatchSummary {
  double residual = 0.0, residual_m = 0.0;    ///< root mean squares
  double deviation = 0.0, deviation_m = 0.0;  ///< corrected
  LagPair residual_correlation, correlation;
  ByLag in_time{};

  /// Every number of the above that has an error, in one order: what the jackknife runs over.
  [[nodiscard]] std::vector<double> estimates() const;
};
PatchSummary summarise(const GroupSums& sums);

/// Standard errors of estimates(), by leaving out one group at a time; NaN where fewer than two groups have patches.
std::vector<double> jackknife_errors(const std::array<GroupSums, kPatchGroups>& groups);

}  // namespace fathom
