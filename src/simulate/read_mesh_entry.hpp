// SPDX-License-Identifier: MIT
#pragma once
// One entry of `meshes` in a scene file.

#include <vector>

#include <fathom/files/meshes.hpp>
#include <fathom/scene/mesh.hpp>

#include "simulate/read_pose.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

/// A file name, {file: name, up_axis: y}, or {primitive: {sizes}}.
Mesh read_mesh_entry(YamlReader entry, SceneFiles& files);

/// Whether an entry says {file: name, split: nodes}.
bool is_split(const YamlReader& entry);
/// The parts of such a file.
std::vector<MeshPart> read_split_mesh(YamlReader entry, SceneFiles& files);

}  // namespace fathom
