// SPDX-License-Identifier: MIT

#include "io/mesh/by_assimp.hpp"
#include "io/mesh/gltf_documents.hpp"
#include "io/mesh/read_mesh.hpp"

namespace fathom::test::gltf_mesh_test {
namespace {

Mesh parse(const GltfText& document) {
  MeshReading reading;
  return parse_gltf_mesh(document.text(), "a.gltf", reading);
}

std::string refusal(const GltfText& document) {
  return message_of<InputError>([&] { parse(document); });
}

const Corners kSquare = corners(test::square());

TEST(GltfMeshTest, ReadsEveryModeWithAndWithoutIndices) {
  GltfText document = square_gltf();
  Json& primitive = document.json["meshes"][0]["primitives"][0];
  primitive["indices"] = document.indices({1, 2, 0, 3}), primitive["mode"] = 5;
  EXPECT_EQ(corners(parse(document)), (Corners{{1, 0, 0}, {1, 1, 0.5F}, {0, 0, 0}, {1, 1, 0.5F}, {0, 1, 0}, {0, 0, 0}}))
      << "both wound as the square is";
  primitive["indices"] = document.indices({0, 1, 2, 3}), primitive["mode"] = 6;
  EXPECT_EQ(corners(parse(document)), kSquare);
  primitive.erase("indices");
  EXPECT_EQ(corners(parse(document)), kSquare) << "a fan of all vertices";
  primitive["mode"] = 5;
  EXPECT_EQ(parse(document).triangles.size(), 2U);
  primitive["mode"] = 4, primitive["attributes"]["POSITION"] = document.vectors({0, 0, 0, 1, 0, 0, 0, 1, 0});
  EXPECT_EQ(corners(parse(document)), (Corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
}

TEST(GltfMeshTest, LeavesPointsAndLinesOut) {
  GltfText document = square_gltf();
  for (const int mode : {0, 1, 2, 3}) {
    document.json["meshes"][0]["primitives"].push_back({{"attributes", {{"POSITION", 0}}}, {"mode", mode}});
  }
  document.json["meshes"][0]["primitives"].push_back({{"attributes", Json::object()}, {"mode", 0}});
  EXPECT_EQ(corners(parse(document)), kSquare);
}

TEST(GltfMeshTest, ReadsEveryTypeOfComponent) {
  const auto triangle = [](const std::string& bytes, unsigned type, bool is_normalized, std::size_t stride) {
    GltfText document = square_gltf();
    Json& primitive = document.json["meshes"][0]["primitives"][0];
    const std::size_t i = document.accessor(bytes, type, "VEC3", 3, stride);
    document.json["accessors"][i]["normalized"] = is_normalized;
    primitive["attributes"]["POSITION"] = i;
    primitive.erase("indices");
    return corners(parse(document));
  };
  const Corners expected = {{0, 0, 0}, {100, 0, 0}, {0, 100, 0}};
  using I8 = std::int8_t;
  using U16 = std::uint16_t;
  EXPECT_EQ(triangle(raw_list<I8>({0, 0, 0, 9, 100, 0, 0, 9, 0, 100, 0}), 5120, false, 4), expected);
  EXPECT_EQ(triangle(raw_list<std::uint8_t>({0, 0, 0, 100, 0, 0, 0, 100, 0}), 5121, false, 0), expected);
  EXPECT_EQ(triangle(raw_list<std::int16_t>({0, 0, 0, 100, 0, 0, 0, 100, 0}), 5122, false, 0), expected);
  EXPECT_EQ(triangle(raw_list<U16>({0, 0, 0, 9, 100, 0, 0, 9, 0, 100, 0, 9}), 5123, false, 8), expected);
  EXPECT_EQ(triangle(raw_list<std::uint32_t>({0, 0, 0, 100, 0, 0, 0, 100, 0}), 5125, false, 0), expected);
  EXPECT_EQ(triangle(raw_list<float>({0, 0, 0, 100, 0, 0, 0, 100, 0}), 5126, false, 12), expected);
  const Corners unit = {{0, 0, 0}, {-1, 1, 0}, {0, 1, -1}};
  EXPECT_EQ(triangle(raw_list<I8>({0, 0, 0, 9, -127, 127, 0, 9, 0, 127, -128, 9}), 5120, true, 4), unit);
  EXPECT_EQ(triangle(raw_list<U16>({0, 0, 0, 9, 65535, 0, 0, 9, 0, 65535, 13107, 9}), 5123, true, 8),
            (Corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0.2F}}));
}

TEST(GltfMeshTest, ReplacesSparseElements) {
  GltfText document = square_gltf();
  document.json["accessors"][0]["sparse"] = {
      {"count", 2},
      {"indices", {{"bufferView", document.view(raw_list<std::uint16_t>({0, 2}))}, {"componentType", 5123}}},
      {"values", {{"bufferView", document.view(raw_list<float>({9, 9, 9, 7, 7, 7}))}}}};
  EXPECT_EQ(parse(document).vertices_m, (Corners{{9, 9, 9}, {1, 0, 0}, {7, 7, 7}, {0, 1, 0}}));
  document.json["accessors"][0].erase("bufferView");
  EXPECT_EQ(parse(document).vertices_m, (Corners{{9, 9, 9}, {0, 0, 0}, {7, 7, 7}})) << "over zeros";
}

TEST(GltfMeshTest, PosesASkinByItsJoints) {
  // Without inverse bind matrices, which are identities then: Assimp 5.2 ends the process here.
  EXPECT_EQ(parse(skinned_gltf()).vertices_m, (Corners{{0, 0, 5}, {1, 0, 5}, {1, 5, 5.5F}, {0, 9, 5}}))
      << "the first two by joint 0, the third by both, the last by joint 1 whatever the sum of its weights";
  GltfText document = skinned_gltf();
  const std::vector<float> down = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, -5, 1};
  std::vector<float> matrices = down;
  matrices.insert(matrices.end(), down.begin(), down.end());
  document.json["skins"][0]["inverseBindMatrices"] = document.accessor(raw_list(matrices), 5126, "MAT4", 2);
  EXPECT_EQ(parse(document).vertices_m, (Corners{{0, 0, 0}, {1, 0, 0}, {1, 5, 0.5F}, {0, 9, 0}}));
}

TEST(GltfMeshTest, TakesMoreThanFourJoints) {
  GltfText document = skinned_gltf();
  Json& attributes = document.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_1"] = 2;
  attributes["WEIGHTS_1"] =
      document.accessor(raw_list<std::uint8_t>({0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}), 5121, "VEC4", 4);
  document.json["accessors"].back()["normalized"] = true;
  EXPECT_EQ(parse(document).vertices_m[0], (std::array<float, 3>{0, 4, 5})) << "half by each";
}

TEST(GltfMeshTest, AddsMorphTargetsByTheirWeights) {
  GltfText document = square_gltf();
  Json& mesh = document.json["meshes"][0];
  const std::size_t up = document.vectors({0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2});
  mesh["primitives"][0]["targets"] = {{{"POSITION", up}}, {{"NORMAL", 0}}};
  EXPECT_EQ(corners(parse(document)), kSquare) << "weights are 0";
  mesh["weights"] = {0.5, 1};
  EXPECT_EQ(parse(document).vertices_m[2], (std::array<float, 3>{1, 1, 1.5F}));
  document.json["nodes"][0]["weights"] = {-1, 0};
  EXPECT_EQ(parse(document).vertices_m[2], (std::array<float, 3>{1, 1, -1.5F}))
      << "the node's weights override the mesh's";
  document.json["nodes"][0]["weights"] = {1};
  EXPECT_TRUE(contains(refusal(document), "meshes[0].primitives[0] has 2 morph targets, but 1 weights are given"));
}

TEST(GltfMeshTest, KeepsFrontsOfMirroredNodes) {
  GltfText document = square_gltf();
  document.json["nodes"][0]["scale"] = {-1, 1, 1};
  EXPECT_EQ(corners(parse(document)),
            (Corners{{0, 0, 0}, {-1, 1, 0.5F}, {-1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {-1, 1, 0.5F}}));
}

TEST(GltfMeshTest, ShowsOneScene) {
  GltfText document = square_gltf();
  document.json["nodes"].push_back({{"mesh", 0}, {"translation", {0, 0, 9}}});
  EXPECT_EQ(parse(document).triangles.size(), 2U) << "the scene has nodes[0] only";
  document.json["scenes"].push_back({{"nodes", {1}}}), document.json["scene"] = 1;
  EXPECT_EQ(parse(document).vertices_m[0][2], 9.0F);
  document.json.erase("scene");
  EXPECT_EQ(parse(document).vertices_m[0][2], 0.0F) << "the first";
  document.json.erase("scenes");
  EXPECT_EQ(parse(document).triangles.size(), 4U) << "all";
  document.json["nodes"][1]["mesh"] = nullptr;
  EXPECT_TRUE(contains(refusal(document), "a.gltf: nodes[1].mesh = null is not a number"));
}

TEST(GltfMeshTest, TakesTreesOfNodesOnly) {
  GltfText document = square_gltf();
  Json& nodes = document.json["nodes"];
  const auto chain = [&](std::size_t length) {
    nodes = Json::array();
    for (std::size_t i = 0; i + 1 < length; ++i) nodes.push_back({{"translation", {0, 0, 1}}, {"children", {i + 1}}});
    nodes.push_back({{"mesh", 0}});
  };
  chain(256);
  EXPECT_EQ(parse(document).vertices_m[0][2], 255.0F);
  chain(20000);
  EXPECT_TRUE(contains(refusal(document), "a.gltf: nodes[256] is nested 257 deep, the limit is 256"));
  chain(3);
  nodes[1]["children"] = {2, 2};
  EXPECT_TRUE(contains(refusal(document), "nodes[1].children[1] = 2, which is a child of nodes[1] already"));
  chain(3);
  nodes[0]["children"] = {1, 2};
  EXPECT_TRUE(contains(refusal(document), "nodes[1].children[0] = 2, which is a child of nodes[0] already"));
  chain(3);
  nodes[2]["children"] = {1}, nodes[0].erase("children");
  EXPECT_TRUE(contains(refusal(document), "nodes[1] is its own ancestor"));
  chain(3);
  document.json["scenes"][0]["nodes"] = {0, 1};
  EXPECT_TRUE(contains(refusal(document), "scenes[0].nodes[1] = 1, which is a child of nodes[0]"));
}

TEST(GltfMeshTest, RefusesWhatSmallFilesRepeatWithoutEnd) {
  GltfText document = square_gltf();
  document.json["nodes"][0]["children"] = Json::array();
  const std::size_t many = 3 * 100000;
  document.json["meshes"][0]["primitives"][0]["indices"] =
      document.accessor(std::string(2 * many, '\0'), 5123, "SCALAR", many);
  for (int i = 1; i < 200; ++i) {
    document.json["nodes"].push_back({{"mesh", 0}}), document.json["nodes"][0]["children"].push_back(i);
  }
  EXPECT_TRUE(contains(refusal(document),
                       "meshes[0].primitives[0] brings the file above 16777216 triangles as they are "
                       "placed, the limit for 600060 bytes of buffers"));
  document = square_gltf();
  document.json["accessors"][0] = {{"componentType", 5126}, {"count", 4294967295U}, {"type", "VEC3"}};
  EXPECT_EQ(parse(document).triangles.size(), 2U) << "zeros take no memory";
  document = square_gltf();
  document.json["accessors"].push_back({{"componentType", 5126}, {"count", 0}, {"type", "SCALAR"}});
  EXPECT_EQ(parse(document).triangles.size(), 2U) << "nothing uses the empty one";
  document.json["accessors"][1]["count"] = 0;
  EXPECT_EQ(parse(document).triangles.size(), 0U);
}

TEST(GltfMeshTest, RefusesWhatSmallFilesRepeatWithoutATriangle) {
  const auto repeated = [](GltfText document, Json node) {
    document.json["nodes"][0]["children"] = Json::array();
    const std::size_t first = document.json["nodes"].size();
    for (std::size_t i = 0; i < 4200; ++i) {
      document.json["nodes"].push_back(node), document.json["nodes"][0]["children"].push_back(first + i);
    }
    return document;
  };
  GltfText morphed = square_gltf();
  morphed.json["accessors"][1]["count"] = 0;
  EXPECT_EQ(parse(repeated(morphed, {{"mesh", 0}})).triangles.size(), 0U);
  morphed.json["meshes"][0]["primitives"][0]["targets"] = Json(std::vector<Json>(4200, Json::object()));
  morphed.json["meshes"][0]["weights"] = std::vector<int>(4200, 0);
  EXPECT_TRUE(contains(refusal(repeated(morphed, {{"mesh", 0}})), "brings the file above 16777216 triangles"));
  GltfText skinned = skinned_gltf();
  skinned.json["accessors"][1]["count"] = 0;
  Json& attributes = skinned.json["meshes"][0]["primitives"][0]["attributes"];
  for (int set = 1; set < 1050; ++set) {
    attributes["JOINTS_" + std::to_string(set)] = 2, attributes["WEIGHTS_" + std::to_string(set)] = 3;
  }
  EXPECT_TRUE(
      contains(refusal(repeated(skinned, {{"mesh", 0}, {"skin", 0}})), "brings the file above 16777216 triangles"));
}

TEST(GltfMeshTest, NamesWhatIsWrong) {
  // A place, what is put there (or "erase"), and what is said. The document has a skin and a sparse accessor.
  GltfText good = skinned_gltf();
  good.json["accessors"][0]["sparse"] = {
      {"count", 2},
      {"indices", {{"bufferView", good.view(raw_list<std::uint8_t>({0, 3, 3, 9}))}, {"componentType", 5121}}},
      {"values", {{"bufferView", good.view(raw_list<float>({9, 9, 9, 7, 7, 7, 0, 0, 0, 0, 0, 0}))}}}};
  EXPECT_EQ(parse(good).triangles.size(), 2U);
  const std::string primitive = "/meshes/0/primitives/0";
  const std::vector<std::array<std::string, 3>> cases = {
      {"/asset", "erase", "a.gltf: the document has no 'asset'"},
      {"/asset/version", "\"1.0\"", "a.gltf: is glTF 1; only 2.0 is read"},
      {"/asset/version", "\"3.0\"", "asset.version = '3.0'; only 2.0 is read"},
      {"/asset/minVersion", "\"2.1\"", "asset.minVersion = '2.1'; only 2.0 is read"},
      {"/extensionsRequired", R"(["KHR_materials_unlit","KHR_draco_mesh_compression"])",
       "extensionsRequired[1] = 'KHR_draco_mesh_compression' is not understood"},
      {"/extensionsRequired", R"(["EXT_meshopt_compression"])", "'EXT_meshopt_compression' is not understood"},
      {"/nodes", "7", "nodes = 7 is not a list"},
      {"/nodes/1", "7", "nodes[1] = 7 is not an object"},
      {"/nodes/0/mesh", "1", "nodes[0].mesh = 1 is not a whole number in [0, 0]"},
      {"/nodes/0/mesh", "-1", "nodes[0].mesh = -1 is not a whole number in [0, 0]"},
      {"/nodes/1/children/0", "3", "nodes[1].children[0] = 3 is not a whole number in [0, 2]"},
      {"/nodes/0/rotation", "[0,0,0,0]", "nodes[0].rotation has the length 0, not 1 within 0.01"},
      {"/nodes/0/translation", "[1,2]", "nodes[0].translation has 2 numbers, not 3"},
      {"/nodes/0/matrix", "[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1]", "nodes[0].matrix has a last row that is not 0 0 0 1"},
      {"/nodes/0/extensions", R"({"EXT_mesh_gpu_instancing":{}})", "extensions.EXT_mesh_gpu_instancing is not"},
      {"/scene", "1", "scene = 1 is not a whole number in [0, 0]"},
      {"/scenes/0/nodes/0", "0.5", "scenes[0].nodes[0] = 0.5 is not a whole number in [0, 2]"},
      {primitive + "/attributes/POSITION", "erase", "meshes[0].primitives[0].attributes has no 'POSITION'"},
      {primitive + "/attributes/POSITION", "9", "attributes.POSITION = 9 is not a whole number in [0, 3]"},
      {primitive + "/attributes/POSITION", "1", "accessors[1] type = 'SCALAR' is not VEC3, as is needed here"},
      {primitive + "/attributes/JOINTS_0", "erase", "has one of JOINTS_0 and WEIGHTS_0 without the other"},
      {primitive + "/attributes", R"({"POSITION":0})", "attributes has no 'JOINTS_0', which skins[0] needs"},
      {primitive + "/mode", "7", "meshes[0].primitives[0].mode = 7 is not a whole number in [0, 6]"},
      {primitive + "/indices", "0", "accessors[0] componentType = 5126 is not 5121, 5123 or 5125"},
      {"/accessors/2/count", "3", "accessors[2] has 3 elements, meshes[0].primitives[0] has 4 vertices"},
      {"/accessors/0/count", "3", "accessors[0] sparse.indices: number 1 = 3 is not in [0, 3)"},
      {"/accessors/0/count", "4000000000", "accessors[0] needs 48000000000 bytes, bufferViews[0] has 48"},
      {"/accessors/0/componentType", "5124", "accessors[0] componentType = 5124 is not one of 5120, 5121"},
      {"/accessors/0/byteOffset", "4", "accessors[0] needs 52 bytes, bufferViews[0] has 48"},
      {"/accessors/1/count", "5", "meshes[0].primitives[0] has 5 corners: no whole triangles"},
      {"/bufferViews/0/byteStride", "8", "accessors[0] has elements of 12 bytes, bufferViews[0].byteStride = 8"},
      {"/bufferViews/0/byteLength", "4800", "bufferViews[0] takes bytes 0 to 4800, buffers[0] has"},
      {"/accessors/0/sparse/indices", "erase", "accessors[0].sparse has no 'indices'"},
      {"/accessors/0/sparse/count", "5", "accessors[0].sparse.count = 5 is not a whole number in [1, 4]"},
      {"/accessors/0/sparse/count", "3", "accessors[0] sparse.indices: number 2 = 3 is not above the one before"},
      {"/accessors/0/sparse/indices/byteOffset", "2", "accessors[0] sparse.indices: number 1 = 9 is not in [0, 4)"},
      {"/accessors/0/sparse/indices/byteOffset", "3", "accessors[0] sparse.indices needs 5 bytes, bufferViews"},
      {"/accessors/0/sparse/indices/componentType", "5126", "sparse.indices.componentType = 5126 is not 5121"},
      {"/accessors/0/sparse/values/byteOffset", "40", "accessors[0] sparse.values needs 64 bytes"},
      {"/skins/0/joints/1", "4", "skins[0].joints[1] = 4 is not a whole number in [0, 2]"},
      {"/skins/0/joints", "[1]", "accessors[2] element 2: joint 1 is not in [0, 1)"},
      {"/skins/0/inverseBindMatrices", "0", "accessors[0] type = 'VEC3' is not MAT4"},
      {"/accessors/3/byteOffset", "4", "accessors[3] needs 68 bytes"}};
  for (const auto& [place, value, message] : cases) {
    GltfText document = good;
    const Json::json_pointer pointer(place);
    if (value == "erase") {
      document.json.at(pointer.parent_pointer()).erase(pointer.back());
    } else {
      document.json[pointer] = Json::parse(value);
    }
    EXPECT_TRUE(contains(refusal(document), message)) << place << " -> " << value << ": " << refusal(document);
  }
}

TEST(GltfMeshTest, NamesWhatIsWrongInTheNumbers) {
  GltfText document = square_gltf();
  document.json["meshes"][0]["primitives"][0]["indices"] = document.indices({0, 1, 4});
  EXPECT_TRUE(contains(refusal(document), "accessors[2] number 2: vertex index 4 is not in [0, 4)"));
  document = skinned_gltf();
  Json& weights = document.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"];
  weights = document.accessor(std::string(64, '\0'), 5126, "VEC4", 4);
  EXPECT_TRUE(contains(refusal(document), "accessors[4] element 0: has no weight above 0"));
  weights = document.accessor(raw_list<float>(std::vector<float>(16, -0.5F)), 5126, "VEC4", 4);
  EXPECT_TRUE(contains(refusal(document), "accessors[5] element 0: the weight -0.5 is not at or above 0"));
  document = skinned_gltf();
  document.json["skins"][0]["inverseBindMatrices"] = document.accessor(std::string(64, '\0'), 5126, "MAT4", 1);
  EXPECT_TRUE(contains(refusal(document), "accessors[4] has 1 matrices, skins[0] has 2 joints"));
  document.json["skins"][0]["joints"] = {1};
  EXPECT_TRUE(contains(refusal(document), "accessors[4] matrix 0 has a last row that is not 0 0 0 1"));
}

TEST(GltfMeshTest, NamesWhatIsNoGltf) {
  const auto said = [](const std::string& text) {
    return message_of<InputError>([&] {
      MeshReading reading;
      parse_gltf_mesh(text, "a.gltf", reading);
    });
  };
  EXPECT_TRUE(contains(said("{\"asset\":"), "a.gltf: is not JSON: parse error at line 1, column 10"));
  EXPECT_TRUE(contains(said("[]"), "a.gltf: the document = (a list) is not an object"));
  EXPECT_TRUE(contains(said(R"({"meshes":{"m":{}},"nodes":{}})"), "a.gltf: is glTF 1; only 2.0 is read"));
  EXPECT_TRUE(contains(said("glTF" + raw(std::uint32_t{1}) + std::string(20, '\0')), "a.gltf: is glTF 1"));
  EXPECT_TRUE(contains(said(R"({"asset":{"version":"2.0"},"scene":1e999})"), "a.gltf: is not JSON"));
}

/// The same triangles in any order, begun at any corner.
bool is_there(const Corners& all, const Corners& triangle) {
  for (std::size_t i = 0; i < all.size(); i += 3) {
    for (std::size_t turn = 0; turn < 3; ++turn) {
      bool is_same = true;
      for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          is_same = is_same && std::abs(all[i + (k + turn) % 3][axis] - triangle[k][axis]) <= 1e-3F;
        }
      }
      if (is_same) return true;
    }
  }
  return false;
}

