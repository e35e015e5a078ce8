// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/math/f64.hpp>

#include "beam/em_kernels.hpp"

namespace fathom::FATHOM_ISA {

/// The range at which the surface stands: z* + offset, cut.
FATHOM_KERNEL double surface_of(const EmParameters& p, double expected) {
  const double moved = expected + p.offset;
  const double above = math::select(moved > p.floor, moved, p.floor);
  return math::select(above < p.limit, above, p.limit);
}

}  // namespace fathom::FATHOM_ISA
