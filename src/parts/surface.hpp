// SPDX-License-Identifier: MIT
#pragma once
// Where and how a ray meets a triangle, in double precision.

#include <cmath>
#include <cstdint>

#include <fathom/parts/placed_mesh.hpp>

#include "scene/mesh_origin.hpp"
#include "scene/triangle.hpp"

namespace fathom {

/// A triangle in the world, not moved or turned: normal = ab x ac, by the order of its corners.
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

/// Barycentric coordinates: the weights of the second and the third corner in a point of a triangle.
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

}  // namespace fathom
