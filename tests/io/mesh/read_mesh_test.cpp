// SPDX-License-Identifier: MIT

#include <fathom/files/meshes.hpp>

#include "io/mesh/mesh_files.hpp"
#include "io/mesh/read_mesh.hpp"

namespace fathom::test::read_mesh_test {
namespace {

class ReadMeshTest : public ::testing::Test {
 protected:
  /// Axes as written.
  Mesh read(std::string_view name, std::string_view bytes) { return read_mesh(folder_.write(name, bytes), UpAxis::kZ); }
  std::string refusal(std::string_view name, std::string_view bytes) {
    return message_of<InputError>([&] { read(name, bytes); });
  }
  /// InputError or a mesh that is valid; true: an error.
  bool is_refused(std::string_view name, std::string_view bytes) {
    try {
      validate(read(name, bytes));
      return false;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      EXPECT_TRUE(contains(error.what(), std::string(name)));
      return true;
    }
  }

  TemporaryFolder folder_;
};

TEST_F(ReadMeshTest, ReadsEveryFormatAsTheSameMesh) {
  const Mesh expected = test::square();
  const std::vector<std::pair<const char*, std::string>> files = {
      {"a.ply", ascii_ply()},        {"little.ply", binary_ply(false)},
      {"big.PLY", binary_ply(true)}, {"binary.stl", binary_stl()},
      {"ascii.stl", ascii_stl()},    {"a.obj", test::obj()},
      {"a.gltf", test::gltf()},      {"a.glb", test::glb()},
      {"a.dae", test::dae("")}};
  for (const auto& [name, bytes] : files) {
    const Mesh mesh = read(name, bytes);
    EXPECT_EQ(corners(mesh), corners(expected)) << name;
    EXPECT_EQ(mesh.vertices_m.size(), 4U) << name << ": equal vertices are one";
  }
}

TEST_F(ReadMeshTest, ReadsStlInCapitals) {
  std::string text = ascii_stl();
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  EXPECT_EQ(corners(read("a.stl", text)), corners(test::square()));
}

TEST_F(ReadMeshTest, KeepsTheOrderOfPlyVertices) {
  EXPECT_EQ(read("a.ply", ascii_ply()).vertices_m, test::square().vertices_m);
  EXPECT_EQ(read("b.ply", binary_ply(true)).vertices_m, test::square().vertices_m);
}

TEST_F(ReadMeshTest, AppliesNodeTransforms) {
  // 90 degrees about z, times 2, then moved.
  const std::string gltf =
      test::gltf(R"(,"translation":[1,2,3],"rotation":[0,0,0.70710678,0.70710678],"scale":[2,2,2])");
  const std::string dae = test::dae("", "<matrix>0 -2 0 1 2 0 0 2 0 0 2 3 0 0 0 1</matrix>");
  const auto plain = corners(test::square());
  for (const auto& moved : {corners(read("a.gltf", gltf)), corners(read("a.dae", dae))}) {
    ASSERT_EQ(moved.size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      EXPECT_NEAR(moved[i][0], 1 - 2 * plain[i][1], 1e-5);
      EXPECT_NEAR(moved[i][1], 2 + 2 * plain[i][0], 1e-5);
      EXPECT_NEAR(moved[i][2], 3 + 2 * plain[i][2], 1e-5);
    }
  }
}

TEST_F(ReadMeshTest, AppliesTheColladaUnit) {
  const auto plain = corners(test::square());
  const auto scaled = corners(read("a.dae", test::dae("<asset><unit meter=\"0.5\"/></asset>")));
  ASSERT_EQ(scaled.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) {
    for (std::size_t k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(scaled[i][k], 0.5F * plain[i][k]);
  }
}

using Vertex = std::array<float, 3>;

/// Where the square's raised corner (1, 1, 0.5) comes to be.
Vertex raised_corner(const Mesh& mesh) { return mesh.vertices_m.at(2); }

TEST_F(ReadMeshTest, TurnsTheAxisThatPointsUpToZ) {
  const Vertex from_x = {-1, -0.5F, 1}, from_y = {1, -0.5F, 1}, from_z = {1, 1, 0.5F};
  const auto file = folder_.write("a.ply", ascii_ply());
  EXPECT_EQ(raised_corner(read_mesh(file, UpAxis::kX)), from_x);
  EXPECT_EQ(raised_corner(read_mesh(file, UpAxis::kY)), from_y);
  EXPECT_EQ(raised_corner(read_mesh(file, UpAxis::kZ)), from_z);
  EXPECT_EQ(read_mesh(file, UpAxis::kY).triangles, test::square().triangles) << "nothing is mirrored";
  const Mesh turned = read_mesh(file, UpAxis::kY);
  for (const float zero : turned.vertices_m[0]) EXPECT_FALSE(std::signbit(zero));
}

TEST_F(ReadMeshTest, KnowsTheUpAxisOfEveryFormat) {
  const Vertex from_x = {-1, -0.5F, 1}, from_y = {1, -0.5F, 1}, from_z = {1, 1, 0.5F};
  const auto dae = [](const std::string& axis) { return test::dae("<asset><up_axis>" + axis + "</up_axis></asset>"); };
  const std::vector<std::tuple<std::string, std::string, Vertex>> files = {
      {"a.gltf", test::gltf(), from_y},  {"a.glb", test::glb(), from_y}, {"a.ply", ascii_ply(), from_z},
      {"a.obj", test::obj(), from_z},    {"a.stl", ascii_stl(), from_z}, {"x.dae", dae("X_UP"), from_x},
      {"y.dae", dae(" Y_UP\n"), from_y}, {"z.dae", dae("Z_UP"), from_z}, {"none.dae", test::dae(""), from_y}};
  for (const auto& [name, bytes, corner] : files) {
    EXPECT_EQ(raised_corner(read_mesh(folder_.write(name, bytes))), corner) << name;
    EXPECT_EQ(raised_corner(read(name, bytes)), from_z) << name << ": the argument overrides the file";
  }
  EXPECT_TRUE(contains(refusal("a.dae", dae("UP")), "<up_axis>: 'UP' is not one of X_UP, Y_UP, Z_UP"));
}

TEST_F(ReadMeshTest, NamesRobotDescriptions) {
  const std::vector<std::array<std::string, 2>> files = {
      {"<?xml version=\"1.0\"?>\n<!-- a > b -->\n<robot name=\"r\">", "is a URDF robot description"},
      {"\xef\xbb\xbf<robot>", "is a URDF robot description"},
      {"<sdf version='1.6'>", "is an SDF description"},
      {"<mujoco model='m'>", "is an MJCF (MuJoCo) description"}};
  for (const auto& [text, message] : files) {
    for (const char* name : {"a.urdf", "a.xml", "a.dae", "a.stl"}) {
      EXPECT_TRUE(contains(refusal(name, text), std::string(name) + ": " + message)) << text;
    }
  }
  for (const char* text : {"<robots>", "<", "<!--", "robot"}) {
    EXPECT_TRUE(contains(refusal("a.xml", text), "extension 'xml' is not one of")) << text;
  }
}

TEST_F(ReadMeshTest, ReadsPlyStrips) {
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
      "property float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n"
      "0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n";
  const auto strip = [&](const std::string& list) { return corners(read("a.ply", head + list)); };
  EXPECT_EQ(strip("7 0 1 2 -1 0 2 3\n"), corners(test::square()));
  EXPECT_EQ(strip("4 1 2 0 3\n"),
            (std::vector<Vertex>{{1, 0, 0}, {1, 1, 0.5F}, {0, 0, 0}, {0, 0, 0}, {1, 1, 0.5F}, {0, 1, 0}}));
  EXPECT_TRUE(contains(refusal("a.ply", head + "3 0 1 4"), "tristrips 0 of 1: vertex index 4 is not in [0, 3]"));
  EXPECT_TRUE(contains(refusal("a.ply", head + "3 0 1 -2"), "vertex index -2 is not in [0, 3]"));
  EXPECT_TRUE(contains(refusal("a.ply", head + "9 0 1 2"), "the file ends here"));
}

TEST_F(ReadMeshTest, ReadsFilesWhoseLinesEndWithCarriageReturns) {
  const auto with_cr = [](std::string text) {
    std::replace(text.begin(), text.end(), '\n', '\r');
    return text;
  };
  for (const auto& [name, text] : std::vector<std::pair<const char*, std::string>>{
           {"a.ply", ascii_ply()}, {"a.stl", ascii_stl()}, {"a.obj", test::obj()}}) {
    EXPECT_EQ(corners(read(name, with_cr(text))), corners(test::square())) << name;
  }
  // A binary body may begin with the byte of \n: here the x of a vertex.
  const std::string head =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\n"
      "property uchar z\nelement face 1\nproperty list uchar uchar vertex_indices\nend_header\n";
  const std::string body("\n\0\0\0\n\0\0\0\n\3\0\1\2", 13);
  EXPECT_EQ(read("a.ply", with_cr(head) + body).vertices_m[0], (Vertex{10, 0, 0}));
}

TEST_F(ReadMeshTest, ReadsTextBehindAByteOrderMark) {
  for (const auto& [name, text] : std::vector<std::pair<const char*, std::string>>{{"a.ply", ascii_ply()},
                                                                                   {"b.ply", binary_ply(false)},
                                                                                   {"a.stl", ascii_stl()},
                                                                                   {"a.obj", test::obj()},
                                                                                   {"a.gltf", test::gltf()},
                                                                                   {"a.dae", test::dae("")}}) {
    EXPECT_EQ(corners(read(name, "\xef\xbb\xbf" + text)), corners(test::square())) << name;
  }
}

TEST_F(ReadMeshTest, PassesOverVerticesOfNoFaceThatAreNotFinite) {
  std::vector<std::filesystem::path> opened;
  std::vector<std::string> notes;
  const std::string text =
      "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
      "0 1e39 0\n0 0 0\n1 0 0\n1 1 0.5\n0 1 0\nnan nan 5\n4 1 2 3 4\n";
  const Mesh mesh = read_mesh(folder_.write("a.ply", text), UpAxis::kZ, opened, notes);
  EXPECT_EQ(mesh.vertices_m.size(), 6U);
  EXPECT_EQ(corners(mesh), corners(test::square()));
  for (const auto& vertex : mesh.vertices_m) {
    EXPECT_LE(std::abs(vertex[0]) + std::abs(vertex[1]) + std::abs(vertex[2]), 3.0F);
  }
  EXPECT_EQ(notes, std::vector<std::string>{"a.ply: 2 vertices of no face are not finite"});
  EXPECT_TRUE(
      contains(refusal("a.ply", replaced(text, "4 1 2 3 4", "3 1 2 5")), "a.ply: vertex 5 = nan is not finite"));
  notes.clear();
  read_mesh(folder_.write("a.ply", text + "3 1 2 3\n\n"), UpAxis::kZ, opened, notes);
  EXPECT_EQ(notes.front(), "a.ply: 7 bytes after the last element");
  EXPECT_EQ(corners(read("a.obj", "v nan nan nan\nv 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nf 2 3 4 5\n")),
            corners(test::square()));
}

TEST_F(ReadMeshTest, ReadsStlFilesThatAreNotQuiteRight) {
  const std::string good = binary_stl(), text = ascii_stl();
  const auto with_count = [&](std::uint32_t count) {
    std::string bytes = good;
    return bytes.replace(80, 4, raw(count));
  };
  const std::vector<std::array<std::string, 2>> files = {
      {good + "made by hand", "a.stl: 12 bytes after the last facet"},
      {good + std::string(1, '\0'), "a.stl: 1 byte after the last facet"},
      {with_count(0), "a.stl: its header counts 0 facets, and it has 2"},
      {with_count(1), "a.stl: its header counts 1 facet, and it has 2"},
      {with_count(0xffffffffU), "a.stl: its header counts 4 294 967 295 facets, and it has 2"},
      {"\n" + text, ""},
      {text + std::string(3, '\0'), ""},
      {text + "\x1a", ""}};
  for (const auto& [bytes, note] : files) {
    std::vector<std::filesystem::path> opened;
    std::vector<std::string> notes;
    EXPECT_EQ(corners(read_mesh(folder_.write("a.stl", bytes), UpAxis::kZ, opened, notes)), corners(test::square()));
    EXPECT_EQ(notes, note.empty() ? std::vector<std::string>{} : std::vector<std::string>{note});
  }
  EXPECT_TRUE(is_refused("a.stl", with_count(3))) << "it may be cut short";
}

TEST_F(ReadMeshTest, RefusesWhatIsNotAMeshFile) {
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh(folder_ / "none.ply"); }), "none.ply: no such file"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh(folder_.path()); }), "is a folder, not a file"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh("/dev/null"); }), "/dev/null: is not a file"));
  EXPECT_TRUE(contains(refusal("empty.obj", ""), "empty.obj: is empty"));
  EXPECT_TRUE(contains(refusal("a.obj", std::string("\xff\xfev\0", 4)), "a.obj: is in UTF-16; save it as UTF-8"));
  EXPECT_TRUE(contains(refusal("a.fbx", "x"), "a.fbx: extension 'fbx' is not one of obj, ply, stl, gltf, glb, dae"));
  EXPECT_TRUE(contains(refusal("a", "x"), "extension '' is not one of"));
  for (const char* name : {"t.ply", "t.stl", "t.obj", "t.gltf", "t.glb", "t.dae"}) {
    EXPECT_TRUE(contains(refusal(name, "this is a letter to my aunt, not a mesh\n"), name));
  }
}

