// SPDX-License-Identifier: MIT
#pragma once
// For every cell and each of the four diagonal directions, the side of the largest empty square that starts at the cell
// and lies in that direction. A ray heading there may jump to the exit of the square: all it could meet is inside. This
// is the Chebyshev distance transform, cut to the quadrant that the ray can reach, so jumps along walls stay long.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fathom/beam/grid_ranges.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// Where a ray stops: in an occupied cell, or without a hit. Else the low seven bits hold the side of the square, >= 1.
inline constexpr std::uint8_t kStopHit = 0x00;
inline constexpr std::uint8_t kStopMiss = 0x80;
inline constexpr std::uint8_t kSideMask = 0x7f;

/// Four planes [rows + 2, cols + 2] of bytes, one after another; plane 2 * (toward -y) + (toward -x). The outermost
/// ring of a plane is outside the map (kStopMiss). Three bytes of room follow, because lanes are read as words.
struct SkipField {
  std::uint32_t rows = 0, cols = 0, stride = 0;
  std::size_t plane_bytes = 0;
  std::vector<std::uint8_t> bytes;

  /// Offset of a cell within a plane.
  [[nodiscard]] std::int32_t cell(std::int32_t x, std::int32_t y) const {
    return (y + 1) * static_cast<std::int32_t>(stride) + x + 1;
  }
};

SkipField make_skip_field(const GridMap& map, UnknownCells unknown);

}  // namespace fathom
