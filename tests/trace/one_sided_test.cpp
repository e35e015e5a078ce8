// SPDX-License-Identifier: MIT
// Entities that are seen from their front alone, by every caster and in every way to cast.

#include "trace/compare.hpp"

namespace fathom::test {
namespace {

/// The scene, with some of its entities one-sided.
Scene partly_one_sided(const Scene& scene, std::mt19937& random) {
  Scene made;
  for (const Mesh& mesh : scene.meshes()) made.add_mesh(mesh);
  for (Entity entity : scene.entities()) {
    entity.one_sided = random() % 3 != 0;
    made.add_entity(std::move(entity));
  }
  return made;
}

RC_GTEST_PROP(OneSided, EveryCasterEqualsTheOracle, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const Scene scene = partly_one_sided(random_scene(random), random);  // scaled and mirrored
  const auto isas = usable_isas();
  const Isa isa = isas[random() % isas.size()];
  const auto rays = random_rays(random, repetitions(512), {}, kWorldM);
  for (const CasterKind kind : casters()) {
    CasterBench bench(CasterChoice{.isa = isa, .caster = kind});
    bench.caster->update(scene, 0.0, {});
    const Comparison c = compare(*bench.caster, scene, 0.0, rays);
    RC_ASSERT(c.wrong == std::string());
    RC_ASSERT(c.disputed <= static_cast<int>(rays.size()) / 50);
  }
}

/// Rays from one point, within 0.2 rad of a direction.
std::vector<WorldRay> random_cone(std::mt19937& random, std::size_t count, Vec3 origin) {
  const Vec3 middle = random_direction(random);
  std::vector<WorldRay> rays;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 d = middle + 0.2 * random_direction(random);
    rays.push_back({origin, (1 / norm(d)) * d});
  }
  return rays;
}

RC_GTEST_PROP(OneSided, TheTreeGivesTheSameBitsInTilesAndAlone, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const Scene scene = partly_one_sided(random_scene(random), random);
  auto rays = random_cone(random, 256, {real(random, -4, 4), real(random, -4, 4), real(random, -4, 4)});
  const bool one_origin = random() % 2 == 0;
  for (WorldRay& ray : rays) {
    if (!one_origin) ray.origin = ray.origin + real(random, -0.1, 0.1) * random_direction(random);
  }
  std::vector<Shot> first;
  for (const Isa isa : usable_isas()) {
    CasterBench tree(CasterChoice{.isa = isa});
    tree.caster->update(scene, 0.0, {});
    for (const bool coherent : {false, true}) {
      const auto shots = shoot(*tree.caster, rays, coherent);
      if (first.empty()) first = shots;
      RC_ASSERT(differences(first, shots) == 0U);
      if (one_origin) RC_ASSERT(differences(first, shoot_fan(*tree.caster, rays, coherent)) == 0U);
    }
  }
}

RC_GTEST_PROP(OneSided, SightIsBlockedByFrontsAlone, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const Scene scene = partly_one_sided(random_scene(random), random);
  const Vec3 eye = {real(random, -4, 4), real(random, -4, 4), real(random, -4, 4)};
  const auto rays = random_cone(random, 256, eye);
  std::vector<float> d[3], clear;
  for (const WorldRay& ray : rays) {
    d[0].push_back(static_cast<float>(ray.direction.x)), d[1].push_back(static_cast<float>(ray.direction.y));
    d[2].push_back(static_cast<float>(ray.direction.z)), clear.push_back(static_cast<float>(real(random, 0.5, 12)));
  }
  SightLines lines = {.dx = d[0].data(), .dy = d[1].data(), .dz = d[2].data(), .clear = clear.data(), .count = 256};
  lines.eye[0] = static_cast<float>(eye.x), lines.eye[1] = static_cast<float>(eye.y);
  lines.eye[2] = static_cast<float>(eye.z);
  for (const CasterChoice& choice : casters_and_isas()) {
    CasterBench bench(choice);
    bench.caster->update(scene, 0.0, {});
    const auto shots = shoot_fan(*bench.caster, rays, true);
    std::vector<std::uint32_t> blocked(rays.size(), 7);
    bench.caster->find_blocked(lines, blocked.data());
    std::size_t different = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
      if (blocked[i] != (shots[i].range_m <= clear[i] ? 1U : 0U)) ++different;
    }
    RC_ASSERT(different <= (choice.caster == CasterKind::kTree ? 0U : 2U));  // Embree's two ways differ at edges
  }
}

