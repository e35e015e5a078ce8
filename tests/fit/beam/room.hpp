// SPDX-License-Identifier: MIT
#pragma once
// A room with a pillar, as a grid and as a scene, and rays in it.

#include <fathom/core/ids.hpp>
#include <fathom/fit/beam.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/scene.hpp>

#include "support/expect.hpp"

namespace fathom::test {

/// 8 m x 6 m about the origin, cells of 5 cm, walls one cell thick; the pillar is 0.5 m wide, 2 m along x.
inline GridMap room_map() {
  GridMap map;
  map.rows = 120, map.cols = 160;
  map.resolution_m = 0.05;
  map.world_from_map = {-4, -3, 0};
  for (std::uint32_t r = 0; r < map.rows; ++r) {
    for (std::uint32_t c = 0; c < map.cols; ++c) {
      const bool wall = r == 0 || c == 0 || r + 1 == map.rows || c + 1 == map.cols;
      const bool pillar = r >= 55 && r < 65 && c >= 115 && c < 125;
      map.cells.push_back(wall || pillar ? Cell::kOccupied : Cell::kFree);
    }
  }
  return map;
}

/// The inner faces of the same walls, 3 m high, and the pillar.
inline Scene room_scene() {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}));
  scene.add_entity({.name = "room", .mesh = box, .scale = {7.9, 5.9, 3}});
  scene.add_entity({.name = "pillar", .mesh = box, .parent_from_entity = Pose{{2, 0, 0}, {}}, .scale = {.5, .5, 3}});
  return scene;
}

inline std::vector<Pose> poses_in_room(std::size_t count) {
  std::vector<Pose> poses;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(count);
    poses.push_back(PlanarPose{-3 + 4 * t, -2 + 3.5 * std::fmod(7 * t, 1.0), 20 * t}.at_height());
  }
  return poses;
}

/// `rows` elevations within 0.6 rad of the horizon, from the lowest, of `columns` azimuths all around: a 3-D lidar.
inline RayFan upright_fan(std::size_t rows, std::size_t columns) {
  RayFan fan;
  for (std::size_t r = 0; r < rows; ++r) {
    const double elevation = rows < 2 ? 0.0 : -0.6 + 1.2 * static_cast<double>(r) / static_cast<double>(rows - 1);
    for (std::size_t c = 0; c < columns; ++c) {
      const double azimuth = 2 * std::numbers::pi * static_cast<double>(c) / static_cast<double>(columns);
      fan.x.push_back(static_cast<float>(std::cos(elevation) * std::cos(azimuth)));
      fan.y.push_back(static_cast<float>(std::cos(elevation) * std::sin(azimuth)));
      fan.z.push_back(static_cast<float>(std::sin(elevation)));
    }
  }
  return fan;
}

inline const World& room() {
  static const World world = World::from_map(room_map());
  return world;
}

inline BeamModel beams_in_room(const BeamParameters& parameters, double max_range_m = 9) {
  BeamModel model;
  model.parameters = parameters;
  model.sensor = {.max_range_m = max_range_m, .expected_floor_m = room().floor_m()};
  return model;
}

/// 60 scans of 61 rays, drawn in the room.
inline ScanLog log_in_room(const BeamModel& model) {
  std::vector<PlanarPose> poses;
  for (int i = 0; i < 60; ++i) poses.push_back({-3 + 0.05 * i, -2 + 0.06 * i, 0.37 * i});
  ScanLog log = sample_log(model, room(), poses, even_azimuths_rad(61, 270), 5, {.threads = 1});
  log.name = "some/where/log.csv";
  return log;
}

}  // namespace fathom::test
