// SPDX-License-Identifier: MIT
#pragma once
// Scenes with edges, and what sensors with turned rays measure in them.

#include <fathom/fit/frames.hpp>

#include "fit/calibrate/chain_simulator.hpp"
#include "fit/frames/chain_frames.hpp"
#include "render/test_scenes.hpp"

namespace fathom::test {

/// Posts before a wall: many edges, most of them upright, some level.
inline Scene make_posts() {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}), "box");
  scene.add_entity({.name = "wall", .mesh = box, .parent_from_entity = Pose{{4.5, 0, 0}, {}}, .scale = {1, 40, 40}});
  for (int k = 0; k < 9; ++k) {
    const double y = -1.2 + 0.3 * k, x = 2.0 + 0.1 * k;
    scene.add_entity({.name = "post" + std::to_string(k),
                      .mesh = box,
                      .parent_from_entity = Pose{{x, y, -0.1 + 0.03 * k}, from_roll_pitch_yaw(0.03 * k, 0, 0.1 * k)},
                      .scale = {0.1, 0.12, 0.9}});
  }
  return scene;
}

inline Scene make_wall() {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}), "box");
  scene.add_entity({.name = "wall", .mesh = box, .parent_from_entity = Pose{{4.5, 0, 0}, {}}, .scale = {1, 40, 40}});
  return scene;
}

inline SceneSetup turned_setup(Scene scene, SensorModel model, NoiseChain noise) {
  SceneSetup setup;
  setup.file = "posts.yaml";
  setup.scene = std::move(scene);
  setup.sensors.emplace_back();
  setup.sensors.front().sensor = make_sensor(std::move(model), std::move(noise), {}, "sensor");
  return setup;
}

/// A lidar that looks ahead only.
inline SpinningLidar make_fan(std::uint32_t rings = 16, std::uint32_t columns = 128) {
  SpinningLidar lidar;
  lidar.elevation_rad = even_elevations(rings, 0.12, -0.12);
  lidar.columns = columns;
  lidar.start_azimuth_rad = 0.55, lidar.span_rad = 1.1;
  lidar.max_range_m = 100.0;
  return lidar;
}

/// What the sensor measures, beside its scene; geometry for `start`, from which learning begins.
inline ChainFrames turned_frames(const SceneSetup& truth, const NoiseChain& start, std::uint32_t frames,
                                 std::uint64_t seed, const ChainFrames::Options& options = {}) {
  ChainFrames::Options how = options;
  how.run.seed = seed;
  Simulator simulator = make_simulator(truth, how.run);
  SceneSetup begun = truth;
  begun.sensors.front().sensor.noise = start;
  ChainFrameReader reader(begun, frames, how);
  Frame frame({Channel::kRange});
  for (std::uint32_t k = 0; k < frames; ++k) {
    simulator.render(SensorId{0}, k, frame);
    reader.add_ranges(k, frame.range_m());
  }
  return reader.frames();
}

}  // namespace fathom::test
