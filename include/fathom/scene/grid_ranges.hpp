// SPDX-License-Identifier: MIT
#pragma once
// Expected ranges in a grid map.

#include <cstdint>
#include <memory>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// What a ray does in unknown cells: passes, is stopped as by a wall, or ends there without a return (range Z).
enum class UnknownCells : std::uint8_t { kFree, kOccupied, kStop };

enum class GridPrecision : std::uint8_t {
  kFast,    ///< single precision, 8, 16 or 32 rays at a time by instruction set
  kDouble,  ///< double precision, the same skipping
  kOracle,  ///< double precision, cell by cell (Amanatides and Woo 1987): slow and obvious
};

struct GridCasterOptions {
  UnknownCells unknown = UnknownCells::kFree;
  GridPrecision precision = GridPrecision::kFast;
  Isa isa = detect_isa();
};

/// Casts in a grid, exactly to the boundary of the first occupied cell. Walls stand infinitely high, so that tilted
/// rays are defined too; a ray that leaves the map, or starts outside it, has range Z. A ray that starts in an
/// occupied cell has range 0. A ray along the edge between two cells runs in the one on the side of larger coordinates;
/// through a corner it steps along y first, so that two occupied cells that touch at a corner never let it pass. Throws
/// InputError for an invalid map and for an instruction set that this computer lacks.
FATHOM_API std::unique_ptr<ExpectedRanges> make_grid_ranges(const GridMap& map, const GridCasterOptions& options = {});

}  // namespace fathom
