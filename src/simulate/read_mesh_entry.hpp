// SPDX-License-Identifier: MIT
#pragma once
// One entry of `meshes` in a scene file.

#include <fathom/scene/mesh.hpp>

#include "simulate/read_pose.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

/// A file name, {file: name, up_axis: y}, or {primitive: {sizes}}.
Mesh read_mesh_entry(YamlReader entry, SceneFiles& files);

}  // namespace fathom
