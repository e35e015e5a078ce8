// SPDX-License-Identifier: MIT
#pragma once
// The loops of the matching window (noise/window.hpp) over an image, and those that lead there and back. As lanes.hpp,
// compiled once per instruction set.

#include <cstdint>

#include <fathom/frame/reason.hpp>
#include <fathom/noise/drive.hpp>
#include <fathom/noise/window.hpp>

#include "base/isa.hpp"
#include "render/window_math.hpp"

namespace fathom {

/// What a window makes of an image, [rows, cols].
struct WindowResult {
  float* matched_px;
  std::uint32_t* taken;
  Reason* reason;  ///< kEdge where a pixel is lost; else as it was
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
