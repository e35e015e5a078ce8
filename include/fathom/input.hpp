#pragma once
// Files read. Every function throws InputError naming the file (and the line, where there are lines) when it is
// missing, unreadable, truncated, not understood, or holds values that are not allowed.

#include <filesystem>

#include <fathom/export.hpp>
#include <fathom/mesh.hpp>
#include <fathom/pattern.hpp>
#include <fathom/trajectory.hpp>

namespace fathom {

/// Reads OBJ, PLY, STL, glTF/GLB or DAE; all meshes of the file joined in the file's own frame, in metres as written,
/// and validated.
FATHOM_API Mesh read_mesh(const std::filesystem::path& file);

/// Reads a trajectory in TUM format: lines `stamp tx ty tz qx qy qz qw` (s, m, unit quaternion), # comments.
FATHOM_API Trajectory read_trajectory(const std::filesystem::path& file);

/// Reads a ray table from NPY (float32 or float64, [n, 6 to 9]) or CSV (header line names the columns): ox oy oz dx dy
/// dz [range_m] [ring] [time_s]. Directions are normalised; range_m is the ray's own maximum range and replaces
/// `max_range_m`. The pattern is one row.
FATHOM_API RayPattern read_ray_table(const std::filesystem::path& file, float min_range_m, float max_range_m);

}  // namespace fathom
