// SPDX-License-Identifier: MIT
#pragma once
// Clouds of whole revolutions of a lidar, and the grid of firings in one of them.
//
// The head turns steadily. In each step every row fires once, at its own azimuth within the step. The rows are aligned
// by the azimuths between their points and the nearest points of one row, which needs no exact step over the whole
// revolution. Points that then coincide are a column. A row without a point in such a column was fired and lost. Empty
// columns are not counted as lost returns: the revolution may end there, or a packet may be missing. Nor are columns
// beside a fault of the grid, for example where the revolution begins.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fathom/fit/frames.hpp>
#include <fathom/fit/wall.hpp>

#include "fit/frames/ring_rows.hpp"

namespace fathom {

struct RevolutionGrid {
  bool is_regular = false;                           ///< whether azimuths lie on such a grid
  double step_rad = 0.0;                             ///< from a column to the next
  std::vector<double> azimuth_rad;                   ///< of the columns, rising, [cols]
  std::vector<double> row_offset_rad;                ///< of a row's azimuth after that of the column, [rows]
  std::vector<std::optional<std::uint32_t>> column;  ///< of each point; nothing: in no column
};

/// `row_offset_rad`: how much later in azimuth the sensor fires each row. An offset of less than a step from the
/// fullest row decides which firing a row belongs to. If the azimuths lie on no grid, columns are cells about a step
/// wide, with at most one point of each row, in their order. Throws InputError when more than one point in a hundred
/// has the same azimuth as another point of its row.
RevolutionGrid find_revolution_grid(std::span<const RevolutionPoint> points, std::span<const double> row_offset_rad);

/// Clouds of a lidar whose revolutions start anywhere, as frames with WallTurns. A ray with a point passes through it;
/// a ray without a point has the elevation of its ring and the azimuth of its column. If most clouds lie on grids, the
/// others are left out. Otherwise all are taken, and losses are unknown. Throws InputError as RingRows and
/// find_revolution_grid() do.
WallFrames read_revolution_clouds(std::span<const FrameFile> files, const WallSensor& lidar, const RingRows& rows);

}  // namespace fathom
