// SPDX-License-Identifier: MIT
#include "parts/surface_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fathom/math/trigonometry.hpp>
#include <fathom/parts/texture.hpp>

#include "parts/motion.hpp"
#include "parts/surface.hpp"

namespace fathom {

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

}  // namespace

bool SurfaceArrays::wanted() const {
  const TraceArrays& out = job_.out;
  return out.intensity != nullptr || out.normal != nullptr || out.incidence_rad != nullptr || wants_velocity();
}

bool SurfaceArrays::wants_velocity() const {
  const TraceArrays& out = job_.out;
  return out.absolute_velocity_mps != nullptr || out.relative_velocity_mps != nullptr ||
         out.radial_speed_mps != nullptr;
}

void SurfaceArrays::store(std::size_t at, const Echo& echo) const {
  const TraceArrays& out = job_.out;
  if (out.intensity != nullptr) out.intensity[at] = intensity_of(echo);
  if (out.normal != nullptr || out.incidence_rad != nullptr) store_normal(at, echo);
  if (wants_velocity()) store_velocity(at, echo);
}

Vec3 SurfaceArrays::normal_of(const Echo& echo) const {
  const WorldTriangle s = world_triangle(instance_of(echo), echo.triangle);
  const Vec3 n = cross(s.ab, s.ac);
  const double length = norm(n);
  return length > 0.0 ? (1.0 / length) * n : n;
}

float SurfaceArrays::intensity_of(const Echo& echo) const {
  if (!echo.hit) return 0.0F;
  const CastInstance& instance = instance_of(echo);
  const CastMesh& shared = *instance.mesh;
  float base = job_.settings.default_intensity;
  if (instance.texture != nullptr && !shared.uv.empty()) {
    const Shares shares = shares_at(world_triangle(instance, echo.triangle), echo.point);
    const auto uv = [&](std::size_t part) {
      return at_shares(shared.mesh, echo.triangle, shares, [&](std::uint32_t i) { return double{shared.uv[i][part]}; });
    };
    base = instance.texture->at(uv(0), uv(1));
  }
  if (base == 0.0F) return 0.0F;
  return static_cast<float>(base * std::abs(dot(normal_of(echo), echo.direction)));
}

void SurfaceArrays::store_normal(std::size_t at, const Echo& echo) const {
  const Vec3 n = echo.hit ? normal_of(echo) : Vec3{kNan, kNan, kNan};
  if (job_.out.normal != nullptr) put(job_.out.normal, at, n);
  if (job_.out.incidence_rad == nullptr) return;
  job_.out.incidence_rad[at] =
      echo.hit ? static_cast<float>(math::acos(std::min(1.0, std::abs(dot(n, echo.direction))))) : kNan;
}

void SurfaceArrays::store_velocity(std::size_t at, const Echo& echo) const {
  Velocities v = {{kNan, kNan, kNan}, {kNan, kNan, kNan}, 0.0};
  if (echo.hit) {
    v = velocities_at(instance_of(echo), echo.triangle, echo.point, job_.sensor_from_world, job_.settings.motion,
                      job_.settings.step_s);
  }
  if (job_.out.absolute_velocity_mps != nullptr) put(job_.out.absolute_velocity_mps, at, v.absolute_mps);
  if (job_.out.relative_velocity_mps != nullptr) put(job_.out.relative_velocity_mps, at, v.relative_mps);
  if (job_.out.radial_speed_mps != nullptr) job_.out.radial_speed_mps[at] = static_cast<float>(v.radial_mps);
}

}  // namespace fathom
