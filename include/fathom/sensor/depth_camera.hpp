// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

/// Depth camera: a pinhole camera whose emitter stands at its centre; [height, width] rays as PinholeCamera. The focal
/// length is given in one of three ways: fx (and fy; 0: square pixels), horizontal_fov_rad (square pixels), or
/// focal_length_mm with horizontal_aperture_mm (and vertical_aperture_mm; 0: square pixels).
struct DepthCamera {
  std::uint32_t width = 0, height = 0;
  double fx = 0.0, fy = 0.0;  ///< px
  /// [cx, cy], from the centre of the first pixel; none: the middle
  std::optional<std::array<double, 2>> principal_point_px;
  double horizontal_fov_rad = 0.0;  ///< between the outer edges of the first and the last column
  double focal_length_mm = 0.0, horizontal_aperture_mm = 0.0, vertical_aperture_mm = 0.0;
  double min_range_m = 0.0, max_range_m = 10.0;  ///< along the ray

  static constexpr std::string_view kSlug = "depth_camera";
  static constexpr std::string_view kDoc =
      "Depth camera: range and depth through each pixel, by any kind of intrinsics.";
  FATHOM_API static std::span<const Field<DepthCamera>> fields();
  FATHOM_API void check() const;
};

/// Focal length and principal point in pixels. Throws InputError unless the focal length is given in exactly one way
/// and lies, in both directions, between 1e-3 and 1e7 px.
struct Intrinsics {
  double fx, fy, cx, cy;
};
FATHOM_API Intrinsics intrinsics(const DepthCamera& camera);

}  // namespace fathom
