#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include <fathom/input.hpp>

#include "io/mesh_files.hpp"
#include "io/temporary_folder.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::contains;
using test::message_of;
using test::TemporaryFolder;

/// The corners of every triangle, whatever the vertices are numbered.
std::vector<std::array<float, 3>> corners(const Mesh& mesh) {
  std::vector<std::array<float, 3>> all;
  for (const auto& t : mesh.triangles) {
    for (const std::uint32_t i : t) all.push_back(mesh.vertices_m[i]);
  }
  return all;
}

class ReadMeshTest : public ::testing::Test {
 protected:
  Mesh read(std::string_view name, std::string_view bytes) { return read_mesh(folder_.write(name, bytes)); }
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
  const std::vector<std::pair<const char*, std::string>> files = {{"a.ply", test::ascii_ply()},
                                                                  {"little.ply", test::binary_ply(false)},
                                                                  {"big.PLY", test::binary_ply(true)},
                                                                  {"binary.stl", test::binary_stl()},
                                                                  {"ascii.stl", test::ascii_stl()},
                                                                  {"a.obj", test::obj()},
                                                                  {"a.gltf", test::gltf()},
                                                                  {"a.glb", test::glb()},
                                                                  {"a.dae", test::dae("")}};
  for (const auto& [name, bytes] : files) {
    const Mesh mesh = read(name, bytes);
    EXPECT_EQ(corners(mesh), corners(expected)) << name;
    EXPECT_EQ(mesh.vertices_m.size(), 4U) << name << ": equal vertices are one";
  }
}

TEST_F(ReadMeshTest, KeepsTheOrderOfPlyVertices) {
  EXPECT_EQ(read("a.ply", test::ascii_ply()).vertices_m, test::square().vertices_m);
  EXPECT_EQ(read("b.ply", test::binary_ply(true)).vertices_m, test::square().vertices_m);
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

TEST_F(ReadMeshTest, AppliesTheColladaUnitAndKeepsItsAxes) {
  const auto plain = corners(test::square());
  for (const char* axis : {"X_UP", "Y_UP", "Z_UP"}) {
    const auto scaled = corners(
        read("a.dae", test::dae(std::string("<asset><unit meter=\"0.5\"/><up_axis>") + axis + "</up_axis></asset>")));
    ASSERT_EQ(scaled.size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(scaled[i][k], 0.5F * plain[i][k]) << axis;
    }
  }
}

TEST_F(ReadMeshTest, RefusesWhatIsNotAMeshFile) {
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh(folder_ / "none.ply"); }), "none.ply: no such file"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh(folder_.path()); }), "is a folder, not a file"));
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh("/dev/null"); }), "/dev/null: is not a file"));
  EXPECT_TRUE(contains(refusal("empty.obj", ""), "empty.obj: is empty"));
  EXPECT_TRUE(contains(refusal("a.fbx", "x"), "a.fbx: extension 'fbx' is not one of obj, ply, stl, gltf, glb, dae"));
  EXPECT_TRUE(contains(refusal("a", "x"), "extension '' is not one of"));
  for (const char* name : {"t.ply", "t.stl", "t.obj", "t.gltf", "t.glb", "t.dae"}) {
    EXPECT_TRUE(contains(refusal(name, "this is a letter to my aunt, not a mesh\n"), name));
  }
}

