// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fathom/files/meshes.hpp>

namespace fathom {

/// As read_mesh(file, up_axis). Adds to `opened` the files that it opens beside `file`: the buffers of a glTF. Adds to
/// `notes` a sentence with the name of the file for each thing that it passes over.
Mesh read_mesh(const std::filesystem::path& file, std::optional<UpAxis> up_axis,
               std::vector<std::filesystem::path>& opened, std::vector<std::string>& notes);
/// As read_mesh_parts(file, split, up_axis), likewise.
std::vector<MeshPart> read_mesh_parts(const std::filesystem::path& file, MeshSplit split, std::optional<UpAxis> up_axis,
                                      std::vector<std::filesystem::path>& opened, std::vector<std::string>& notes);

/// Whether read_mesh() knows files of such a name.
bool is_mesh_name(const std::filesystem::path& file);

}  // namespace fathom