TEST_F(ReadMeshTest, RefusesAFileThatMayNotBeRead) {
  const auto file = folder_.write("a.ply", ascii_ply());
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (access(file.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read every file";
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh(file); }), "a.ply: cannot read: Permission denied"));
}

TEST_F(ReadMeshTest, NamesWhatIsWrongInAPlyFile) {
  const std::string good = ascii_ply();
  const std::vector<std::array<std::string, 3>> cases = {
      {"ply\n", "pyl\n", "a.ply:1: not a PLY file"},
      {"format ascii 1.0", "format ascii 2.0", "a.ply:2: not understood in a PLY header: 'format ascii 2.0'"},
      {"format ascii 1.0\n", "", "the PLY header has no line 'format'"},
      {"property float x", "property flaot x", "a.ply:5: not understood in a PLY header: 'property flaot x'"},
      {"element vertex 4", "element vertex -4", "a.ply:4: not understood"},
      {"list uchar int", "list float int", "not understood"},
      {"end_header", "end_haeder", "not understood"},
      {"property float z\n", "", "vertex 0 of 4: has no properties x, y and z"},
      {"1 1 0.5", "1 1 zebra", "a.ply: vertex 2 of 4: 'zebra' is not a number"},
      {"1 1 0.5", "1 1 nan", "a.ply: vertex 2 = nan is not finite"},
      {"1 1 0.5", "1 1 1e39", "a.ply: vertex 2 = inf is not finite"},
      {"3 0 2 3", "3 0 2 4", "a.ply: face 1 of 2: vertex index 4 is not in [0, 3]"},
      {"3 0 2 3", "3 0 2 -1", "vertex index -1 is not in [0, 3]"},
      {"3 0 2 3", "3 0 2 1.5", "vertex index 1.5 is not in [0, 3]"},
      {"3 0 2 3", "3 0 2 nan", "vertex index nan is not in [0, 3]"},
      {"3 0 2 3", "-3 0 2 3", "list length -3 is not in"},
      {"3 0 2 3", "4000000000 0 2 3", "the file ends here"},
      {"element vertex 4", "element vertex 4000000000", "a.ply: vertex 6 of 4000000000: the file ends here"},
      {"element face 2", "element face 4000000000", "a.ply: face 2 of 4000000000: the file ends here"},
      {"element face 2", "element faec 2", "a.ply: mesh is empty: 4 vertices, 0 triangles"},
      {"1 0 0\n1 1 0.5\n0 1 0", "0 0 0\n0 0 0\n0 0 0", "degenerate"}};
  for (const auto& [from, to, message] : cases) {
    EXPECT_TRUE(contains(refusal("a.ply", replaced(good, from, to)), message)) << from << " -> " << to;
  }
}

