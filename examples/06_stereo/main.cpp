// SPDX-License-Identifier: MIT
// Looks into the shipped house with a D435 and shows what it loses, and why.

#include <cstdio>
#include <variant>

#include <fathom/fathom.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/sensor/kinds.hpp>
#include <fathom/sensor/presets.hpp>
#include <fathom/simulate/sensor.hpp>

using namespace fathom;

Sensor make_camera() {
  const SensorPreset& preset = find_preset("D435");
  auto camera = std::get<StereoCamera>(preset.model);
  camera.width = 640;
  camera.height = 360;

  Sensor sensor;
  sensor.name = "stereo";
  sensor.model = camera;
  sensor.parent_from_sensor = Pose{{0.0, 0.0, 1.2}, from_roll_pitch_yaw(0, 0.1, 0.4)};
  sensor.noise = preset.noise;
  // And what is seen at a grazing angle, in blobs as well.
  const StereoEnergy energy = {.min_energy = 0.18F, .pow = 14, .normalization = EnergyNormalization::kThreshold};
  sensor.noise.emplace_back(energy, Correlation{.across_px = 1.6F, .down_px = 1.6F});
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
