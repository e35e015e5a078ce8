// SPDX-License-Identifier: MIT
#include "parts/motion.hpp"

#include <limits>

#include <fathom/math/trigonometry.hpp>

namespace fathom {

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
    // From the two maps alone, so that the speed is exactly 0 where nothing moved.
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

}  // namespace fathom
