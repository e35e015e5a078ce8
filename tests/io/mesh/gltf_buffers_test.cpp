// SPDX-License-Identifier: MIT
#include <fathom/files/meshes.hpp>

#include "io/mesh/gltf_document.hpp"
#include "io/mesh/gltf_documents.hpp"

namespace fathom::test::gltf_buffers_test {
namespace {

/// A folder of meshes beside a file outside it.
class GltfBuffersTest : public ::testing::Test {
 protected:
  GltfBuffersTest() {
    std::filesystem::create_directories(folder_ / "meshes/parts");
    folder_.write("secret.bin", document_.buffer);
    folder_.write("meshes/beside.bin", document_.buffer);
    folder_.write("meshes/parts/a part.bin", document_.buffer);
  }

  Mesh read(const std::string& uri) { return read_mesh(folder_.write("meshes/a.gltf", document_.text(uri))); }
  std::string refusal(const std::string& uri) {
    return message_of<InputError>([&] { read(uri); });
  }

  TemporaryFolder folder_;
  GltfText document_ = square_gltf();
};

TEST_F(GltfBuffersTest, ReadsFilesOfTheMeshsFolder) {
  for (const char* uri : {"beside.bin", "./beside.bin", "parts/a%20part.bin", "parts/a part.bin", "parts/../beside.bin",
                          "../meshes/beside.bin"}) {
    EXPECT_EQ(read(uri).triangles.size(), 2U) << uri;
  }
  std::filesystem::create_symlink("beside.bin", folder_ / "meshes/link.bin");
  EXPECT_EQ(read("link.bin").triangles.size(), 2U);
}

TEST_F(GltfBuffersTest, ReadsFilesBesideAMeshInTheWorkingFolder) {
  const auto before = std::filesystem::current_path();
  folder_.write("meshes/a.gltf", document_.text("beside.bin"));
  std::filesystem::current_path(folder_ / "meshes");
  EXPECT_EQ(read_mesh("a.gltf").triangles.size(), 2U);
  std::filesystem::current_path(before);
}

TEST_F(GltfBuffersTest, OpensNothingOutsideOfIt) {
  std::filesystem::create_symlink("../secret.bin", folder_ / "meshes/link.bin");
  std::filesystem::create_directory_symlink(folder_.path(), folder_ / "meshes/up");
  const std::string absolute = (folder_ / "secret.bin").string();
  for (const std::string& uri : {std::string("../secret.bin"), std::string("%2e%2e/secret.bin"),
                                 std::string("..%2Fsecret.bin"), std::string("parts/../../secret.bin"), absolute,
                                 std::string("link.bin"), std::string("up/secret.bin"), std::string("../none.bin")}) {
    const std::string said = refusal(uri);
    EXPECT_TRUE(contains(said, "buffers[0].uri = '" + uri.substr(0, 60) + "' leads out of the folder")) << said;
  }
}

TEST_F(GltfBuffersTest, NamesWhatIsNoBuffer) {
  for (const char* uri : {"", "http://example.org/a.bin", "file:///etc/passwd", "C:/a.bin", "a%2", "a%zz", "a%00b"}) {
    const std::string said = refusal(uri);
    EXPECT_TRUE(contains(said, "a.gltf: buffers[0].uri = '" + std::string(uri) + "' is neither the name of a file"))
        << said;
  }
  for (const char* uri : {"data:", "data:,abc", "data:application/octet-stream;base64,AA*A", "data:base64,AAAA"}) {
    EXPECT_TRUE(contains(refusal(uri), "' is not base64 data")) << uri;
  }
  EXPECT_TRUE(contains(refusal("none.bin"), "a.gltf: buffers[0].uri = 'none.bin': "));
  EXPECT_TRUE(contains(refusal("none.bin"), "no such file"));
  EXPECT_TRUE(contains(refusal("parts"), "is a folder, not a file"));
  EXPECT_TRUE(contains(refusal("data:;base64,AAAA"), "a.gltf: buffers[0] byteLength = 60, but there are 3 bytes"));
  GltfText without = document_;
  without.json["buffers"] = {{{"byteLength", 60}}};
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_mesh(folder_.write("meshes/a.gltf", without.json.dump())); }),
                       "buffers[0] has no 'uri', and is not the binary chunk of a GLB"));
}

TEST_F(GltfBuffersTest, ReadsBase64WithAndWithoutItsEnd) {
  for (std::size_t more = 0; more < 4; ++more) {
    std::string text = base64(document_.buffer + std::string(more, 'x'));
    const std::string head = "data:application/gltf-buffer;base64,";
    EXPECT_EQ(read(head + text).triangles.size(), 2U);
    text.erase(std::min(text.find('='), text.size()));
    EXPECT_EQ(read(head + text).triangles.size(), 2U);
  }
}

TEST_F(GltfBuffersTest, CountsAFileOnceHoweverManyBuffersItIs) {
  GltfText text = document_;
  for (const char* uri : {"beside.bin", "./beside.bin", "beside.bin", "parts/a%20part.bin"}) {
    text.json["buffers"].push_back({{"byteLength", 60}, {"uri", uri}});
  }
  text.json["bufferViews"] = test::Json::array();
  for (int i = 0; i < 4; ++i) text.json["bufferViews"].push_back({{"buffer", i}, {"byteLength", 60}});
  const std::string json = text.json.dump();
  const GltfDocument document = parse_gltf_document(json, "a.gltf");
  GltfBuffers buffers(document, folder_ / "meshes/a.gltf", std::nullopt);
  std::vector<std::size_t> read;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(buffers.view(i).size(), 60U);
    read.push_back(buffers.bytes_read());
  }
  EXPECT_EQ(read, (std::vector<std::size_t>{60, 60, 60, 120}));
}

TEST(GlbTest, TakesWholeFilesOnly) {
  const std::string good = glb();
  EXPECT_EQ(split_glb(good, "a.glb").binary->size(), 72U);
  const auto refusal = [](const std::string& bytes) {
    return message_of<InputError>([&] { split_glb(bytes, "a.glb"); });
  };
  EXPECT_TRUE(contains(refusal("glTF"), "a.glb: the GLB file is cut short: 4 bytes"));
  EXPECT_TRUE(contains(refusal(good + "more"), "a.glb: byte 8: the GLB has"));
  std::string bytes = good;
  bytes[4] = 3;
  EXPECT_TRUE(contains(refusal(bytes), "a.glb: byte 4: version 3 of GLB; only 2 is read"));
  bytes = good, bytes[16] = 'j';
  EXPECT_TRUE(contains(refusal(bytes), "a.glb: byte 12: the first chunk of a GLB, and no other, is JSON"));
}

}  // namespace
}  // namespace fathom::test::gltf_buffers_test
