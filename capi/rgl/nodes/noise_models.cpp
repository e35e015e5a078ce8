// SPDX-License-Identifier: MIT
#include "nodes/noise_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fathom/noise/custom.hpp>

namespace rgl {

namespace {

constexpr double kAny = std::numeric_limits<float>::max();

template <class Model>
constexpr auto wide_angle_fields() {
  return std::array<fathom::Field<Model>, 2>{{{"mean_rad", "rad", &Model::mean_rad, -kAny, kAny, "mean rotation"},
                                              {"stddev_rad", "rad", &Model::stddev_rad, 0, kAny, "its deviation"}}};
}

// The same models with other limits: no formula is written here.
struct WideAngularRay : fathom::AngularRay {
  static constexpr auto fields() { return wide_angle_fields<WideAngularRay>(); }
};
struct WideAngularHit : fathom::AngularHit {
  static constexpr auto fields() { return wide_angle_fields<WideAngularHit>(); }
};
struct WideDistance : fathom::DistanceNoise {
  static constexpr auto fields() {
    return std::array<fathom::Field<WideDistance>, 3>{
        {{"mean_m", "m", &WideDistance::mean_m, -kAny, kAny, "mean error"},
         {"stddev_m", "m", &WideDistance::stddev_m, 0, kAny, "standard deviation at range 0"},
         {"stddev_per_m", "m/m", &WideDistance::stddev_per_m, 0, kAny, "growth per metre"}}};
  }
};

/// The library's own model, which has kernels for every instruction set, unless its limits are in the way.
template <class Wide, class Model>
fathom::Noise within_limits(const Model& model) {
  for (const auto& field : Model::fields()) {
    if (const auto* number = std::get_if<float Model::*>(&field.member)) {
      const double value = double{model.*(*number)};
      if (value < field.low || value > field.high) return Wide{model};
    }
  }
  return model;
}

/// The same rotation within [-pi, pi].
float turn(float angle_rad) {
  constexpr double kPi = fathom::kMaxAngleRad;
  if (std::abs(double{angle_rad}) <= kPi) return angle_rad;
  return static_cast<float>(std::remainder(double{angle_rad}, 2.0 * kPi));
}

/// Beyond this, a normal angle is uniform on the circle to the last bit; the kernels' sine ends at 10^4.
constexpr float kMaxStddevRad = 1000.0F;

}  // namespace

fathom::Axis to_axis(rgl_axis_t axis) {
  return axis == RGL_AXIS_X ? fathom::Axis::kX : axis == RGL_AXIS_Y ? fathom::Axis::kY : fathom::Axis::kZ;
}

fathom::Noise angular_ray_noise(float mean_rad, float stddev_rad, fathom::Axis axis) {
  return within_limits<WideAngularRay>(fathom::AngularRay{axis, turn(mean_rad), std::min(stddev_rad, kMaxStddevRad)});
}

fathom::Noise angular_hit_noise(float mean_rad, float stddev_rad, fathom::Axis axis) {
  return within_limits<WideAngularHit>(fathom::AngularHit{axis, turn(mean_rad), std::min(stddev_rad, kMaxStddevRad)});
}

fathom::Noise distance_noise(float mean_m, float stddev_m, float stddev_per_m) {
  return within_limits<WideDistance>(fathom::DistanceNoise{mean_m, stddev_m, stddev_per_m});
}

}  // namespace rgl
