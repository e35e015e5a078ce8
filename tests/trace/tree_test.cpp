// SPDX-License-Identifier: MIT
// The tracer of fathom's own. Its law: a hit is the least (range, entity, triangle) over all triangles, whatever the
// tree, the order of rays, the instruction set, and whether rays are cast one by one or in tiles.

#include "trace/shoot.hpp"
#include "trace/tree/build.hpp"

namespace fathom::test {
namespace {

Vec3 unit(const Vec3& v) { return (1 / norm(v)) * v; }

/// A fan of rays from one point, as a sensor has: rows and columns of nearly equal directions, a little jittered.
std::vector<WorldRay> random_fan(std::mt19937& random, std::size_t count, Vec3 origin) {
  const Vec3 middle = random_direction(random);
  const double step = real(random, 1e-4, 0.02);
  std::vector<WorldRay> rays;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = step * (static_cast<double>(i % 16) - 8), b = step * (static_cast<double>(i / 16 % 16) - 8);
    const Vec3 helper = std::abs(middle.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 u = unit(cross(middle, helper)), v = cross(middle, u);
    rays.push_back({origin, unit(middle + (a + real(random, -1e-3, 1e-3)) * u + b * v)});
  }
  return rays;
}

RC_GTEST_PROP(Tree, GivesTheSameBitsInTilesAndAloneOnEveryInstructionSet, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const Scene scene = random_scene(random);
  const Vec3 origin = {real(random, -kWorldM, kWorldM), real(random, -kWorldM, kWorldM), real(random, -2, 2)};
  auto rays = random_fan(random, 256, origin);
  if (random() % 2 == 0) {  // a sensor that moves: each ray starts elsewhere
    for (WorldRay& ray : rays) ray.origin = ray.origin + real(random, -0.1, 0.1) * random_direction(random);
  }
  std::vector<Shot> first;
  for (const Isa isa : usable_isas()) {
    CasterBench tree(CasterChoice{.isa = isa});
    tree.caster->update(scene, 0.0, {});
    for (const bool coherent : {false, true}) {
      const auto shots = shoot(*tree.caster, rays, coherent);
      if (first.empty()) first = shots;
      RC_ASSERT(differences(first, shots) == 0U);
    }
    const auto fanned = shoot_fan(*tree.caster, rays, true), alone = shoot_fan(*tree.caster, rays, false);
    RC_ASSERT(differences(fanned, alone) == 0U);
  }
}

/// The mesh with its triangles in another order; `places`: where each of the new ones was.
Mesh shuffled(const Mesh& mesh, std::mt19937& random, std::vector<std::uint32_t>& places) {
  Mesh out = mesh;
  places.resize(mesh.triangles.size());
  std::iota(places.begin(), places.end(), 0U);
  std::shuffle(places.begin(), places.end(), random);
  for (std::size_t i = 0; i < places.size(); ++i) out.triangles[i] = mesh.triangles[places[i]];
  return out;
}

RC_GTEST_PROP(Tree, DoesNotShowInTheResult, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const Mesh mesh = random_mesh(random);
  std::vector<std::uint32_t> places;
  Scene scene, other;
  Entity entity;
  entity.name = "one";
  entity.parent_from_entity = random_pose(random, 3);
  entity.mesh = scene.add_mesh(mesh);
  scene.add_entity(entity);
  entity.mesh = other.add_mesh(shuffled(mesh, random, places));
  other.add_entity(entity);
  CasterBench a, b(CasterChoice{.threads = 1});
  a.caster->update(scene, 0.0, {}), b.caster->update(other, 0.0, {});
  const auto rays = random_rays(random, 512, {}, 4);
  const auto from_a = shoot(*a.caster, rays), from_b = shoot(*b.caster, rays);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    RC_ASSERT(same_bits(from_a[i].range_m, from_b[i].range_m));
    if (std::isinf(from_a[i].range_m)) continue;
    // On an edge both triangles are at the same range, and the order decides.
    const std::uint32_t was = places[from_b[i].triangle];
    if (was != from_a[i].triangle) RC_ASSERT(was > from_a[i].triangle);
  }
}

RC_GTEST_PROP(Tree, OfARefittedMeshGivesTheBitsOfANewOne, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  Scene scene = random_scene(random);
  CasterBench followed;
  followed.caster->update(scene, 0.0, {});
  const MeshId mesh{static_cast<std::uint32_t>(random() % scene.meshes().size())};
  auto vertices = scene.meshes()[index(mesh)].vertices_m;
  for (auto& v : vertices) {
    for (float& c : v) c += static_cast<float>(real(random, -0.2, 0.2));
  }
  scene.replace_vertices(mesh, vertices);
  scene.set_pose(EntityId{0}, random_pose(random, 3));
  followed.caster->update(scene, 0.0, {});
  CasterBench fresh;
  fresh.caster->update(scene, 0.0, {});
  const auto rays = random_rays(random, 512, {}, kWorldM);
  RC_ASSERT(differences(shoot(*followed.caster, rays), shoot(*fresh.caster, rays)) == 0U);
}

/// Whether lines from `eye` along `rays` meet something within `clear`, 1 or 0.
std::vector<std::uint32_t> find_blocked(const Caster& caster, const Vec3& eye, const std::vector<WorldRay>& rays,
                                        const std::vector<float>& clear) {
  std::vector<float> d[3];
  for (const WorldRay& ray : rays) {
    d[0].push_back(static_cast<float>(ray.direction.x)), d[1].push_back(static_cast<float>(ray.direction.y));
    d[2].push_back(static_cast<float>(ray.direction.z));
  }
  SightLines lines;
  lines.eye[0] = static_cast<float>(eye.x), lines.eye[1] = static_cast<float>(eye.y);
  lines.eye[2] = static_cast<float>(eye.z);
  lines.dx = d[0].data(), lines.dy = d[1].data(), lines.dz = d[2].data(), lines.clear = clear.data();
  lines.count = static_cast<std::uint32_t>(rays.size());
  std::vector<std::uint32_t> blocked(rays.size(), 7);
  caster.find_blocked(lines, blocked.data());
  return blocked;
}

RC_GTEST_PROP(Tree, BlocksLinesOfSightThatMeetSomethingBeforeTheirEnd, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const Scene scene = random_scene(random);
  const auto isas = usable_isas();
  CasterBench tree(CasterChoice{.isa = isas[random() % isas.size()]});
  tree.caster->update(scene, 0.0, {});
  const Vec3 eye = {real(random, -4, 4), real(random, -4, 4), real(random, -4, 4)};
  const auto rays = random_fan(random, 256, eye);
  const auto shots = shoot_fan(*tree.caster, rays, true);
  std::vector<float> clear;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    clear.push_back(random() % 4 == 0 ? 0.0F : static_cast<float>(real(random, 0.5, 12)));
  }
  const auto blocked = find_blocked(*tree.caster, eye, rays, clear);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    RC_ASSERT(blocked[i] == (clear[i] > 0.0F && shots[i].range_m <= clear[i] ? 1U : 0U));
  }
}

