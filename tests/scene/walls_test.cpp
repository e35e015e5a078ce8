// SPDX-License-Identifier: MIT
// Occupied cells as blocks: area and volume are known, whatever is merged.

#include <fathom/scene/grid_map.hpp>

#include "support/expect.hpp"

namespace fathom::test {
namespace {

struct Size {
  double area = 0, volume = 0;
};

/// Area, and volume by the divergence theorem: positive when the faces look outwards.
Size size_of(const Mesh& mesh) {
  Size size;
  const auto vertex = [&](std::uint32_t i) {
    return Vec3{mesh.vertices_m[i][0], mesh.vertices_m[i][1], mesh.vertices_m[i][2]};
  };
  for (const auto& t : mesh.triangles) {
    const Vec3 a = vertex(t[0]), b = vertex(t[1]), c = vertex(t[2]);
    size.area += norm(cross(b - a, c - a)) / 2;
    size.volume += dot(a, cross(b, c)) / 6;
  }
  return size;
}

/// What single cells say: 4 sides each, less 2 for every pair of neighbours.
Size size_of_cells(const GridMap& map, double height_m) {
  const auto occupied = [&](std::uint32_t r, std::uint32_t c) {
    return map.cells[std::size_t{r} * map.cols + c] == Cell::kOccupied;
  };
  double cells = 0, neighbours = 0;
  for (std::uint32_t r = 0; r < map.rows; ++r) {
    for (std::uint32_t c = 0; c < map.cols; ++c) {
      if (!occupied(r, c)) continue;
      ++cells;
      if (r + 1 < map.rows && occupied(r + 1, c)) ++neighbours;
      if (c + 1 < map.cols && occupied(r, c + 1)) ++neighbours;
    }
  }
  const double d = map.resolution_m;
  return {(4 * cells - 2 * neighbours) * d * height_m + 2 * cells * d * d, cells * d * d * height_m};
}

RC_GTEST_PROP(Walls, HaveAreaAndVolumeOfTheCells, ()) {
  GridMap map;
  map.rows = *rc::gen::inRange(1, 12);
  map.cols = *rc::gen::inRange(1, 12);
  map.resolution_m = .25;
  map.world_from_map = {1.5, -2, .3};
  for (std::uint32_t i = 0; i < map.rows * map.cols; ++i) {
    map.cells.push_back(static_cast<Cell>(*rc::gen::inRange(0, 3)));
  }
  map.cells[*rc::gen::inRange(0U, map.rows * map.cols)] = Cell::kOccupied;
  const Size made = size_of(make_walls(map, .8)), due = size_of_cells(map, .8);
  RC_ASSERT(std::abs(made.area - due.area) < 1e-4 * due.area);
  RC_ASSERT(std::abs(made.volume - due.volume) < 1e-4 * (due.volume + 1));
}

TEST(Walls, JoinFacesInLine) {
  GridMap map;
  map.rows = 1, map.cols = 40, map.resolution_m = .1;
  map.cells.assign(40, Cell::kOccupied);
  EXPECT_EQ(make_walls(map, 1).triangles.size(), 12U);  // one box
}

TEST(Walls, StandOnTheGroundWhereTheMapSays) {
  GridMap map;
  map.rows = map.cols = 1, map.resolution_m = 2;
  map.world_from_map = {10, 20, std::numbers::pi / 2};
  map.cells = {Cell::kOccupied};
  for (const auto& v : make_walls(map, 3).vertices_m) {
    EXPECT_TRUE(std::abs(v[0] - 8) < 1e-5 || std::abs(v[0] - 10) < 1e-5) << v[0];
    EXPECT_TRUE(std::abs(v[1] - 20) < 1e-5 || std::abs(v[1] - 22) < 1e-5) << v[1];
    EXPECT_TRUE(v[2] == 0 || v[2] == 3) << v[2];
  }
}

TEST(Walls, OfAMapFarAwayAreAsExactAsNear) {
  GridMap map;
  map.rows = map.cols = 2, map.resolution_m = 0.05;
  map.cells = {Cell::kOccupied, Cell::kFree, Cell::kFree, Cell::kOccupied};
  const Mesh near = make_walls(map, 2);
  map.world_from_map = {512743.5, 5403547.5, 0};
  const Mesh far = make_walls(map, 2);
  EXPECT_EQ(near.origin_m, Vec3{});
  EXPECT_EQ(far.origin_m, (Vec3{512768, 5403520, 0}));
  ASSERT_EQ(far.vertices_m.size(), near.vertices_m.size());
  for (std::size_t i = 0; i < far.vertices_m.size(); ++i) {
    EXPECT_NEAR(far.origin_m.x + far.vertices_m[i][0], 512743.5 + near.vertices_m[i][0], 1e-5);
    EXPECT_NEAR(far.origin_m.y + far.vertices_m[i][1], 5403547.5 + near.vertices_m[i][1], 1e-5);
    EXPECT_EQ(far.vertices_m[i][2], near.vertices_m[i][2]);
  }
}

TEST(Walls, RefuseAnEmptyMapAndHeightsThatAreNone) {
  GridMap map;
  map.rows = map.cols = 2;
  map.cells.assign(4, Cell::kUnknown);
  EXPECT_TRUE(contains(input_error([&] { make_walls(map, 1); }), "no occupied cell"));
  map.cells[0] = Cell::kOccupied;
  EXPECT_TRUE(contains(input_error([&] { make_walls(map, std::nan("")); }), "height_m = nan"));
  EXPECT_TRUE(contains(input_error([&] { make_walls(map, 0); }), "height_m = 0"));
}

// Single cells cannot be joined: 12 triangles each. Refused before the memory is gone.
TEST(Walls, HaveALimitOfTriangles) {
  GridMap map;
  map.rows = map.cols = 3000;
  map.resolution_m = 0.05;
  map.cells.resize(std::size_t{map.rows} * map.cols, Cell::kFree);
  for (std::uint32_t row = 0; row < map.rows; ++row) {
    for (std::uint32_t col = row % 2; col < map.cols; col += 2)
      map.cells[std::size_t{row} * map.cols + col] = Cell::kOccupied;
  }
  const std::string message = input_error([&] { make_walls(map, 1.0); });
  EXPECT_TRUE(contains(message, "3000 x 3000 make 54000000 triangles, more than 16777216"));
}

}  // namespace
}  // namespace fathom::test
