// SPDX-License-Identifier: MIT
#include "calibrate/turned_surface.hpp"

#include <cmath>

#include <fathom/math/trigonometry.hpp>

namespace fathom {

namespace {

constexpr double kGrazing = 1e-9;  // cosine below which a plane is not met

Vector64 unit_of(Axis axis) {
  return {axis == Axis::kX ? 1.0 : 0.0, axis == Axis::kY ? 1.0 : 0.0, axis == Axis::kZ ? 1.0 : 0.0};
}

Vector64 origin_of(const TurnedRays& r, std::size_t i) {
  if (r.origin_x.empty()) return {};
  return {double{r.origin_x[i]}, double{r.origin_y[i]}, double{r.origin_z[i]}};
}

Vector64 direction_of(const TurnedRays& r, std::size_t i) {
  return {double{r.direction_x[i]}, double{r.direction_y[i]}, double{r.direction_z[i]}};
}

}  // namespace

RayTurner::RayTurner(std::span<const Axis> axes, const std::array<double, 2>& angles) : count_(axes.size()) {
  for (std::size_t k = 0; k < count_; ++k) {
    const math::SinCos64 a = math::sincos(angles[k]);
    rotations_[k] = {axes[k], a.sin, a.cos};
    turn_[k] = unit_of(axes[k]);
  }
  if (count_ == 2) turn_[0] = rotated(rotations_[1], turn_[0]);
}

Vector64 RayTurner::rotated(const Rotation& a, const Vector64& v) {
  if (a.axis == Axis::kX) return {v.x, a.cos * v.y - a.sin * v.z, a.sin * v.y + a.cos * v.z};
  if (a.axis == Axis::kY) return {a.sin * v.z + a.cos * v.x, v.y, a.cos * v.z - a.sin * v.x};
  return {a.cos * v.x - a.sin * v.y, a.sin * v.x + a.cos * v.y, v.z};
}

Vector64 RayTurner::turned(const Vector64& v) const {
  Vector64 out = v;
  for (std::size_t k = 0; k < count_; ++k) out = rotated(rotations_[k], out);
  return out;
}

std::optional<TurnedHit> hit_of(const TurnedRays& rays, std::size_t i, const TurnedSurface& surface,
                                const RayTurner& turner, bool on_nominal_ray) {
  const Vector64 nominal = direction_of(rays, i), d = turner.turned(nominal);
  const Vector64 o = rays.origin_x.empty() ? Vector64{} : turner.turned(origin_of(rays, i));
  const double along = dot(surface.normal, d);
  if (!(std::abs(along) > kGrazing)) return std::nullopt;
  TurnedHit hit;
  hit.range_m = (surface.plane_m - dot(surface.normal, o)) / along;
  if (!(hit.range_m > 0.0)) return std::nullopt;
  hit.x_m = o.x + hit.range_m * d.x, hit.y_m = o.y + hit.range_m * d.y;
  hit.cosine = std::abs(along);
  hit.reading_m = on_nominal_ray ? hit.x_m / nominal.x : hit.range_m;
  if (!(hit.reading_m > 0.0)) return std::nullopt;
  const Vector64 p = {hit.x_m, hit.y_m, o.z + hit.range_m * d.z};
  for (std::size_t k = 0; k < turner.axes(); ++k) {
    const Vector64& w = turner.axis(k);
    const Vector64 turn = cross(w, d), turn_twice = cross(w, turn);
    // n . p stays c while p turns with the ray and moves along it.
    const double slope = dot(surface.normal, turn) / along;
    hit.rate[k] = -dot(surface.normal, cross(w, p)) / (along * hit.range_m);
    hit.bend[k] = 2.0 * slope * slope - dot(surface.normal, turn_twice) / along;
    if (!on_nominal_ray) continue;
    // The reading is x / nominal.x, and x the range times d.x.
    const double turn_x = turn.x / d.x;
    hit.bend[k] += 2.0 * hit.rate[k] * turn_x + turn_twice.x / d.x;
    hit.rate[k] += turn_x;
  }
  return hit;
}

TurnedSurface own_surface(const TurnedRays& rays, std::size_t i, double clean_range_m) {
  TurnedSurface surface;
  surface.normal = {double{rays.normal_x[i]}, double{rays.normal_y[i]}, double{rays.normal_z[i]}};
  surface.plane_m =
      dot(surface.normal, origin_of(rays, i)) + clean_range_m * dot(surface.normal, direction_of(rays, i));
  return surface;
}

}  // namespace fathom
