// SPDX-License-Identifier: MIT

#include <fathom/scene/mesh.hpp>

#include "scene/mesh.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

const Mesh kGood = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}, {0, 2, 3}}};

TEST(ValidateMesh, TakesAGoodMesh) {
  EXPECT_EQ(input_error([] { validate(kGood); }), "");
  Mesh far = kGood;
  far.origin_m = {-1e9, 0, 1e9 - 1};
  EXPECT_EQ(input_error([&] { validate(far); }), "");
}

struct Defect {
  std::string name;
  void (*break_it)(Mesh&);
  std::string message;
};

const std::vector<Defect> kDefects = {
    {"nothing", [](Mesh& m) { m = {}; }, "mesh is empty: 0 vertices, 0 triangles"},
    {"no_vertices", [](Mesh& m) { m.vertices_m.clear(); }, "mesh is empty: 0 vertices, 2 triangles"},
    {"no_triangles", [](Mesh& m) { m.triangles.clear(); }, "mesh is empty: 4 vertices, 0 triangles"},
    {"nan", [](Mesh& m) { m.vertices_m[3][1] = NAN; }, "vertex 3 = nan is not finite"},
    {"infinite", [](Mesh& m) { m.vertices_m[0][2] = INFINITY; }, "vertex 0 = inf is not finite"},
    {"origin_nan", [](Mesh& m) { m.origin_m.y = NAN; }, "the origin of the mesh, nan m, is not in [-1e9, 1e9] m"},
    {"origin_too_far", [](Mesh& m) { m.origin_m.z = -2e9; },
     "the origin of the mesh, -2000000000 m, is not in [-1e9, 1e9] m"},
    {"vertex_too_far", [](Mesh& m) { m.origin_m.x = 0.9e9, m.vertices_m[2][0] = 0.2e9F; },
     "vertex 2 = 1100000000 is not in [-1e9, 1e9] m"},
    {"index", [](Mesh& m) { m.triangles[1][2] = 4; }, "triangle 1: vertex index 4 is not in [0, 3]"},
    {"largest_index", [](Mesh& m) { m.triangles[0][0] = 0xffffffffU; },
     "triangle 0: vertex index 4294967295 is not in [0, 3]"},
    {"repeated_corners",
     [](Mesh& m) {
       m.triangles = {{1, 1, 2}, {3, 3, 3}};
     },
     "mesh is degenerate: none of its 2 triangles has an area"},
    {"on_a_line",
     [](Mesh& m) {
       m = {{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, {{0, 1, 2}}};
     },
     "mesh is degenerate: none of its 1 triangles has an area"},
};

class Defects : public testing::TestWithParam<Defect> {};
INSTANTIATE_TEST_SUITE_P(ValidateMesh, Defects, testing::ValuesIn(kDefects),
                         [](const auto& instance) { return instance.param.name; });

TEST_P(Defects, AreNamed) {
  Mesh mesh = kGood;
  GetParam().break_it(mesh);
  EXPECT_EQ(input_error([&] { validate(mesh); }), GetParam().message);
}

TEST(ValidateMesh, OneDegenerateTriangleAmongGoodOnesIsAllowed) {
  Mesh mesh = kGood;
  mesh.triangles.push_back({2, 2, 2});
  EXPECT_EQ(input_error([&] { validate(mesh); }), "");
}

TEST(ValidateMesh, TinyTrianglesHaveAnArea) {
  Mesh mesh = kGood;
  for (auto& v : mesh.vertices_m) {
    for (float& c : v) c *= 1e-30F;
  }
  EXPECT_EQ(input_error([&] { validate(mesh); }), "");
}

TEST(MeshOrigin, IsZeroNearTheOriginAndForWideMeshes) {
  const std::vector<std::array<std::uint32_t, 3>> one = {{0, 1, 2}};
  const auto origin_of = [&](const std::vector<MeshPlace>& places) { return origin_for(places, one); };
  EXPECT_EQ(origin_of({{1000, 0, 0}, {1010, 0, 0}, {1000, 10, 0}}), Vec3{});
  EXPECT_EQ(origin_of({{1100, 0, 0}, {1110, 0, 0}, {1100, 10, 0}}), (Vec3{1088, 0, 0}));
  EXPECT_EQ(origin_of({{0, 0, 0}, {5e6, 0, 0}, {5e6, 10, 0}}), Vec3{}) << "its size is its distance";
  EXPECT_EQ(origin_of({{2e6, 0, 0}, {5e6, 0, 0}, {5e6, 10, 0}}), (Vec3{3500032, 0, 0}));
  EXPECT_EQ(origin_of({{-5e6, -1, 5e5}, {-5e6, 1, 5e5}, {-5e6, 0, 5e5 + 1}}), (Vec3{-5e6, 0, 499968 + 64}));
  EXPECT_EQ(origin_of({{2e9, 0, 0}, {2e9, 1, 0}, {2e9, 0, 1}}), Vec3{}) << "beyond the limits: validate() refuses it";
  EXPECT_EQ(origin_of({{NAN, 0, 0}, {1, 0, 0}, {0, 1, 0}}), Vec3{});
  EXPECT_EQ(origin_of({}), Vec3{});
  EXPECT_EQ(origin_for(std::vector<MeshPlace>{{1, 2, 3}}, {}), Vec3{});
}

TEST(MeshOrigin, LeavesTheVerticesOfNearMeshesAlone) {
  const Mesh mesh =
      mesh_of_places(std::vector<MeshPlace>{{0.1, -0.0, 1e-50}, {900.7, 0, 0}, {0, 3.3, 1e39}}, {{0, 1, 2}});
  EXPECT_EQ(mesh.origin_m, Vec3{});
  EXPECT_EQ(mesh.vertices_m[0], (std::array<float, 3>{0.1F, -0.0F, 0.0F}));
  EXPECT_TRUE(std::signbit(mesh.vertices_m[0][1]));
  EXPECT_EQ(mesh.vertices_m[1][0], 900.7F);
  EXPECT_TRUE(std::isinf(mesh.vertices_m[2][2]));
}

RC_GTEST_PROP(MeshOrigin, VerticesAreWherePlacesAre, (std::uint32_t seed)) {
  std::mt19937 random(seed);
  const auto real = [&](double size) { return size * (static_cast<double>(random()) / 2147483648.0 - 1.0); };
  const Vec3 middle = {real(1e7), real(1e7), real(1e4)};
  std::vector<MeshPlace> places;
  for (int i = 0; i < 9; ++i) places.push_back({middle.x + real(50), middle.y + real(50), middle.z + real(50)});
  const Mesh mesh = mesh_of_places(places, {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}});
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vec3 at = mesh.origin_m + vertex_of(mesh, static_cast<std::uint32_t>(i));
    RC_ASSERT(norm(at - Vec3{places[i][0], places[i][1], places[i][2]}) < 2e-4);
    RC_ASSERT(mesh.origin_m == Vec3{} || norm(at - Vec3{places[i][0], places[i][1], places[i][2]}) < 2e-5);
  }
  const Vec3 scale = {2, -0.5, 3};
  const Pose pose = {{real(100), real(100), 0}, from_roll_pitch_yaw(real(3), 0.3, real(3))};
  const Pose moved = at_mesh_origin(pose, scale, mesh);
  const Vec3 v = vertex_of(mesh, 4), at = mesh.origin_m + v;
  const Vec3 due = pose * Vec3{scale.x * at.x, scale.y * at.y, scale.z * at.z};
  RC_ASSERT(norm(moved * Vec3{scale.x * v.x, scale.y * v.y, scale.z * v.z} - due) < 1e-7);
  const Affine map = {{{1, 0.5, 0, 3}, {-0.2, 2, 0, 4}, {0, 0.1, 1, 5}}};
  RC_ASSERT(norm(transform_point(at_mesh_origin(map, mesh), v) - transform_point(map, at)) < 1e-7);
}

}  // namespace
}  // namespace fathom::test
