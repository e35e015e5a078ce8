// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace fathom {

/// Throws InputError when `head`, the beginning of `file`, is that of a URDF, an SDF or an MJCF: XML that describes
/// robots and worlds, which many give where a scene or a mesh is wanted.
void refuse_robot_description(std::string_view head, const std::string& file);

}  // namespace fathom
