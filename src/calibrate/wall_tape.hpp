// SPDX-License-Identifier: MIT
#pragma once
// Gain and bias of a sensor from walls whose distance was measured with a tape.

#include <cstddef>
#include <optional>
#include <string>
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

/// `first`, followed by the gain and bias that remain in frames without it.
WallTape joined(const WallTape& first, const WallTape& rest);

// Checks of distances by tape against the readings.

/// Throws InputError, naming a frame, where all places are off their readings by more than a factor of 1.5 to the same
/// side, or one by more than 3: no sensor is that wrong. Of each place the frame with the least difference counts.
void check_tape(const WallFrames& frames, const WallWork& work);

/// Throws InputError for a gain or bias that goes into the chain, and is beyond what its model takes.
void check_tape_limits(const WallTape& tape);

struct TapeDoubts {
  std::vector<std::string> flags;  ///< one line each
  bool is_contradicted = false;    ///< as WallTape::is_contradicted
};

/// How places lie about gain and bias, and frames about their places.
TapeDoubts doubts_of_tape(const WallFrames& frames, const WallWork& work, const WallTape& tape);

/// Flags on what the distances leave open, and on gain and bias outside the chain; then the doubts. Null: no frame
/// with a wall has a distance.
std::vector<std::string> tape_flags(const WallTape* tape, const TapeDoubts& doubts);

}  // namespace fathom
