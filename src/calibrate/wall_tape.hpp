// SPDX-License-Identifier: MIT
#pragma once
// Gain and bias of a sensor from walls whose distance was measured with a tape.

#include <optional>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// Nothing where no distance of a frame with a wall is given.
std::optional<WallTape> fit_tape(const WallFrames& frames, const WallWork& work);

/// The frames without gain and bias along their rays.
WallFrames without_gain(const WallFrames& frames, const WallRays& rays, const WallTape& tape);

/// `first` after what is left in frames without it.
WallTape joined(const WallTape& first, const WallTape& rest);

}  // namespace fathom
