// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/mesh_parts.hpp"

namespace fathom {

/// The text without the byte order mark of UTF-8 in front.
inline std::string_view behind_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

/// What a reader of meshes takes and gives besides the mesh.
struct MeshReading {
  PartList* parts = nullptr;                       ///< what belongs to which part; null: not asked
  std::vector<std::filesystem::path> opened = {};  ///< files that it opened besides the one named
  std::vector<std::string> notes = {};             ///< what it passed over, without the name of the file
};

}  // namespace fathom
