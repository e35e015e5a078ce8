// SPDX-License-Identifier: MIT
#include <fathom/beam/expected_ranges.hpp>

#include <algorithm>
#include <array>

#include <fathom/base/error.hpp>
#include <fathom/math/f64.hpp>

#include "beam/moving_ranges.hpp"

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

namespace {

constexpr std::size_t kPlacesAtOnce = 64;

/// Turns x into a direction of the x-y plane: by the half angle, from the larger of the sums that it follows from.
Quaternion towards(double x, double y) {
  const Quaternion half = x > 0.0 ? Quaternion{1.0 + x, 0.0, 0.0, y} : Quaternion{y, 0.0, 0.0, 1.0 - x};
  return normalized(half);
}

}  // namespace

MovingRanges::MovingRanges(const ExpectedRanges& of, std::size_t step)
    : of_(of), step_(step), ahead_(planar_fan(std::array{0.0})) {}

void MovingRanges::cast(std::span<const Pose> world_from_sensor, const RayFan& rays, double max_range_m,
                        std::span<float> range_m) const {
  if (offsets_.empty()) return of_.cast(world_from_sensor, rays, max_range_m, range_m);
  std::array<Pose, kPlacesAtOnce> poses;
  for (std::size_t p = 0; p < world_from_sensor.size(); ++p) {
    for (std::size_t begin = 0; begin < rays.size(); begin += kPlacesAtOnce) {
      const std::size_t count = std::min(kPlacesAtOnce, rays.size() - begin);
      for (std::size_t i = 0; i < count; ++i) {
        const RayOffset& offset = offsets_[(begin + i) * step_];
        const auto [s, c] = math::sincos(0.5 * double{offset.yaw_rad});
        const Pose sensor_from_moved = {{offset.x_m, offset.y_m, 0.0}, {c, 0.0, 0.0, s}};
        poses[i] = world_from_sensor[p] * sensor_from_moved;
        poses[i].rotation = poses[i].rotation * towards(rays.x[begin + i], rays.y[begin + i]);
      }
      of_.cast(std::span(poses).first(count), ahead_, max_range_m, range_m.subspan(p * rays.size() + begin, count));
    }
  }
}

}  // namespace fathom
