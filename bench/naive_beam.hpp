// SPDX-License-Identifier: MIT
#pragma once
// The contender that is exact and written as most programs are: a double cast cell by cell on the plain grid
// (Amanatides and Woo, incremental), and the densities with the C library.

#include <fathom/noise/beam_density.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom::bench {

/// Distance in cells from (x, y) along (dx, dy), all in units of cells, to the first occupied cell; `limit` at most.
double naive_cast(const GridMap& map, double x, double y, double dx, double dy, double limit);

double naive_log_density(const BeamParameters& p, double limit_m, double z, double z_star);

}  // namespace fathom::bench
