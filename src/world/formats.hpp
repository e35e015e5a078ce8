// SPDX-License-Identifier: MIT
#pragma once
// A reader for each format, in builds that have its library.

#include <filesystem>
#include <string>

#include <fathom/files/robot.hpp>

#include "mesh/xml_document.hpp"
#include "world/robot_files.hpp"

namespace fathom {

/// Fill name, links, joints, meshes and notes. `document` is the file's, and is changed.
void read_urdf(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot);
void read_sdf(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot);

}  // namespace fathom
