// SPDX-License-Identifier: MIT
#pragma once
// Points of a cloud on the rays of a sensor.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/sensor/pattern.hpp>

#include "simulate/cloud_points.hpp"
#include "simulate/ray_finder.hpp"

namespace fathom {

struct CloudRanges {
  std::vector<float> range_m;  ///< of the rays that points lie on, [rows, cols]; NaN for rays without a point
  std::vector<float> point_m;  ///< these points, [rows, cols, 3]; NaN where there is none
  std::size_t points = 0, strays = 0;
  std::optional<std::uint32_t> twice = {};  ///< the first ray with two points

  void put(std::size_t ray, double range, const Vec3& at);
  /// Whether no more than one point in a hundred lies on no ray.
  [[nodiscard]] bool lies_on_rays() const;
};

CloudRanges find_ranges(const CloudPoints& points, const RayFinder& finder, const PatternShape& shape);

/// Throws InputError naming the file when more than one point in a hundred lies on no ray or two lie on one; `sensor`
/// names the sensor, and `hint` is what may be done, or nothing.
void check_ranges(const CloudRanges& ranges, const std::filesystem::path& file, const std::string& sensor,
                  std::string_view hint = {});

}  // namespace fathom
