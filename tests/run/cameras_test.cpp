// SPDX-License-Identifier: MIT
// Cameras, grids and their losses in scene files.

#include <fathom/simulate/run.hpp>

#include "run/scene_file.hpp"
#include "sensor/kinds.hpp"

namespace fathom {
namespace {

/// The only sensor of a scene; `keys`: its keys, each line indented by four.
SensorSetup read_sensor_of(const std::string& keys) {
  const std::string scene =
      "sensors:\n  - name: s\n" + keys +
      "scene:\n  meshes:\n    m: {sphere: {radius_m: 1}}\n  entities:\n    - {name: e, mesh: m, position_m: [5, 0, "
      "0]}\n    - {name: f, mesh: m}\n";
  return read_scene_text(scene, "s.yaml", {}).sensors.at(0);
}

TEST(CamerasOfAFile, IntrinsicsOfALens) {
  const std::string lens =
      "    type: depth_camera\n    width: 640\n    height: 480\n    focal_length_mm: 24\n    horizontal_aperture_mm: "
      "20\n";
  const auto intrinsics_of = [](const std::string& keys) {
    return intrinsics(std::get<DepthCamera>(read_sensor_of(keys).sensor.model));
  };
  const Intrinsics square = intrinsics_of(lens);
  EXPECT_NEAR(square.fx, 640 * 24 / 20.0, 1e-9);
  EXPECT_NEAR(square.fy, square.fx, 1e-9);
  EXPECT_EQ(square.cx, 319.5);
  EXPECT_EQ(square.cy, 239.5);
  const Intrinsics oblong =
      intrinsics_of(lens + "    vertical_aperture_mm: 16\n    principal_point_px: [300.5, 200]\n");
  EXPECT_NEAR(oblong.fx, square.fx, 1e-9);
  EXPECT_NEAR(oblong.fy, 480 * 24 / 16.0, 1e-9);
  EXPECT_EQ(oblong.cx, 300.5);
  EXPECT_EQ(oblong.cy, 200.0);
}

TEST(CamerasOfAFile, APresetTakesCalibratedIntrinsics) {
  const auto camera_of = [](const std::string& keys) {
    return std::get<StereoCamera>(read_sensor_of("    preset: D435\n" + keys).sensor.model);
  };
  // 87 degrees over 640 columns, then the values of a calibration, in each of the other ways.
  const std::string size = "    width: 640\n    height: 360\n";
  EXPECT_NEAR(intrinsics(camera_of(size)).fx, 337.2, 0.1);
  const StereoCamera pixels = camera_of(size + "    fx: 322\n");
  EXPECT_EQ(intrinsics(pixels).fx, 322.0);
  EXPECT_EQ(intrinsics(pixels).fy, 322.0);
  EXPECT_EQ(pixels.horizontal_fov_rad, 0.0);
  EXPECT_EQ(pixels.baseline_m, 0.05);
  const Intrinsics whole =
      intrinsics(camera_of(size + "    fx: 322\n    fy: 323\n    principal_point_px: [318, 179]\n"));
  EXPECT_EQ(whole.fy, 323.0);
  EXPECT_EQ(whole.cx, 318.0);
  EXPECT_EQ(whole.cy, 179.0);
  EXPECT_NEAR(intrinsics(camera_of(size + "    focal_length_mm: 10\n    horizontal_aperture_mm: 20\n")).fx, 320, 1e-9);
  EXPECT_NEAR(intrinsics(camera_of("    horizontal_fov_deg: 90\n")).fx, 640, 1e-9);
  // With an explicit reset of the other way.
  EXPECT_EQ(intrinsics(camera_of(size + "    fx: 322\n    horizontal_fov_rad: 0\n")).fx, 322.0);
  // The reverse: the preset has fx.
  const auto kinect =
      std::get<StereoCamera>(read_sensor_of("    preset: Kinect-v1\n    horizontal_fov_deg: 90\n").sensor.model);
  EXPECT_NEAR(intrinsics(kinect).fx, 320, 1e-9);
}

TEST(CamerasOfAFile, PosesOfTheCamerasReplaceThePresetsBaseline) {
  const auto camera = std::get<StereoCamera>(
      read_sensor_of("    preset: D435\n    left_camera: {}\n    right_camera: {position_m: [0, -0.06, 0]}\n"
                     "    noise: [stereo_shadow: {}]\n")
          .sensor.model);
  EXPECT_EQ(camera.baseline_m, 0.0);
  EXPECT_EQ(stereo_rig(camera).right_m, (Vec3{0, -0.06, 0}));
}

TEST(CamerasOfAFile, AGridScanner) {
  const std::string keys = "    type: grid_scanner\n    size_x_m: 0.3\n    size_y_m: 1.2\n    start_height_m: 2.5\n";
  const auto grid_of = [&](const std::string& more) {
    return std::get<GridScanner>(read_sensor_of(keys + more).sensor.model);
  };
  const GridScanner grid = grid_of("    resolution_m: 0.15\n    min_range_m: 0.5\n    max_range_m: 7\n");
  EXPECT_EQ(grid.size_x_m, 0.3);
  EXPECT_EQ(grid.size_y_m, 1.2);
  EXPECT_EQ(grid.resolution_m, 0.15);
  EXPECT_EQ(grid.start_height_m, 2.5);
  EXPECT_EQ(grid.min_range_m, 0.5);
  EXPECT_EQ(grid.max_range_m, 7.0);
  EXPECT_EQ(grid.alignment, GridAlignment::kYaw);
  EXPECT_EQ(shape_of(grid).cols, 3U);
  EXPECT_EQ(shape_of(grid).rows, 9U);
  EXPECT_EQ(grid_of("").resolution_m, 0.1);
  EXPECT_EQ(grid_of("    alignment: base\n").alignment, GridAlignment::kBase);
  EXPECT_EQ(grid_of("    alignment: yaw\n").alignment, GridAlignment::kYaw);
  EXPECT_EQ(grid_of("    alignment: world\n").alignment, GridAlignment::kWorld);
}

// The others: tests/render/known_defects_test.cpp.
TEST(KnownDefects, AFractionParsedAsAnInteger) {
  const SensorSetup setup = read_sensor_of(
      "    type: depth_camera\n    width: 4\n    height: 4\n    fx: 4\n    noise:\n"
      "      - stereo_energy: {min_energy: 0.2, pow: 0.7, entities: {e: {pow: 1.5}, f: {pow: {uniform: [0.3, "
      "0.6]}}}}\n");
  ASSERT_EQ(setup.sensor.noise.size(), 1U);
  EXPECT_NEAR(setup.sensor.noise[0].noise.number("min_energy"), 0.2, 1e-7);
  EXPECT_NEAR(setup.sensor.noise[0].noise.number("pow"), 0.7, 1e-7);
  ASSERT_EQ(setup.sensor.noise[0].by_entity.size(), 2U);
  EXPECT_NEAR(setup.sensor.noise[0].by_entity[0].noise.number("pow"), 1.5, 1e-7);
  ASSERT_EQ(setup.ranges.size(), 1U);
  EXPECT_EQ(setup.ranges[0].low, 0.3);
  EXPECT_EQ(setup.ranges[0].high, 0.6);
}

}  // namespace
}  // namespace fathom
