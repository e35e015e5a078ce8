// SPDX-License-Identifier: MIT
#pragma once
// What each ray of a frame shows, given its wall.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/wall_plane.hpp"

namespace fathom {

/// `measured_m` [rays]; `left_out` [rays] or empty: where it is not 0 the ray is left out. Returns the losses that lie
/// in the band which the right camera of a pair does not see.
std::size_t name_pixels(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                        const WallPlaneFit& fit, const WallScale& scale, BorderLosses border,
                        std::span<WallPixel> pixels);

}  // namespace fathom