/// Whether rays from above and from below meet a one-sided plane, whose front is above in the frame of its mesh.
struct Seen {
  bool from_above, from_below;
  bool operator==(const Seen&) const = default;
};
Seen seen(const CasterChoice& choice, const Vec3& scale, const Quaternion& turn) {
  Scene scene;
  const MeshId plane = scene.add_mesh(make_plane(2, 2));
  scene.add_entity(
      {.name = "plane", .mesh = plane, .parent_from_entity = Pose{{}, turn}, .scale = scale, .one_sided = true});
  CasterBench bench(choice);
  bench.caster->update(scene, 0.0, {});
  const auto meets = [&](double z) {
    return std::isfinite(
        shoot(*bench.caster, std::vector<WorldRay>{{{0.1, 0.2, z}, {0, 0, z > 0 ? -1.0 : 1.0}}})[0].range_m);
  };
  return {meets(1.0), meets(-1.0)};
}

TEST(OneSided, TheFrontIsThatOfTheMeshMirroredAndTurnedWithIt) {
  const Quaternion upright, over = from_roll_pitch_yaw(std::numbers::pi, 0, 0);
  const Seen above = {true, false}, below = {false, true};
  for (const CasterChoice& choice : casters_and_isas()) {
    SCOPED_TRACE(name_of(choice));
    EXPECT_EQ(seen(choice, {1, 1, 1}, upright), above);
    EXPECT_EQ(seen(choice, {1, 1, 1}, over), below);
    EXPECT_EQ(seen(choice, {-1, 1, 1}, upright), above);  // the mirror image of the front looks up as well
    EXPECT_EQ(seen(choice, {1, -0.5, 1}, upright), above);
    EXPECT_EQ(seen(choice, {1, 1, -1}, upright), below);
    EXPECT_EQ(seen(choice, {-1, 1, -1}, upright), below);
    EXPECT_EQ(seen(choice, {-1, 1, 1}, over), below);
  }
}

TEST(OneSided, AnEntityMayComeLaterAndItsMeshDeform) {
  for (const CasterChoice& choice : casters_and_isas()) {
    SCOPED_TRACE(name_of(choice));
    Scene scene;
    const Mesh plane = make_plane(2, 2);
    const MeshId mesh = scene.add_mesh(plane);
    scene.add_entity({.name = "first", .mesh = mesh});
    CasterBench bench(choice);
    const std::vector<WorldRay> up = {{{0.1, 0.2, -1}, {0, 0, 1}}};
    const auto first_met = [&] {
      bench.caster->update(scene, 0.0, {});
      return shoot(*bench.caster, up)[0].entity;
    };
    EXPECT_EQ(first_met(), 0U);
    scene.add_entity({.name = "below", .mesh = mesh, .parent_from_entity = Pose{{0, 0, -0.5}, {}}, .one_sided = true});
    EXPECT_EQ(first_met(), 0U);
    for (int step = 1; step < 3; ++step) {
      auto vertices = plane.vertices_m;
      for (auto& vertex : vertices) vertex[2] += 0.01F * static_cast<float>(step);
      scene.replace_vertices(mesh, vertices);
      EXPECT_EQ(first_met(), 0U);
    }
    scene.set_pose(EntityId{1}, {{0, 0, -0.5}, from_roll_pitch_yaw(std::numbers::pi, 0, 0)});
    EXPECT_EQ(first_met(), 1U);
  }
}

TEST(OneSided, ABoxSharesItsMeshWithOneThatIsNot) {
  for (const CasterChoice& choice : casters_and_isas()) {
    SCOPED_TRACE(name_of(choice));
    Scene scene;
    const MeshId box = scene.add_mesh(make_box({2, 2, 2}));
    scene.add_entity({.name = "near", .mesh = box, .one_sided = true});
    scene.add_entity({.name = "far", .mesh = box, .scale = {-5, 5, 5}});
    CasterBench bench(choice);
    bench.caster->update(scene, 0.0, {});
    std::mt19937 random(3);
    for (const WorldRay& ray : random_rays(random, 256, {}, 0.5)) {  // from inside of both
      EXPECT_EQ(shoot(*bench.caster, std::vector{ray})[0].entity, 1U);
    }
    for (WorldRay ray : random_rays(random, 256, {}, 0.5)) {  // from between them, at the near one
      ray.origin = ray.origin - 4.0 * ray.direction;
      const Vec3 o = ray.origin;
      if (std::max({std::abs(o.x), std::abs(o.y), std::abs(o.z)}) < 1.01) continue;
      EXPECT_EQ(shoot(*bench.caster, std::vector{ray})[0].entity, 0U);
    }
  }
}

}  // namespace
}  // namespace fathom::test
