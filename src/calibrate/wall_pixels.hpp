// SPDX-License-Identifier: MIT
#pragma once
// Rays of a wall counted in bins.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fathom/calibrate/wall.hpp>

#include "calibrate/wall_plane.hpp"
#include "calibrate/wall_work.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

inline constexpr std::size_t kLeastInWallBin = 20;  ///< readings below which there is no deviation

/// Sums of a bin of one frame.
struct WallBinSums {
  std::size_t readings = 0, lost = 0;
  double square_px = 0.0, square_m = 0.0;

  void add(const WallBinSums& other) {
    readings += other.readings, lost += other.lost;
    square_px += other.square_px, square_m += other.square_m;
  }
};

inline constexpr std::size_t kRangeBins = 12;

/// Equally wide, from the nearest range to the farthest; none where nothing is.
inline std::vector<WallBin> range_bins(double nearest_m, double farthest_m) {
  std::vector<WallBin> bins;
  const double step = (farthest_m - nearest_m) / kRangeBins;
  for (std::size_t k = 0; k < kRangeBins && farthest_m > 0.0; ++k) {
    const double low = nearest_m + static_cast<double>(k) * step;
    bins.push_back({.low = low, .high = low + step});
  }
  return bins;
}

/// The same bins, of other frames.
inline std::vector<WallBin> emptied(const std::vector<WallBin>& like) {
  std::vector<WallBin> bins;
  for (const WallBin& bin : like) bins.push_back({.low = bin.low, .high = bin.high});
  return bins;
}

/// Of equally wide bins.
inline std::optional<std::size_t> wall_bin_of(const std::vector<WallBin>& bins, double value) {
  if (bins.empty()) return std::nullopt;
  const double step = bins.front().high - bins.front().low, place = (value - bins.front().low) / step;
  if (!(place > -1e-6 && place < static_cast<double>(bins.size()) + 1e-6)) return std::nullopt;
  return std::min(bins.size() - 1, static_cast<std::size_t>(std::max(0.0, place)));
}

inline void fill(WallBin& bin, const WallBinSums& sums, bool has_disparity) {
  const bool is_known = sums.readings >= kLeastInWallBin;
  const auto n = static_cast<double>(sums.readings);
  bin.readings = sums.readings, bin.lost = sums.lost;
  bin.deviation_px = is_known && has_disparity ? std::sqrt(sums.square_px / n) : kNoNumber;
  bin.deviation_m = is_known ? std::sqrt(sums.square_m / n) : kNoNumber;
}

// Which readings have others beside them: how much of an error that neighbours share a plane takes.

/// A plane takes the share h S of the variance of a reading with the leverage h, S the sum of the correlations with all
/// readings of the frame. Lost pixels lie together, so S is not the same as for pixels left out at random. At borders,
/// where leverages are large, S is less.
class WallNeighbours {
 public:
  /// Of some of the readings of the walls.
  explicit WallNeighbours(const WallWork& work);

  /// S in the mean, weighted by leverage, for a correlation that is the product of one across and one down at lags of 0
  /// to kLags.
  using Lags = std::array<double, WallMeasure::kLags + 1>;
  [[nodiscard]] double sum(const Lags& across, const Lags& down) const;

 private:
  static constexpr std::size_t kSide = WallMeasure::kLags + 1;
  std::vector<double> weights_;  ///< [rows apart, columns apart], of pairs
  double all_ = 0.0;
};

// What each ray of a frame shows, given its wall.

/// The first step of name_pixels(): what is within the gate of the wall, off it alone, or off it as a surface; of a
/// lidar the wall is then one piece. All else is lost or left out.
void name_readings(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                   const WallPlaneFit& fit, const WallScale& scale, std::span<WallPixel> pixels);

/// `measured_m` [rays]; `left_out` [rays] or empty: where it is not 0 the ray is left out. Returns the losses that lie
/// in the band which the right camera of a pair does not see.
std::size_t name_pixels(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                        const WallPlaneFit& fit, const WallScale& scale, BorderLosses border,
                        std::span<WallPixel> pixels);

}  // namespace fathom
