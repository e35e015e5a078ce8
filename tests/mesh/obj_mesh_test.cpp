// SPDX-License-Identifier: MIT
#include "mesh/obj_mesh.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>

#include "mesh/mesh_files.hpp"
#include "support/error_text.hpp"

namespace fathom::obj_mesh_test {
namespace {

using test::contains;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

Mesh parse(const std::string& text) {
  MeshReading reading;
  return parse_obj_mesh(text, "a.obj", reading);
}

std::string refusal(const std::string& text) {
  return test::message_of<InputError>([&] { parse(text); });
}

const char* const kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\n";

TEST(ObjMeshTest, ReadsCornersInEveryForm) {
  for (const char* faces : {"f 1 2 3\nf 1 3 4\n", "f 1/1 2/2 3/9\nf 1/1 3/2 4/2\n",
                            "f 1//1 2//1 3//1\nf 1//1 3//1 4//1\n", "f 1/1/1 2/1/1 3/1/1\nf -4 -2 -1\n", "f 1 2 3 4\n",
                            "fo 1 2 3 4 # as it was called once\n", "f 1 2 \\\n3 \\\r\n4\n", "f 1 2 3 4"}) {
    const Mesh mesh = parse(std::string(kSquare) + faces);
    EXPECT_EQ(mesh.vertices_m, test::square().vertices_m) << faces;
    EXPECT_EQ(mesh.triangles, test::square().triangles) << faces;
  }
}

TEST(ObjMeshTest, EndsACommentWithItsLine) {
  const std::string comment = "# made from C:\\models\\\n";
  EXPECT_EQ(parse(comment + kSquare + "f 1 2 3\n" + comment + "f 1 3 4\n").triangles, test::square().triangles);
  EXPECT_EQ(parse(std::string(kSquare) + "f 1 2 \\\n3 4 # C:\\\nl 1 2\n").triangles, test::square().triangles);
}

TEST(ObjMeshTest, ReadsEveryLineEnd) {
  const std::string text = test::obj();
  for (const char* line_end : {"\n", "\r\n", "\r"}) {
    std::string other;
    for (const char c : text) other += c == '\n' ? std::string(line_end) : std::string(1, c);
    EXPECT_EQ(parse(other).triangles, test::square().triangles);
  }
}

TEST(ObjMeshTest, CountsBackwardsFromTheFace) {
  EXPECT_EQ(parse("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\n").vertices_m[0],
            (std::array<float, 3>{0, 0, 0}));
  EXPECT_EQ(parse("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").triangles.size(), 1U) << "vertices may come later";
}

TEST(ObjMeshTest, CutsConcavePolygonsInside) {
  const Mesh mesh = parse("v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 1 0\nv 0 4 0\nf 1 2 3 4 5\n");
  double area2 = 0.0;
  for (const auto& t : mesh.triangles) {
    const auto &a = mesh.vertices_m[t[0]], &b = mesh.vertices_m[t[1]], &c = mesh.vertices_m[t[2]];
    area2 += std::abs((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
  }
  EXPECT_DOUBLE_EQ(area2, 20.0);
}

TEST(ObjMeshTest, TakesColoursAndPassesOverWhatPlacesNoSurface) {
  const std::string text =
      "\n  # c\nmtllib ../../../../etc/passwd\no a b\ng\ns off\nusemtl #3\nvt 0 0\nvn nan x\nvp 1\np 1\nl 1 2\n"
      "v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 1 1 0.5 1 0 0 1\n\tv 0 1 0\ncstype bezier\nend\nf 1 2 3 4\n";
  EXPECT_EQ(parse(text).vertices_m, test::square().vertices_m);
}

TEST(ObjMeshTest, PassesOverFacesOfFewerThanThreeCorners) {
  MeshReading reading;
  const Mesh mesh = parse_obj_mesh(std::string(kSquare) + "f 1 2\nf 1\nf\nf 1 2 3 4\nf -1 -1\n", "a.obj", reading);
  EXPECT_EQ(mesh.triangles, test::square().triangles);
  EXPECT_EQ(reading.notes, std::vector<std::string>{"4 faces have fewer than 3 corners"});
}

TEST(ObjMeshTest, NamesTheLineThatIsWrong) {
  const std::vector<std::array<const char*, 2>> cases = {
      {"v 5,9 -3,9 -1", "a.obj:5: v: number 1: '5,9' is not a number"},
      {"v five -3 -1", "a.obj:5: v: number 1: 'five' is not a number"},
      {"v 1 2", "a.obj:5: a vertex of 2 numbers: 3 are needed, or 6 with a colour"},
      {"v 1 2 3 4 5", "a.obj:5: a vertex of 5 numbers"},
      {"v 1 2 3 0.5", "a.obj:5: v: the weight 0.5 is not 1"},
      {"f 1 x", "a.obj:5: f: 'x' is not a corner"},
      {"f 1 2 0", "a.obj:5: f: vertex index 0; the first is 1"},
      {"f 1 2 5", "a.obj:5: f: vertex index 5 is not in [1, 4]"},
      {"f 1 2 -5", "a.obj:5: f: vertex index -5, but there are 4 vertices until here"},
      {"f 1 2 3/x", "a.obj:5: f: '3/x' is not a corner such as 7, 7/1, 7//3 or 7/1/3"},
      {"f 1 2 /3", "a.obj:5: f: '/3' is not a corner"},
      {"f 1 2 3/1/1/1", "a.obj:5: f: '3/1/1/1' is not a corner"},
      {"f 1 2 3.5", "a.obj:5: f: '3.5' is not a corner"},
      {"f 1 2 99999999999999999999", "is not a corner"},
      {"\n\nf 1 \\\n2 7", "a.obj:7: f: vertex index 7 is not in [1, 4]"},
      {"surf 0 1 0 1 1 2 3 4", "a.obj:5: surf: free-form surfaces are not read, only faces"},
      {"call other.obj", "a.obj:5: 'call' is not understood in an OBJ file"},
      {"\x1b[2J", "a.obj:5: '"}};
  for (const auto& [line, message] : cases) {
    const std::string said = refusal(kSquare + std::string(line) + "\nf 1 2 3\n");
    EXPECT_TRUE(contains(said, message)) << line << ": " << said;
    EXPECT_EQ(said.find('\x1b'), std::string::npos);
  }
}

}  // namespace
}  // namespace fathom::obj_mesh_test
