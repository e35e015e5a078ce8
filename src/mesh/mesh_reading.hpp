// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mesh/mesh_parts.hpp"

namespace fathom {

/// What a reader of meshes takes and gives besides the mesh.
struct MeshReading {
  PartList* parts = nullptr;                       ///< what belongs to which part; null: not asked
  std::vector<std::filesystem::path> opened = {};  ///< files that it opened besides the one named
  std::vector<std::string> notes = {};             ///< what it passed over, without the name of the file
};

/// Notes that a file with coordinates in single precision lies so far away that they are off by a millimetre or more.
void note_rounded_places(const Mesh& mesh, MeshReading& reading);

}  // namespace fathom
