// SPDX-License-Identifier: MIT
#pragma once
// Occupancy grids read from map_server's files, with all that their reader has to say.

#include <filesystem>
#include <string>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

struct GridMapFile {
  GridMap map;
  std::vector<std::string> notes = {};            ///< what its files hold and fathom does not read, a line each
  std::vector<std::filesystem::path> files = {};  ///< all that were opened
};

/// As read_grid_map(), with notes on keys that map_server passes over and on bytes behind the pixels of a PGM.
FATHOM_API GridMapFile read_grid_map_file(const std::filesystem::path& yaml_file);

}  // namespace fathom
