// SPDX-License-Identifier: MIT
#pragma once
// The firings of one turn of a lidar, found in the azimuths of what came back.
//
// The head turns steadily, and in each step every row fires once, at an azimuth of its own in it. Rows are laid over
// each other by what their points are off the nearest ones of one of them, which needs no step that is right over the
// whole turn, and what then lies together is a column. A row without a point in a column that others came back from was
// fired and lost. Of a column that nothing came back from nothing is said: the turn may end there, or a packet be lost.
// Neither is of columns beside a fault of the grid, as there is one where the turn begins.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulate/ring_rows.hpp"

namespace fathom {

struct TurnGrid {
  bool is_regular = false;                           ///< whether azimuths lie on such a grid
  double step_rad = 0.0;                             ///< from a column to the next
  std::vector<double> azimuth_rad;                   ///< of the columns, rising, [cols]
  std::vector<double> row_offset_rad;                ///< that a row fires after them, [rows]
  std::vector<std::optional<std::uint32_t>> column;  ///< of each point; nothing: it is of none
};

/// `points` are of as many rows as there are offsets: how much later in azimuth the sensor fires each, rad. These tell
/// the firing that a row is of where it is none of another part of the turn: less than a step later or earlier than the
/// fullest row. Of azimuths that lie on no grid, columns are cells about a step wide, which hold one
/// point of a row each, in their order. Throws InputError when more than one point in a hundred has another one of its
/// row at its azimuth.
TurnGrid find_turn_grid(std::span<const TurnPoint> points, std::span<const double> row_offset_rad);

}  // namespace fathom