TEST_F(ReadMeshTest, NamesTheFileOfWhatItRefuses) {
  EXPECT_TRUE(contains(refusal("a.obj", replaced(test::obj(), "f 1 3 -1", "f 1 3 9")), "a.obj:10: "));
  EXPECT_TRUE(contains(refusal("a.obj", replaced(test::obj(), "1 1 0.5", "1 nan 0.5")), "is not finite"));
  EXPECT_TRUE(contains(refusal("a.gltf", replaced(test::gltf(), "\"count\":4", "\"count\":4000000000")), "a.gltf: "));
  EXPECT_TRUE(contains(refusal("a.gltf", replaced(test::gltf(), "\"mesh\":0", "\"mesh\":5")), "a.gltf: "));
  EXPECT_TRUE(contains(refusal("a.gltf", test::gltf(",\"children\":[0]")), "a.gltf: "));
  EXPECT_TRUE(contains(refusal("a.dae", replaced(test::dae(""), "0 2 3</p>", "0 2 9</p>")), "a.dae:1:"));
  EXPECT_TRUE(contains(refusal("a.dae", replaced(test::dae(""), "1 1 0.5", "1 1 nan")), "a.dae: vertex 2 = nan"));
  EXPECT_TRUE(contains(refusal("points.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n"), "points.obj: "));
}

