// SPDX-License-Identifier: MIT
#include "nodes/noise_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fathom/noise/custom.hpp>

namespace rgl {

namespace {

constexpr double kAny = std::numeric_limits<float>::max();

template <class Model>
constexpr bool is_number(const fathom::Field<Model>& field) {
  return fathom::member_of<float>(field) != nullptr;
}

/// A model of the library whose numbers have no limits but that those which cannot be negative stay so.
template <class Model>
struct Wide : Model {
  static constexpr auto fields() {
    constexpr auto kOwn = Model::fields();
    constexpr auto kNumbers = std::count_if(kOwn.begin(), kOwn.end(), is_number<Model>);
    std::array<fathom::Field<Wide>, kNumbers> wide = {};
    std::size_t count = 0;
    for (const fathom::Field<Model>& own : kOwn) {
      if (!is_number(own)) continue;
      wide[count++] = {own.name, own.unit, fathom::member_of<float>(own), own.low < 0.0 ? -kAny : 0.0, kAny, own.doc};
    }
    return wide;
  }
};

/// The library's own model, which has kernels for every instruction set, unless its limits are in the way.
template <class Model>
fathom::Noise within_limits(const Model& model) {
  for (const fathom::Field<Model>& field : Model::fields()) {
    if (!is_number(field)) continue;
    const double value = double{model.*fathom::member_of<float>(field)};
    if (value < field.low || value > field.high) return Wide<Model>{model};
  }
  return model;
}

/// The same rotation within [-pi, pi].
float turn(float angle_rad) {
  if (std::abs(double{angle_rad}) <= std::numbers::pi) return angle_rad;
  return static_cast<float>(std::remainder(double{angle_rad}, 2.0 * std::numbers::pi));
}

/// Beyond this, a normal angle is uniform on the circle to the last bit; the kernels' sine ends at 10^4.
constexpr float kMaxStddevRad = 1000.0F;

}  // namespace

fathom::Axis to_axis(rgl_axis_t axis) {
  return axis == RGL_AXIS_X ? fathom::Axis::kX : axis == RGL_AXIS_Y ? fathom::Axis::kY : fathom::Axis::kZ;
}

fathom::Noise angular_ray_noise(float mean_rad, float stddev_rad, fathom::Axis axis) {
  return within_limits(fathom::AngularRay{axis, turn(mean_rad), std::min(stddev_rad, kMaxStddevRad)});
}

fathom::Noise angular_hit_noise(float mean_rad, float stddev_rad, fathom::Axis axis) {
  return within_limits(fathom::AngularHit{axis, turn(mean_rad), std::min(stddev_rad, kMaxStddevRad)});
}

fathom::Noise distance_noise(float mean_m, float stddev_m, float stddev_per_m) {
  return within_limits(fathom::DistanceNoise{mean_m, stddev_m, stddev_per_m});
}

}  // namespace rgl
