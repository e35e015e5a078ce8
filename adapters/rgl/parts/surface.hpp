// SPDX-License-Identifier: MIT
#pragma once
// The point where a ray meets a triangle, and its velocity, in double precision.

#include <cmath>
#include <cstdint>

#include "parts/tracer.hpp"
#include "scene/mesh.hpp"
#include "trace/placed_mesh.hpp"

namespace fathom {

/// A triangle in the world, by the order of its corners: normal = ab x ac.
struct WorldTriangle {
  Vec3 a, ab, ac;
};
inline WorldTriangle world_triangle(const CastInstance& instance, std::uint32_t triangle) {
  const Mesh& mesh = instance.mesh->mesh;
  const auto& corner = mesh.triangles[triangle];
  const Vec3 a = vertex_of(mesh, corner[0]);
  const Affine placed = at_mesh_origin(instance.world_from_mesh, mesh);
  return {transform_point(placed, a), transform_vector(placed, vertex_of(mesh, corner[1]) - a),
          transform_vector(placed, vertex_of(mesh, corner[2]) - a)};
}

/// Barycentric coordinates of a point: the weights of the second and the third corner.
struct Shares {
  double b, c;
};
inline Shares shares_at(const WorldTriangle& s, const Vec3& point) {
  const Vec3 normal = cross(s.ab, s.ac), q = point - s.a;
  const double square = dot(normal, normal);
  if (!(square > 0.0)) return {0.0, 0.0};
  return {dot(cross(q, s.ac), normal) / square, dot(cross(s.ab, q), normal) / square};
}

/// Interpolates a value of the corners.
template <class Get>
auto at_shares(const Mesh& mesh, std::uint32_t triangle, Shares s, Get get) {
  const auto& corner = mesh.triangles[triangle];
  return (1.0 - s.b - s.c) * get(corner[0]) + s.b * get(corner[1]) + s.c * get(corner[2]);
}

/// sensor_at_start_from_sensor_at_t: the rotation Rz Ry Rx by the turned angles, and the translation.
Affine step_after(const SensorMotion& motion, double time_s);

struct Velocities {
  Vec3 absolute_mps, relative_mps;
  double radial_mps;
};

/// The velocity of a point of a triangle, in the world and relative to the sensor.
Velocities velocities_at(const CastInstance& instance, std::uint32_t triangle, const Vec3& hit_world,
                         const Affine& sensor_from_world, const SensorMotion& motion, double step_s);

}  // namespace fathom
