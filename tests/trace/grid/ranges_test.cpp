// SPDX-License-Identifier: MIT

#include "io/log/maps.hpp"
#include "trace/grid/grids.hpp"
#include "trace/grid/walk.hpp"

namespace fathom::test {
namespace {

struct Rays {
  std::vector<Pose> poses;
  RayFan fan;
};

/// Poses anywhere in the map (walls too), rays all around.
Rays random_rays(const GridMap& map, std::size_t poses, std::size_t directions, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  Rays rays;
  for (std::size_t i = 0; i < poses; ++i) {
    const PlanarPose in_map = {unit(random) * map.cols * map.resolution_m, unit(random) * map.rows * map.resolution_m,
                               unit(random) * 2 * std::numbers::pi};
    rays.poses.push_back(map.world_from_map.at_height() * in_map.at_height());
  }
  std::vector<double> azimuth;
  for (std::size_t k = 0; k < directions; ++k) azimuth.push_back(2 * std::numbers::pi * unit(random));
  rays.fan = RayFan::planar(azimuth);
  return rays;
}

std::vector<float> cast_all(const GridMap& map, const Rays& rays, double limit_m, const GridCasterOptions& options) {
  std::vector<float> out(rays.poses.size() * rays.fan.size());
  make_grid_ranges(map, options)->cast(rays.poses, rays.fan, limit_m, out);
  return out;
}

std::size_t mismatches(const std::vector<float>& a, const std::vector<float>& b, double more_than_m) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += std::abs(double{a[i]} - b[i]) > more_than_m ? 1 : 0;
  return count;
}

/// The two double-precision walks, compared before ranges are rounded to float: 10^6 rays without a sanitizer.
std::size_t double_mismatches(const GridMap& map, double more_than_cells) {
  const SkipField field = make_skip_field(map, UnknownCells::kFree);
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < repetitions(1'000'000); ++i) {
    GridPose pose = {unit(random) * map.cols, unit(random) * map.rows, 0, 0, true, {}};
    pose.cell_x = static_cast<std::int32_t>(pose.x), pose.cell_y = static_cast<std::int32_t>(pose.y);
    const double azimuth = 2 * std::numbers::pi * unit(random), dx = std::cos(azimuth), dy = std::sin(azimuth);
    const double difference = walk_cells(field, pose, dx, dy, 1600) - walk_rectangles(field, pose, dx, dy, 1600);
    count += std::abs(difference) > more_than_cells ? 1 : 0;
  }
  return count;
}

void check_against_oracle(const GridMap& map) {
  EXPECT_EQ(double_mismatches(map, 1e-6), 0U);
  const Rays rays = random_rays(map, repetitions(16667), 60, 7);
  const double limit_m = 80, cell = map.resolution_m;
  const auto oracle = cast_all(map, rays, limit_m, {UnknownCells::kFree, GridCasterOptions::Precision::kOracle});
  std::vector<float> first;
  for (const Isa isa : usable_isas()) {
    const auto fast = cast_all(map, rays, limit_m, {UnknownCells::kFree, GridCasterOptions::Precision::kFast, isa});
    EXPECT_LE(mismatches(oracle, fast, 0.01 * cell), 5U) << to_string(isa);
    if (first.empty()) first = fast;
    EXPECT_EQ(first, fast) << "other bits on " << to_string(isa);
  }
}

TEST(GridRanges, AgreesWithTheOracleInTheHouse) {
  check_against_oracle(read_grid_map(std::filesystem::path(FATHOM_SOURCE_DIR) / "examples/house/maps/map.yaml"));
}

/// A building of 1000 x 1000 cells: rooms with doors, pillars, walls along both diagonals, and what no one has seen.
GridMap make_building() {
  GridMap map = empty_map(1000, 1000, 0.05);
  std::mt19937_64 random(17);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    for (std::uint32_t wall = 0; wall < 1000; wall += 111) {
      if (i % 111 < 40 || i % 111 > 60) set(map, i, wall), set(map, wall, i);
    }
    if (i > 500 && i < 900) set(map, i, i - 200), set(map, i - 400, 1000 - i);
  }
  for (int k = 0; k < 400; ++k) {
    const auto x = static_cast<std::uint32_t>(random() % 990), y = static_cast<std::uint32_t>(random() % 990);
    const auto side = static_cast<std::uint32_t>(1 + random() % 8);
    const Cell cell = random() % 4 == 0 ? Cell::kUnknown : Cell::kOccupied;
    for (std::uint32_t i = 0; i < side * side; ++i) set(map, x + i % side, y + i / side, cell);
  }
  map.world_from_map = {-20, 7, 0.3};
  return map;
}

TEST(GridRanges, AgreesWithTheOracleInAGeneratedBuilding) { check_against_oracle(make_building()); }

