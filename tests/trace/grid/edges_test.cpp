// SPDX-License-Identifier: MIT
// Rays that have to be decided: through corners, along edges, from the border and from outside.

#include <fathom/scene/scene.hpp>

#include "trace/grid/grids.hpp"
#include "trace/grid/walk.hpp"

namespace fathom::test {
namespace {

constexpr std::uint32_t kSide = 40;

/// A wall of cells that touch at corners only: x = y, or x + y = 39 when `falling`.
GridMap diagonal_wall(bool falling, Cell cell) {
  GridMap map = empty_map(kSide, kSide);
  for (std::uint32_t x = 0; x < kSide; ++x) set(map, x, falling ? kSide - 1 - x : x, cell);
  return map;
}

struct Wall {
  bool falling;
  Cell cell;
  UnknownCells unknown;
};

class DiagonalWalls : public testing::TestWithParam<Wall> {
 protected:
  [[nodiscard]] GridMap map() const { return diagonal_wall(GetParam().falling, GetParam().cell); }
  /// Which side of the wall the cell of (x, y) is on: -1, 0 (in it), 1.
  [[nodiscard]] int side_of(double x, double y) const {
    const double column = std::floor(x), row = std::floor(y);
    const double above = GetParam().falling ? column + row - (kSide - 1) : row - column;
    return above > 0 ? 1 : above < 0 ? -1 : 0;
  }
  /// The corner that the wall's cells in columns `column` - 1 and `column` share.
  [[nodiscard]] double corner_y(double column) const { return GetParam().falling ? kSide - column : column; }
};

// From both sides, in directions of small whole numbers from places of binary fractions: the ray runs through the
// corner exactly, in the arithmetic of computers too.
TEST_P(DiagonalWalls, DoNotLeakAtAnyCorner) {
  const SkipField field = make_skip_field(map(), GetParam().unknown);
  std::size_t rays = 0, from_above = 0;
  for (std::uint32_t column = 1; column < kSide; ++column) {
    const double corner = corner_y(column);
    for (const double dx : {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0}) {
      for (const double dy : {-3.0, -2.0, -1.0, 1.0, 2.0, 3.0}) {
        for (const double times : {.125, .25, .5, 1.0, 2.5, 4.0}) {
          const double x = column - dx * times, y = corner - dy * times;
          if (!(x >= 0 && y >= 0 && x < kSide && y < kSide) || side_of(x, y) == 0) continue;
          // It crosses when a little beyond the corner it is on the other side.
          if (side_of(column + dx / 64, corner + dy / 64) != -side_of(x, y)) continue;
          ++rays;
          from_above += side_of(x, y) > 0 ? 1 : 0;
          const GridPose pose = {x, y, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), true, {}};
          for (const auto walk : {walk_cells, walk_rectangles}) {
            EXPECT_LE(walk(field, pose, dx, dy, 1000), times) << x << " " << y << " " << dx << " " << dy;
          }
        }
      }
    }
  }
  EXPECT_GT(rays, 2000U);
  EXPECT_GT(from_above, rays / 3);
}

// The same through the public caster: all precisions and instruction sets.
TEST_P(DiagonalWalls, DoNotLeakInAnyCaster) {
  const GridMap wall = map();
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> place(1, 38);
  std::size_t rays[2] = {};
  for (std::size_t i = 0; i < repetitions(1500); ++i) {
    const double column = static_cast<double>(1 + random() % (kSide - 2)), x = place(random), y = place(random);
    if (side_of(x, y) == 0) continue;
    ++rays[side_of(x, y) > 0 ? 1 : 0];
    const double corner = corner_y(column);
    const double range = cast_one(wall, {x, y, std::atan2(corner - y, column - x)}, 60, GetParam().unknown);
    EXPECT_LE(range, std::hypot(column - x, corner - y) + 1e-4);
  }
  EXPECT_GT(rays[0], repetitions(400));
  EXPECT_GT(rays[1], repetitions(400));
  // Straight at a corner, at 45 degrees to the axes, from half a cell away in x and in y.
  const double across = (GetParam().falling ? 45 : 135) * std::numbers::pi / 180;
  for (const double corner_x : {5.0, 20.0, 33.0}) {
    for (const double yaw : {across, across + std::numbers::pi}) {
      const double x = corner_x - std::cos(yaw) * std::sqrt(.5), y = corner_y(corner_x) - std::sin(yaw) * std::sqrt(.5);
      EXPECT_NEAR(cast_one(wall, {std::round(2 * x) / 2, std::round(2 * y) / 2, yaw}, 60, GetParam().unknown),
                  std::sqrt(.5), 1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, DiagonalWalls,
                         testing::Values(Wall{false, Cell::kOccupied, UnknownCells::kFree},
                                         Wall{true, Cell::kOccupied, UnknownCells::kFree},
                                         Wall{false, Cell::kUnknown, UnknownCells::kOccupied},
                                         Wall{true, Cell::kUnknown, UnknownCells::kOccupied}));

TEST(DiagonalWall, StopsTheRayThroughTheCornerBesideIt) {
  EXPECT_NEAR(cast_one(diagonal_wall(false, Cell::kOccupied), {20.5, 19.5, 3 * std::numbers::pi / 4}), std::sqrt(.5),
              1e-6);
  EXPECT_NEAR(cast_one(diagonal_wall(false, Cell::kOccupied), {19.5, 20.5, -std::numbers::pi / 4}), std::sqrt(.5),
              1e-6);
  EXPECT_NEAR(cast_one(diagonal_wall(false, Cell::kOccupied), {20.5, 18.5, 3 * std::numbers::pi / 4}), std::sqrt(.5),
              1e-6);
}

TEST(GridEdges, AlongAnEdgeTheRayRunsOnTheLargerSide) {
  GridMap map = empty_map(20, 20);
  set(map, 10, 5);
  // The lower and left edges belong to the cell, the upper and right ones to the empty next row and column.
  EXPECT_DOUBLE_EQ(cast_along(map, 2.5, 5, 1, 0), 7.5);
  EXPECT_DOUBLE_EQ(cast_along(map, 17.5, 5, -1, 0), 6.5);
  EXPECT_DOUBLE_EQ(cast_along(map, 10, .5, 0, 1), 4.5);
  EXPECT_DOUBLE_EQ(cast_along(map, 10, 15.5, 0, -1), 9.5);
  EXPECT_DOUBLE_EQ(cast_along(map, 2.5, 6, 1, 0), 100);
  EXPECT_DOUBLE_EQ(cast_along(map, 17.5, 6, -1, 0), 100);
  EXPECT_DOUBLE_EQ(cast_along(map, 11, .5, 0, 1), 100);
  EXPECT_DOUBLE_EQ(cast_along(map, 11, 15.5, 0, -1), 100);
}

TEST(GridEdges, OnItsEdgeARayTouchesOrStartsInTheCell) {
  GridMap map = empty_map(20, 20);
  set(map, 10, 5);
  // The lower and the left edge are in the cell: range 0, whatever the direction.
  for (const auto& [dx, dy] :
       {std::pair{1.0F, 0.0F}, std::pair{-1.0F, 0.0F}, std::pair{0.0F, 1.0F}, std::pair{0.0F, -1.0F}}) {
    EXPECT_EQ(cast_along(map, 10, 5.5, dx, dy), 0);
    EXPECT_EQ(cast_along(map, 10.5, 5, dx, dy), 0);
  }
  // The others are not: a ray into the cell meets it at once, one away from it does not.
  EXPECT_EQ(cast_along(map, 11, 5.5, -1, 0), 0);
  EXPECT_EQ(cast_along(map, 11, 5.5, 1, 0), 100);
  EXPECT_EQ(cast_along(map, 10.5, 6, 0, -1), 0);
  EXPECT_EQ(cast_along(map, 10.5, 6, 0, 1), 100);
}

TEST(GridEdges, StartsInsideAWall) {
  GridMap map = empty_map(10, 10);
  set(map, 3, 3);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(cast_one(map, {3.5, 3.5, i * std::numbers::pi / 4}), 0) << i;
}

// From outside the map predicts nothing, even where the ray would enter it.
TEST(GridEdges, StartsOutsideTheMap) {
  GridMap map = empty_map(10, 10);
  for (std::uint32_t i = 0; i < 10; ++i) set(map, i, 3), set(map, 3, i);
  EXPECT_EQ(cast_along(map, -.5, 3.5, 1, 0), 100);
  EXPECT_EQ(cast_along(map, 10.5, 3.5, -1, 0), 100);
  EXPECT_EQ(cast_along(map, 3.5, -.5, 0, 1), 100);
  EXPECT_EQ(cast_along(map, 3.5, 10.5, 0, -1), 100);
  EXPECT_EQ(cast_one(map, {-1, -1, std::numbers::pi / 4}), 100);
  EXPECT_EQ(cast_one(map, {11, 11, -3 * std::numbers::pi / 4}), 100);
  EXPECT_EQ(cast_along(map, -1e9, 3.5, 1, 0), 100);
}

// The lower and the left border belong to the map, as the edges of its cells do; the upper and the right one do not.
TEST(GridEdges, StartsOnTheBorderOfTheMap) {
  GridMap map = empty_map(10, 10);
  set(map, 3, 3);
  EXPECT_DOUBLE_EQ(cast_along(map, 0, 3.5, 1, 0), 3);
  EXPECT_DOUBLE_EQ(cast_along(map, 3.5, 0, 0, 1), 3);
  EXPECT_NEAR(cast_one(map, {0, 0, std::numbers::pi / 4}), std::sqrt(18.0), 1e-6);
  EXPECT_EQ(cast_along(map, 0, 3.5, -1, 0), 100);
  EXPECT_EQ(cast_along(map, 3.5, 0, 0, -1), 100);
  EXPECT_EQ(cast_along(map, 10, 3.5, -1, 0), 100);
  EXPECT_EQ(cast_along(map, 3.5, 10, 0, -1), 100);
  EXPECT_EQ(cast_one(map, {10, 10, -3 * std::numbers::pi / 4}), 100);
  EXPECT_DOUBLE_EQ(cast_along(map, 0, 3, 1, 0), 3);  // along an edge from there
  set(map, 0, 7);
  EXPECT_EQ(cast_along(map, 0, 7.5, 1, 0), 0);
  EXPECT_DOUBLE_EQ(cast_along(map, 0, .5, 0, 1), 6.5);  // along the border itself
  EXPECT_DOUBLE_EQ(cast_along(map, 0, 9.5, 0, -1), 1.5);
}

TEST(GridEdges, LeavesTheMapOrMeetsNothingWithinReach) {
  GridMap map = empty_map(10, 10);
  set(map, 6, 3);
  EXPECT_EQ(cast_one(map, {8.5, 3.5, 0}), 100);
  EXPECT_EQ(cast_one(map, {4.5, 3.5, 0}, 1.0), 1.0);
}

}  // namespace

// A map and the walls raised from it say the same: two casters that share no code.

namespace {

TEST(Walls, AreSeenAsTheMapIs) {
  std::mt19937 random(4);
  const auto uniform = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
  GridMap map;
  map.rows = 60, map.cols = 80, map.resolution_m = .05, map.world_from_map = {-2, 1, .4};
  for (std::uint32_t i = 0; i < map.rows * map.cols; ++i) {
    map.cells.push_back(uniform(0, 1) < .06 ? Cell::kOccupied : Cell::kFree);
  }
  Scene scene;
  scene.add_entity({.name = "walls", .mesh = scene.add_mesh(make_walls(map, 2))});
  const auto in_map = make_grid_ranges(map, {.precision = GridCasterOptions::Precision::kDouble});
  const auto among_walls = make_scene_ranges(scene, {.pose_from_sensor = {{0, 0, 1}, {}}});

  std::vector<double> azimuth_rad;
  for (int i = 0; i < 90; ++i) azimuth_rad.push_back(.07 * i);
  const RayFan fan = RayFan::planar(azimuth_rad);
  std::vector<Pose> poses;
  for (int i = 0; i < 200; ++i) {
    const auto cell = static_cast<std::size_t>(uniform(0, 60 * 80));
    if (map.cells[cell] != Cell::kFree) continue;
    const double x = (static_cast<double>(cell % 80) + uniform(.1, .9)) * .05,
                 y = (static_cast<double>(cell / 80) + uniform(.1, .9)) * .05;
    poses.push_back(
        PlanarPose{-2 + std::cos(.4) * x - std::sin(.4) * y, 1 + std::sin(.4) * x + std::cos(.4) * y, uniform(0, 6)}
            .at_height());
  }
  ASSERT_GT(poses.size(), 150U);
  std::vector<float> a(poses.size() * fan.size()), b(a.size());
  in_map->cast(poses, fan, 3, a);
  among_walls->cast(poses, fan, 3, b);
  // A ray that grazes a corner may go either way in single precision; such corners are 1e-6 m wide.
  std::size_t differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ += std::abs(a[i] - b[i]) > 1e-5F ? 1 : 0;
  EXPECT_LE(differ, a.size() / 5000);
}

}  // namespace
}  // namespace fathom::test
