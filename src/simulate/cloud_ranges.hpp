// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <fathom/sensor/pattern.hpp>

#include "simulate/ray_finder.hpp"

namespace fathom {

/// Ranges of the rays that the points of a cloud lie on, [rows, cols], m; NaN for rays without a point. Throws
/// InputError naming the file when more than one point in a hundred lies on no ray or two lie on one; `sensor` names
/// the sensor in messages. `point_m`: gets the points themselves, [rows, cols, 3], NaN where there is none.
std::vector<float> cloud_ranges(const std::filesystem::path& file, const RayFinder& finder, const PatternShape& shape,
                                const std::string& sensor, std::vector<float>* point_m = nullptr);

}  // namespace fathom
