// SPDX-License-Identifier: MIT
#pragma once
// The shapes of a glTF document and the names of its materials. Images, cameras, lights and animations are ignored.
// By hand: tinygltf checks neither indices nor nesting, and its errors name no place in the document.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fathom/core/geometry.hpp>

namespace fathom {

/// A valid position in one of the document's lists.
using GltfIndex = std::optional<std::size_t>;

struct GltfBuffer {
  std::size_t byte_length = 0;
  std::optional<std::string> uri;  ///< absent: the binary chunk of a GLB
};

struct GltfView {
  std::size_t buffer = 0, offset = 0, length = 0;
  std::size_t stride = 0;  ///< 0: elements follow each other
};

/// Elements that replace elements of an accessor.
struct GltfSparse {
  std::size_t count = 0;
  std::size_t index_view = 0, index_offset = 0, index_type = 0;
  std::size_t value_view = 0, value_offset = 0;
};

struct GltfAccessor {
  GltfIndex view;  ///< absent: zeros
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
  GltfIndex material;                        ///< absent also if the file's index is out of range
  std::vector<std::size_t> joints, weights;  ///< sets of four for each vertex; equally many of both
  std::vector<GltfIndex> targets;            ///< offsets of the positions, for each morph target
};

struct GltfMesh {
  std::string name;                       ///< empty if absent
  std::vector<GltfPrimitive> primitives;  ///< only triangles, strips and fans
  std::vector<double> weights;            ///< of morph targets; empty: zeros
};

struct GltfSkin {
  std::vector<std::size_t> joints;  ///< nodes
  GltfIndex inverse_bind_matrices;  ///< absent: identities
};

struct GltfNode {
  std::string name;  ///< empty if absent
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
  std::vector<std::string> materials;      ///< names; empty if absent
  std::vector<std::size_t> parents_first;  ///< all nodes, each after its parent
  std::vector<std::size_t> scene;          ///< root nodes of the scene that is shown

  /// Throws InputError: file: place: what.
  [[noreturn]] void fail(std::string_view place, std::string_view what) const;
};

/// Reads the JSON of a glTF 2.0 file. Nodes are trees, nested no deeper than kMaxNesting: no node has two parents or is
/// its own ancestor. Throws InputError naming file, place, value and limit, also for glTF 1 and for required extensions
/// that are not understood.
GltfDocument parse_gltf_document(std::string_view json, const std::string& file);

/// The two chunks of a .glb. `binary` may be absent.
struct GlbChunks {
  std::string_view json;
  std::optional<std::string_view> binary;
};

/// Whether these are the bytes of a GLB, not of JSON. The file's name does not matter.
bool is_glb(std::string_view bytes);
/// Throws InputError unless the file is whole; `file` is its name for messages.
GlbChunks split_glb(std::string_view bytes, const std::string& file);

/// The bytes of a document's buffers, each read on first use: the binary chunk, base64 in the document, or a file in
/// the folder of the mesh. No name and no link leads out of this folder.
class GltfBuffers {
 public:
  /// `document` and the bytes of `binary` must outlive this object. `file`: the mesh.
  GltfBuffers(const GltfDocument& document, const std::filesystem::path& file, std::optional<std::string_view> binary);

  /// The bytes of bufferViews[view]. Throws InputError.
  std::string_view view(std::size_t view);
  /// Bytes read until now. A file that several buffers share counts once.
  [[nodiscard]] std::size_t bytes_read() const { return bytes_read_; }
  /// Adds the files read so far.
  void list_files(std::vector<std::filesystem::path>& opened) const;

 private:
  std::string_view buffer(std::size_t buffer);
  std::string_view read(const std::string& place, const std::string& uri);

  const GltfDocument& document_;
  std::filesystem::path folder_;
  std::optional<std::string_view> binary_;
  std::vector<std::optional<std::string_view>> buffers_;
  std::list<std::string> decoded_;
  std::unordered_map<std::string, std::string> files_;
  std::size_t bytes_read_ = 0;
};

/// Numbers in the bytes of a buffer, as glTF writes them.
struct GltfComponents {
  const char* bytes = nullptr;
  std::size_t type = 0;  ///< 5120 int8 to 5126 float32
  bool is_normalized = false;

  [[nodiscard]] double operator[](std::size_t i) const;
};

/// The elements of an accessor, in the bytes of their buffer. GltfAccessors checks them, so reading an element below
/// `count` cannot fail. Nothing is copied, so a false count takes no memory.
class GltfNumbers {
 public:
  std::size_t count = 0;

  /// Components of a matrix run column by column.
  [[nodiscard]] double operator()(std::size_t element, std::size_t component) const;

 private:
  friend class GltfAccessors;

  GltfComponents dense_;  ///< without bytes: zeros
  std::size_t stride_ = 0, components_ = 0;
  std::size_t sparse_count_ = 0;
  GltfComponents sparse_indices_, sparse_values_;
};

/// The accessors of a document.
class GltfAccessors {
 public:
  GltfAccessors(const GltfDocument& document, GltfBuffers& buffers)
      : document_(document), buffers_(buffers), made_(document.accessors.size()) {}

  /// accessors[i], whose type must be `type` (SCALAR, VEC3, VEC4, MAT4). Throws InputError.
  const GltfNumbers& get(std::size_t i, std::string_view type);
  /// The same for indices: whole numbers at or above 0.
  const GltfNumbers& get_indices(std::size_t i, std::string_view type);
  /// Throws InputError naming the accessor.
  [[noreturn]] void fail(std::size_t i, std::string_view what) const;

 private:
  GltfNumbers make(std::size_t i);
  void add_sparse(std::size_t i, GltfNumbers& numbers);
  /// Bytes of a view from `offset`. Fails unless they hold `count` elements.
  const char* elements(std::size_t i, std::string_view part, std::size_t view, std::size_t offset, std::size_t count,
                       std::size_t bytes, std::size_t stride);

  const GltfDocument& document_;
  GltfBuffers& buffers_;
  std::vector<std::optional<GltfNumbers>> made_;
  std::size_t sparse_ = 0;  // sparse elements of all accessors made so far
};

}  // namespace fathom
