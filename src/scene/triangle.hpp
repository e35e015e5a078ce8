// SPDX-License-Identifier: MIT
#pragma once
// Corners and normals of a mesh's triangles, in double precision and relative to Mesh::origin_m.

#include <array>
#include <cstdint>

#include <fathom/scene/mesh.hpp>

namespace fathom {

inline Vec3 vertex_of(const Mesh& mesh, std::uint32_t index) {
  const auto& v = mesh.vertices_m[index];
  return {v[0], v[1], v[2]};
}

/// Normal of a triangle by the order of its corners; its length is twice the area.
inline Vec3 area_normal(const Mesh& mesh, const std::array<std::uint32_t, 3>& corner) {
  const Vec3 a = vertex_of(mesh, corner[0]);
  return cross(vertex_of(mesh, corner[1]) - a, vertex_of(mesh, corner[2]) - a);
}

}  // namespace fathom
