// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

/// Pinhole camera: [height, width] rays, pixel (u, v) through ((u - cx) / fx, (v - cy) / fy) with u right, v down and
/// pixel centres at whole numbers. Ranges are along the ray. The optical axis is the sensor's x axis. All pixels are
/// seen at the start of the frame.
struct PinholeCamera {
  double fx = 0.0, fy = 0.0, cx = 0.0, cy = 0.0;  ///< px
  std::uint32_t width = 0, height = 0;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "pinhole_camera";
  static constexpr std::string_view kDoc = "Range camera: one ray through each pixel of a pinhole camera.";
  FATHOM_API static std::span<const Field<PinholeCamera>> fields();
  FATHOM_API void check() const;
};

/// A camera with square pixels whose image spans `horizontal_fov_rad` (0, pi) from the left edge of its first to the
/// right edge of its last pixel, the principal point in the middle.
FATHOM_API PinholeCamera camera_from_fov(std::uint32_t width, std::uint32_t height, double horizontal_fov_rad);

}  // namespace fathom
