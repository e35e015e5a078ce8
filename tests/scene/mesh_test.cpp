// SPDX-License-Identifier: MIT
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/scene/mesh.hpp>

#include "support/error_text.hpp"

namespace fathom::test {
namespace {

const Mesh kGood = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}, {0, 2, 3}}};

TEST(ValidateMesh, TakesAGoodMesh) {
  EXPECT_EQ(input_error([] { validate(kGood); }), "");
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

}  // namespace
}  // namespace fathom::test
