// SPDX-License-Identifier: MIT
#pragma once
// OBJ is read here and not through Assimp: Assimp 5.2 takes 5,9 for a number, and opens whatever file `mtllib` names.

#include <string>
#include <string_view>

#include <fathom/scene/mesh.hpp>

#include "mesh/mesh_reading.hpp"

namespace fathom {

/// Reads the faces of an OBJ file over its vertices; polygons are triangulated, vertices that are equal to the bit made
/// one, and those of no face left out. Points, lines, normals, colours and names are passed over, and no other file is
/// opened, whatever the text says. Parts are objects, groups or materials. Faces of fewer than three corners are passed
/// over, with a note. A line that is not of the format is an error, and so is a free-form surface. `file` is the name
/// for messages. Throws InputError naming the line; does not call validate().
Mesh parse_obj_mesh(std::string_view bytes, const std::string& file, MeshReading& reading);

}  // namespace fathom