// Two more maps that every checkout has: with that of the house, three.
TEST(GridRanges, AgreesWithTheOracleInAForestOfPillars) {
  GridMap map = empty_map(700, 900, 0.1);
  std::mt19937_64 random(23);
  for (Cell& cell : map.cells) cell = random() % 300 == 0 ? Cell::kOccupied : Cell::kFree;
  check_against_oracle(map);
}

TEST(GridRanges, AgreesWithTheOracleInTheBasement) {
  const auto image = std::filesystem::path(FATHOM_SOURCE_DIR) / "../shared/data/maps/basement_hallways_5cm.png";
  if (!std::filesystem::exists(image)) GTEST_SKIP() << "skipped: no data";
  check_against_oracle(read_grid_image(image));
}

TEST(GridRanges, AgreesWithTheOracleInFreiburg) {
  const auto map = std::filesystem::path(FATHOM_SOURCE_DIR) / "../shared/data/maps/freiburg-079_5cm_even.yaml";
  if (!std::filesystem::exists(map)) GTEST_SKIP() << "skipped: no data";
  check_against_oracle(read_grid_map(map));
}

TEST(GridRanges, AgreesWithTheOracleInRandomMapsOfAllShapes) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    GridMap map = empty_map(static_cast<std::uint32_t>(1 + random() % 70),
                            static_cast<std::uint32_t>(1 + random() % 70), round % 2 == 0 ? 0.05 : 2.0);
    map.world_from_map = {round * 100.0, -50.0, round * 0.3};
    for (Cell& cell : map.cells) {
      const auto draw = random() % 40;
      cell = draw == 0 ? Cell::kOccupied : draw < 4 ? Cell::kUnknown : Cell::kFree;
    }
    const Rays rays = random_rays(map, 200, 37, static_cast<std::uint64_t>(round));
    for (const UnknownCells unknown : {UnknownCells::kFree, UnknownCells::kOccupied, UnknownCells::kStop}) {
      const auto oracle = cast_all(map, rays, 20, {unknown, GridCasterOptions::Precision::kOracle});
      const auto exact = cast_all(map, rays, 20, {unknown, GridCasterOptions::Precision::kDouble});
      EXPECT_EQ(mismatches(oracle, exact, 1e-5 * map.resolution_m), 0U);
      for (const Isa isa : usable_isas()) {
        EXPECT_EQ(
            mismatches(oracle, cast_all(map, rays, 20, {unknown, GridCasterOptions::Precision::kFast, isa}), 1e-3), 0U);
      }
    }
  }
}

/// However many rays are cast together, and how ever they fall into blocks and registers; from within walls, too.
TEST(GridRanges, RaysOfAnyFanAreThoseCastAlone) {
  GridMap map = empty_map(90, 70, 0.1);
  for (std::uint32_t n = 0; n < 120; ++n) set(map, n * 37 % 90, n * 53 % 70);
  const std::vector<Pose> poses = {PlanarPose{4.51, 3.52, 0.3}.at_height(), PlanarPose{0.05, 0.05, 1.0}.at_height(),
                                   PlanarPose{8.97, 6.93, -2.0}.at_height(), PlanarPose{-1.0, 2.0, 0.0}.at_height(),
                                   PlanarPose{2.22, 5.55, 2.9}.at_height()};
  for (const Isa isa : usable_isas()) {
    const auto ranges = make_grid_ranges(map, {.isa = isa});
    for (const std::size_t rays : {1U, 3U, 15U, 16U, 17U, 60U, 511U, 512U, 513U, 1081U}) {
      std::vector<double> azimuth;
      for (std::size_t k = 0; k < rays; ++k) azimuth.push_back(0.37 * static_cast<double>(k));
      const RayFan fan = RayFan::planar(azimuth);
      std::vector<float> together(poses.size() * rays), alone(poses.size());
      ranges->cast(poses, fan, 6.0, together);
      for (std::size_t k = 0; k < rays; ++k) {
        ranges->cast(poses, {{fan.x[k]}, {fan.y[k]}, {fan.z[k]}}, 6.0, alone);
        for (std::size_t p = 0; p < poses.size(); ++p) {
          ASSERT_EQ(together[p * rays + k], alone[p]) << to_string(isa) << ' ' << rays << ' ' << k << ' ' << p;
        }
      }
    }
  }
}

TEST(GridRanges, ReachesTheBoundaryOfTheCellExactly) {
  GridMap map = empty_map(20, 9);
  set(map, 12, 4);
  EXPECT_DOUBLE_EQ(cast_one(map, {2.25, 4.5, 0}), 9.75);
  EXPECT_NEAR(cast_one(map, {19.5, 4.5, std::numbers::pi}), 6.5, 1e-6);
  EXPECT_NEAR(cast_one(map, {10.5, 2.5, std::numbers::pi / 4}), 1.5 * std::sqrt(2.0),
              1e-6);  // through the corner at (12, 4)
}

