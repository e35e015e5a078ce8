// SPDX-License-Identifier: MIT
#pragma once
// Casts the rays of a block as their samples, and joins what these met to the returns of each ray.

#include <cstdint>

#include "render/lanes.hpp"
#include "render/render.hpp"

namespace fathom {

/// What one return of each ray of a block struck, in the caster's coordinates. Where there is no such return it is a
/// miss, and `blank` says whether the ray has others.
struct alignas(64) ReturnHits {
  float range_m[kBlockRays];  ///< +inf on a miss
  std::uint32_t entity[kBlockRays], triangle[kBlockRays];
  float nx[kBlockRays], ny[kBlockRays], nz[kBlockRays];
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays];  ///< of the sample that struck it
  float intensity[kBlockRays];                           ///< 0 on a miss
  std::uint32_t blank[kBlockRays];
};

/// Fills hits[k] for each return k of the job. `begin`: the first lane of the block in the plan.
void cast_samples(const RenderJob& job, std::uint32_t begin, const RayBlock& rays, ReturnHits* hits);

}  // namespace fathom
