// SPDX-License-Identifier: MIT
#pragma once
// Gain and bias of a sensor from walls whose distance was measured with a tape.

#include <cstddef>
#include <optional>
#include <vector>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// A run of frames with one distance: means over its frames.
struct TapePlace {
  double tape_m = 0.0, measured_m = 0.0;
  double per_bias = 0.0;                 ///< by how much the distance of the plane moves with a bias along the rays
  double variance = 0.0;                 ///< of measured_m as its readings say, m^2
  std::vector<Vec3> m = {};              ///< planes of the frames
  std::vector<std::size_t> frames = {};  ///< with a wall
};

/// Variance of the distance 1 / |m| of a plane through readings that err independently, m^2.
double variance_of_distance(const WallPlaneFit& fit);

/// Of the frames with a wall and a distance.
std::vector<TapePlace> tape_places(const WallFrames& frames, const WallWork& work);

/// What gain and bias, or the bias of the disparity where that is chosen, leave of the distance of a place.
double off_the_law_m(const TapePlace& place, const WallTape& tape, const WallRays& rays);

/// Nothing where no distance of a frame with a wall is given.
std::optional<WallTape> fit_tape(const WallFrames& frames, const WallWork& work);

/// The frames without gain and bias along their rays.
WallFrames without_gain(const WallFrames& frames, const WallRays& rays, const WallTape& tape);

/// `first` after what is left in frames without it.
WallTape joined(const WallTape& first, const WallTape& rest);

}  // namespace fathom
