// SPDX-License-Identifier: MIT
#pragma once
// Rays of a sensor read. Throws InputError naming the file (and the line, where there are lines) when it is
// missing, unreadable, truncated, not understood, or holds values that are not allowed.

#include <filesystem>

#include <fathom/base/export.hpp>
#include <fathom/sensor/pattern.hpp>

namespace fathom {

/// Reads a ray table from NPY (float32 or float64, [n, 6 to 9]) or CSV (header line names the columns): ox oy oz dx dy
/// dz [range_m] [ring] [time_s]. Directions are normalised; range_m is the ray's own maximum range and replaces
/// `max_range_m`. The pattern is one row.
FATHOM_API RayPattern read_ray_table(const std::filesystem::path& file, float min_range_m, float max_range_m);

}  // namespace fathom
