// SPDX-License-Identifier: MIT
#include <fathom/scene/grid_map.hpp>

#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

void validate(const GridMap& map) {
  // Casters address four planes of cells with 32 bits.
  constexpr std::uint32_t kMostSide = 32768;
  constexpr std::size_t kMostCells = std::size_t{1} << 28U;
  if (map.rows == 0 || map.cols == 0 || map.rows > kMostSide || map.cols > kMostSide) {
    throw InputError(fmt::format("map: {} x {} cells: a side is not in [1, {}]", map.cols, map.rows, kMostSide));
  }
  if (std::size_t{map.rows} * map.cols > kMostCells) {
    throw InputError(fmt::format("map: {} x {} cells: more than {} in all", map.cols, map.rows, kMostCells));
  }
  if (map.cells.size() != std::size_t{map.rows} * map.cols) {
    throw InputError(fmt::format("map: {} cells given for {} x {}", map.cells.size(), map.cols, map.rows));
  }
  check_in_range("map", "resolution_m", map.resolution_m, 1e-4, 1e4, "m");
  check_in_range("map", "origin.x", map.world_from_map.x_m, -1e7, 1e7, "m");
  check_in_range("map", "origin.y", map.world_from_map.y_m, -1e7, 1e7, "m");
  check_in_range("map", "origin.yaw", map.world_from_map.yaw_rad, -1e3, 1e3, "rad");
}

}  // namespace fathom
