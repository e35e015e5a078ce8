// SPDX-License-Identifier: MIT
#include "parts/surface.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fathom/core/f64.hpp>

#include "parts/trace_job.hpp"
#include "parts/tracer.hpp"

namespace fathom {

float Texture::at(double u, double v) const {
  const auto texel = [](double share, std::uint32_t size) -> std::size_t {
    const double inside = share - std::floor(share);
    if (!(inside >= 0.0)) return 0;  // not finite
    const auto index = static_cast<std::size_t>(inside * size);
    return index < size ? index : size - 1;
  };
  return texels.empty() ? 0.0F : static_cast<float>(texels[texel(v, height) * width + texel(u, width)]);
}

Affine step_after(const SensorMotion& motion, double time_s) {
  const auto [sx, cx] = math::sincos(motion.angular_radps.x * time_s);
  const auto [sy, cy] = math::sincos(motion.angular_radps.y * time_s);
  const auto [sz, cz] = math::sincos(motion.angular_radps.z * time_s);
  const Vec3 t = time_s * motion.linear_mps;
  return {{{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, t.x},
           {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, t.y},
           {-sy, cy * sx, cy * cx, t.z}}};
}

Velocities velocities_at(const CastInstance& instance, std::uint32_t triangle, const Vec3& hit_world,
                         const Affine& sensor_from_world, const SensorMotion& motion, double step_s) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (!(step_s > 0.0)) return {{kNan, kNan, kNan}, {kNan, kNan, kNan}, kNan};
  const Shares shares = shares_at(world_triangle(instance, triangle), hit_world);
  const Mesh& mesh = instance.mesh->mesh;
  Vec3 step = {};
  if (instance.previous_world_from_mesh != nullptr) {
    const Vec3 hit_mesh = at_shares(mesh, triangle, shares, [&](std::uint32_t i) { return vertex_of(mesh, i); });
    // From the two maps alone, so that the speed of a resting instance is exactly 0.
    step = transform_point(at_mesh_origin(instance.world_from_mesh, mesh), hit_mesh) -
           transform_point(at_mesh_origin(*instance.previous_world_from_mesh, mesh), hit_mesh);
  }
  if (instance.vertex_step_m != nullptr) {
    const auto& moved = *instance.vertex_step_m;
    step = step + transform_vector(instance.world_from_mesh, at_shares(mesh, triangle, shares, [&](std::uint32_t i) {
                                     return Vec3{moved[i][0], moved[i][1], moved[i][2]};
                                   }));
  }
  Velocities v;
  v.absolute_mps = (1.0 / step_s) * step;
  const Vec3 hit_sensor = transform_point(sensor_from_world, hit_world);
  v.relative_mps =
      transform_vector(sensor_from_world, v.absolute_mps) - motion.linear_mps - cross(motion.angular_radps, hit_sensor);
  const double radius = norm(hit_sensor);
  v.radial_mps = radius > 0.0 ? dot(hit_sensor, v.relative_mps) / radius : 0.0;
  return v;
}

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

void SurfaceArrays::store(std::size_t at, const RayEnd& end) const {
  const TraceArrays& out = job_.out;
  if (out.intensity != nullptr) out.intensity[at] = intensity_of(end);
  if (out.normal != nullptr || out.incidence_rad != nullptr) store_normal(at, end);
  if (wants_velocity()) store_velocity(at, end);
}

Vec3 SurfaceArrays::normal_of(const RayEnd& end) const {
  const WorldTriangle s = world_triangle(instance_of(end), end.triangle);
  const Vec3 n = cross(s.ab, s.ac);
  const double length = norm(n);
  return length > 0.0 ? (1.0 / length) * n : n;
}

float SurfaceArrays::intensity_of(const RayEnd& end) const {
  if (!end.hit) return 0.0F;
  const CastInstance& instance = instance_of(end);
  const CastMesh& shared = *instance.mesh;
  float base = job_.settings.default_intensity;
  if (instance.texture != nullptr && !shared.uv.empty()) {
    const Shares shares = shares_at(world_triangle(instance, end.triangle), end.point);
    const auto uv = [&](std::size_t part) {
      return at_shares(shared.mesh, end.triangle, shares, [&](std::uint32_t i) { return double{shared.uv[i][part]}; });
    };
    base = instance.texture->at(uv(0), uv(1));
  }
  if (base == 0.0F) return 0.0F;
  const double facing = std::abs(dot(normal_of(end), end.direction));
  const double share = job_.settings.intensity_falls_off ? 1.0 / (double{end.distance_m} * end.distance_m) : 1.0;
  return static_cast<float>(base * facing * share);
}

void SurfaceArrays::store_normal(std::size_t at, const RayEnd& end) const {
  const Vec3 n = end.hit ? normal_of(end) : Vec3{kNan, kNan, kNan};
  if (job_.out.normal != nullptr) put(job_.out.normal, at, n);
  if (job_.out.incidence_rad == nullptr) return;
  job_.out.incidence_rad[at] =
      end.hit ? static_cast<float>(math::acos(std::min(1.0, std::abs(dot(n, end.direction))))) : kNan;
}

void SurfaceArrays::store_velocity(std::size_t at, const RayEnd& end) const {
  Velocities v = {{kNan, kNan, kNan}, {kNan, kNan, kNan}, 0.0};
  if (end.hit) {
    v = velocities_at(instance_of(end), end.triangle, end.point, job_.sensor_from_world, job_.settings.motion,
                      job_.settings.step_s);
  }
  if (job_.out.absolute_velocity_mps != nullptr) put(job_.out.absolute_velocity_mps, at, v.absolute_mps);
  if (job_.out.relative_velocity_mps != nullptr) put(job_.out.relative_velocity_mps, at, v.relative_mps);
  if (job_.out.radial_speed_mps != nullptr) job_.out.radial_speed_mps[at] = static_cast<float>(v.radial_mps);
}

}  // namespace fathom
