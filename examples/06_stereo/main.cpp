// SPDX-License-Identifier: MIT
// Looks into the shipped house with a stereo camera and shows what it loses, and why.

#include <cstdio>
#include <utility>

#include <fathom/fathom.hpp>
#include <fathom/files/depth.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/sensor/stereo_camera.hpp>
#include <fathom/simulate/sensor.hpp>

using namespace fathom;

Sensor make_camera() {
  StereoCamera camera;
  camera.width = 480;
  camera.height = 360;
  camera.horizontal_fov_rad = 87 * kRadPerDeg;
  camera.baseline_m = 0.095;
  camera.min_range_m = 0.3;

  Sensor sensor;
  sensor.name = "stereo";
  sensor.model = camera;
  sensor.parent_from_sensor = Pose{{0.0, 0.0, 1.2}, from_roll_pitch_yaw(0, 0.1, 0.4)};
  sensor.noise = {LossAngle{.max_incidence_rad = static_cast<float>(80 * kRadPerDeg)}, StereoShadow{},
                  StereoEnergy{.min_energy = 0.18F, .pow = 14, .normalization = EnergyNormalization::kThreshold},
                  EdgeLoss{.min_angle_rad = 2.6F, .low_probability = 0.05F, .high_probability = 0.6F},
                  Disparity{.stddev_px = 0.08F, .steps_per_px = 32}};
  return sensor;
}

void look(const char* scene_file) {
  Simulator simulator(read_scene_file(scene_file).scene, {.seed = 7});
  const SensorId camera = simulator.add_sensor(make_camera());
  Frame frame({Channel::kDepth, Channel::kCleanDepth, Channel::kReason, Channel::kEnergy});
  simulator.render(camera, 0, frame);
  const auto counts = frame.count_reasons();
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] > 0) std::printf("%8llu %s\n", static_cast<unsigned long long>(counts[r]), kReasonNames[r].data());
  }
  write_camera_sheet("sheet.png", frame);
  write_depth_png("depth.png", frame, Channel::kDepth);
  write_reason_picture("reason.png", frame);
  std::puts("wrote sheet.png, depth.png and reason.png");
}

int main(int argc, char** argv) {
  try {
    look(argc > 1 ? argv[1] : "../house/house.yaml");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "stereo: %s\n", error.what());
    return 1;
  }
}
