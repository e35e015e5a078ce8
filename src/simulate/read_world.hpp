// SPDX-License-Identifier: MIT
#pragma once
// The `scene` part of a scene file: meshes, entities, robots and worlds of other formats.

#include <string>
#include <vector>

#include <fathom/scene/scene.hpp>

#include "simulate/read_pose.hpp"
#include "simulate/read_robots.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

struct WorldSetup {
  Scene scene;
  BareLinks bare_links = {};
  std::vector<std::string> notes = {};  ///< what was not read
};

WorldSetup read_world(YamlReader map, SceneFiles& files);

}  // namespace fathom
