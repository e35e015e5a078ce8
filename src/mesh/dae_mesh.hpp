// SPDX-License-Identifier: MIT
#pragma once
// COLLADA is read here and not through Assimp: Assimp 5.2 follows null pointers where arrays are shorter than their
// accessors say, and recurses without end where a node contains itself.

#include <string>
#include <string_view>

#include <fathom/files/meshes.hpp>
#include <fathom/scene/mesh.hpp>

#include "mesh/mesh_reading.hpp"

namespace fathom {

struct DaeMesh {
  Mesh mesh;  ///< axes as written
  UpAxis up_axis = UpAxis::kY;
};

/// Reads the shapes that the scene of a COLLADA 1.4 or 1.5 file places, each as often as it is placed and as its nodes
/// transform it; polygons are triangulated, lines dropped, vertices that are equal to the bit made one. The file's unit
/// is applied. A skinned or morphed shape is read as it was modelled. `file` is the name for messages.
/// Parts are nodes or materials. Throws InputError; does not call validate().
DaeMesh parse_dae_mesh(std::string_view bytes, const std::string& file, MeshReading& reading);

}  // namespace fathom
