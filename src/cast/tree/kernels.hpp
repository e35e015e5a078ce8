// SPDX-License-Identifier: MIT
#pragma once
// The walks of the trees, one table for each instruction set; all give the same bits.

#include "cast/caster.hpp"
#include "cast/instance_caster.hpp"
#include "cast/tree/layout.hpp"

namespace fathom::tree {

/// What each ray meets at most; arrays are [count] of the rays.
struct RayLimits {
  const float* far = nullptr;            ///< nothing beyond is met; negative: the ray is not cast; null: no end
  const std::uint32_t* masks = nullptr;  ///< an instance is met whose mask has a bit in common; null: CastRays::mask
};

struct Kernels {
  /// Nearest hits; range_m, entity and triangle of `hits` are filled where they are wanted, and the normals.
  void (*cast)(const World& world, const CastRays& rays, const RayLimits& limits, const CastHits& hits);
  void (*cast_lanes)(const World& world, const RayLanes& rays, const CastLimits& limits, const RoughHits& hits);
  /// `masks`: as RayLimits has them; null: SightLines::mask.
  void (*find_blocked)(const World& world, const SightLines& lines, const std::uint32_t* masks, std::uint32_t* blocked);
};

}  // namespace fathom::tree

namespace fathom {
namespace sse2 {
extern const tree::Kernels kTreeKernels;
}
namespace avx2 {
extern const tree::Kernels kTreeKernels;
}
namespace avx512 {
extern const tree::Kernels kTreeKernels;
}
}  // namespace fathom
