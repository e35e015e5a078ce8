// SPDX-License-Identifier: MIT
#pragma once
// Fields of correlated draws, row by row; the bits are those of field_math.hpp. Compiled once per instruction set.

#include <cstddef>
#include <cstdint>

#include <fathom/math/random.hpp>

#include "render/field_kernel.hpp"

namespace fathom {

/// A field at a key frame, before it is uniform.
struct FieldImage {
  const FieldKernel* kernel;
  NoiseKey key;  ///< its frame is the key frame
  std::uint32_t draw;
  std::uint32_t rows, cols;
  bool closes;
  float* out;  ///< [rows, cols]
};

struct FieldKernels {
  /// Rows [begin, end) of an image. `scratch`: [FieldScratch::floats()], of any finite content.
  void (*make_rows)(const FieldImage& image, std::uint32_t begin, std::uint32_t end, float* scratch);
  /// out := cosine a + sine b.
  void (*mix)(const KeyTime& time, const float* a, const float* b, std::size_t count, float* out);
  /// Normals become the uniforms of the same ranks.
  void (*make_uniform)(float* values, std::size_t count);
};

namespace sse2 {
extern const FieldKernels kFields;
}
namespace avx2 {
extern const FieldKernels kFields;
}
namespace avx512 {
extern const FieldKernels kFields;
}

}  // namespace fathom
