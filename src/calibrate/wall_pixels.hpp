// SPDX-License-Identifier: MIT
#pragma once
// What each ray of a frame shows, given its wall.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/wall_plane.hpp"

namespace fathom {

/// The first step of name_pixels(): what is within the gate of the wall, off it alone, or off it as a surface; of a
/// lidar the wall is then one piece. All else is lost or left out.
void name_readings(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                   const WallPlaneFit& fit, const WallScale& scale, std::span<WallPixel> pixels);

/// `measured_m` [rays]; `left_out` [rays] or empty: where it is not 0 the ray is left out. Returns the losses that lie
/// in the band which the right camera of a pair does not see.
std::size_t name_pixels(const WallRays& rays, std::span<const float> measured_m, std::span<const std::uint8_t> left_out,
                        const WallPlaneFit& fit, const WallScale& scale, BorderLosses border,
                        std::span<WallPixel> pixels);

}  // namespace fathom
