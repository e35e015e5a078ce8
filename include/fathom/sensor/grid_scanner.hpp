// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

/// The frame that the axes of a grid follow.
enum class GridAlignment : std::uint8_t { kBase, kYaw, kWorld };
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<GridAlignment> = {"base", "yaw", "world"};

/// Height scanner as legged robots use it: parallel rays downwards (-z) from a grid around the sensor, [points along y,
/// points along x], both from - to +. An axis has floor(size / resolution) + 1 points, resolution apart, its middle at
/// the sensor; a size within 1e-6 of a multiple of the resolution counts as that multiple.
/// Its frame has the sensor's position, and axes that turn with it (base), only about the vertical (yaw), or not at all
/// (world).
struct GridScanner {
  double size_x_m = 0.0, size_y_m = 0.0;
  double resolution_m = 0.1;
  double start_height_m = 0.0;  ///< of the rays' origins above the sensor
  GridAlignment alignment = GridAlignment::kYaw;
  double min_range_m = 0.0, max_range_m = 100.0;

  static constexpr std::string_view kSlug = "grid_scanner";
  static constexpr std::string_view kDoc = "Parallel rays downwards from a grid: the height scan of legged robots.";
  FATHOM_API static std::span<const Field<GridScanner>> fields();
  FATHOM_API void check() const;
};

}  // namespace fathom
