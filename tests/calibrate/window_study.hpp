// SPDX-License-Identifier: MIT
#pragma once
// How often the intervals of angles hold the truth that are learned behind a matching window: the depth cameras whose
// presets turn rays, above a table with boxes.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "calibrate/chain_study.hpp"

namespace fathom::test {

/// A table with boxes before a wall that is not straight ahead, all sizes times `scale`.
inline Scene make_table(double scale) {
  Scene scene;
  const MeshId box = scene.add_mesh(make_box({1, 1, 1}), "box");
  const auto add = [&](const std::string& name, const Vec3& at, double yaw, const Vec3& size) {
    scene.add_entity(
        {.name = name,
         .mesh = box,
         .parent_from_entity = Pose{{scale * at.x, scale * at.y, scale * at.z}, from_roll_pitch_yaw(0, 0, yaw)},
         .scale = {scale * size.x, scale * size.y, scale * size.z}});
  };
  add("table", {0.9, 0, -0.55}, 0.0, {3, 3, 0.2});
  add("wall", {0.9, 0.5, 0}, 0.9, {0.2, 6, 4});
  add("tall", {0.85, 0.18, -0.35}, 0.7, {0.12, 0.16, 0.3});
  add("low", {0.75, -0.2, -0.4}, -0.5, {0.2, 0.14, 0.1});
  return scene;
}

/// A camera that looks about above the table, of a preset's chain, in so many frames.
inline SceneSetup camera_above_a_table(const SensorPreset& preset, std::uint32_t frames) {
  auto camera = std::get<StereoCamera>(preset.model);
  const double scale = camera.baseline_m / 0.05;
  camera.fx = 0.5 * camera.width / std::tan(0.5 * camera.horizontal_fov_rad);
  camera.horizontal_fov_rad = 0.0, camera.width = 224, camera.height = 112;
  std::vector<StampedPose> keys;
  for (std::uint32_t k = 0; k <= frames; ++k) {
    const double turn = 2.0 * 3.14159265358979 * k / frames;
    keys.push_back({0.1 * k, Pose{{0.1 * scale * std::cos(turn), 0.1 * scale * std::sin(turn), 0.0},
                                  from_roll_pitch_yaw(0, 0.5 + 0.3 * std::sin(3 * turn), 0.5 * std::sin(2 * turn))}});
  }
  SceneSetup setup;
  setup.file = "table.yaml", setup.scene = make_table(scale);
  Sensor sensor = make_sensor(camera, preset.noise, {}, "sensor");
  sensor.parent_from_sensor = Trajectory(std::move(keys));
  setup.sensors.emplace_back();
  setup.sensors.front().sensor = std::move(sensor);
  return setup;
}

/// Of a preset with angular_ray and a matching_window: its angles, disparity and the last dropout.
inline ChainStudy window_study(const SensorPreset& preset, std::size_t most_returns = 10'000) {
  constexpr std::uint32_t kFrames = 40;
  ChainStudy study = {.name = std::string(preset.name) + " with its window", .truth = preset.noise};
  study.free = chain_parameters(study.truth, "angular_ray.*");
  for (const char* pattern : {"disparity.bias_px", "disparity.stddev_px"}) {
    for (const ChainParameter& p : chain_parameters(study.truth, pattern)) study.free.push_back(p);
  }
  study.free.push_back({study.truth.size() - 1, "probability"});
  const SceneSetup setup = camera_above_a_table(preset, kFrames);
  study.returns = [=, own = own_seeds(preset)](std::uint64_t seed) {
    return returns_of_seed(setup, setup, kFrames, most_returns, own + seed);
  };
  return study;
}

}  // namespace fathom::test
