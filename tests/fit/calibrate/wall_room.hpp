// SPDX-License-Identifier: MIT
#pragma once
// A lidar in a room with a shelf, for tests and studies.

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <fathom/fit/frames.hpp>
#include <fathom/simulate/simulator.hpp>

#include "fit/calibrate/walls.hpp"
#include "fit/frames/cloud_frames.hpp"

namespace fathom::test {

inline constexpr Vec3 kRoomM = {10.0, 12.0, 3.0}, kShelfM = {0.5, 1.0, 1.0}, kShelfAtM = {4.7, 2.0, 0.5};

/// The pose of a lidar in the room. The middle of the floor is the origin.
struct Stand {
  Vec3 at_m;
  double yaw_rad = 0.0;

  [[nodiscard]] Vec3 to_room(const Vec3& p) const {
    const double c = std::cos(yaw_rad), s = std::sin(yaw_rad);
    return {at_m.x + c * p.x - s * p.y, at_m.y + s * p.x + c * p.y, at_m.z + p.z};
  }
  /// Pose of what stands at `p` of the room, in the sensor frame.
  [[nodiscard]] Pose seen(const Vec3& p) const {
    const double c = std::cos(yaw_rad), s = std::sin(yaw_rad);
    const Vec3 d = p - at_m;
    return {{c * d.x + s * d.y, -s * d.x + c * d.y, d.z},
            {std::cos(0.5 * yaw_rad), 0.0, 0.0, -std::sin(0.5 * yaw_rad)}};
  }
};

/// 0.8 to 6.8 m before the wall at x = 5 m, at angles to either side.
inline std::vector<Stand> stands(std::size_t count) {
  std::vector<Stand> all;
  for (std::size_t k = 0; k < count; ++k) {
    const double part = (static_cast<double>(k) + 0.5) / static_cast<double>(count);
    const double turn = std::sin(2.4 * static_cast<double>(k));
    all.push_back({{4.2 - 6.0 * part, 1.5 * std::cos(1.7 * static_cast<double>(k)), 1.2}, 0.3 * turn});
  }
  return all;
}

inline SpinningLidar lidar_model(std::uint32_t columns = 360) {
  SpinningLidar lidar;
  for (int ring = 0; ring < 16; ++ring) {
    lidar.elevation_rad.push_back((2.0 * ring - 15.0) * kRadPerDeg);
    lidar.vertical_offset_m.push_back(0.001 * ring);
  }
  lidar.columns = columns, lidar.max_range_m = 60.0;
  return lidar;
}

/// What the lidar measures there.
inline WallFrames room_frames(const std::vector<Stand>& places, const NoiseChain& chain, std::uint64_t seed,
                              const SpinningLidar& model = lidar_model()) {
  Scene scene;
  const EntityId room = scene.add_entity({.name = "room", .mesh = scene.add_mesh(make_box(kRoomM))});
  const EntityId shelf = scene.add_entity({.name = "shelf", .mesh = scene.add_mesh(make_box(kShelfM))});
  Simulator simulator(std::move(scene), {.seed = seed});
  Sensor sensor;
  sensor.name = "lidar", sensor.model = model, sensor.noise = chain;
  const SensorId id = simulator.add_sensor(std::move(sensor));
  WallFrames frames{.sensor = wall_lidar(model), .measured_m = {}};
  Frame frame({Channel::kRange, Channel::kReason});
  for (std::size_t f = 0; f < places.size(); ++f) {
    simulator.scene().set_pose(room, places[f].seen({0.0, 0.0, 0.5 * kRoomM.z}));
    simulator.scene().set_pose(shelf, places[f].seen(kShelfAtM));
    simulator.render(id, static_cast<std::uint32_t>(f), frame);
    for (std::size_t i = 0; i < frames.sensor.rays(); ++i) {
      const bool is_there = frame.reason()[i] == Reason::kHit;
      frames.measured_m.push_back(is_there ? frame.range_m()[i] : std::numeric_limits<float>::quiet_NaN());
    }
  }
  return frames;
}

}  // namespace fathom::test
