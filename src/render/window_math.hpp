// SPDX-License-Identifier: MIT
#pragma once
// From depth to disparity and back: the arithmetic for one ray, as ray_math.hpp.

#include <fathom/math/f32.hpp>
#include <fathom/noise/window.hpp>

namespace fathom {

/// Disparity of a valid return at that depth, 0 where it has none.
FATHOM_KERNEL float disparity_of(bool valid, float depth_m, float fb) {
  const float d = fb / math::select(depth_m > 0.0F, depth_m, 1.0F);
  return math::select(valid & (depth_m > 0.0F) & has_range(d), d, 0.0F);
}

/// Range along a ray whose direction has that x, from the disparity.
FATHOM_KERNEL float range_of_disparity(float disparity_px, float dx, float fb) { return fb / disparity_px / dx; }

}  // namespace fathom
