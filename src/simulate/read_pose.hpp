// SPDX-License-Identifier: MIT
#pragma once
// Poses and motions in scene files.

#include <filesystem>
#include <vector>

#include <fathom/scene/trajectory.hpp>

#include "text/yaml_reader.hpp"

namespace fathom {

/// The files of a scene.
struct SceneFiles {
  std::filesystem::path folder;                    ///< of the scene file
  std::vector<std::filesystem::path> opened = {};  ///< by what stands in it
  std::vector<std::string> notes = {};             ///< on values in it that are likely slips, a sentence each
  double first_frame_s = 0.0, last_frame_s = 0.0;  ///< of the scene, for motions
};

/// A file named in a scene file: relative to the folder of the file in which the name stands, for a name from outside
/// of files (--set) to the folder of the scene file. It counts as opened.
std::filesystem::path read_path(const YamlReader& reader, SceneFiles& files);

/// `motion` (keyframes, or a trajectory file) where the map has it, else the fixed pose.
Trajectory read_trajectory_or_pose(YamlReader& map, SceneFiles& files);

}  // namespace fathom