TEST_F(ReadMeshTest, RefusesAFileThatMayNotBeRead) {
  const auto file = folder_.write("a.ply", test::ascii_ply());
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (access(file.c_str(), R_OK) == 0) GTEST_SKIP() << "this user may read every file";
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh(file); }), "a.ply: cannot read: Permission denied"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(ReadMeshTest, NamesWhatIsWrongInAPlyFile) {
  const std::string good = test::ascii_ply();
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
  EXPECT_TRUE(contains(refusal("a.obj", replaced(test::obj(), "f 1 3 -1", "f 1 3 9")), "a.obj: "));
  EXPECT_TRUE(contains(refusal("a.obj", replaced(test::obj(), "1 1 0.5", "1 nan 0.5")), "is not finite"));
  EXPECT_TRUE(contains(refusal("a.gltf", replaced(test::gltf(), "\"count\":4", "\"count\":4000000000")), "a.gltf: "));
  EXPECT_TRUE(contains(refusal("a.gltf", replaced(test::gltf(), "\"mesh\":0", "\"mesh\":5")), "a.gltf: "));
  EXPECT_TRUE(contains(refusal("a.gltf", test::gltf(",\"children\":[0]")), "a.gltf: "));
  EXPECT_TRUE(contains(refusal("a.dae", replaced(test::dae(""), "0 2 3</p>", "0 2 9</p>")), "a.dae:1:"));
  EXPECT_TRUE(contains(refusal("a.dae", replaced(test::dae(""), "1 1 0.5", "1 1 nan")), "a.dae: vertex 2 = nan"));
  EXPECT_TRUE(contains(refusal("points.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n"), "points.obj: "));
}

TEST_F(ReadMeshTest, RefusesAFormatUnderAnotherName) {
  // Assimp alone tries all its readers then, and its PLY reader never returns from a header that is cut short.
  for (const char* name : {"a.glb", "a.gltf", "a.obj", "a.stl", "a.dae"}) {
    EXPECT_TRUE(is_refused(name, "ply\nformat ascii 1."));
    EXPECT_TRUE(is_refused(name, test::ascii_ply()));
  }
  EXPECT_TRUE(is_refused("a.ply", test::binary_stl()));
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
  bytes[15] = '\x7f';  // the high byte of the chunk's length: Assimp would allocate 2 GB before it reads
  EXPECT_TRUE(contains(refusal("a.glb", bytes), "a.glb: byte 12: a chunk of 213"));
  EXPECT_TRUE(contains(refusal("a.glb", bytes), "what is left of the file"));
}

TEST_F(ReadMeshTest, RefusesBinaryFilesCutAnywhere) {
  const std::vector<std::pair<const char*, std::string>> files = {{"l.ply", test::binary_ply(false)},
                                                                  {"b.ply", test::binary_ply(true)},
                                                                  {"b.stl", test::binary_stl()},
                                                                  {"a.glb", test::glb()}};
  for (const auto& [name, whole] : files) {
    for (std::size_t size = 1; size < whole.size(); ++size) {
      ASSERT_TRUE(is_refused(name, whole.substr(0, size))) << name << " cut to " << size << " of " << whole.size();
    }
    EXPECT_FALSE(is_refused(name, whole)) << name;
  }
}

TEST_F(ReadMeshTest, SurvivesTextFilesCutAnywhere) {
  const std::vector<std::pair<const char*, std::string>> files = {{"a.ply", test::ascii_ply()},
                                                                  {"a.stl", test::ascii_stl()},
                                                                  {"a.obj", test::obj()},
                                                                  {"a.gltf", test::gltf()},
                                                                  {"a.dae", test::dae("")}};
  for (const auto& [name, whole] : files) {
    // Long ones by steps, since Assimp takes milliseconds to start.
    const std::size_t step = whole.size() > 300 ? 7 : 1;
    for (std::size_t size = 1; size < whole.size(); size += step) is_refused(name, whole.substr(0, size));
    EXPECT_FALSE(is_refused(name, whole)) << name;
  }
  // What cannot be seen in a text is a number that lost digits; everything before the last number is noticed.
  EXPECT_TRUE(is_refused("a.ply", test::ascii_ply().substr(0, test::ascii_ply().size() - 2)));
  EXPECT_TRUE(is_refused("a.stl", test::ascii_stl().substr(0, test::ascii_stl().size() - 20)));
}

TEST_F(ReadMeshTest, SaysNothingOnTheTerminal) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  for (const char* name : {"t.ply", "t.stl", "t.obj", "t.gltf", "t.glb", "t.dae"}) is_refused(name, "nonsense 1 2 3\n");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace fathom
