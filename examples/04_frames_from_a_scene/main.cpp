// SPDX-License-Identifier: MIT
// Renders the sensors of a scene file in memory and prints what they read: no file is written.

#include <algorithm>
#include <cstdio>

#include <fathom/fathom.hpp>

using namespace fathom;

void print(const char* sensor, const Frame& frame) {
  const auto range_m = frame.range_m(), clean_m = frame.clean_range_m();
  float nearest_m = 1e9F;
  double error_m = 0.0;
  unsigned hits = 0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (frame.reason()[i] != Reason::kHit) continue;  // the range is NaN
    nearest_m = std::min(nearest_m, range_m[i]);
    error_m += static_cast<double>(range_m[i]) - clean_m[i];
    ++hits;
  }
  std::printf("%s, frame %u at %.1f s: %u x %u rays", sensor, frame.index(), frame.stamp_s(), frame.rows(),
              frame.cols());
  if (hits > 0) std::printf(", nearest %.3f m, mean error %.4f m", static_cast<double>(nearest_m), error_m / hits);
  std::puts("");
  const auto counts = frame.count_reasons();
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] > 0) std::printf("%8llu %s\n", static_cast<unsigned long long>(counts[r]), kReasonNames[r].data());
  }
}

void render(const char* scene_file) {
  const SceneSetup setup = read_scene_file(scene_file);
  Simulator simulator = make_simulator(setup);
  Frame frame({Channel::kRange, Channel::kCleanRange, Channel::kReason});  // and nothing else is computed
  for (std::uint32_t index = 0; index < setup.frames; ++index) {
    for (std::uint32_t sensor = 0; sensor < setup.sensors.size(); ++sensor) {
      simulator.render(SensorId{sensor}, index, frame);
      print(setup.sensors[sensor].sensor.name.c_str(), frame);
    }
  }
}

int main(int argc, char** argv) {
  try {
    render(argc > 1 ? argv[1] : "room.yaml");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "frames_from_a_scene: %s\n", error.what());
    return 1;
  }
}