/// Triangles so large for their distances that each ray meets hundreds of boxes: lists of pairs of rays and nodes fill.
Scene tangle(std::mt19937& random) {
  Mesh mesh;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    const auto at = [&] { return static_cast<float>(real(random, -4, 4)); };
    const std::array<float, 3> corner = {at(), at(), at()};
    const auto off = [&](float c) { return c + static_cast<float>(real(random, -1.5, 1.5)); };
    mesh.vertices_m.push_back(corner);
    for (int k = 0; k < 2; ++k) mesh.vertices_m.push_back({off(corner[0]), off(corner[1]), off(corner[2])});
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  Scene scene;
  scene.add_entity({.name = "tangle", .mesh = scene.add_mesh(std::move(mesh))});
  return scene;
}

RC_GTEST_PROP(Tree, GivesTheSameBitsWhereEachRayMeetsHundredsOfBoxes, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const Scene scene = tangle(random);
  const Vec3 eye = real(random, 0.0, 9.0) * random_direction(random);
  std::vector<WorldRay> rays;
  std::vector<float> clear;
  for (int i = 0; i < 256; ++i) {
    rays.push_back({eye, random_direction(random)});
    clear.push_back(static_cast<float>(real(random, 0.1, 6)));
  }
  for (const Isa isa : usable_isas()) {
    CasterBench tree(CasterChoice{.threads = 1, .isa = isa});
    tree.caster->update(scene, 0.0, {});
    const auto alone = shoot(*tree.caster, rays);
    RC_ASSERT(differences(alone, shoot_fan(*tree.caster, rays, false)) == 0U);
    const auto blocked = find_blocked(*tree.caster, eye, rays, clear);
    for (std::size_t i = 0; i < rays.size(); ++i) RC_ASSERT(blocked[i] == (alone[i].range_m <= clear[i] ? 1U : 0U));
  }
}

