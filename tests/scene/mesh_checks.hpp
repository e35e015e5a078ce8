// SPDX-License-Identifier: MIT
#pragma once
// What tests ask of a mesh that was made.

#include <fathom/scene/mesh.hpp>

#include "support/expect.hpp"

namespace fathom::test {

inline Vec3 vertex(const Mesh& mesh, std::uint32_t i) {
  const auto& v = mesh.vertices_m[i];
  return {v[0], v[1], v[2]};
}

struct Size {
  double area = 0, volume = 0;
};

/// Area, and volume by the divergence theorem: positive when the faces look outwards.
inline Size size_of(const Mesh& mesh) {
  Size size;
  for (const auto& t : mesh.triangles) {
    const Vec3 a = vertex(mesh, t[0]), b = vertex(mesh, t[1]), c = vertex(mesh, t[2]);
    size.area += norm(cross(b - a, c - a)) / 2;
    size.volume += dot(a, cross(b, c)) / 6;
  }
  return size;
}

/// Every edge belongs to two triangles, which run along it in opposite directions: closed and consistently oriented.
inline bool is_closed(const Mesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  }
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    if (count != 1 || back == edges.end() || back->second != 1) return false;
  }
  return true;
}

}  // namespace fathom::test
