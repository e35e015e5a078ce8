#pragma once
// A tolerance of the user's: what stands between a camera and a point may be a part of the entity itself, just before
// the point.

#include <cstdint>

#include "cast/caster.hpp"

namespace fathom {

/// So many surfaces of the entity itself are looked through, one behind the other; a point behind more stays blocked.
inline constexpr int kOwnSurfaces = 16;

/// Clears blocked[i] where all that line i meets on its clear share belongs to entity[i], the one struck, and stands
/// within the last tolerance[i] of the way. Costs casts of the blocked lines only. Arrays are [lines.count].
void forgive_own_surfaces(const Caster& caster, const SightLines& lines, const std::uint32_t* entity,
                          const float* tolerance, std::uint32_t* blocked);

}  // namespace fathom
