// SPDX-License-Identifier: MIT
#pragma once
// The walks of the trees, one table for each instruction set; all give the same bits.

#include "cast/caster.hpp"
#include "cast/tree/layout.hpp"

namespace fathom::tree {

struct Kernels {
  /// Nearest hits; range_m, entity and triangle of `hits` are filled where they are wanted, and the normals.
  void (*cast)(const World& world, const CastRays& rays, std::uint32_t mask, const CastHits& hits);
  void (*find_blocked)(const World& world, const SightLines& lines, std::uint32_t mask, std::uint32_t* blocked);
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
