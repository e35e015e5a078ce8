// SPDX-License-Identifier: MIT
#pragma once
// The sets of rays, scenes and chains of noise of the tables in bench/README.md.

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fathom/scene/scene.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/simulate/sensor.hpp>

namespace fathom::bench {

struct Set {
  std::string name;
  const Scene* scene;
  SensorModel model;
  Pose world_from_sensor;
  bool dense;  ///< held to the targets of dense sensors
};

inline Sensor make_sensor(SensorModel model, const Pose& pose, NoiseChain noise, std::string name = "sensor") {
  Sensor sensor;
  sensor.name = std::move(name), sensor.model = std::move(model), sensor.parent_from_sensor = pose;
  sensor.noise = std::move(noise);
  return sensor;
}

inline NoiseChain three_gaussians() {
  return {AngularRay{.axis = Axis::kZ, .stddev_rad = 0.0005F}, AngularHit{.axis = Axis::kZ, .stddev_rad = 0.0005F},
          DistanceNoise{.stddev_m = 0.01F, .stddev_per_m = 0.001F}};
}

inline constexpr float kMaxIncidenceRad = 1.4F;

/// Losses by angle, by shadow, which two back-rays find, and by energy, then the noise of the disparity.
inline NoiseChain every_loss() {
  return {LossAngle{.max_incidence_rad = kMaxIncidenceRad}, StereoShadow{},
          StereoEnergy{.normalization = EnergyNormalization::kThreshold},
          Disparity{.stddev_px = 0.05F, .steps_per_px = 32}};
}

/// Also the loss at edges, which looks at all eight neighbours of a pixel in a second pass over the image.
inline NoiseChain every_loss_and_edges() {
  NoiseChain noise = every_loss();
  noise.insert(noise.begin() + 3, EdgeLoss{.low_probability = 0.2F, .high_probability = 0.9F});
  return noise;
}

inline StereoCamera stereo_camera(std::uint32_t width, std::uint32_t height) {
  StereoCamera camera;
  camera.width = width, camera.height = height;
  camera.horizontal_fov_rad = 1.5;
  camera.baseline_m = 0.05;
  camera.max_range_m = 100;
  return camera;
}

/// The shipped house, at rest.
Scene make_house(const std::filesystem::path& scene_file);
/// A hilly square of 707 x 707 cells, 999 698 triangles, 500 m wide.
Scene make_terrain();
/// `count` rays in random directions.
RayPattern make_incoherent_rays(std::uint32_t count);
/// The sets: house lidar, house camera, 16 rings, incoherent, terrain lidar.
std::vector<Set> make_sets(const Scene& house, const Scene& terrain);

}  // namespace fathom::bench
