// SPDX-License-Identifier: MIT
#pragma once
// The walks of the trees: a table for each instruction set, all with the same bits.

#include "core/compute.hpp"
#include "trace/caster.hpp"
#include "trace/tree/layout.hpp"

namespace fathom::tree {

/// Limits of each ray; arrays are [count] of the rays.
struct RayLimits {
  const float* far = nullptr;            ///< largest distance; negative: the ray is not cast; null: no limit
  const std::uint32_t* masks = nullptr;  ///< rays see instances whose mask shares a bit; null: CastRays::mask
};

struct Kernels {
  /// Nearest hits; fills range_m, and the other arrays of `hits` that are not null.
  void (*cast)(const World& world, const CastRays& rays, const RayLimits& limits, const CastHits& hits);
  void (*cast_lanes)(const World& world, const RayLanes& rays, const CastLimits& limits, const RoughHits& hits);
  /// `masks`: as in RayLimits; null: SightLines::mask.
  void (*find_blocked)(const World& world, const SightLines& lines, const std::uint32_t* masks, std::uint32_t* blocked);
};

}  // namespace fathom::tree

namespace fathom {
FATHOM_EACH_ISA(extern const tree::Kernels kTreeKernels;)
}  // namespace fathom
