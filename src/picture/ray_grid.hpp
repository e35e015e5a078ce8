// SPDX-License-Identifier: MIT
#pragma once
// How the rays of a frame become the pixels of a range image.

#include <algorithm>
#include <cstdint>

namespace fathom {

/// Ray r, counted along rows, stands in column r mod `width`, on line r / `width`, and fills `repeat` pixels below each
/// other.
struct PatternGrid {
  std::uint32_t width = 0, lines = 0, repeat = 1;
};

/// A single long row is folded; the lines of a frame of few rows are repeated.
inline PatternGrid ray_grid(std::uint32_t rows, std::uint32_t cols) {
  constexpr std::uint32_t kFoldAbove = 4096;  // rays of a single row
  constexpr std::uint32_t kFoldWidth = 2048;
  constexpr std::uint32_t kThinRatio = 8;     // width : height that is still easy to look at
  constexpr std::uint32_t kThinHeight = 256;  // no row is repeated beyond this height
  if (rows == 1 && cols > kFoldAbove) return {kFoldWidth, cols / kFoldWidth + (cols % kFoldWidth != 0 ? 1 : 0), 1};
  if (rows == 0) return {cols, 0, 1};
  return {cols, rows, std::max(1U, std::min(cols / kThinRatio, kThinHeight) / rows)};
}

}  // namespace fathom
