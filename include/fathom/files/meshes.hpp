// SPDX-License-Identifier: MIT
#pragma once
// Meshes read. Throws InputError naming the file (and the line, where there are lines) when it is
// missing, unreadable, truncated, not understood, or holds values that are not allowed.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

/// The axis of a file that points up.
enum class UpAxis : std::uint8_t { kX, kY, kZ };

/// Reads OBJ, PLY, STL, glTF/GLB or DAE; all meshes that the file places joined in the file's own frame, in metres as
/// written (of DAE the unit is applied), turned so that `up_axis` becomes z, and validated. Without `up_axis`: y for
/// glTF, what the file says for DAE (y where it says nothing), z for the others. No file is opened but `file` and, for
/// glTF, its buffers in the same folder. Throws SystemError when there is not enough memory.
FATHOM_API Mesh read_mesh(const std::filesystem::path& file, std::optional<UpAxis> up_axis = std::nullopt);

/// What the parts of a mesh file are. Nodes: those that place something, of glTF and DAE; the objects (`o`) of OBJ or,
/// in a file without any, its groups (`g`). Other formats have no parts.
enum class MeshSplit : std::uint8_t { kNodes, kMaterials };

/// A part of a mesh file, in the frame of the whole.
struct MeshPart {
  std::string name;  ///< of the node or material; unique among the parts, and not empty
  Mesh mesh;
};

/// Reads the parts of a file, in the order in which they begin: what read_mesh() joins, with the same vertices. What
/// has no name gets one: a node that of its mesh, or node_3 by its position in the file; a material material_3;
/// triangles without a material, or outside of every object, are the part `default`. The second part of a name is
/// called wheel_2. Parts without a triangle that has an area are left out. Throws as read_mesh() does, and InputError
/// for a format without parts.
///
///   const EntityId car = scene.add_entity({.name = "car", .mesh = kNoMesh});
///   for (MeshPart& part : read_mesh_parts("car.glb", MeshSplit::kMaterials)) {
///     const MeshId mesh = scene.add_mesh(std::move(part.mesh), part.name);
///     scene.add_entity({.name = "car/" + part.name, .mesh = mesh, .parent = car, .part_of_parent = true});
///   }
FATHOM_API std::vector<MeshPart> read_mesh_parts(const std::filesystem::path& file, MeshSplit split,
                                                 std::optional<UpAxis> up_axis = std::nullopt);

}  // namespace fathom
