// SPDX-License-Identifier: MIT
#pragma once
// `from` in the scene of a scene file: robots and worlds of other formats.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/files/robot.hpp>
#include <fathom/scene/scene.hpp>

#include "simulate/read_pose.hpp"
#include "simulate/read_surface.hpp"
#include "text/yaml_reader.hpp"

namespace fathom {

/// The links that have no shape, by name: they are no entities, but sensors and entities may hang on them.
using BareLinks = std::map<std::string, LinkMount, std::less<>>;

/// What a sensor or an entity of a scene file hangs on: an entity by its name, or a link without shape. Throws
/// InputError.
LinkMount find_parent(const Scene& scene, const BareLinks& bare_links, std::string_view name);

/// A motion in the frame of a link, in the frame of what carries the link.
Trajectory carried(const Pose& parent_from_link, const Trajectory& motion);

/// Adds the links of all robots that `from` names: a file name, a map with the file and options, or a list of these.
/// What their files hold and fathom does not read is added to `notes`.
void read_robots(const YamlReader& from, SceneFiles& files, const LabelNames& labels, Scene& scene,
                 BareLinks& bare_links, std::vector<std::string>& notes);

}  // namespace fathom
