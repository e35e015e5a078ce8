// SPDX-License-Identifier: MIT
#pragma once
// What the readings of a single ring of a lidar have in common in all frames: an error that is no noise, and that
// would seem to be a correlation along the ring.

#include <cstddef>
#include <vector>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// Errors by ring, from 0 on; empty where no ring has a separate error. An error counts above a tenth of the deviation,
/// above five times its standard error, which takes frames as independent, and above `part` of the largest. Fewer than
/// five frames show no errors.
std::vector<WallRingError> ring_errors(const WallWork& work, const WallLidar& lidar, double part);

// Rays of the wall as returns of a chain.

/// What returns are made with.
struct WallReturnsOptions {
  bool without_rings = false;       ///< without what rings err by themselves
  double sum = 1.0;                 ///< S of WallCorrelation: how much of the error a plane takes
  double bias_px = 0.0;             ///< of the disparities of the planes, which the clean ranges do not have
  double gain = 0.0, bias_m = 0.0;  ///< what the frames were freed of, and the sensor measures
  std::size_t most_returns = 0;     ///< more are thinned out at random
  bool tails = false;               ///< readings off the wall alone are returns, too
  std::uint64_t seed = 0;
};

/// Readings and losses of the walls. The clean range is moved so that the error is that before a plane took its part.
ChainReturns wall_returns(const WallFrames& frames, const WallWork& work, const WallReturnsOptions& options);

}  // namespace fathom