TEST(Tree, AnswersInAnEmptyScene) {
  CasterBench tree;
  tree.caster->update(Scene{}, 0.0, {});
  std::mt19937 random(1);
  for (const bool coherent : {false, true}) {
    for (const Shot& shot : shoot(*tree.caster, random_rays(random, 32, {}, 1), coherent)) {
      EXPECT_TRUE(std::isinf(shot.range_m));
      EXPECT_EQ(shot.entity, index(kNoEntity));
      EXPECT_EQ(shot.triangle, kNoTriangle);
    }
  }
}

TEST(Tree, ASurfaceSeenFromTheSideIsNotThere) {
  // A laser in the plane of the floor: every ray lies in it.
  Scene scene;
  Entity floor;
  floor.name = "floor";
  floor.mesh = scene.add_mesh(make_plane(4, 4));
  scene.add_entity(floor);
  CasterBench tree;
  tree.caster->update(scene, 0.0, {});
  std::vector<WorldRay> rays;
  for (int i = 0; i < 256; ++i) rays.push_back({{0.1, 0.2, 0}, {std::cos(0.02 * i), std::sin(0.02 * i), 0}});
  for (const bool coherent : {false, true}) {
    for (const Shot& shot : shoot(*tree.caster, rays, coherent)) EXPECT_TRUE(std::isinf(shot.range_m));
  }
}

TEST(Tree, RaysAlongTheSidesOfBoxesOfTrianglesKeepTheirRange) {
  // From the middle of a sphere whose first meridian lies in the plane y = 0: rays in that plane run along an edge of
  // the surface, within a side of the boxes of its triangles.
  constexpr double kRadiusM = 10.0;
  Scene scene;
  scene.add_entity({.name = "sphere", .mesh = scene.add_mesh(make_sphere(kRadiusM, 512))});
  CasterBench tree;
  tree.caster->update(scene, 0.0, {});
  std::vector<WorldRay> rays;
  for (int i = 0; i < 1024; ++i) {
    const double angle = 0.0061 * i, c = std::cos(angle), s = std::sin(angle);
    for (const double tiny : {0.0, -0.0, 1e-19, -1e-19, 1e-12, -1e-12}) {
      rays.push_back({{}, {c, tiny, s}}), rays.push_back({{}, {tiny, c, s}});
    }
  }
  const double least = kRadiusM * std::cos(3.1416 / 512) * std::cos(3.1416 / 512) * (1 - 2e-6);
  for (const bool coherent : {false, true}) {
    for (const Shot& shot : shoot(*tree.caster, rays, coherent)) {
      ASSERT_GT(shot.range_m, least);
      ASSERT_LT(shot.range_m, kRadiusM * (1 + 2e-6));
    }
  }
}

/// What a walk relies on.
void expect_sound(const tree::MeshTree& tree, std::size_t triangles) {
  std::vector<int> seen(triangles, 0);
  std::vector<std::uint32_t> depth(tree.nodes.size(), 1);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    ASSERT_LE(depth[i], tree::kMaxDepth);
    const tree::Node& node = tree.nodes[i];
    bool ended = false;
    for (std::uint32_t k = 0; k < tree::kWidth; ++k) {
      const std::uint32_t child = node.child[k];
      ended = ended || child == tree::kNone;
      ASSERT_EQ(child == tree::kNone, ended) << "children that exist come first";
      if (ended) continue;
      const auto contains = [&](int a, float low, float high) { return node.lo[a][k] <= low && high <= node.hi[a][k]; };
      if ((child & tree::kLeafBit) == 0) {
        ASSERT_GT(child, i);
        depth[child] = depth[i] + 1;
        for (int a = 0; a < 3; ++a) {
          const tree::Node& below = tree.nodes[child];
          ASSERT_TRUE(contains(a, *std::min_element(below.lo[a], below.lo[a] + tree::kWidth),
                               *std::max_element(below.hi[a], below.hi[a] + tree::kWidth)));
        }
        continue;
      }
      const tree::Leaf& leaf = tree.leaves[child & ~tree::kLeafBit];
      ASSERT_NE(leaf.id[0], tree::kNone);
      for (std::uint32_t lane = 0; lane < tree::kLeafTriangles && leaf.id[lane] != tree::kNone; ++lane) {
        ++seen[leaf.id[lane]];
        for (int a = 0; a < 3; ++a) {
          for (int v = 0; v < 3; ++v) ASSERT_TRUE(contains(a, leaf.v[v][a][lane], leaf.v[v][a][lane]));
        }
      }
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(triangles));
}

