// SPDX-License-Identifier: MIT
// Your own noise model: ripple.hpp, passed to a sensor like any built-in model. Looks along a corridor wall and
// compares the error found at each range with the formula.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>

#include <fathom/fathom.hpp>
#include <fathom/noise/custom.hpp>  // for your own models

#include "ripple.hpp"

using namespace fathom;

Sensor make_laser(const Ripple& ripple) {
  Laser2d model;
  model.rays = 4001;
  model.min_azimuth_rad = 0.1;
  model.max_azimuth_rad = 1.5;
  model.max_range_m = 30.0;
  Sensor sensor;
  sensor.name = "laser";
  sensor.model = model;
  sensor.noise = {ripple};
  return sensor;
}

void compare() {
  Scene scene;
  Entity wall;
  wall.name = "wall";
  wall.mesh = scene.add_mesh(make_box({100, 0.2, 3}));
  wall.parent_from_entity = Pose{{0, 2.1, 0}, {}};  // its near face 2 m to the left
  scene.add_entity(wall);

  const Ripple ripple = {.amplitude_m = 0.05F, .period_m = 4.0F, .stddev_m = 0.002F};
  Simulator simulator(std::move(scene), {.seed = 1});
  const SensorId laser = simulator.add_sensor(make_laser(ripple));
  Frame frame({Channel::kRange, Channel::kCleanRange});
  simulator.render(laser, 0, frame);

  std::puts("range    error  formula");
  double worst_m = 0.0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const double d_m = frame.clean_range_m()[i];
    const double error_m = frame.range_m()[i] - d_m;
    const double formula_m = ripple.amplitude_m * std::sin(2.0 * std::numbers::pi * d_m / ripple.period_m);
    worst_m = std::max(worst_m, std::abs(error_m - formula_m));
    if (i % 400 == 0) std::printf("%5.2f  %+.4f  %+.4f m\n", d_m, error_m, formula_m);
  }
  std::printf("farthest from the formula: %.4f m (%.1f deviations of the random part)\n", worst_m,
              worst_m / ripple.stddev_m);
}

int main() {
  try {
    compare();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "my_noise: %s\n", error.what());
    return 1;
  }
}
