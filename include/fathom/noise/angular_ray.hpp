// SPDX-License-Identifier: MIT
#pragma once
// angular_ray: the emitted ray points a little beside where the sensor believes it points.
//
//   a = mean + stddev N,   N ~ normal(0, 1) per ray;   ray := R(axis, a) ray
//
// R is the right-handed active rotation about an axis of the sensor frame through the sensor origin; it turns origin
// and direction of the ray before the cast. Models jitter of a lidar's rotation or mirror.
// Source: Robotec GPU Lidar, "Gaussian noise", section "Ray-based angular noise".
//
// Hit points stay on the surface that the turned ray meets. The reported azimuth and elevation are of the turned ray.
// Not modelled: errors shared by a whole column or revolution (draws are independent per ray), beam divergence.

#include <array>
#include <numbers>

#include <fathom/noise/model.hpp>

namespace fathom {

struct AngularRay {
  Axis axis = Axis::kZ;
  float mean_rad = 0.0F;
  float stddev_rad = 0.0F;

  static constexpr std::string_view kSlug = "angular_ray";
  static constexpr std::string_view kDoc = "Gaussian rotation of each ray before the cast; points stay on surfaces.";
  static constexpr Stage kStage = Stage::kRay;
  static constexpr DrawCount kDraws = {.normals = 1};

  static constexpr auto fields() {
    return std::array<Field<AngularRay>, 3>{{
        {"axis", "x|y|z", choice<&AngularRay::axis>, 0, 0, "axis of the sensor frame to rotate about"},
        {"mean_rad", "rad", &AngularRay::mean_rad, -std::numbers::pi, std::numbers::pi, "mean rotation"},
        {"stddev_rad", "rad", &AngularRay::stddev_rad, 0, std::numbers::pi, "standard deviation of the rotation"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return mean_rad == 0.0F && stddev_rad == 0.0F; }

  static constexpr std::array<LearnedField, 2> kLearned = {
      {{"mean_rad", LearnedRole::kShift}, {"stddev_rad", LearnedRole::kDeviation}}};
  [[nodiscard]] constexpr AxisTurn turn() const { return {axis, double{mean_rad}, double{stddev_rad}}; }

  FATHOM_KERNEL static Ray apply(const AngularRay& p, Ray ray, const Draws<kDraws>& draws) {
    const math::SinCos angle = math::sincos(p.mean_rad + p.stddev_rad * draws.normal[0]);
    const Vector o = rotate_about(p.axis, angle, {ray.ox, ray.oy, ray.oz});
    const Vector d = rotate_about(p.axis, angle, {ray.dx, ray.dy, ray.dz});
    return {o.x, o.y, o.z, d.x, d.y, d.z};
  }
};

}  // namespace fathom