TEST(GridRanges, RaysThatGrazeACornerAreDecidedAsInDoublePrecision) {
  GridMap map = empty_map(600, 600);
  set(map, 300, 300);
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> place(1, 599), beside(-1e-5, 1e-5);
  Rays rays;
  rays.fan = RayFan::planar(std::vector<double>{0.0});
  for (int i = 0; i < 20000; ++i) {
    const double x = place(random), y = place(random);
    const double corner_x = 300.0 + i % 2 + beside(random), corner_y = 300.0 + i / 2 % 2 + beside(random);
    rays.poses.push_back(PlanarPose{x, y, std::atan2(corner_y - y, corner_x - x)}.at_height());
  }
  const auto oracle = cast_all(map, rays, 1000, {UnknownCells::kFree, GridCasterOptions::Precision::kOracle});
  for (const Isa isa : usable_isas()) {
    EXPECT_EQ(
        mismatches(oracle, cast_all(map, rays, 1000, {UnknownCells::kFree, GridCasterOptions::Precision::kFast, isa}),
                   0.01),
        0U);
  }
}

TEST(GridRanges, UnknownCellsByOption) {
  GridMap map = empty_map(10, 3);
  set(map, 5, 1, Cell::kUnknown);
  set(map, 8, 1);
  EXPECT_DOUBLE_EQ(cast_one(map, {1.5, 1.5, 0}, 100, UnknownCells::kFree), 6.5);
  EXPECT_DOUBLE_EQ(cast_one(map, {1.5, 1.5, 0}, 100, UnknownCells::kOccupied), 3.5);
  EXPECT_DOUBLE_EQ(cast_one(map, {1.5, 1.5, 0}, 100, UnknownCells::kStop), 100);
}

TEST(GridRanges, TiltedRaysMeetWallsOfAnyHeight) {
  GridMap map = empty_map(20, 20);
  for (std::uint32_t y = 0; y < 20; ++y) set(map, 15, y);
  RayFan fan;
  const float c = std::cos(0.6F), s = std::sin(0.6F);
  fan.x = {c, 0.0F}, fan.y = {0.0F, 0.0F}, fan.z = {s, 1.0F};  // one tilted up, one straight up
  std::vector<float> out(2);
  const std::vector<Pose> poses = {PlanarPose{5, 10, 0}.at_height()};
  for (const GridCasterOptions::Precision precision : precisions()) {
    make_grid_ranges(map, {UnknownCells::kFree, precision})->cast(poses, fan, 50, out);
    EXPECT_NEAR(out[0], 10 / c, 1e-4);
    EXPECT_EQ(out[1], 50);
  }
}

TEST(GridRanges, TheMapsPoseMovesEverythingWithIt) {
  GridMap map = empty_map(30, 20, 0.1);
  set(map, 20, 12);
  const double here = cast_one(map, {0.55, 0.55, std::atan2(1.25 - 0.55, 2.05 - 0.55)});
  map.world_from_map = {1e5, -2e5, 2.1};
  const Pose moved =
      map.world_from_map.at_height() * PlanarPose{0.55, 0.55, std::atan2(1.25 - 0.55, 2.05 - 0.55)}.at_height();
  std::vector<float> out(1);
  const std::vector<Pose> poses = {moved};
  for (const GridCasterOptions::Precision precision : precisions()) {
    make_grid_ranges(map, {UnknownCells::kFree, precision})
        ->cast(poses, RayFan::planar(std::vector<double>{0.0}), 100, out);
    EXPECT_NEAR(out[0], here, 1e-5);
  }
}

TEST(GridRanges, RefusesMapsThatMakeNoSense) {
  EXPECT_THROW(make_grid_ranges(empty_map(0, 5)), InputError);
  EXPECT_THROW(make_grid_ranges(empty_map(5, 5, 0.0)), InputError);
  EXPECT_THROW(make_grid_ranges(empty_map(5, 5, NAN)), InputError);
  GridMap wrong = empty_map(5, 5);
  wrong.cells.pop_back();
  EXPECT_THROW(make_grid_ranges(wrong), InputError);
  EXPECT_THROW(make_grid_ranges(empty_map(40000, 1)), InputError);
}

TEST(GridRanges, RefuseAnInstructionSetThatThisComputerLacks) {
  const auto wider = static_cast<Isa>(static_cast<int>(detect_isa()) + 1);
  EXPECT_EQ(input_error([&] { make_grid_ranges(empty_map(5, 5), {.isa = wider}); }).find("isa = "), 0U);
}

}  // namespace
}  // namespace fathom::test
