// SPDX-License-Identifier: MIT
// Surfaces at their limits: closed ones do not leak, degenerate triangles are not there, rays may start on a surface.

#include "trace/shoot.hpp"
#include "trace/tree/build.hpp"

namespace fathom::test {
namespace {

Scene scene_of(Mesh mesh, const Pose& pose = {}, Vec3 scale = {1, 1, 1}) {
  Scene scene;
  Entity entity;
  entity.name = "surface";
  entity.mesh = scene.add_mesh(std::move(mesh));
  entity.parent_from_entity = pose;
  entity.scale = scale;
  scene.add_entity(entity);
  return scene;
}

class ClosedSurfaces : public testing::TestWithParam<CasterChoice> {};
INSTANTIATE_TEST_SUITE_P(Casters, ClosedSurfaces, testing::ValuesIn(casters_and_isas()),
                         [](const auto& instance) { return name_of(instance.param); });
class Surfaces : public testing::TestWithParam<CasterChoice> {};
INSTANTIATE_TEST_SUITE_P(Casters, Surfaces, testing::ValuesIn(casters_and_isas()),
                         [](const auto& instance) { return name_of(instance.param); });

TEST_P(ClosedSurfaces, DoNotLeak) {
  const Pose pose = {{0.3, -0.2, 0.1}, from_roll_pitch_yaw(0.3, 0.5, 0.7)};
  const Mesh meshes[] = {make_sphere(2, 64), make_box({3, 2, 4}), make_cylinder(1, 3, 64)};
  for (const Mesh& mesh : meshes) {
    CasterBench bench(GetParam());
    bench.caster->update(scene_of(mesh, pose, {1, 1.3, 0.7}), 0.0, {});
    std::mt19937 random(1);
    std::size_t leaks = 0;
    constexpr std::size_t kBatch = 1 << 14;
    for (std::size_t batch = 0; batch < repetitions(64); ++batch) {
      const auto shots = shoot(*bench.caster, random_rays(random, kBatch, pose.translation_m, 0.3));
      for (const Shot& shot : shots) leaks += !(shot.range_m < 10.0F);
    }
    EXPECT_EQ(leaks, 0U);
  }
}

TEST_P(ClosedSurfaces, DoNotLeakThroughTheirVerticesAndEdges) {
  // Aimed at what leaks first.
  const Mesh mesh = make_sphere(2, 32);
  CasterBench bench(GetParam());
  bench.caster->update(scene_of(mesh), 0.0, {});
  std::vector<WorldRay> rays;
  const Vec3 origin = {0.1, 0.2, -0.3};
  const auto aim = [&](Vec3 at) { rays.push_back({origin, (1 / norm(at - origin)) * (at - origin)}); };
  const auto vertex = [&](std::uint32_t i) {
    const auto& v = mesh.vertices_m[i];
    return Vec3{v[0], v[1], v[2]};
  };
  for (std::uint32_t i = 0; i < mesh.vertices_m.size(); ++i) aim(vertex(i));
  for (const auto& t : mesh.triangles) {
    for (int k = 0; k < 3; ++k) {
      for (const double u : {0.1, 0.5, 0.77}) aim((1 - u) * vertex(t[k]) + u * vertex(t[(k + 1) % 3]));
    }
  }
  for (const Shot& shot : shoot(*bench.caster, rays)) ASSERT_LT(shot.range_m, 3.0F);
}

TEST_P(ClosedSurfaces, ARayMayStartOnOne) {
  // From a face of a box of edge 2: inwards it meets the far side, outwards nothing farther than rounding.
  CasterBench bench(GetParam());
  bench.caster->update(scene_of(make_box({2, 2, 2})), 0.0, {});
  const std::vector<WorldRay> rays = {{{1, 0.3, 0.2}, {-1, 0, 0}},
                                      {{1, 0.3, 0.2}, {1, 0, 0}},
                                      {{0.1, 1, 0.2}, {0, -1, 0}},
                                      {{0.1, 0.2, -1}, {0, 0, -1}}};
  const float rounding = rounding_along_axes(GetParam().caster);
  for (const Shot& shot : shoot(*bench.caster, rays)) {
    EXPECT_TRUE(shot.range_m <= 1e-6F || std::abs(shot.range_m - 2.0F) <= 2.0F * rounding || std::isinf(shot.range_m))
        << shot.range_m;
  }
}

TEST_P(Surfaces, ARangeIsCountedFromTheOriginOfTheRay) {
  CasterBench bench(GetParam());
  bench.caster->update(scene_of(make_box({2, 2, 2})), 0.0, {});
  const auto shots =
      shoot(*bench.caster, std::vector<WorldRay>{{{-5, 0.3, 0.2}, {1, 0, 0}}, {{0, 0.3, 0.2}, {1, 0, 0}}});
  const float rounding = rounding_along_axes(GetParam().caster);
  EXPECT_NEAR(shots[0].range_m, 4.0F, 4.0F * rounding);
  EXPECT_EQ(shots[0].normal, (Vec3{-1, 0, 0}));
  EXPECT_NEAR(shots[1].range_m, 1.0F, rounding) << "two-sided: seen from inside";
  EXPECT_EQ(shots[1].normal, (Vec3{-1, 0, 0})) << "turned against the ray";
}

TEST_P(Surfaces, AMissIsInfiniteAndNobody) {
  CasterBench bench(GetParam());
  bench.caster->update(scene_of(make_plane(1, 1)), 0.0, {});
  const auto shots = shoot(*bench.caster, std::vector<WorldRay>{{{0, 0, 1}, {0, 0, 1}}, {{5, 0, 1}, {0, 0, -1}}});
  for (const Shot& shot : shots) {
    EXPECT_EQ(shot.range_m, std::numeric_limits<float>::infinity());
    EXPECT_EQ(shot.entity, index(kNoEntity));
    EXPECT_EQ(shot.triangle, kNoTriangle);
  }
}

TEST_P(Surfaces, AnEmptySceneIsAllMisses) {
  CasterBench bench(GetParam());
  bench.caster->update(Scene(), 0.0, {});
  for (const Shot& shot : shoot(*bench.caster, std::vector<WorldRay>(5, {{0, 0, 0}, {1, 0, 0}}))) {
    EXPECT_TRUE(std::isinf(shot.range_m));
    EXPECT_EQ(shot.entity, index(kNoEntity));
  }
}

TEST_P(Surfaces, TrianglesWithoutAreaAreNeverHit) {
  // Points, lines and repeated corners in front of a wall; all rays through them reach the wall.
  Mesh mesh = make_plane(10, 10);
  const auto add = [&](std::array<float, 3> a, std::array<float, 3> b, std::array<float, 3> c) {
    const auto first = static_cast<std::uint32_t>(mesh.vertices_m.size());
    mesh.vertices_m.insert(mesh.vertices_m.end(), {a, b, c});
    mesh.triangles.push_back({first, first + 1, first + 2});
  };
  add({0, 0, 1}, {0, 0, 1}, {0, 0, 1});
  add({-1, 0.5F, 1}, {1, 0.5F, 1}, {0, 0.5F, 1});
  add({-1, -1, 1}, {1, 1, 1}, {1, 1, 1});
  mesh.triangles.push_back({0, 0, 2});
  CasterBench bench(GetParam());
  bench.caster->update(scene_of(mesh), 0.0, {});
  std::vector<WorldRay> rays;
  for (int i = -20; i <= 20; ++i) {
    const double x = 0.05 * i;
    rays.push_back({{x, 0, 3}, {0, 0, -1}});
    rays.push_back({{x, 0.5, 3}, {0, 0, -1}});
    rays.push_back({{x, x, 3}, {0, 0, -1}});
  }
  for (const Shot& shot : shoot(*bench.caster, rays)) {
    EXPECT_NEAR(shot.range_m, 3.0F, 3.0F * rounding_along_axes(GetParam().caster));
    EXPECT_LT(shot.triangle, 2U);
  }
}

TEST_P(Surfaces, ASheetSeenEdgeOnIsNeverNaN) {
  CasterBench bench(GetParam());
  bench.caster->update(scene_of(make_plane(2, 2)), 0.0, {});
  for (const Shot& shot : shoot(*bench.caster, std::vector<WorldRay>{{{-5, 0.3, 0}, {1, 0, 0}}})) {
    EXPECT_FALSE(std::isnan(shot.range_m));
  }
}

}  // namespace

// Areas of triangles against closed forms, over more triangles than one task takes.

namespace {

TEST(TypicalArea, IsThatOfRightTrianglesOfGrowingSize) {
  constexpr std::uint32_t kCount = 40000;
  std::vector<std::array<float, 3>> vertices = {{1, 2, 3}};
  std::vector<std::array<std::uint32_t, 3>> triangles;
  vertices.reserve(2 * kCount + 1), triangles.reserve(kCount);
  double sum = 0.0, sum_of_squares = 0.0;
  for (std::uint32_t i = 1; i <= kCount; ++i) {
    const auto leg = static_cast<float>(i) / 1024.0F;  // exact, and so is what it is added to
    vertices.push_back({1 + leg, 2, 3});
    vertices.push_back({1, 2, 3 - leg});
    triangles.push_back({0, 2 * i - 1, 2 * i});
    const double area = 0.5 * double{leg} * double{leg};
    sum += area, sum_of_squares += area * area;
  }
  const auto alone = make_executor(1), crew = make_executor(4);
  const double area = tree::typical_area(vertices, triangles, *alone);
  EXPECT_NEAR(area / (sum_of_squares / sum), 1.0, 1e-12);
  EXPECT_EQ(tree::typical_area(vertices, triangles, *crew), area);
  EXPECT_EQ(tree::typical_area({}, {}, *alone), 0.0);
}

}  // namespace
}  // namespace fathom::test
