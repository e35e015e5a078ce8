#include "io/assimp_mesh.hpp"

#include <assimp/BaseImporter.h>
#include <assimp/config.h>
#include <assimp/importerdesc.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "base/text.hpp"
#include "io/nesting.hpp"
#include "io/read_file.hpp"
#include "io/text_lines.hpp"
#include "io/vertex_joiner.hpp"

namespace fathom {

namespace {

using Vertex = VertexJoiner::Vertex;

/// In double precision, so that an identity keeps every bit.
Vertex transform(const aiMatrix4x4& m, const aiVector3D& v) {
  const auto row = [&](float a, float b, float c, float d) {
    return static_cast<float>(double{a} * v.x + double{b} * v.y + double{c} * v.z + d);
  };
  return {row(m.a1, m.a2, m.a3, m.a4), row(m.b1, m.b2, m.b3, m.b4), row(m.c1, m.c2, m.c3, m.c4)};
}

void add_part(const aiMesh& part, const aiMatrix4x4& file_from_part, VertexJoiner& joiner) {
  std::vector<std::uint32_t> ids(part.mNumVertices);
  for (unsigned i = 0; i < part.mNumVertices; ++i) {
    ids[i] = joiner.id_of(transform(file_from_part, part.mVertices[i]));
  }
  for (unsigned f = 0; f < part.mNumFaces; ++f) {
    const aiFace& face = part.mFaces[f];
    if (face.mNumIndices != 3) continue;
    std::array<std::uint32_t, 3> triangle{};
    for (unsigned k = 0; k < 3; ++k) {
      if (face.mIndices[k] >= part.mNumVertices) {
        throw InputError(fmt::format("vertex index {} is not in [0, {})", face.mIndices[k], part.mNumVertices));
      }
      triangle[k] = ids[face.mIndices[k]];
    }
    joiner.add(triangle);
  }
}

void add_node(const aiScene& scene, const aiNode& node, const aiMatrix4x4& file_from_parent, VertexJoiner& joiner) {
  const aiMatrix4x4 file_from_node = file_from_parent * node.mTransformation;
  for (unsigned i = 0; i < node.mNumMeshes; ++i) add_part(*scene.mMeshes[node.mMeshes[i]], file_from_node, joiner);
  for (unsigned i = 0; i < node.mNumChildren; ++i) add_node(scene, *node.mChildren[i], file_from_node, joiner);
}

/// The JSON of a .glb: after 12 bytes of file header, a chunk of (length, type, bytes). Assimp allocates what the
/// length says before it reads, so a length that is a lie is refused here.
std::string_view json_chunk(std::string_view bytes, const std::filesystem::path& file) {
  std::uint32_t length = 0;
  if (bytes.size() < 20) return {};
  std::memcpy(&length, bytes.data() + 12, sizeof(length));
  if (length > bytes.size() - 20) {
    throw InputError(fmt::format("{}: byte 12: a chunk of {} bytes is not in [0, {}], what is left of the file",
                                 file.string(), length, bytes.size() - 20));
  }
  return bytes.substr(20, length);
}

/// What Assimp does not check itself.
void guard(const std::filesystem::path& file, std::string_view extension) {
  const std::string bytes = read_file(file);
  std::size_t depth = 0;
  if (extension == "stl") check_stl(bytes, file.string());
  if (extension == "gltf" || extension == "glb") {
    // By what it is, not by what it is called: Assimp takes either under both names.
    depth = json_nesting(bytes.starts_with("glTF") ? json_chunk(bytes, file) : std::string_view(bytes));
  }
  if (depth > kMaxNesting) {
    throw InputError(fmt::format("{}: nested {} deep, the limit is {}", file.string(), depth, kMaxNesting));
  }
}

/// Leaves only the readers of this extension. Assimp would else try all its forty on a file with an odd start, and some
/// of them never return.
void keep_readers(Assimp::Importer& importer, std::string_view extension) {
  for (std::size_t i = importer.GetImporterCount(); i-- > 0;) {
    const auto names = split_words(importer.GetImporterInfo(i)->mFileExtensions);
    if (std::find(names.begin(), names.end(), extension) != names.end()) continue;
    const std::unique_ptr<Assimp::BaseImporter> reader(importer.GetImporter(i));  // ours once it is unregistered
    importer.UnregisterLoader(reader.get());
  }
}

}  // namespace

Mesh read_assimp_mesh(const std::filesystem::path& file, std::string_view extension) {
  guard(file, extension);
  try {
    Assimp::Importer importer;  // without a logger, Assimp is silent
    keep_readers(importer, extension);
    importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const aiScene* scene = importer.ReadFile(
        file.string(), aiProcess_ValidateDataStructure | aiProcess_Triangulate | aiProcess_SortByPType);
    if (scene == nullptr) throw InputError(one_line(importer.GetErrorString()));
    VertexJoiner joiner;
    if (scene->mRootNode != nullptr) add_node(*scene, *scene->mRootNode, aiMatrix4x4(), joiner);
    return joiner.take();
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file.string(), error.what()));
  } catch (const std::exception& error) {  // Assimp may throw its own, and lengths that were lies end in bad_alloc
    throw InputError(fmt::format("{}: not understood: {}", file.string(), one_line(error.what())));
  }
}

}  // namespace fathom
