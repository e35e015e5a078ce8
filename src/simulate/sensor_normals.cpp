// SPDX-License-Identifier: MIT
#include "simulate/sensor_normals.hpp"

#include <cstddef>

namespace fathom {

void find_normals(Simulator& simulator, SensorId sensor, std::uint32_t index, const Frame& frame,
                  std::array<std::vector<float>, 3>& normals) {
  const std::size_t rays = frame.rays();
  for (std::vector<float>& values : normals) values.resize(rays);
  const RayPattern& pattern = simulator.pattern(sensor, index);
  const bool is_rolling = simulator.sensor(sensor).rolling && !pattern.time_offset_s.empty();
  double time_s = frame.stamp_s();
  Quaternion sensor_from_world = conjugate(simulator.world_from_sensor(sensor, time_s).rotation);
  const PointSpan normal = frame.normal_world();
  for (std::size_t i = 0; i < rays; ++i) {
    const double at_s = frame.stamp_s() + (is_rolling ? double{pattern.time_offset_s[i]} : 0.0);
    if (at_s != time_s) {
      time_s = at_s;
      sensor_from_world = conjugate(simulator.world_from_sensor(sensor, time_s).rotation);
    }
    const Vec3 n = rotate(sensor_from_world, Vec3{double{normal.x[i]}, double{normal.y[i]}, double{normal.z[i]}});
    normals[0][i] = static_cast<float>(n.x), normals[1][i] = static_cast<float>(n.y);
    normals[2][i] = static_cast<float>(n.z);
  }
}

}  // namespace fathom
