// SPDX-License-Identifier: MIT
#include "grid/skip_field.hpp"

#include <algorithm>

namespace fathom {

namespace {

/// kStopHit, kStopMiss, or 1 for a cell that a ray passes.
std::uint8_t stop_code(Cell cell, UnknownCells unknown) {
  if (cell == Cell::kOccupied) return kStopHit;
  if (cell == Cell::kFree || unknown == UnknownCells::kFree) return 1;
  return unknown == UnknownCells::kOccupied ? kStopHit : kStopMiss;
}

/// The largest square at a cell is one more than the smallest of the squares at its three neighbours ahead.
void grow_squares(std::uint8_t* plane, const SkipField& field, int step_x, int step_y) {
  const auto stride = static_cast<std::ptrdiff_t>(field.stride);
  const auto side = [](std::uint8_t code) { return code & kSideMask; };
  for (std::uint32_t j = 0; j < field.rows; ++j) {
    for (std::uint32_t i = 0; i < field.cols; ++i) {
      const std::uint32_t x = step_x > 0 ? field.cols - 1 - i : i;
      const std::uint32_t y = step_y > 0 ? field.rows - 1 - j : j;
      std::uint8_t* cell = plane + field.cell(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y));
      if (side(*cell) == 0) continue;
      const int ahead =
          std::min({side(cell[step_x]), side(cell[step_y * stride]), side(cell[step_x + step_y * stride])});
      *cell = static_cast<std::uint8_t>(std::min<int>(ahead + 1, kSideMask));
    }
  }
}

}  // namespace

SkipField make_skip_field(const GridMap& map, UnknownCells unknown) {
  SkipField field;
  field.rows = map.rows;
  field.cols = map.cols;
  field.stride = map.cols + 2;
  field.plane_bytes = std::size_t{map.rows + 2} * field.stride;
  field.bytes.assign(4 * field.plane_bytes + 3, kStopMiss);
  for (int plane = 0; plane < 4; ++plane) {
    std::uint8_t* bytes = field.bytes.data() + static_cast<std::size_t>(plane) * field.plane_bytes;
    for (std::uint32_t y = 0; y < map.rows; ++y) {
      for (std::uint32_t x = 0; x < map.cols; ++x) {
        bytes[field.cell(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y))] =
            stop_code(map.cells[std::size_t{y} * map.cols + x], unknown);
      }
    }
    grow_squares(bytes, field, (plane & 1) != 0 ? -1 : 1, (plane & 2) != 0 ? -1 : 1);
  }
  return field;
}

}  // namespace fathom