RC_GTEST_PROP(TreeBuilder, HoldsEveryTriangleOnceInBoxesAroundIt, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  std::vector<std::array<float, 3>> vertices(1 + random() % 3000);
  std::vector<std::array<std::uint32_t, 3>> triangles(random() % 6000);
  const bool lumped = random() % 4 == 0;  // many triangles in one place have equal centres
  for (auto& v : vertices) {
    for (float& c : v) c = lumped ? static_cast<float>(random() % 2) : static_cast<float>(real(random, -5, 5));
  }
  for (auto& t : triangles) {
    for (auto& v : t) v = static_cast<std::uint32_t>(random() % vertices.size());
  }
  const auto executor = make_executor(1 + static_cast<int>(random() % 3));
  const auto leaf_size = static_cast<std::uint32_t>(1 + random() % 4);
  expect_sound(tree::build_mesh(vertices, triangles, *executor, leaf_size), triangles.size());
}

TEST(TreeBuilder, EndsOnTrianglesThatShrinkTowardsAPoint) {
  // Each split by area peels off a few: without a bound the tree would be as deep as there are triangles.
  std::vector<std::array<float, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (int i = 0; i < 3000; ++i) {
    const auto scale = static_cast<float>(std::pow(1.03, -i));
    for (const std::array<float, 3> v : {std::array<float, 3>{1, 0, 0}, {1.1F, 0, 0}, {1, 0.1F, 0}}) {
      vertices.push_back({scale * v[0], scale * v[1], scale * v[2]});
    }
    const auto n = static_cast<std::uint32_t>(3 * i);
    triangles.push_back({n, n + 1, n + 2});
  }
  const auto executor = make_executor(1);
  expect_sound(tree::build_mesh(vertices, triangles, *executor, 1), triangles.size());
}

TEST(TreeBuilder, EndsOnTrianglesWhoseDistancesHaveNoReciprocal) {
  std::vector<std::array<float, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const float at = static_cast<float>(i) * std::numeric_limits<float>::denorm_min();
    vertices.push_back({at, 0, 0}), vertices.push_back({at, at, 0}), vertices.push_back({0, at, at});
    triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const auto executor = make_executor(1);
  expect_sound(tree::build_mesh(vertices, triangles, *executor, 1), triangles.size());
}

/// Shells of triangles, each a sixteenth of the one before, use up the levels that split by area; lower levels must
/// halve the equal triangles in the middle.
TEST(TreeBuilder, HalvesTheFullestWhereLevelsRunOut) {
  constexpr int kShells = 22, kShellTriangles = 60, kEqual = 500'000;
  std::vector<std::array<float, 3>> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  std::mt19937 random(3);
  const auto add_triangle = [&](double spread, double size) {
    const auto first = static_cast<std::uint32_t>(vertices.size());
    const Vec3 middle = {spread * real(random, -1, 1), spread * real(random, -1, 1), spread * real(random, -1, 1)};
    for (int i = 0; i < 3; ++i) {
      const Vec3 v = middle + size * Vec3{real(random, -1, 1), real(random, -1, 1), real(random, -1, 1)};
      vertices.push_back({static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)});
    }
    triangles.push_back({first, first + 1, first + 2});
  };
  double size = 1e15;
  for (int shell = 0; shell < kShells; ++shell, size /= 16) {
    for (int i = 0; i < kShellTriangles; ++i) add_triangle(size, 0.3 * size);
  }
  add_triangle(0.0, size);
  triangles.resize(triangles.size() + kEqual, triangles.back());
  const auto executor = make_executor(2);
  expect_sound(tree::build_mesh(vertices, triangles, *executor), triangles.size());
}

}  // namespace
}  // namespace fathom::test
