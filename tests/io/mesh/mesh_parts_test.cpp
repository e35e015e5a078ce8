// SPDX-License-Identifier: MIT
// Nodes and materials of a file as parts: their names, and that together they are what read_mesh() joins.

#include "io/mesh/gltf_documents.hpp"
#include "io/mesh/read_mesh.hpp"

namespace fathom::test::mesh_parts_test {
namespace {

using Shares = std::vector<std::pair<std::string, std::size_t>>;  // name and triangles
using Triangle = std::array<std::array<float, 3>, 3>;

std::vector<Triangle> triangles_of(const Mesh& mesh) {
  std::vector<Triangle> all;
  for (const auto& t : mesh.triangles) {
    all.push_back({mesh.vertices_m[t[0]], mesh.vertices_m[t[1]], mesh.vertices_m[t[2]]});
  }
  return all;
}

class MeshParts : public testing::Test {
 protected:
  /// The parts of a file. Checks that together they are the whole mesh, and that each part uses all its vertices.
  Shares shares(const std::string& name, const std::string& text, MeshSplit split) {
    const auto file = folder_.write(name, text);
    std::vector<Triangle> whole = triangles_of(read_mesh(file)), joined;
    Shares found;
    for (const MeshPart& part : read_mesh_parts(file, split)) {
      found.emplace_back(part.name, part.mesh.triangles.size());
      const std::vector<Triangle> own = triangles_of(part.mesh);
      joined.insert(joined.end(), own.begin(), own.end());
      std::vector<bool> is_used(part.mesh.vertices_m.size(), false);
      for (const auto& t : part.mesh.triangles) is_used[t[0]] = is_used[t[1]] = is_used[t[2]] = true;
      EXPECT_EQ(std::count(is_used.begin(), is_used.end(), false), 0) << part.name;
    }
    std::sort(whole.begin(), whole.end());
    std::sort(joined.begin(), joined.end());
    EXPECT_TRUE(whole == joined) << name;
    return found;
  }

  TemporaryFolder folder_;
};

const std::string kVertices = "v 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\nv 0 0 1\n";

TEST_F(MeshParts, OfObjAreObjectsElseGroupsAndMaterials) {
  const std::string text =
      kVertices +
      "f 1 2 3\no left door # of two\nusemtl glass\nf 1 3 4\nusemtl paint\nf 1 2 5\no roof\ng top\n"
      "f 2 3 5\nusemtl glass\nf 3 4 5\no left door\nf 1 4 5\n";
  EXPECT_EQ(shares("a.obj", text, MeshSplit::kNodes), (Shares{{"default", 1}, {"left door", 3}, {"roof", 2}}));
  EXPECT_EQ(shares("a.obj", text, MeshSplit::kMaterials), (Shares{{"default", 1}, {"glass", 3}, {"paint", 2}}));
  const std::string groups = kVertices + "g a b\nf 1 2 3\ng c\nf 1 3 4\nf 1 2 5\ng\nf 3 4 5\n";
  EXPECT_EQ(shares("b.obj", groups, MeshSplit::kNodes), (Shares{{"default", 1}, {"a b", 1}, {"c", 2}}));
  EXPECT_EQ(shares("b.obj", groups, MeshSplit::kMaterials), (Shares{{"default", 4}}));
}

TEST_F(MeshParts, WithoutAnAreaAreLeftOut) {
  const std::string text = kVertices + "o flat\nf 1 2 2\no empty\no real\nf 1 2 3\nf 1 1 1\n";
  const auto file = folder_.write("a.obj", text);
  const std::vector<MeshPart> parts = read_mesh_parts(file, MeshSplit::kNodes);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].name, "real");
  validate(parts[0].mesh);
}

TEST_F(MeshParts, OfGltfAreNodesThatShowAMeshAndMaterials) {
  GltfText made = square_gltf();
  const Json attributes = {{"POSITION", 0}};
  made.json["meshes"][0] = {{"name", "plate"},
                            {"primitives",
                             {{{"attributes", attributes}, {"indices", 1}, {"material", 1}},
                              {{"attributes", attributes}, {"indices", 1}, {"material", 2}}}}};
  made.mesh({{"attributes", attributes}, {"indices", 1}});
  made.mesh({{"attributes", attributes}, {"indices", 1}, {"material", 7}});
  made.json["materials"] = {{{"name", "unused"}}, {{"name", "glass"}}, test::Json::object(), {{"name", "glass"}}};
  made.json["nodes"] = {{{"name", "root"}, {"children", {1, 2, 3, 4, 5}}},
                        {{"name", "wheel"}, {"mesh", 0}, {"translation", {1, 2, 3}}},
                        {{"name", "wheel"}, {"mesh", 1}, {"translation", {4, 5, 6}}},
                        {{"mesh", 0}, {"translation", {7, 8, 9}}},
                        {{"name", "wheel_2"}, {"mesh", 1}, {"scale", {2, 2, 2}}},
                        {{"name", ""}, {"mesh", 2}, {"scale", {-1, 3, 2}}}};
  EXPECT_EQ(shares("a.gltf", made.text(), MeshSplit::kNodes),
            (Shares{{"wheel", 4}, {"wheel_2", 2}, {"plate", 4}, {"wheel_2_2", 2}, {"node_5", 2}}));
  EXPECT_EQ(shares("a.gltf", made.text(), MeshSplit::kMaterials),
            (Shares{{"glass", 4}, {"material_2", 4}, {"default", 6}}));
  made.json["meshes"][1]["primitives"][0]["material"] = 3;  // another one of the same name
  EXPECT_EQ(shares("a.gltf", made.text(), MeshSplit::kMaterials),
            (Shares{{"glass", 4}, {"material_2", 4}, {"glass_2", 4}, {"default", 2}}));
}

