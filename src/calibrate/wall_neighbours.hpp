// SPDX-License-Identifier: MIT
#pragma once
// Which readings have others beside them: how much of an error that neighbours share a plane takes.

#include <array>
#include <cstddef>
#include <vector>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// A plane takes the share h S of the variance of a reading with the leverage h, S the sum of the correlations with all
/// readings of the frame. What is lost lies together, so S is not that of a share of all pixels, and at borders, where
/// leverages are large, it is less.
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

}  // namespace fathom
