// SPDX-License-Identifier: MIT
#pragma once
// Triangles of a mesh, and meshes far from the origin of their frame, for which Mesh::origin_m keeps single precision
// accurate.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/scene.hpp>

namespace fathom {

/// In double precision, relative to Mesh::origin_m.
inline Vec3 vertex_of(const Mesh& mesh, std::uint32_t index) {
  const auto& v = mesh.vertices_m[index];
  return {v[0], v[1], v[2]};
}

/// Normal of a triangle by the order of its corners; its length is twice the area.
inline Vec3 area_normal(const Mesh& mesh, const std::array<std::uint32_t, 3>& corner) {
  const Vec3 a = vertex_of(mesh, corner[0]);
  return cross(vertex_of(mesh, corner[1]) - a, vertex_of(mesh, corner[2]) - a);
}

/// A place in the frame of a mesh, m.
using MeshPlace = std::array<double, 3>;

/// Mesh::origin_m, m, for vertices at these places: the centre of their box, rounded to multiples of 64 m. Zero if the
/// centre lies within 1024 m, or if the box reaches half as far from it. Only corners of triangles count.
Vec3 origin_for(std::span<const MeshPlace> places_m, std::span<const std::array<std::uint32_t, 3>> triangles);

/// The place as a vertex of a mesh with this origin.
inline std::array<float, 3> vertex_at(const MeshPlace& place_m, const Vec3& origin_m) {
  return {static_cast<float>(place_m[0] - origin_m.x), static_cast<float>(place_m[1] - origin_m.y),
          static_cast<float>(place_m[2] - origin_m.z)};
}

/// The mesh with a vertex at each place, in the order of the places.
Mesh mesh_of_places(std::span<const MeshPlace> places_m, std::vector<std::array<std::uint32_t, 3>> triangles);

/// Moves a map of the mesh's frame to Mesh::origin_m: it then maps vertices_m. `scale` is applied before the pose.
inline Pose at_mesh_origin(const Pose& to_from_mesh, const Vec3& scale, const Mesh& mesh) {
  const Vec3& o = mesh.origin_m;
  if (o == Vec3{}) return to_from_mesh;  // the same bits
  return {to_from_mesh * Vec3{scale.x * o.x, scale.y * o.y, scale.z * o.z}, to_from_mesh.rotation};
}
inline Affine at_mesh_origin(const Affine& to_from_mesh, const Mesh& mesh) {
  if (mesh.origin_m == Vec3{}) return to_from_mesh;  // the same bits
  const Vec3 at = transform_point(to_from_mesh, mesh.origin_m);
  Affine moved = to_from_mesh;
  moved.m[0][3] = at.x, moved.m[1][3] = at.y, moved.m[2][3] = at.z;
  return moved;
}

/// The pose that maps an entity's scaled vertices_m into the world, m; the entity's pose if it has no mesh.
inline Pose world_from_vertices(const Scene& scene, const Entity& entity, const Pose& world_from_entity) {
  if (entity.mesh == kNoMesh) return world_from_entity;
  return at_mesh_origin(world_from_entity, entity.scale, scene.meshes()[index(entity.mesh)]);
}

}  // namespace fathom
