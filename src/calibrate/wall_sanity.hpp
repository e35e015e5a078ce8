// SPDX-License-Identifier: MIT
#pragma once
// What frames of a wall say about what was typed beside them, one line each; empty: nothing.

#include <string>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// Of a planar laser: whether a value beyond all others, which is none of the wall, says that nothing came back.
std::string no_return_code_flag(const WallFrames& frames, const WallWork& work);

/// Whether the steps of the disparity that were read off its levels are none of a camera: then focal length times
/// baseline is another.
std::string levels_flag(const WallFrames& frames, const WallWork& work, double steps_per_px);

/// Whether the wall moves from frame to frame, by more than readings let planes differ of which `sum` count as one.
std::string moving_wall_flag(const WallWork& work, double sum);

}  // namespace fathom
