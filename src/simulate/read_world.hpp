// SPDX-License-Identifier: MIT
#pragma once
// The `scene` part of a scene file: meshes, entities, robots and worlds of other formats.

#include <string>
#include <vector>

#include <fathom/scene/scene.hpp>
#include <fathom/simulate/parameter_range.hpp>

#include "simulate/read_pose.hpp"
#include "simulate/read_robots.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

struct WorldSetup {
  Scene scene;
  BareLinks bare_links = {};
  std::vector<std::string> notes = {};      ///< what was not read
  std::vector<ParameterRange> ranges = {};  ///< what is drawn of entities; the scene holds the middles
};

WorldSetup read_world(YamlReader map, SceneFiles& files);

}  // namespace fathom
