// SPDX-License-Identifier: MIT
#pragma once
// Readers of meshes and of height fields. They throw InputError naming the file (and the line, where there are lines)
// if it is missing, unreadable, truncated, not understood, or holds values that are not allowed.

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

/// The scale of a picture of heights.
struct HeightImageOptions {
  double size_x_m = 1.0, size_y_m = 1.0;  ///< in (0, kMostPrimitiveM]: width and height of the picture
  double elevation_m = 1.0;               ///< in (0, kMostPrimitiveM]: height of white; black is 0 m
  bool stretch = false;                   ///< the lowest pixel is 0 m and the highest elevation_m, as in MuJoCo
  double base_m = 0.0;                    ///< as in HeightField
};

/// Reads a grey picture, PNG or PGM of 8 or 16 bits, by its stored levels (ignores gamma). A pixel is a height. The top
/// row has the greatest y. Refuses colours and transparency.
FATHOM_API HeightField read_height_image(const std::filesystem::path& file, const HeightImageOptions& options);

/// Reads a NumPy array [rows, cols] of heights in metres, of any type that docs/output-formats.md lists. The first row
/// has the least y. Sizes and base of the result keep HeightField's defaults.
FATHOM_API HeightField read_height_array(const std::filesystem::path& file);

}  // namespace fathom
