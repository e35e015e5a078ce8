#pragma once
// The `scene` part of a scene file: meshes and entities.

#include <fathom/scene.hpp>

#include "io/yaml_reader.hpp"
#include "simulate/read_pose.hpp"

namespace fathom {

Scene read_world(YamlReader map, SceneFiles& files);

}  // namespace fathom
