// SPDX-License-Identifier: MIT
#include <fathom/scene/expected_ranges.hpp>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

namespace fathom {

Pose pose_from_planar(const PlanarPose& pose, double z_m) {
  return {{pose.x_m, pose.y_m, z_m}, from_roll_pitch_yaw(0, 0, pose.yaw_rad)};
}

RayFan planar_fan(std::span<const double> azimuth_rad) {
  RayFan fan;
  for (const double azimuth : azimuth_rad) {
    fan.x.push_back(static_cast<float>(math::cos(azimuth)));
    fan.y.push_back(static_cast<float>(math::sin(azimuth)));
    fan.z.push_back(0.0F);
  }
  return fan;
}

RayFan subsample(const RayFan& fan, std::size_t step) {
  if (step == 0) throw InputError("ray_step = 0 is not at least 1");
  RayFan kept;
  for (std::size_t i = 0; i < fan.size(); i += step) {
    kept.x.push_back(fan.x[i]);
    kept.y.push_back(fan.y[i]);
    kept.z.push_back(fan.z[i]);
  }
  return kept;
}

}  // namespace fathom