TEST_F(ReadMeshTest, RefusesAFormatUnderAnotherName) {
  for (const char* name : {"a.glb", "a.gltf", "a.obj", "a.stl", "a.dae"}) {
    EXPECT_TRUE(is_refused(name, "ply\nformat ascii 1."));
    EXPECT_TRUE(is_refused(name, ascii_ply()));
  }
  EXPECT_TRUE(is_refused("a.ply", binary_stl()));
}

TEST_F(ReadMeshTest, RefusesNestingThatWouldOverflowTheStack) {
  std::string nodes, ends;
  for (int i = 0; i < 100000; ++i) nodes += "<node>", ends += "</node>";
  EXPECT_TRUE(contains(refusal("a.dae", test::dae("", nodes + ends)), ": nested 257 deep, the limit is 256"));
  const std::string brackets = std::string(100000, '[') + std::string(100000, ']');
  EXPECT_TRUE(contains(refusal("a.gltf", test::gltf(",\"extras\":" + brackets)), "nested 100003 deep"));
}

TEST_F(ReadMeshTest, RefusesAGlbChunkLongerThanTheFile) {
  std::string bytes = test::glb();
  bytes[15] = '\x7f';  // the high byte of the chunk's length
  EXPECT_TRUE(contains(refusal("a.glb", bytes), "a.glb: byte 12: a chunk of 213"));
  EXPECT_TRUE(contains(refusal("a.glb", bytes), "the bytes left"));
}

