// SPDX-License-Identifier: MIT
#pragma once
// The wall among what else a lidar or a laser sees.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/wall_plane.hpp"

namespace fathom {

/// The rays whose readings a plane is to be fitted to: 1 where a reading is of the wall, [rows, cols]. `measured_m` as
/// of fit_plane(). Returns nothing, and says why, where there is no wall.
std::optional<std::vector<std::uint8_t>> find_region(const WallRays& rays, std::span<const float> measured_m,
                                                     WallChoice choice, const WallKey& key, std::string& why_not);

/// Of pixels that name_readings() named: leaves as the wall what hangs together and is not so near to another surface
/// that readings of that could be within `gate_m` of the wall. All else becomes another surface.
void keep_one_surface(const WallRays& rays, double gate_m, double distance_m, std::span<WallPixel> pixels);

/// Says of losses whether they are the wall's, and takes readings away where a loss would not be: the nearest readings
/// to the left, right, above and below have to be the wall's whatever the ray itself shows, lest less seems to be lost.
void name_inside(const WallRays& rays, BorderLosses border, std::span<WallPixel> pixels);

}  // namespace fathom
