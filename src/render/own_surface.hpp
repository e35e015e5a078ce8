// SPDX-License-Identifier: MIT
#pragma once
// A surface between a camera and a point may be a part of the entity itself, just before the point. It does not hide
// the point within a tolerance of the user's, or where single precision cannot separate the two.

#include <cstdint>

#include "cast/caster.hpp"
#include "render/surface_lanes.hpp"

namespace fathom {

/// The resolution of such a line without that limit, at most 0.1. `cosine`: of the angle to the normal; `reach`:
/// Caster::reach().
float own_resolution(const SightLines& lines, std::uint32_t lane, float reach, float cosine);

/// Clears blocked[i] where all that line i meets on its clear share belongs to entity[i], the one struck, and stands
/// within the last tolerance[i] of the way. Costs casts of the blocked lines only. Arrays are [lines.count].
void forgive_own_surfaces(const Caster& caster, const SightLines& lines, const std::uint32_t* entity,
                          const float* tolerance, std::uint32_t* blocked);

}  // namespace fathom