TEST_F(ReadMeshTest, RefusesBinaryFilesCutAnywhere) {
  const std::vector<std::pair<const char*, std::string>> files = {
      {"l.ply", binary_ply(false)}, {"b.ply", binary_ply(true)}, {"b.stl", binary_stl()}, {"a.glb", test::glb()}};
  for (const auto& [name, whole] : files) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      ASSERT_TRUE(is_refused(name, whole.substr(0, size))) << name << " cut to " << size << " of " << whole.size();
    }
    EXPECT_FALSE(is_refused(name, whole)) << name;
  }
}

TEST_F(ReadMeshTest, SurvivesTextFilesCutAnywhere) {
  const std::vector<std::pair<const char*, std::string>> files = {{"a.ply", ascii_ply()},
                                                                  {"a.stl", ascii_stl()},
                                                                  {"a.obj", test::obj()},
                                                                  {"a.gltf", test::gltf()},
                                                                  {"a.dae", test::dae("")}};
  for (const auto& [name, whole] : files) {
    for (std::size_t size = 1; size < whole.size(); ++size) is_refused(name, whole.substr(0, size));
    EXPECT_FALSE(is_refused(name, whole)) << name;
  }
  // What cannot be seen in a text is a number that lost digits; everything before the last number is noticed.
  EXPECT_TRUE(is_refused("a.ply", ascii_ply().substr(0, ascii_ply().size() - 2)));
  EXPECT_TRUE(is_refused("a.stl", ascii_stl().substr(0, ascii_stl().size() - 20)));
}

