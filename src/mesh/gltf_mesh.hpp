// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string_view>

#include <fathom/scene/mesh.hpp>

#include "mesh/mesh_reading.hpp"

namespace fathom {

/// Reads the triangles, strips and fans that the scene of a glTF 2.0 file places (`bytes`: its JSON or a GLB), as its
/// nodes pose them, skins and morph targets included; vertices that are equal to the bit are made one. The axes stay as
/// written: y up. Parts are nodes or materials; files of buffers are added to `opened`. `file` is the name for
/// messages; buffers are read from its folder and from nowhere else. Throws InputError naming file, place, value and
/// limit; does not call validate().
Mesh parse_gltf_mesh(std::string_view bytes, const std::filesystem::path& file, MeshReading& reading);

}  // namespace fathom
