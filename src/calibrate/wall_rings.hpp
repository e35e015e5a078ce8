// SPDX-License-Identifier: MIT
#pragma once
// What the readings of a single ring of a lidar have in common in all frames: an error that is no noise, and that
// would seem to be a correlation along the ring.

#include <vector>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// By rings, from 0 on; empty where no ring errs by itself. Taken are errors of more than a tenth of the deviation and
/// five times their own error, which takes frames as independent, and of `part` of the largest; fewer than five frames
/// tell none.
std::vector<WallRingError> ring_errors(const WallWork& work, const WallLidar& lidar, double part);

}  // namespace fathom
