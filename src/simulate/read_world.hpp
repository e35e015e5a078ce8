#pragma once
// The `scene` part of a scene file: meshes and entities.

#include <filesystem>

#include <fathom/scene.hpp>

#include "io/yaml_reader.hpp"

namespace fathom {

Scene read_world(YamlReader map, const std::filesystem::path& folder);

}  // namespace fathom
