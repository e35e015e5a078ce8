// SPDX-License-Identifier: MIT
#pragma once
// What an entity, a part of one and a robot say of their surfaces: reflectivity, groups, label, one_sided; the first
// two also material.

#include <optional>
#include <string>
#include <vector>

#include <fathom/simulate/parameter_range.hpp>

#include "text/yaml_reader.hpp"

namespace fathom {

/// The names in `scene.labels`; nothing: the scene has no such table, and labels get ids as they come.
using LabelNames = std::optional<std::vector<std::string>>;

/// Reads into an Entity or a RobotPlace. What the file does not say stays as it is. In a scene with a table of labels,
/// a label that is not in it is refused as a slip. An Entity's reflectivity may be a range, which is returned, and its
/// middle set.
template <class T>
std::optional<ParameterRange> read_surface(YamlReader& map, const LabelNames& table, T& thing);

}  // namespace fathom