/// The text of an OBJ file with one triangle of these corners.
std::string triangle_obj(const std::string& a, const std::string& b, const std::string& c) {
  return "v " + a + "\nv " + b + "\nv " + c + "\nf 1 2 3\n";
}

TEST_F(ReadMeshTest, MeshesNearTheOriginHaveTheVerticesOfTheirFiles) {
  for (const auto& [name, bytes] : std::vector<std::pair<const char*, std::string>>{{"a.ply", ascii_ply()},
                                                                                    {"b.ply", binary_ply(true)},
                                                                                    {"a.stl", binary_stl()},
                                                                                    {"t.stl", ascii_stl()},
                                                                                    {"a.obj", test::obj()},
                                                                                    {"a.glb", test::glb()},
                                                                                    {"a.dae", test::dae("")}}) {
    EXPECT_EQ(read(name, bytes).origin_m, Vec3{}) << name;
  }
  const Mesh near = read("near.obj", triangle_obj("1000.1 0.2 0.3", "1000.7 0.2 0.3", "1000.1 1.2 -0"));
  EXPECT_EQ(near.origin_m, Vec3{});
  EXPECT_EQ(near.vertices_m,
            (std::vector<Vertex>{{1000.1F, 0.2F, 0.3F}, {1000.7F, 0.2F, 0.3F}, {1000.1F, 1.2F, -0.0F}}));
  EXPECT_TRUE(std::signbit(near.vertices_m[2][2]));
  const Mesh wide = read("wide.obj", triangle_obj("1000.1 0 0", "9000.3 0 0", "5000 7000.7 0"));
  EXPECT_EQ(wide.origin_m, Vec3{}) << "its size is about its distance";
  EXPECT_EQ(wide.vertices_m[1], (Vertex{9000.3F, 0, 0}));
  const Mesh equal = read("equal.obj", "v 1 0 0\nv 1.00000000001 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 4\nf 2 4 3\n");
  EXPECT_EQ(equal.vertices_m.size(), 3U) << "vertices that are equal in single precision are one";
}

TEST_F(ReadMeshTest, MeshesFarAwayKeepAnOrigin) {
  const auto far = triangle_obj("512743.125 5403547.5 -0.25", "512744.125 5403547.5 -0.25", "512743.125 5403549 0.5");
  const Mesh mesh = read("far.obj", far);
  EXPECT_EQ(mesh.origin_m, (Vec3{512768, 5403520, 0}));
  EXPECT_EQ(mesh.vertices_m,
            (std::vector<Vertex>{{-24.875F, 27.5F, -0.25F}, {-23.875F, 27.5F, -0.25F}, {-24.875F, 29, 0.5F}}));
  EXPECT_FALSE(std::signbit(mesh.origin_m.z));
  const Mesh raised = read_mesh(folder_ / "far.obj", UpAxis::kY);
  EXPECT_EQ(raised.origin_m, (Vec3{512768, 0, 5403520}));
  EXPECT_EQ(raised.vertices_m[2], (Vertex{-24.875F, -0.5F, 29}));
  const Mesh by_x = read_mesh(folder_ / "far.obj", UpAxis::kX);
  EXPECT_EQ(by_x.origin_m, (Vec3{-5403520, 0, 512768}));
  EXPECT_EQ(by_x.vertices_m[2], (Vertex{-29, -0.5F, -24.875F}));
  const Mesh joined = read("joined.obj", far + "v 512743.125 5403547.500000001 -0.25\nf 4 2 3\n");
  EXPECT_EQ(joined.vertices_m.size(), 3U);
  EXPECT_EQ(joined.triangles[0], joined.triangles[1]);
}

