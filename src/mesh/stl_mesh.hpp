// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include <fathom/scene/mesh.hpp>

#include "mesh/mesh_reading.hpp"

namespace fathom {

/// Reads the facets of an STL file, binary or ASCII, whatever solids they belong to; vertices that are equal to the bit
/// are made one. The file must be whole: at least 84 + 50 n bytes, or ASCII with its last `endsolid`. Bytes behind the
/// last facet are passed over, with a note. Where these bytes are whole facets, or the header counts none, all facets
/// are read, with a note on the header's count. `file` is the name for messages. Throws InputError; does not call
/// validate().
Mesh parse_stl_mesh(std::string_view bytes, const std::string& file, MeshReading& reading);

}  // namespace fathom
