// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <fathom/scene/mesh.hpp>

namespace fathom {

/// Reads the facets of an STL file, binary or ASCII, whatever solids they belong to; vertices that are equal to the bit
/// are made one. The file must be whole: 84 + 50 n bytes, or ASCII with its last `endsolid`. `file` is the name for
/// messages. Throws InputError; does not call validate().
Mesh parse_stl_mesh(std::string_view bytes, const std::string& file);

}  // namespace fathom
