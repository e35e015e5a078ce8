// SPDX-License-Identifier: MIT
#pragma once
// Only what includes libsdformat is in src/world/sdf: a module of its own, libfathom-sdf, which lies beside the library
// and is loaded with the first SDF file. Programs that were linked to libsdformat itself would start 30 ms later.

#include <filesystem>

#include <fathom/files/robot.hpp>

#include "mesh/xml_document.hpp"
#include "world/robot_files.hpp"

namespace fathom {

/// The one function of the module. It fills name, links, joints, meshes and notes of `robot`; `document` is the file's,
/// and is changed. robot_library_mutex() must be held.
using ReadSdf = void(XmlDocument& document, const std::filesystem::path& file, RobotFiles& files, Robot& robot);
inline constexpr const char* kReadSdf = "fathom_read_sdf";

}  // namespace fathom
