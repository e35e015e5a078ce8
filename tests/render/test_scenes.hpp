// SPDX-License-Identifier: MIT
#pragma once
// Scenes and sensors that the tests of this room share.

#include <fathom/frame/frame.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/environments.hpp>
#include <fathom/simulate/sensor.hpp>
#include <fathom/simulate/simulator.hpp>

#include "sensor/angles.hpp"

namespace fathom::test {

/// A closed room around the origin with a box and a sphere in it; every ray from inside meets something.
inline Scene make_room_scene(const Pose& world_from_room = {}) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}), "box");
  const MeshId ball = scene.add_mesh(make_sphere(0.5), "ball");
  scene.add_entity({.name = "room", .mesh = box, .parent_from_entity = world_from_room, .scale = {12, 8, 4}});
  scene.add_entity({.name = "table",
                    .mesh = box,
                    .parent_from_entity = world_from_room * Pose{{3, 1, -1}, from_roll_pitch_yaw(0, 0, 0.4)},
                    .scale = {1, 2, 0.8},
                    .reflectivity = 0.5F});
  scene.add_entity({.name = "ball", .mesh = ball, .parent_from_entity = world_from_room * Pose{{-2, -2, 0}, {}}});
  return scene;
}

/// A lidar whose rays start at its origin, spread over a full turn.
inline SpinningLidar make_lidar(std::uint32_t rings = 16, std::uint32_t columns = 360) {
  SpinningLidar lidar;
  lidar.elevation_rad = even_elevations(rings, 0.3, -0.3);
  lidar.columns = columns;
  lidar.max_range_m = 100.0;
  return lidar;
}

inline Sensor make_sensor(SensorModel model, NoiseChain noise = {}, const Pose& pose = {}, std::string name = "lidar") {
  Sensor sensor;
  sensor.name = std::move(name);
  sensor.model = std::move(model);
  sensor.parent_from_sensor = pose;
  sensor.noise = std::move(noise);
  return sensor;
}

inline ChannelSet all_channels() {
  ChannelSet all;
  for (std::size_t i = 0; i < kChannelCount; ++i) all.insert(static_cast<Channel>(i));
  return all;
}

/// One frame of one sensor in a scene.
inline Frame render_once(Scene scene, Sensor sensor, ChannelSet channels = all_channels(),
                         const SimulatorOptions& options = {.seed = 7, .compute = {.threads = 1}},
                         std::uint32_t index = 0) {
  Simulator simulator(std::move(scene), options);
  const SensorId id = simulator.add_sensor(std::move(sensor));
  Frame frame(channels);
  simulator.render(id, index, frame);
  return frame;
}

/// Compares two arrays bit by bit, so that NaN equals NaN.
template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

inline NoiseChain three_gaussians() {
  return {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.002F}, AngularHit{.axis = Axis::kY, .stddev_rad = 0.003F},
          DistanceNoise{.mean_m = 0.01F, .stddev_m = 0.02F, .stddev_per_m = 0.001F}};
}

inline SpinningLidar small_lidar() {
  SpinningLidar lidar;
  lidar.elevation_rad = {-10 * kDeg, 5 * kDeg, 0.0, 15 * kDeg};  // on purpose not sorted
  lidar.columns = 36;
  return lidar;
}

inline Rosette small_rosette() {
  Rosette rosette;
  rosette.points = 5000;
  rosette.field_of_view_rad = 40 * kDeg;
  rosette.prism1_hz = 7294.0 / 60;
  rosette.prism2_hz = -4664.0 / 60;
  rosette.points_per_s = 100000;
  return rosette;
}

/// Whether environment `e` of `a` and `f` of `b` hold the same bits in every array.
inline bool same_environment(const Frame& a, std::uint32_t e, const Frame& b, std::uint32_t f, std::size_t rays) {
  const auto same = [&](auto x, auto y) {
    const auto p = x.subspan(e * rays, rays), q = y.subspan(f * rays, rays);
    return std::memcmp(p.data(), q.data(), p.size_bytes()) == 0;
  };
  const Frame::Points u = a.hit_world_m(), v = b.hit_world_m();
  return same(a.range_m(), b.range_m()) && same(a.depth_m(), b.depth_m()) &&
         same(a.clean_range_m(), b.clean_range_m()) && same(a.energy(), b.energy()) && same(a.reason(), b.reason()) &&
         same(a.entity_id(), b.entity_id()) && same(a.time_offset_s(), b.time_offset_s()) && same(a.ring(), b.ring()) &&
         same(u.x, v.x) && same(u.z, v.z);
}

}  // namespace fathom::test
