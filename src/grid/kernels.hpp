// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "grid/walk.hpp"

namespace fathom {

/// Directions of rays, [rays] each, sensor frame.
struct FanView {
  const float *x, *y, *z;
  std::size_t rays;
};

/// Casts [poses, rays] rays into range_m; lengths scaled by resolution_m. Rays that land so near a corner that single
/// precision could take the wrong side are walked again in double.
using GridKernel = void (*)(const SkipField& field, const GridPose* poses, std::size_t pose_count, const FanView& fan,
                            double resolution_m, float max_range_m, float* range_m);

namespace sse2 {
extern const GridKernel kGridKernel;
}
namespace avx2 {
extern const GridKernel kGridKernel;
}
namespace avx512 {
extern const GridKernel kGridKernel;
}

}  // namespace fathom
