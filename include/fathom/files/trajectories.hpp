// SPDX-License-Identifier: MIT
#pragma once
// Trajectories read. Throws InputError naming the file (and the line, where there are lines) when it is
// missing, unreadable, truncated, not understood, or holds values that are not allowed.

#include <filesystem>

#include <fathom/base/export.hpp>
#include <fathom/scene/trajectory.hpp>

namespace fathom {

/// Reads a trajectory in TUM format: lines `stamp tx ty tz qx qy qz qw` (s, m, unit quaternion), # comments.
FATHOM_API Trajectory read_trajectory(const std::filesystem::path& file);

}  // namespace fathom