TEST_F(MeshParts, OfGltfThatSaysNonsenseAboutNamesAreReadAsWithoutThem) {
  for (const Json& materials : {Json({1, "two", {{"name", 3}}}), test::Json::array()}) {
    GltfText made = square_gltf();
    made.json["materials"] = materials;
    made.json["nodes"][0]["name"] = 17;
    made.json["meshes"][0]["primitives"][0]["material"] = "glass";
    EXPECT_EQ(shares("a.gltf", made.text(), MeshSplit::kNodes), (Shares{{"node_0", 2}}));
    EXPECT_EQ(shares("a.gltf", made.text(), MeshSplit::kMaterials), (Shares{{"default", 2}}));
  }
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(MeshParts, OfColladaAreNodesAndBoundMaterials) {
  const std::string materials =
      R"(<library_materials><material id="m-id" name="glass"/><material id="steel"/></library_materials>)";
  const std::string bind =
      R"(<instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="s" target="#m-id"/>)"
      R"(<instance_material symbol="t" target="#steel"/></technique_common></bind_material></instance_geometry>)";
  const std::string first = R"(<triangles count="2"><input semantic="VERTEX")";
  std::string text = with(test::dae(materials), first, R"(<triangles count="2" material="s"><input semantic="VERTEX")");
  text = with(text, "</mesh>",
              R"(<triangles count="1" material="t"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 3</p>)"
              R"(</triangles></mesh>)");
  // A node in a node that places the inner one again, and one without a name.
  text = with(text, R"(<node><instance_geometry url="#g"/></node>)",
              R"(<node name="body" id="b"><translate>0 0 4</translate>)" + bind +
                  R"(<node id="lid"><translate>0 0 2</translate><instance_geometry url="#g"/></node>)"
                  R"(<instance_node url="#lid"/>)" +
                  bind + "</node>");
  EXPECT_EQ(shares("a.dae", text, MeshSplit::kNodes), (Shares{{"body", 6}, {"lid", 3}, {"lid_2", 3}}));
  EXPECT_EQ(shares("a.dae", text, MeshSplit::kMaterials), (Shares{{"glass", 4}, {"steel", 2}, {"s", 4}, {"t", 2}}));
  EXPECT_EQ(shares("b.dae", test::dae(""), MeshSplit::kNodes), (Shares{{"node_2", 2}}));
  EXPECT_EQ(shares("b.dae", test::dae(""), MeshSplit::kMaterials), (Shares{{"default", 2}}));
  const auto file = folder_.write("c.dae", with(text, "target=\"#steel\"", "target=\"#gold\""));
  EXPECT_TRUE(contains(input_error([&] { read_mesh_parts(file, MeshSplit::kMaterials); }),
                       "target = '#gold' names no <material> of this file"));
}

TEST_F(MeshParts, AreTurnedAsTheWholeIs) {
  const auto file = folder_.write("a.obj", kVertices + "o a\nf 1 2 3\no b\nf 1 3 4\n");
  for (const auto axis : {UpAxis::kX, UpAxis::kY, UpAxis::kZ}) {
    const std::vector<MeshPart> parts = read_mesh_parts(file, MeshSplit::kNodes, axis);
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(triangles_of(parts[0].mesh)[0], triangles_of(read_mesh(file, axis))[0]);
    EXPECT_EQ(triangles_of(parts[1].mesh)[0], triangles_of(read_mesh(file, axis))[1]);
  }
}

TEST_F(MeshParts, OfFormatsWithoutThemAreRefused) {
  for (const auto& [name, text] : {std::pair{"a.ply", ascii_ply()}, std::pair{"a.stl", ascii_stl()}}) {
    const auto file = folder_.write(name, text);
    EXPECT_TRUE(
        contains(input_error([&] { read_mesh_parts(file, MeshSplit::kNodes); }),
                 std::string(name) + ": " + std::string(name).substr(2) + " files have neither nodes nor materials"));
  }
}

}  // namespace
}  // namespace fathom::test::mesh_parts_test
