// SPDX-License-Identifier: MIT
#include "support/brute_caster.hpp"

#include <limits>

#include <fathom/core/ids.hpp>

#include "scene/mesh.hpp"

namespace fathom {

BruteCaster::BruteCaster(const Scene& scene, double stamp_s) {
  for (std::uint32_t e = 0; e < scene.entities().size(); ++e) {
    const Entity& entity = scene.entities()[e];
    if (entity.mesh == kNoMesh) continue;
    const Mesh& mesh = scene.meshes()[index(entity.mesh)];
    const Pose place = world_from_vertices(scene, entity, scene.world_from_entity(EntityId{e}, stamp_s));
    const auto corner = [&](std::uint32_t vertex) {
      const auto& v = mesh.vertices_m[vertex];
      return place * Vec3{v[0] * entity.scale.x, v[1] * entity.scale.y, v[2] * entity.scale.z};
    };
    const double mirrors = entity.scale.x * entity.scale.y * entity.scale.z < 0.0 ? -1.0 : 1.0;
    const double back = entity.one_sided ? mirrors : 0.0;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
      const Vec3 a = corner(mesh.triangles[t][0]);
      const Vec3 ab = corner(mesh.triangles[t][1]) - a, ac = corner(mesh.triangles[t][2]) - a;
      triangles_.push_back({a, ab, ac, e, static_cast<std::uint32_t>(t), back});
    }
  }
}

// Moller and Trumbore, "Fast, minimum storage ray/triangle intersection", 1997, section 2: solves
// origin + t direction = a + u ab + v ac by Cramer's rule.
BruteCaster::Hit BruteCaster::cast(const Vec3& origin, const Vec3& direction) const {
  Hit best = {std::numeric_limits<double>::infinity(), index(kNoEntity), kNoTriangle, {}};
  for (const Triangle& t : triangles_) {
    const Vec3 p = cross(direction, t.ac);
    const double determinant = dot(t.ab, p);
    if (determinant == 0.0) continue;  // parallel, or no area
    const Vec3 s = origin - t.a;
    const double u = dot(s, p) / determinant;
    if (u < 0.0 || u > 1.0) continue;
    const Vec3 q = cross(s, t.ab);
    const double v = dot(direction, q) / determinant;
    if (v < 0.0 || u + v > 1.0) continue;
    const double range = dot(t.ac, q) / determinant;
    if (range < 0.0 || range >= best.range_m) continue;
    const Vec3 n = cross(t.ab, t.ac);
    if (t.back * dot(n, direction) > 0.0) continue;
    const double scale = (dot(n, direction) > 0.0 ? -1.0 : 1.0) / norm(n);
    best = {range, t.entity, t.index, scale * n};
  }
  return best;
}

}  // namespace fathom
