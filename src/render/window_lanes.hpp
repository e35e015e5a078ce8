// SPDX-License-Identifier: MIT
#pragma once
// The loops of the matching window (noise/detail/window.hpp) over an image, and those that lead there and back. As
// lanes.hpp, compiled once per instruction set.

#include <cstdint>

#include <fathom/frame/reason.hpp>
#include <fathom/noise/detail/window.hpp>
#include <fathom/noise/drive.hpp>

#include "base/compute.hpp"
#include "render/ray_math.hpp"

namespace fathom {

/// What a window makes of an image, [rows, cols].
struct WindowResult {
  float* matched_px;
  std::uint32_t* taken;  ///< null: not asked for
  Reason* reason;        ///< kEdge where a pixel is lost; else as it was
};

/// Which pixels of a row belong to one region with their neighbours, a bit each. One word more than the row's bits need
/// may be written.
struct RegionLinks {
  std::uint64_t* valid;
  std::uint64_t* right;  ///< with the next one
  std::uint64_t* up;     ///< with the one above
};

struct WindowKernels {
  /// Disparities of the valid returns of a block, 0 elsewhere; `fb`: focal length times baseline, px m.
  void (*disparities)(const ReturnBlock& returns, float fb, float* out);
  /// Ranges of the rays whose returns are valid, from their disparities; of the others `range_m` stays.
  void (*ranges)(const RayBlock& rays, const std::uint32_t* reason, const float* disparity_px, float fb,
                 float* range_m);
  /// Rows [begin, end) of the image.
  void (*match)(const WindowRule& rule, const WindowImage& image, std::uint32_t begin, std::uint32_t end,
                const WindowResult& out);
  /// Of disparities, 0 where there is none; `above`: null in the first row, of which `up` is not written.
  void (*links)(const float* above, const float* row, std::uint32_t cols, float max_step_px, const RegionLinks& out);
};

namespace sse2 {
extern const WindowKernels kWindowKernels;
}
namespace avx2 {
extern const WindowKernels kWindowKernels;
}
namespace avx512 {
extern const WindowKernels kWindowKernels;
}

inline const WindowKernels& window_kernels(Isa isa) {
  return for_isa(isa, sse2::kWindowKernels, avx2::kWindowKernels, avx512::kWindowKernels);
}

}  // namespace fathom