TEST_F(ReadMeshTest, PlyVerticesOfNoFaceDoNotCountForTheOrigin) {
  const Mesh mesh = read("a.ply",
                         "ply\nformat ascii 1.0\nelement vertex 5\nproperty double x\nproperty double y\n"
                         "property double z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
                         "0 0 0\n64000 0 0\n64001 0 0\n64000 1 0\nnan 0 0\n3 1 2 3\n");
  EXPECT_EQ(mesh.origin_m, (Vec3{64000, 0, 0}));
  EXPECT_EQ(mesh.vertices_m, (std::vector<Vertex>{{-64000, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}}));
}

TEST_F(ReadMeshTest, PartsHaveTheOriginOfTheWhole) {
  const auto file = folder_.write(
      "parts.obj", "v 640000 0 0\nv 640001 0 0\nv 640000 1 0\nv 640000 0 1\no a\nf 1 2 3\no b\nf 1 3 4\n");
  const std::vector<MeshPart> parts = read_mesh_parts(file, MeshSplit::kNodes);
  ASSERT_EQ(parts.size(), 2U);
  for (const MeshPart& part : parts) EXPECT_EQ(part.mesh.origin_m, (Vec3{640000, 0, 0})) << part.name;
}

TEST_F(ReadMeshTest, NotesWhatFilesOfSinglePrecisionLose) {
  const auto notes_of = [&](const std::string& name, const std::string& bytes) {
    std::vector<std::filesystem::path> opened;
    std::vector<std::string> notes;
    static_cast<void>(read_mesh(folder_.write(name, bytes), UpAxis::kZ, opened, notes));
    return notes;
  };
  const auto ply = [](const std::string& type, double at, double width = 1.0) {
    std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty " + type + " x\nproperty " +
                        type + " y\nproperty " + type +
                        " z\nelement face 1\nproperty list uchar uchar vertex_indices\nend_header\n";
    const std::vector<std::array<double, 3>> places = {{at, 0, 0}, {at + width, 0, 0}, {at, 1, 0}};
    for (const std::array<double, 3>& v : places) {
      for (const double c : v) bytes += type == "float" ? raw(static_cast<float>(c)) : raw(c);
    }
    return bytes + std::string("\3\0\1\2", 4);
  };
  EXPECT_EQ(notes_of("f.ply", ply("float", 5120000)),
            std::vector<std::string>{"f.ply: its coordinates have single precision: 5120001 m from the origin they are "
                                     "off by up to 0.25 m"});
  EXPECT_EQ(notes_of("wide.ply", ply("float", 0, 40000)),
            std::vector<std::string>{"wide.ply: its coordinates have single precision: 40000 m from the origin they "
                                     "are off by up to 0.001953125 m"});
  EXPECT_EQ(notes_of("near.ply", ply("float", 6400)), std::vector<std::string>{}) << "a quarter of a millimetre";
  EXPECT_EQ(notes_of("d.ply", ply("double", 5120000)), std::vector<std::string>{});
  std::string stl = binary_stl();
  for (std::size_t facet = 0; facet < 2; ++facet) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      stl.replace(84 + 50 * facet + 12 + 12 * corner + 8, 4, raw(-640000.0F - static_cast<float>(corner)));
    }
  }
  EXPECT_EQ(notes_of("a.stl", stl),
            std::vector<std::string>{"a.stl: its coordinates have single precision: 640002 m from the origin they are "
                                     "off by up to 0.03125 m"});
}

TEST_F(ReadMeshTest, SaysNothingOnTheTerminal) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  for (const char* name : {"t.ply", "t.stl", "t.obj", "t.gltf", "t.glb", "t.dae"}) is_refused(name, "nonsense 1 2 3\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace fathom::test::read_mesh_test
