// SPDX-License-Identifier: MIT
#pragma once
// Gain and bias of a sensor from walls whose distance was measured with a tape.

#include <optional>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// Nothing where no distance of a frame with a wall is given.
std::optional<WallTape> fit_tape(const WallFrames& frames, const WallWork& work);

}  // namespace fathom
