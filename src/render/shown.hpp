// SPDX-License-Identifier: MIT
#pragma once

#include <fathom/math/f32.hpp>

#include "render/ray_math.hpp"

namespace fathom {

/// A value as a frame shows it: every NaN is kNoNumber. The NaN that arithmetic makes has other bits on a processor
/// than on a device.
FATHOM_KERNEL float shown(float x) {
  return math::select((math::bits_of(x) & 0x7fffffffU) <= 0x7f800000U, x, kNoNumber);
}

}  // namespace fathom
