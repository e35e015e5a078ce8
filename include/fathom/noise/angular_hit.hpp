// SPDX-License-Identifier: MIT
#pragma once
// angular_hit: the range is right, but the angle recorded for it is wrong.
//
//   a = mean + stddev N,   N ~ normal(0, 1) per return;   hit := R(axis, a) hit
//
// R is the right-handed active rotation about an axis of the sensor frame through the sensor origin; it turns the hit
// point after the cast. Models an error in reading the position of the rotated laser or mirror.
// Source: Robotec GPU Lidar, "Gaussian noise", section "Hitpoint-based angular noise".
//
// The distance to the sensor origin does not change, so points leave surfaces that are not perpendicular to the ray,
// unlike with angular_ray. The reported azimuth and elevation are of the emitted ray.

#include <array>
#include <numbers>

#include <fathom/core/export.hpp>
#include <fathom/noise/model.hpp>

namespace fathom {

struct AngularHit {
  Axis axis = Axis::kZ;
  float mean_rad = 0.0F;
  float stddev_rad = 0.0F;

  static constexpr std::string_view kSlug = "angular_hit";
  static constexpr std::string_view kDoc = "Gaussian rotation of each hit point after the cast; the range is kept.";
  static constexpr Stage kStage = Stage::kHitPoint;
  static constexpr DrawCount kDraws = {.normals = 1};

  static constexpr auto fields() {
    return std::array<Field<AngularHit>, 3>{{
        {"axis", "x|y|z", choice<&AngularHit::axis>, 0, 0, "axis of the sensor frame to rotate about"},
        {"mean_rad", "rad", &AngularHit::mean_rad, -std::numbers::pi, std::numbers::pi, "mean rotation"},
        {"stddev_rad", "rad", &AngularHit::stddev_rad, 0, std::numbers::pi, "standard deviation of the rotation"},
    }};
  }

  [[nodiscard]] constexpr bool is_identity() const { return mean_rad == 0.0F && stddev_rad == 0.0F; }

  static constexpr std::array<LearnedField, 2> kLearned = {
      {{"mean_rad", LearnedRole::kShift}, {"stddev_rad", LearnedRole::kDeviation}}};
  [[nodiscard]] constexpr AxisTurn turn() const { return {axis, double{mean_rad}, double{stddev_rad}}; }

  FATHOM_KERNEL static Return apply(const AngularHit& p, Return hit, const Draws<kDraws>& draws) {
    const math::SinCos angle = math::sincos(p.mean_rad + p.stddev_rad * draws.normal[0]);
    const Vector turned = rotate_about(p.axis, angle, {hit.x, hit.y, hit.z});
    return {turned.x, turned.y, turned.z, hit.range_m, hit.radius_m};
  }
};

}  // namespace fathom
