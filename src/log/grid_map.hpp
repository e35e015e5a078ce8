// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <vector>

#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// As read_grid_map(yaml_file). The file that it opens beside `yaml_file`, the image, is added to `opened`.
GridMap read_grid_map(const std::filesystem::path& yaml_file, std::vector<std::filesystem::path>& opened);

}  // namespace fathom
