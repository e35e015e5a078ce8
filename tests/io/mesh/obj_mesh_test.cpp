// SPDX-License-Identifier: MIT

#include "io/mesh/mesh_files.hpp"
#include "io/mesh/read_mesh.hpp"
#include "io/mesh/triangles.hpp"

namespace fathom::test::polygon_test {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// Twice the area vector: that of a closed outline does not depend on how it is cut.
Vec3 outline_area2(const std::vector<Vec3>& corners) {
  Vec3 sum;
  for (std::size_t i = 0; i < corners.size(); ++i) sum = sum + cross(corners[i], corners[(i + 1) % corners.size()]);
  return sum;
}

/// A star-shaped outline around the origin, tilted out of every plane of two axes.
std::vector<Vec3> star(const std::vector<double>& radii) {
  const Quaternion tilt = from_roll_pitch_yaw(0.3, -0.7, 1.1);
  std::vector<Vec3> corners;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const double a = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(radii.size());
    corners.push_back(rotate(tilt, {radii[i] * std::cos(a), radii[i] * std::sin(a), 0.0}));
  }
  return corners;
}

/// Triangles that leave the outline, as a fan's do, have areas that are negative or add up to more than the outline's.
void expect_exact_cover(const std::vector<Vec3>& corners) {
  const Triangles triangles = triangulate(corners);
  ASSERT_EQ(triangles.size(), corners.size() - 2);
  const Vec3 whole = outline_area2(corners);
  double sum = 0.0;
  for (const auto& [a, b, c] : triangles) {
    const Vec3 part = cross(corners[b] - corners[a], corners[c] - corners[a]);
    EXPECT_GT(dot(part, whole), -1e-9);
    sum += norm(part);
  }
  EXPECT_NEAR(sum, norm(whole), 1e-9 * norm(whole));
}

TEST(PolygonTest, MakesAFanOfConvexOutlines) {
  EXPECT_EQ(triangulate(star({1, 1, 1})), (Triangles{{0, 1, 2}}));
  EXPECT_EQ(triangulate(star({1, 1, 1, 1, 1})), (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
  EXPECT_EQ(triangulate(star(std::vector<double>(5000, 1.0))).size(), 4998U) << "however many corners";
}

TEST(PolygonTest, CutsAnArrowInsideItsOutline) {
  // The fan around corner 0 would cross the notch at corner 2.
  const std::vector<Vec3> arrow = {{0, 0, 5}, {2, -1, 5}, {1, 0, 5}, {2, 1, 5}};
  expect_exact_cover(arrow);
  for (std::size_t first = 0; first < 4; ++first) {
    std::vector<Vec3> turned(arrow.begin() + static_cast<std::ptrdiff_t>(first), arrow.end());
    turned.insert(turned.end(), arrow.begin(), arrow.begin() + static_cast<std::ptrdiff_t>(first));
    expect_exact_cover(turned);
    expect_exact_cover({turned.rbegin(), turned.rend()});
  }
}

RC_GTEST_PROP(PolygonTest, CutsStarsInsideTheirOutline, ()) {
  const auto tenths =
      *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(4, 40), rc::gen::inRange(1, 40));
  std::vector<double> radii;
  for (const int t : tenths) radii.push_back(0.1 * t);
  expect_exact_cover(star(radii));
}

TEST(PolygonTest, CutsASpiralInsideItsOutline) {
  // A ribbon wound up: all its ears are at the two ends, far from the first corner, where the search begins.
  std::vector<Vec3> ribbon;
  for (int i = 0; i < 1024; ++i) {
    const int step = i < 512 ? i : 1023 - i;
    const double radius = (i < 512 ? 1.0 : 0.8) + 0.05 * step, angle = 0.2 * step;
    ribbon.push_back({radius * std::cos(angle), radius * std::sin(angle), 3.0});
  }
  expect_exact_cover(ribbon);
  expect_exact_cover({ribbon.rbegin(), ribbon.rend()});
}

TEST(PolygonTest, CutsAnOutlineThatTouchesItself) {
  // A square with a hole, which a bridge there and back joins to the outline.
  expect_exact_cover(
      {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0}, {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}});
}

TEST(PolygonTest, TakesWhatHasNoAreaOrCrossesItself) {
  EXPECT_TRUE(triangulate({}).empty());
  EXPECT_TRUE(triangulate(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}}).empty());
  EXPECT_EQ(triangulate(std::vector<Vec3>(6)).size(), 4U);
  EXPECT_EQ(triangulate(std::vector<Vec3>{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}).size(), 2U);
  const double nan = std::nan("");
  EXPECT_EQ(triangulate(std::vector<Vec3>{{0, 0, 0}, {1, nan, 0}, {1, 0, 0}, {0, 1, 0}}).size(), 2U);
}

TEST(PolygonTest, RefusesMoreConcaveCornersThanItCanCutInTime) {
  std::vector<double> radii(1026, 1.0);
  for (std::size_t i = 0; i < radii.size(); i += 2) radii[i] = 0.5;
  const auto message = message_of<InputError>([&] { triangulate(star(radii)); });
  EXPECT_EQ(message, "a polygon of 1026 corners is not convex, the limit of such is 1024 corners");
  radii.resize(1024);
  expect_exact_cover(star(radii));
}

}  // namespace
}  // namespace fathom::test::polygon_test

namespace fathom::test::obj_mesh_test {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

Mesh parse(const std::string& text) {
  MeshReading reading;
  return parse_obj_mesh(text, "a.obj", reading);
}

std::string refusal(const std::string& text) {
  return message_of<InputError>([&] { parse(text); });
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
  const std::string text = obj();
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
}  // namespace fathom::test::obj_mesh_test
