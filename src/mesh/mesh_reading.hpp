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

}  // namespace fathom
