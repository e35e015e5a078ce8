// SPDX-License-Identifier: MIT
#pragma once
// glTF is read here and not through Assimp: Assimp 5.2 follows null pointers where a skin has no matrices or a sparse
// accessor no indices, recurses as deep as nodes are nested, and opens whatever file a URI names. This reads
// the shapes of a document and the names of its materials; images, cameras, lights and animations are ignored.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/affine.hpp>

namespace fathom {

/// A position in one of the document's lists, which has it.
using GltfIndex = std::optional<std::size_t>;

struct GltfBuffer {
  std::size_t byte_length = 0;
  std::optional<std::string> uri;  ///< none: the binary chunk of a GLB
};

struct GltfView {
  std::size_t buffer = 0, offset = 0, length = 0;
  std::size_t stride = 0;  ///< 0: elements follow each other
};

/// Elements that replace those of an accessor.
struct GltfSparse {
  std::size_t count = 0;
  std::size_t index_view = 0, index_offset = 0, index_type = 0;
  std::size_t value_view = 0, value_offset = 0;
};

struct GltfAccessor {
  GltfIndex view;  ///< none: zeros
  std::size_t offset = 0, count = 0, component_type = 0;
  bool is_normalized = false;
  std::string type;
  std::optional<GltfSparse> sparse;
};

/// Numbers are positions in `accessors`.
struct GltfPrimitive {
  std::string place;  ///< for messages: meshes[0].primitives[1]
  std::size_t mode = 4;
  std::size_t positions = 0;
  GltfIndex indices;
  GltfIndex material;                        ///< none also where the file gives one that it does not have
  std::vector<std::size_t> joints, weights;  ///< four of each for every vertex, as many of one as of the other
  std::vector<GltfIndex> targets;            ///< what each morph target adds to the positions
};

struct GltfMesh {
  std::string name;                       ///< empty: none
  std::vector<GltfPrimitive> primitives;  ///< those of triangles
  std::vector<double> weights;            ///< of morph targets; empty: zeros
};

struct GltfSkin {
  std::vector<std::size_t> joints;  ///< nodes
  GltfIndex inverse_bind_matrices;  ///< none: identities
};

struct GltfNode {
  std::string name;  ///< empty: none
  Affine parent_from_node;
  GltfIndex parent, mesh, skin;
  std::vector<std::size_t> children;
  std::vector<double> weights;  ///< of morph targets, instead of the mesh's
};

struct GltfDocument {
  std::string file;  ///< for messages
  std::vector<GltfBuffer> buffers;
  std::vector<GltfView> views;
  std::vector<GltfAccessor> accessors;
  std::vector<GltfMesh> meshes;
  std::vector<GltfSkin> skins;
  std::vector<GltfNode> nodes;
  std::vector<std::string> materials;      ///< their names, empty where there is none
  std::vector<std::size_t> parents_first;  ///< every node, each after its parent
  std::vector<std::size_t> scene;          ///< the nodes of the scene that is shown; they have no parents

  /// Throws InputError: file: place: what.
  [[noreturn]] void fail(std::string_view place, std::string_view what) const;
};

/// Reads the JSON of a glTF 2.0 file. Nodes are trees: none has two parents or is its own ancestor, and they are nested
/// no deeper than kMaxNesting. Throws InputError naming file, place, value and limit, also for glTF 1 and for
/// extensions without which a document cannot be understood.
GltfDocument parse_gltf_document(std::string_view json, const std::string& file);

}  // namespace fathom
