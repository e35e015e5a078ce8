// SPDX-License-Identifier: MIT
#pragma once

#include <array>
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

/// Notes that coordinates in single precision reach so far that they are off by a millimetre or more. `is_single`:
/// whether the file has x, y and z in it.
void note_rounded_places(const Mesh& mesh, const std::array<bool, 3>& is_single, MeshReading& reading);

}  // namespace fathom
