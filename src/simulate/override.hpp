// SPDX-License-Identifier: MIT
#pragma once
// Changes to a scene file from outside of it: --set path=value.

#include <optional>
#include <string>
#include <string_view>

#include "text/yaml_tree.hpp"

namespace fathom {

/// Replaces or adds the value at a path: "sensors.lidar.noise.distance.stddev_m=0.05". A part of the path is a key of a
/// map or, in a list, a position (from 0), the `name` of an entry, the only key of an entry (noise, outputs) or a bare
/// word. Lists do not grow; keys may be added, and the reader then decides whether the format knows them. The value is
/// YAML, or @FILE: what is in that file. Setting `x_deg` removes `x_rad` and the other way round. Throws InputError
/// naming the path, and the nearest entry where there is none of that name.
void apply_override(YamlValue& root, const std::string& path_and_value);

/// The file that an override takes its value from, if any.
std::optional<std::string> override_file(std::string_view path_and_value);

}  // namespace fathom
