// SPDX-License-Identifier: MIT
#pragma once
// The readers of URDF and SDF, in builds that have their libraries.

#include <filesystem>
#include <string>

#include <fathom/files/robot.hpp>

#include "io/mesh/xml_document.hpp"
#include "io/world/robot_files.hpp"

namespace fathom {

/// Throws InputError if an index is out of range, a parent does not come before its child, joints follow each other in
/// a circle, or a number is not finite.
void validate(const Robot& robot);

/// Fill name, links, joints, meshes and notes of `robot`. Change `document`, which is the file's.
void read_urdf(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot);
void read_sdf(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot);

// src/io/world/sdf includes libsdformat. It is a module (core/text/module.hpp), loaded with the first SDF file:
// programs linked to libsdformat itself would start 30 ms later.

/// The function of the module, as read_sdf(). The caller holds robot_library_mutex().
using ReadSdf = void(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot);
inline constexpr const char* kReadSdf = "fathom_read_sdf";

}  // namespace fathom
