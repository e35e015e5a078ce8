// SPDX-License-Identifier: MIT
// What presets of depth cameras do on a table top and in the house, measured as a real camera's frames are.

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/calibrate/measure_depth.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/run.hpp>
#include <fathom/simulate/simulator.hpp>

namespace fathom::test {
namespace {

const std::string kExampleScenes = FATHOM_SOURCE_DIR "/examples";

/// Two frames of a preset with its own noise.
DepthMeasure measured_preset(const std::string& scene, const std::string& name, const Pose& world_from_camera) {
  const SensorPreset& preset = find_preset(name);
  const auto& camera = std::get<StereoCamera>(preset.model);
  SceneSetup setup = read_scene_file(kExampleScenes + scene);
  Simulator simulator(std::move(setup.scene), {.seed = 11});
  Sensor sensor;
  sensor.name = "camera";
  sensor.model = preset.model;
  sensor.noise = preset.noise;
  sensor.parent_from_sensor = Trajectory(world_from_camera);
  const SensorId id = simulator.add_sensor(sensor);
  Frame frame({Channel::kDepth});
  DepthMeter meter({.focal_baseline_px_m = intrinsics(camera).fx * camera.baseline_m});
  for (std::uint32_t index = 0; index < 2; ++index) {
    simulator.render(id, index, frame);
    meter.add(frame.floats(Channel::kDepth), frame.rows(), frame.cols());
  }
  return meter.result();
}

Pose looking_down(const Vec3& position_m, double pitch_deg, double yaw_deg) {
  constexpr double kRad = std::numbers::pi / 180;
  return {position_m, from_roll_pitch_yaw(0, pitch_deg * kRad, yaw_deg * kRad)};
}

double share_of_holes(const DepthMeasure& m, std::size_t blob_class) {
  return static_cast<double>(m.blobs[blob_class].pixels) / static_cast<double>(m.holes);
}

void expect_white(const DepthMeasure& m, double sigma_px) {
  EXPECT_NEAR(m.deviation_px.value, sigma_px, 0.001);
  // As the cubic leaves them, which makes -0.016 of white noise at 1 px and -0.011 at 4.
  EXPECT_NEAR(m.across_residual[0], -0.016, 0.01);
  EXPECT_NEAR(m.down_residual[0], -0.016, 0.01);
  EXPECT_NEAR(m.across_residual[3], -0.011, 0.01);
}

TEST(DepthPresets, D435OnATableTop) {
  const DepthMeasure m = measured_preset("/12_table_top/table_top.yaml", "D435", looking_down({0, 0, .45}, 45, 0));
  expect_white(m, std::sqrt(0.08 * 0.08 + 1.0 / (12 * 32 * 32)));  // and the steps of 1/32 px
  const double holes = static_cast<double>(m.holes) / static_cast<double>(m.pixels);
  EXPECT_GT(holes, 0.03);
  EXPECT_LT(holes, 0.08);
  EXPECT_GT(share_of_holes(m, 2), 0.8);
}

TEST(DepthPresets, D435InTheHouse) {
  const DepthMeasure m = measured_preset("/house/house.yaml", "D435", looking_down({0, 0, 1.2}, 5.73, 22.9));
  expect_white(m, std::sqrt(0.08 * 0.08 + 1.0 / (12 * 32 * 32)));
}

}  // namespace
}  // namespace fathom::test
