// SPDX-License-Identifier: MIT
// From inside a closed surface no ray gets out, wherever it is aimed: at corners, at edges, at slivers; far from the
// origin, scaled, mirrored. Rays aimed at edges are what leaks first, one in some thousand with an ordinary robust
// test.

#include "trace/shoot.hpp"

namespace fathom::test {
namespace {

struct ClosedSurface {
  Mesh mesh;
  Vec3 inside;  ///< a place in it
};

/// Slivers: the sides of a cylinder of many segments are `aspect` times as high as wide, and its caps are fans.
ClosedSurface slivers(double aspect) {
  constexpr std::uint32_t kSegments = 1024;
  const double height = std::min(60.0, 0.002 * aspect);
  return {make_cylinder(height / aspect * kSegments / 6.2832, height, kSegments), {}};
}

ClosedSurface random_surface(std::mt19937& random) {
  const auto segments = static_cast<std::uint32_t>(8 + random() % 60);
  switch (random() % 4) {
    case 0:
      return {make_box({real(random, 0.1, 5), real(random, 0.1, 5), real(random, 0.1, 5)}), {}};
    case 1:
      return {make_sphere(real(random, 0.1, 3), segments), {}};
    case 2:
      return {make_cylinder(real(random, 0.1, 2), real(random, 0.1, 5), segments), {}};
    default:
      return slivers(std::pow(10.0, real(random, 1, 6)));
  }
}

struct Placement {
  Pose pose;
  Vec3 scale;
};

Placement random_placement(std::mt19937& random) {
  const double far = random() % 2 == 0 ? 3.0 : 1000.0;
  const auto scale = [&] { return (random() % 2 == 0 ? 1 : -1) * std::pow(10.0, real(random, -1, 1)); };
  Placement p = {random_pose(random, far), {1, 1, 1}};
  if (random() % 2 == 0) p.scale = {scale(), scale(), scale()};
  if (random() % 4 == 0) p.pose.rotation = {};  // rays along the axes of the mesh
  return p;
}

Vec3 in_world(const Placement& p, const Vec3& v) {
  return p.pose * Vec3{v.x * p.scale.x, v.y * p.scale.y, v.z * p.scale.z};
}

/// Rays from inside at corners, at points of edges, and at what is a rounding beside them.
std::vector<WorldRay> rays_at_edges(std::mt19937& random, const ClosedSurface& surface, const Placement& p,
                                    std::size_t count) {
  const Vec3 origin = in_world(p, surface.inside);
  std::vector<WorldRay> rays;
  while (rays.size() < count) {
    const auto& t = surface.mesh.triangles[random() % surface.mesh.triangles.size()];
    const auto corner = [&](std::uint32_t i) {
      const auto& v = surface.mesh.vertices_m[t[i]];
      return in_world(p, {v[0], v[1], v[2]});
    };
    const auto k = static_cast<std::uint32_t>(random() % 3);
    const double share = random() % 3 == 0 ? 0.0 : real(random, 0, 1);
    Vec3 d = (1 - share) * corner(k) + share * corner((k + 1) % 3) - origin;
    d = (1 / norm(d)) * d;
    if (random() % 2 == 0) d = d + real(random, 0, 3e-7) * random_direction(random);
    rays.push_back({origin, d});
  }
  return rays;
}

RC_GTEST_PROP(Watertight, NoRayLeavesAClosedSurface, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const ClosedSurface surface = random_surface(random);
  const Placement p = random_placement(random);
  Scene scene;
  Entity entity;
  entity.name = "closed";
  entity.mesh = scene.add_mesh(surface.mesh);
  entity.parent_from_entity = p.pose;
  entity.scale = p.scale;
  scene.add_entity(entity);
  const auto isas = usable_isas();
  const auto executor = make_executor(1);
  const auto caster = make_caster(isas[random() % isas.size()], *executor);
  caster->update(scene, 0.0, origin_near(p.pose.translation_m));
  const auto rays = rays_at_edges(random, surface, p, repetitions(2048));
  for (const bool coherent : {false, true}) {
    std::size_t leaks = 0;
    for (const Shot& shot : shoot(*caster, rays, coherent)) leaks += std::isinf(shot.range_m) ? 1 : 0;
    RC_ASSERT(leaks == 0U);
  }
  std::size_t leaks = 0;
  for (const Shot& shot : shoot_fan(*caster, rays, true)) leaks += std::isinf(shot.range_m) ? 1 : 0;
  RC_ASSERT(leaks == 0U);
}

}  // namespace
}  // namespace fathom::test