TEST(GltfMeshTest, AgreesWithAssimpOnTreesOfNodes) {
  std::mt19937 random(12);
  const auto number = [&] { return static_cast<int>(random() % 9) - 4; };
  for (int round = 0; round < 20; ++round) {
    GltfText document = square_gltf();
    document.mesh(
        {{"attributes", {{"POSITION", document.vectors({0, 0, 0, 3, 0, 0, 0, 2, 0, 1, 1, 4})}}}, {"mode", 6}});
    Json& nodes = document.json["nodes"];
    nodes = Json::array();
    for (std::size_t i = 0; i < 8; ++i) {
      nodes.push_back({{"mesh", random() % 2}, {"translation", {number(), number(), number()}}});
      if (random() % 2 == 0) nodes[i]["rotation"] = {0.5, -0.5, 0.5, 0.5};  // of length 1: Assimp does not normalise
      if (random() % 2 == 0) nodes[i]["scale"] = {1, 2, 0.5};
      if (i > 0) nodes[random() % i]["children"].push_back(i);
    }
    const Corners ours = corners(parse(document)), theirs = read_by_assimp(document.text(), "gltf");
    ASSERT_EQ(ours.size(), 3U * 2 * 8);
    ASSERT_EQ(theirs.size(), ours.size());
    for (std::size_t i = 0; i < ours.size(); i += 3) {
      EXPECT_TRUE(is_there(theirs, {ours[i], ours[i + 1], ours[i + 2]})) << "round " << round << ", triangle " << i / 3;
    }
  }
}

}  // namespace
}  // namespace fathom::test::gltf_mesh_test
