#pragma once

#include <filesystem>
#include <string_view>

#include <fathom/mesh.hpp>

namespace fathom {

/// Reads OBJ, STL, glTF or GLB (`extension`, lower case, without the dot). Node transforms are applied, polygons
/// are triangulated, points and lines dropped, all meshes joined, and vertices that are equal to the bit made one.
/// The axes stay as written: glTF is usually y up. Throws InputError naming the file; does not call validate().
Mesh read_assimp_mesh(const std::filesystem::path& file, std::string_view extension);

/// Throws InputError unless the bytes are a whole STL file: binary with 84 + 50 n bytes, or ASCII with its last
/// `endsolid`. Assimp takes an ASCII file that stops after any facet.
void check_stl(std::string_view bytes, std::string_view file);

}  // namespace fathom
