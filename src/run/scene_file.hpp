// SPDX-License-Identifier: MIT
#pragma once
// Scene files whose text is already in memory, and changes to scene files from outside: --set path=value.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/simulate/run.hpp>

#include "core/text/yaml.hpp"

namespace fathom {

/// As read_scene_file(). `file` names the text in messages, and other files are relative to its folder.
SceneSetup read_scene_text(std::string_view text, const std::filesystem::path& file,
                           const std::vector<std::string>& overrides);

/// Replaces or adds the value at a path: "sensors.lidar.noise.distance.stddev_m=0.05". A part of the path is a key of a
/// map or, in a list, a position (from 0), the `name` of an entry, the only key of an entry (noise, outputs) or a bare
/// word. Lists do not grow. Keys may be added, and the reader then decides whether the format knows them. The value is
/// YAML, or @FILE, the content of that file. Setting `x_deg` removes `x_rad` and vice versa. Throws InputError
/// naming the path, and the nearest entry if no entry has the name.
void apply_override(YamlValue& root, const std::string& path_and_value);

}  // namespace fathom
