// SPDX-License-Identifier: MIT
#pragma once
// What frames of a wall say about what was typed beside them, one line each; empty: nothing.

#include <span>
#include <string>
#include <vector>

#include "calibrate/wall_work.hpp"

namespace fathom {

/// A size to three digits, written out: "1500", "0.015".
std::string rough(double value);

/// Throws InputError, naming a frame, where the walls of a camera are beyond its reach in all but one frame in twenty,
/// or disparities deviate by as much as no camera's do: depths are of another unit then.
void check_depths(const WallFrames& frames, const WallWork& work);

/// Of a camera, naming a frame: whether walls are so near that disparities are wider than the image, or images with
/// levels show them so near or far as none is. At least one plane is found.
Message depths_flag(const WallFrames& frames, std::span<const WallPlane> planes);

/// That; of a planar laser, whether a value beyond all others, which is none of the wall, says that nothing came back;
/// and whether the steps of the disparity that were read off its levels are none of a camera.
std::vector<Message> sanity_flags(const WallFrames& frames, const WallWork& work, double steps_per_px);

/// Whether the wall moves from frame to frame, by more than readings let planes differ of which `sum` count as one.
std::string moving_wall_flag(const WallWork& work, double sum);

}  // namespace fathom
