// SPDX-License-Identifier: MIT
// A map and the walls raised from it say the same: two casters that share no code.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <fathom/beam/grid_ranges.hpp>
#include <fathom/beam/scene_ranges.hpp>

namespace fathom {
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
  const auto in_map = make_grid_ranges(map, {.precision = GridPrecision::kDouble});
  const auto among_walls = make_scene_ranges(scene, {.pose_from_sensor = {{0, 0, 1}, {}}});

  std::vector<double> azimuth_rad;
  for (int i = 0; i < 90; ++i) azimuth_rad.push_back(.07 * i);
  const RayFan fan = planar_fan(azimuth_rad);
  std::vector<Pose> poses;
  for (int i = 0; i < 200; ++i) {
    const auto cell = static_cast<std::size_t>(uniform(0, 60 * 80));
    if (map.cells[cell] != Cell::kFree) continue;
    const double x = (static_cast<double>(cell % 80) + uniform(.1, .9)) * .05,
                 y = (static_cast<double>(cell / 80) + uniform(.1, .9)) * .05;
    poses.push_back(pose_from_planar(
        {-2 + std::cos(.4) * x - std::sin(.4) * y, 1 + std::sin(.4) * x + std::cos(.4) * y, uniform(0, 6)}));
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
}  // namespace fathom
