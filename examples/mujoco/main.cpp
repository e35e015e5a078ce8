// SPDX-License-Identifier: MIT
// A robot of MuJoCo walks through a room and looks at it with a stereo camera that loses each geom in its own way.

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <numbers>
#include <string>

#include <mujoco/mujoco.h>

#include <fathom/fathom.hpp>
#include <fathom/mujoco.hpp>

using namespace fathom;

struct Free {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};

/// Two triples of legs by turns: one stands and pushes while the other swings forward in the air.
void walk(const mjModel& model, mjData& data) {
  constexpr double kStepsPerS = 2.0, kSwingRad = 0.35, kLiftRad = 0.45;
  for (int leg = 0; leg < model.nu / 2; ++leg) {
    const bool first = leg == 0 || leg == 2 || leg == 4;
    const double phase = 2 * std::numbers::pi * kStepsPerS * data.time + (first ? 0.0 : std::numbers::pi);
    data.ctrl[2 * leg] = kSwingRad * std::cos(phase);
    data.ctrl[2 * leg + 1] = kLiftRad * std::fmax(0.0, std::sin(phase));
  }
}

/// Glass gives little light back, black cloth loses at random, everything else is as the camera's data sheet says.
NoiseChain losses(const MujocoMirror& mirror) {
  const StereoEnergy usual = {.min_energy = 0.1F, .pow = 12, .normalization = EnergyNormalization::kThreshold};
  StereoEnergy glass = usual, cloth = usual;
  glass.min_energy = 0.97F, glass.pow = 0.5F;
  cloth.pow = 1.0F;
  return {StereoShadow{},
          {usual, {mirror.row("window", glass), mirror.row("curtain", cloth)}},
          Disparity{.stddev_px = 0.1F, .steps_per_px = 16}};
}

/// Prints for each geom how many of the pixels that see it came back.
void print_losses(const mjModel& model, const MujocoMirror& mirror, const Frame& frame, double time_s) {
  std::map<std::string, std::array<int, 2>> seen;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const int geom = mirror.geom_id(frame.entity_id()[i]);
    if (geom < 0) continue;
    auto& [all, lost] = seen[model.names + model.name_geomadr[geom]];
    ++all, lost += frame.reason()[i] == Reason::kHit ? 0 : 1;
  }
  std::printf("%.1f s:", time_s);
  for (const auto& [name, counts] : seen) {
    std::printf(" %s %d/%d", name.empty() ? "legs" : name.c_str(), counts[1], counts[0]);
  }
  std::puts(" lost");
}

void look(const char* file) {
  char error[500] = "";
  const std::unique_ptr<mjModel, Free> model(mj_loadXML(file, nullptr, error, sizeof error));
  if (model == nullptr) throw InputError(std::string(file) + ": " + error);
  const std::unique_ptr<mjData, Free> data(mj_makeData(model.get()));
  mj_forward(model.get(), data.get());

  MujocoMirror mirror(model.get());
  Simulator simulator(mirror.scene(data.get()), {.seed = 7});
  StereoCamera eyes = mirror.camera("eyes", {.width = 320, .height = 240});
  eyes.baseline_m = 0.05, eyes.min_range_m = 0.2;
  Sensor sensor = mirror.on_camera("eyes", eyes);
  sensor.noise = losses(mirror);
  const SensorId camera = simulator.add_sensor(sensor);

  Frame frame({Channel::kDepth, Channel::kCleanDepth, Channel::kReason, Channel::kEnergy, Channel::kEntityId});
  for (std::uint32_t second = 0; second <= 3; ++second) {
    while (data->time < second) {
      walk(*model, *data);
      mj_step(model.get(), data.get());
    }
    mj_forward(model.get(), data.get());  // mj_step() leaves the poses of the step before
    mirror.update(data.get(), simulator.scene());
    simulator.render(camera, second, frame);
    print_losses(*model, mirror, frame, data->time);
    write_camera_sheet("walker_" + std::to_string(second) + ".png", frame, 4.0);
  }
  std::puts("wrote walker_0.png to walker_3.png");
}

int main(int argc, char** argv) {
  try {
    look(argc > 1 ? argv[1] : "walker.xml");
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "walker: %s\n", error.what());
    return 1;
  }
}
