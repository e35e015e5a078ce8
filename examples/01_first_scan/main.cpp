// SPDX-License-Identifier: MIT
// Scans a room made of primitives once with an Ouster OS1-64 and writes a cloud and a picture.

#include <cmath>
#include <cstdio>
#include <utility>

#include <fathom/fathom.hpp>

using namespace fathom;

Scene make_room() {
  Scene scene;
  const auto place = [&](const char* name, Mesh mesh, Vec3 center_m, float reflectivity) {
    Entity entity;
    entity.name = name;
    entity.mesh = scene.add_mesh(std::move(mesh));
    entity.parent_from_entity = Pose{center_m, {}};
    entity.reflectivity = reflectivity;
    scene.add_entity(entity);
  };
  place("walls", make_box({8, 6, 3}), {0, 0, 1.5}, 0.8F);  // seen from inside
  place("table", make_box({1.6, 0.8, 0.7}), {2, 1, 0.35}, 0.4F);
  place("pillar", make_cylinder(0.3, 3), {-2, -1.5, 1.5}, 0.6F);
  place("ball", make_sphere(0.4), {1, -2, 0.4}, 0.9F);
  return scene;
}

void scan() {
  Simulator simulator(make_room(), {.seed = 7});
  Sensor sensor;
  sensor.name = "lidar";
  sensor.model = find_preset("OS1-64").model;
  sensor.parent_from_sensor = Pose{{0, 0, 1.2}, {}};
  sensor.noise = {AngularHit{.stddev_rad = 0.001F}, DistanceNoise{.stddev_m = 0.02F}, Dropout{.probability = 0.01F}};
  const SensorId lidar = simulator.add_sensor(sensor);

  Frame frame({Channel::kRange, Channel::kCleanRange, Channel::kHitSensor, Channel::kIntensity, Channel::kReason});
  simulator.render(lidar, 0, frame);

  double sum_m = 0.0, sum_squares_m2 = 0.0, hits = 0.0;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (frame.reason()[i] != Reason::kHit) continue;
    const double error_m = static_cast<double>(frame.range_m()[i]) - frame.clean_range_m()[i];
    sum_m += error_m, sum_squares_m2 += error_m * error_m, hits += 1.0;
  }
  std::printf("%u x %u rays, %.0f hits\n", frame.rows(), frame.cols(), hits);
  std::printf("range error: mean %.4f m, deviation %.4f m\n", sum_m / hits, std::sqrt(sum_squares_m2 / hits));
  const auto counts = frame.count_reasons();
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (counts[r] > 0) std::printf("%8llu %s\n", static_cast<unsigned long long>(counts[r]), kReasonNames[r].data());
  }
  write_pcd("first_scan.pcd", frame);
  write_range_image("first_scan.png", frame, ColorBy::kRange, 6.0);
  std::puts("wrote first_scan.pcd and first_scan.png");
}

int main() {
  try {
    scan();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "first_scan: %s\n", error.what());
    return 1;
  }
}
