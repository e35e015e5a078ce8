// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fathom/files/meshes.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

/// As read_mesh(file, up_axis). Adds to `opened` the files that it opens besides `file`: the buffers of a glTF. Adds to
/// `notes` a sentence with the file's name for each thing that it skips.
Mesh read_mesh(const std::filesystem::path& file, std::optional<UpAxis> up_axis,
               std::vector<std::filesystem::path>& opened, std::vector<std::string>& notes);
/// As read_mesh_parts(file, split, up_axis), with the same additions.
std::vector<MeshPart> read_mesh_parts(const std::filesystem::path& file, MeshSplit split, std::optional<UpAxis> up_axis,
                                      std::vector<std::filesystem::path>& opened, std::vector<std::string>& notes);

/// Whether the file's extension is one that read_mesh() reads.
bool is_mesh_name(const std::filesystem::path& file);

/// The name of the part that holds triangles without a material, or outside of all nodes.
inline constexpr std::string_view kDefaultPart = "default";

/// Which triangles of a file belong to which of its nodes or materials. Readers make one mesh and record here where
/// each part begins. Afterwards cut() splits the mesh.
class PartList {
 public:
  explicit PartList(MeshSplit by) : by_(by) {}

  [[nodiscard]] bool by_nodes() const { return by_ == MeshSplit::kNodes; }
  /// From triangle `first` on, triangles belong to the part with this key. `name`: the part's name in the file.
  void begin(std::size_t first, std::string_view key, std::string_view name);
  /// The parts of the joined mesh, in the order in which they begin. Parts whose triangles all have no area are left
  /// out. A repeated name gets a number: wheel, wheel_2.
  [[nodiscard]] std::vector<MeshPart> cut(const Mesh& joined) const;

 private:
  struct Run {
    std::size_t first;
    std::uint32_t part;
  };

  MeshSplit by_;
  std::vector<Run> runs_;
  std::vector<std::string> names_;  // [parts]
  std::unordered_map<std::string, std::uint32_t> part_of_key_;
};

/// Input and output of a reader of meshes, besides the mesh.
struct MeshReading {
  PartList* parts = nullptr;                       ///< where to record the parts; null if not asked for
  std::vector<std::filesystem::path> opened = {};  ///< files opened besides the mesh file
  std::vector<std::string> notes = {};             ///< what the reader skipped, without the file's name
};

/// Adds a note if coordinates in single precision are so large that rounding moves them by a millimetre or more.
/// `is_single`: whether the file stores x, y and z in single precision.
void note_rounded_places(const Mesh& mesh, const std::array<bool, 3>& is_single, MeshReading& reading);

// The readers of the formats. `file` is the name for messages. They keep the axes of the file, throw InputError and do
// not call validate(). All but PLY merge vertices of equal bits.
//
// They are not Assimp, because Assimp 5.2 fails on hostile or odd files:
//   OBJ      takes 5,9 for a number, and opens any file that `mtllib` names
//   PLY      loops for ever on a header cut short ("format ascii 1."), reads a truncated binary body as zeros, and
//            reorders the vertices, which Scene::replace_vertices relies on
//   COLLADA  follows null pointers where arrays are shorter than their accessors claim, and recurses without end where
//            a node contains itself
//   glTF     follows null pointers where a skin has no matrices or a sparse accessor no indices, recurses as deep as
//            nodes are nested, and opens any file that a URI names

/// Reads the faces of an OBJ file and triangulates them. Vertices without a face are left out. Skips points, lines,
/// normals, colours and names, and faces of fewer than three corners with a note. Opens no other file. Parts are
/// objects, groups or materials. An unknown statement or a free-form surface is an error that names the line.
Mesh parse_obj_mesh(std::string_view bytes, const std::string& file, MeshReading& reading);

/// Reads the facets of all solids of an STL file, binary or ASCII. The file must be whole: at least 84 + 50 n bytes, or
/// ASCII with its last `endsolid`. Bytes behind the last facet are skipped, with a note. Where these bytes are whole
/// facets, or the header's count is 0, all facets are read, with a note on the count.
Mesh parse_stl_mesh(std::string_view bytes, const std::string& file, MeshReading& reading);

/// Reads `element vertex` (x y z), `element face` (list vertex_indices or vertex_index) and `element tristrips` (the
/// same list, -1 between strips) of a PLY file, ASCII or binary of either byte order. Everything else is skipped. A
/// polygon becomes a fan around its first corner, so it must be convex. Memory grows with the bytes of the file, not
/// with the counts that the header claims. A vertex that is not finite and has no face moves to another vertex.
Mesh parse_ply_mesh(std::string_view bytes, const std::string& file, MeshReading& reading);

struct DaeMesh {
  Mesh mesh;  ///< axes as written
  UpAxis up_axis = UpAxis::kY;
};

/// Reads the shapes that the scene of a COLLADA 1.4 or 1.5 file places, with the transforms of their nodes and the
/// file's unit. Triangulates polygons and drops lines. Skinned and morphed shapes stay as modelled. Parts are nodes or
/// materials.
DaeMesh parse_dae_mesh(std::string_view bytes, const std::string& file, MeshReading& reading);

/// Reads the triangles, strips and fans that the scene of a glTF 2.0 file places, posed by its nodes, skins and morph
/// targets. `bytes`: JSON or a GLB. The axes stay as written: y up. Parts are nodes or materials. Reads buffers only
/// from the folder of `file` and adds them to `opened`. Messages name file, place, value and limit.
Mesh parse_gltf_mesh(std::string_view bytes, const std::filesystem::path& file, MeshReading& reading);

}  // namespace fathom
