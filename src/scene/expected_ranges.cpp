// SPDX-License-Identifier: MIT
#include <fathom/scene/expected_ranges.hpp>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

namespace fathom {

Pose PlanarPose::at_height(double z_m) const { return {{x_m, y_m, z_m}, from_roll_pitch_yaw(0, 0, yaw_rad)}; }

RayFan RayFan::planar(std::span<const double> azimuth_rad) {
  RayFan fan;
  for (const double azimuth : azimuth_rad) {
    fan.x.push_back(static_cast<float>(math::cos(azimuth)));
    fan.y.push_back(static_cast<float>(math::sin(azimuth)));
    fan.z.push_back(0.0F);
  }
  return fan;
}

RayFan RayFan::every(std::size_t step) const {
  if (step == 0) throw InputError("ray_step = 0 is not at least 1");
  RayFan kept;
  for (std::size_t i = 0; i < size(); i += step) {
    kept.x.push_back(x[i]);
    kept.y.push_back(y[i]);
    kept.z.push_back(z[i]);
  }
  return kept;
}

}  // namespace fathom
