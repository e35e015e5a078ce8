// SPDX-License-Identifier: MIT
#include "scenes.hpp"

#include <cmath>
#include <numbers>

#include <fathom/core/random.hpp>
#include <fathom/simulate/run.hpp>

namespace fathom::bench {

Scene make_house(const std::filesystem::path& scene_file) { return read_scene_file(scene_file).scene; }

Scene make_terrain() {
  constexpr std::uint32_t kCells = 707;
  Mesh mesh;
  for (std::uint32_t j = 0; j <= kCells; ++j) {
    for (std::uint32_t i = 0; i <= kCells; ++i) {
      const double x = 500.0 * i / kCells - 250.0, y = 500.0 * j / kCells - 250.0;
      const double z = 4 * std::sin(x / 25) * std::cos(y / 31) + 0.6 * std::sin(x / 3.1 + y / 2.3) - 6.0;
      mesh.vertices_m.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)});
    }
  }
  for (std::uint32_t j = 0; j < kCells; ++j) {
    for (std::uint32_t i = 0; i < kCells; ++i) {
      const std::uint32_t a = j * (kCells + 1) + i, b = a + kCells + 1;
      mesh.triangles.push_back({a, a + 1, b + 1});
      mesh.triangles.push_back({a, b + 1, b});
    }
  }
  Scene scene;
  scene.add_entity({.name = "terrain", .mesh = scene.add_mesh(std::move(mesh))});
  return scene;
}

RayPattern make_incoherent_rays(std::uint32_t count) {
  RayPattern pattern;
  pattern.rows = 1, pattern.cols = count;
  pattern.min_range_m = {0.0F}, pattern.max_range_m = {1000.0F};
  for (std::uint32_t i = 0; i < count; ++i) {
    const PhiloxBlock words = keyed_block({.seed = 1}, i, 0);
    const double z = 2.0 * uniform_from_word(words.word[0]) - 1.0;
    const double azimuth = 2.0 * std::numbers::pi * uniform_from_word(words.word[1]), r = std::sqrt(1.0 - z * z);
    pattern.direction_x.push_back(static_cast<float>(r * std::cos(azimuth)));
    pattern.direction_y.push_back(static_cast<float>(r * std::sin(azimuth)));
    pattern.direction_z.push_back(static_cast<float>(z));
  }
  return pattern;
}

namespace {

SpinningLidar make_lidar(std::uint32_t rings, std::uint32_t columns, double top_rad) {
  SpinningLidar lidar;
  lidar.elevation_rad = even_elevations(rings, top_rad, -top_rad);
  lidar.columns = columns;
  lidar.max_range_m = 1000.0;
  return lidar;
}

}  // namespace

std::vector<Set> make_sets(const Scene& house, const Scene& terrain) {
  const Pose in_house{{-1.0, 0.0, 1.0}, from_roll_pitch_yaw(0, 0, 0.3)};
  const Pose above{{0.0, 0.0, 2.0}, {}};
  PinholeCamera camera = PinholeCamera::from_fov(640, 480, 90 * kRadPerDeg);
  camera.max_range_m = 1000.0;
  return {
      {"house, lidar 128 x 2048", &house, make_lidar(128, 2048, 22.5 * kRadPerDeg), in_house, true},
      {"house, camera 640 x 480", &house, camera, in_house, true},
      {"house, lidar 16 x 1800", &house, make_lidar(16, 1800, 15 * kRadPerDeg), in_house, false},
      {"house, 65 536 incoherent rays", &house, make_incoherent_rays(65536), in_house, false},
      {"terrain of 1 M triangles, lidar 128 x 2048", &terrain, make_lidar(128, 2048, 22.5 * kRadPerDeg), above, true}};
}

}  // namespace fathom::bench
