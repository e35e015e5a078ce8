// SPDX-License-Identifier: MIT
#pragma once
// Readers of meshes. They throw InputError naming the file (and the line, where there are lines) if it is missing,
// unreadable, truncated, not understood, or holds values that are not allowed.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/scene/mesh.hpp>

namespace fathom {

/// The axis of a file that points up.
enum class UpAxis : std::uint8_t { kX, kY, kZ };

/// Reads OBJ, PLY, STL, glTF/GLB or DAE. Joins all meshes that the file places, in the file's frame, turns `up_axis` to
/// z and validates the result. Coordinates are metres as written; DAE's unit is applied. Without `up_axis` it is y for
/// glTF, the file's own for DAE (y if absent), and z for the others. Opens only `file` and, for glTF, buffers in the
/// same folder. Throws SystemError if there is not enough memory.
FATHOM_API Mesh read_mesh(const std::filesystem::path& file, std::optional<UpAxis> up_axis = std::nullopt);

/// How to split a mesh file. Nodes: the nodes of glTF and DAE that place a shape, or the objects (`o`) of OBJ, or its
/// groups (`g`) if there are no objects. Other formats have no parts.
enum class MeshSplit : std::uint8_t { kNodes, kMaterials };

/// A part of a mesh file, in the frame of the whole.
struct MeshPart {
  std::string name;  ///< of the node or material; not empty, and unique among the parts
  Mesh mesh;
};

/// Reads the parts of a file in the order in which they begin. They have the vertices of read_mesh(). A node without a
/// name gets the name of its mesh, or node_3 by its position in the file; a material material_3. Triangles without a
/// material, or outside of all objects, are the part `default`. A repeated name becomes wheel_2. Parts whose triangles
/// all have no area are left out. Throws as read_mesh() does, and InputError for a format without parts.
///
///   const EntityId car = scene.add_entity({.name = "car", .mesh = kNoMesh});
///   for (MeshPart& part : read_mesh_parts("car.glb", MeshSplit::kMaterials)) {
///     const MeshId mesh = scene.add_mesh(std::move(part.mesh), part.name);
///     scene.add_entity({.name = "car/" + part.name, .mesh = mesh, .parent = car, .part_of_parent = true});
///   }
FATHOM_API std::vector<MeshPart> read_mesh_parts(const std::filesystem::path& file, MeshSplit split,
                                                 std::optional<UpAxis> up_axis = std::nullopt);

}  // namespace fathom
