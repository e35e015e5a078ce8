// SPDX-License-Identifier: MIT
#pragma once
// The `scene` part of a scene file: meshes and entities.

#include <fathom/scene/scene.hpp>

#include "simulate/read_pose.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

Scene read_world(YamlReader map, SceneFiles& files);

}  // namespace fathom
