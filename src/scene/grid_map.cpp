// SPDX-License-Identifier: MIT
#include <fathom/scene/grid_map.hpp>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/core/field.hpp>

#include "core/text.hpp"
#include "scene/mesh.hpp"

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

namespace {

using Corner = std::array<std::int64_t, 2>;  // column and row of a corner of cells

/// A grid map as a world: its occupied cells, raised.
class WallBuilder {
 public:
  WallBuilder(const GridMap& map, double height_m) : map_(map), height_m_(height_m) {}

  Mesh build() {
    add_faces();
    if (triangles_ > kMaxWallTriangles) {
      throw InputError(
          fmt::format("the occupied cells of a map of {} x {} make {} triangles, more than {}; clear single "
                      "cells or give a coarser map",
                      map_.cols, map_.rows, triangles_, kMaxWallTriangles));
    }
    counting_ = false;
    corners_.reserve(triangles_);
    places_m_.reserve(2 * triangles_);
    add_faces();
    return mesh_of_places(places_m_, std::move(corners_));
  }

 private:
  void add_faces() {
    for (std::int64_t row = 0; row <= map_.rows; ++row) add_row_sides(row);
    for (std::int64_t col = 0; col <= map_.cols; ++col) add_col_sides(col);
    for (std::int64_t row = 0; row < map_.rows; ++row) add_lids(row);
  }

  [[nodiscard]] bool occupied(std::int64_t row, std::int64_t col) const {
    if (row < 0 || col < 0 || row >= map_.rows || col >= map_.cols) return false;
    return map_.cells[static_cast<std::size_t>(row) * map_.cols + static_cast<std::size_t>(col)] == Cell::kOccupied;
  }

  std::uint32_t add_vertex(Corner corner, double z_m) {
    if (counting_) return 0;
    const double x = static_cast<double>(corner[0]) * map_.resolution_m;
    const double y = static_cast<double>(corner[1]) * map_.resolution_m;
    const PlanarPose& p = map_.world_from_map;
    const auto [s, c] = math::sincos(p.yaw_rad);
    places_m_.push_back({p.x_m + c * x - s * y, p.y_m + s * x + c * y, z_m});
    return static_cast<std::uint32_t>(places_m_.size()) - 1;
  }

  /// Corners counter-clockwise seen from outside.
  void add_quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    if (counting_) {
      triangles_ += 2;
      return;
    }
    corners_.push_back({a, b, c});
    corners_.push_back({a, c, d});
  }

  /// A side from `from` to `to`, with the block on its left.
  void add_side(Corner from, Corner to) {
    const std::uint32_t a = add_vertex(from, 0.0), b = add_vertex(to, 0.0);
    const std::uint32_t c = add_vertex(to, height_m_), d = add_vertex(from, height_m_);
    add_quad(a, b, c, d);
  }

  /// Sides between the cells of row - 1 and of row.
  void add_row_sides(std::int64_t row) {
    const auto side = [&](std::int64_t col) { return occupied(row, col) - occupied(row - 1, col); };
    for (std::int64_t col = 0; col < map_.cols;) {
      std::int64_t end = col + 1;
      while (end < map_.cols && side(end) == side(col)) ++end;
      if (side(col) > 0) add_side({col, row}, {end, row});
      if (side(col) < 0) add_side({end, row}, {col, row});
      col = end;
    }
  }

  /// Sides between the cells of col - 1 and of col.
  void add_col_sides(std::int64_t col) {
    const auto side = [&](std::int64_t row) { return occupied(row, col) - occupied(row, col - 1); };
    for (std::int64_t row = 0; row < map_.rows;) {
      std::int64_t end = row + 1;
      while (end < map_.rows && side(end) == side(row)) ++end;
      if (side(row) > 0) add_side({col, end}, {col, row});
      if (side(row) < 0) add_side({col, row}, {col, end});
      row = end;
    }
  }

  /// Tops and bottoms of the blocks of a row.
  void add_lids(std::int64_t row) {
    for (std::int64_t col = 0; col < map_.cols;) {
      std::int64_t end = col + 1;
      while (end < map_.cols && occupied(row, end) == occupied(row, col)) ++end;
      if (occupied(row, col)) {
        const std::array<Corner, 4> corners = {{{col, row}, {end, row}, {end, row + 1}, {col, row + 1}}};
        std::array<std::uint32_t, 4> top = {}, bottom = {};
        for (std::size_t i = 0; i < 4; ++i) top[i] = add_vertex(corners[i], height_m_);
        for (std::size_t i = 0; i < 4; ++i) bottom[i] = add_vertex(corners[i], 0.0);
        add_quad(top[0], top[1], top[2], top[3]);
        add_quad(bottom[3], bottom[2], bottom[1], bottom[0]);
      }
      col = end;
    }
  }

  const GridMap& map_;
  double height_m_;
  bool counting_ = true;  // in a first pass, so that memory is allocated once and no larger than needed
  std::size_t triangles_ = 0;
  std::vector<MeshPlace> places_m_;
  std::vector<std::array<std::uint32_t, 3>> corners_;  // [triangles]
};

}  // namespace

Mesh make_walls(const GridMap& map, double height_m) {
  validate(map);
  if (!(height_m >= kLeastWallM && height_m <= kMostWallM)) {
    throw InputError(fmt::format("walls.height_m = {} is not in [{}, {}] m", number_text(height_m),
                                 number_text(kLeastWallM), number_text(kMostWallM)));
  }
  Mesh mesh = WallBuilder(map, height_m).build();
  if (mesh.triangles.empty()) throw InputError("the map has no occupied cell to raise");
  return mesh;
}

}  // namespace fathom
