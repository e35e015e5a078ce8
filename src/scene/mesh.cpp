// SPDX-License-Identifier: MIT
#include <fathom/scene/mesh.hpp>

#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/coordinates.hpp"
#include "scene/check_vertices.hpp"
#include "scene/triangle.hpp"

namespace fathom {

namespace {

bool has_area(const Mesh& mesh, const std::array<std::uint32_t, 3>& t) {
  const Vec3 n = area_normal(mesh, t);
  return n.x != 0.0 || n.y != 0.0 || n.z != 0.0;
}

}  // namespace

void check_vertices(std::span<const std::array<float, 3>> vertices_m) {
  for (std::size_t i = 0; i < vertices_m.size(); ++i) {
    for (const float c : vertices_m[i]) {
      if (!std::isfinite(c)) throw InputError(fmt::format("vertex {} = {} is not finite", i, c));
      if (std::abs(c) <= kMaxCoordinateM) continue;
      throw InputError(fmt::format("vertex {} = {} is not in {}", i, c, kCoordinateLimits));
    }
  }
}

void validate(const Mesh& mesh) {
  const std::size_t vertices = mesh.vertices_m.size();
  if (vertices == 0 || mesh.triangles.empty()) {
    throw InputError(fmt::format("mesh is empty: {} vertices, {} triangles", vertices, mesh.triangles.size()));
  }
  if (vertices > 0xffffffffULL || mesh.triangles.size() > 0xffffffffULL) {
    throw InputError("mesh has more than 4294967295 vertices or triangles");
  }
  check_vertices(mesh.vertices_m);
  bool solid = false;
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    for (const std::uint32_t index : mesh.triangles[i]) {
      if (index >= vertices) {
        throw InputError(fmt::format("triangle {}: vertex index {} is not in [0, {}]", i, index, vertices - 1));
      }
    }
    solid = solid || has_area(mesh, mesh.triangles[i]);
  }
  if (!solid) {
    throw InputError(fmt::format("mesh is degenerate: none of its {} triangles has an area", mesh.triangles.size()));
  }
}

}  // namespace fathom
