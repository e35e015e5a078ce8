#pragma once
// Poses and motions in scene files.

#include <filesystem>

#include <fathom/trajectory.hpp>

#include "io/yaml_reader.hpp"

namespace fathom {

/// A file named in a scene file: relative to the folder of the file in which the name stands, for a name from outside
/// of files (--set) to `folder`, that of the scene file.
std::filesystem::path read_path(const YamlReader& reader, const std::filesystem::path& folder);

/// position_m and one of rpy_deg, rpy_rad, quaternion_xyzw from the keys of a map; absent: zero, no rotation.
Pose read_pose(YamlReader& map);

/// `motion` (keyframes, or a trajectory file) where the map has it, else the fixed pose.
Trajectory read_trajectory_or_pose(YamlReader& map, const std::filesystem::path& folder);

}  // namespace fathom
