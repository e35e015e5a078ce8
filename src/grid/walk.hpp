// SPDX-License-Identifier: MIT
#pragma once
// A pose in the grid, and the two scalar casters: the oracle and the double-precision skipping walk.

#include <cstdint>

#include "grid/skip_field.hpp"

namespace fathom {

/// A sensor in grid coordinates: lengths in cells, x along columns, y along rows. Directions of a ray (bx, by, bz) are
/// dx = r[0] bx + r[1] by + r[2] bz and dy = r[3] bx + r[4] by + r[5] bz; the third component does not matter.
struct GridPose {
  double x, y;
  std::int32_t cell_x, cell_y;  ///< floor of x and y; only when `inside`
  bool inside;
  double r[6];
};

/// Distance in cells along (dx, dy), not necessarily a unit vector, to the first occupied cell; t_max where none is
/// nearer. Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing", Eurographics 1987; times are
/// computed from the cell instead of summed up, so that errors do not grow.
double walk_cells(const SkipField& field, const GridPose& pose, double dx, double dy, double t_max);

/// The same, jumping over empty rectangles.
double walk_rectangles(const SkipField& field, const GridPose& pose, double dx, double dy, double t_max);

}  // namespace fathom
