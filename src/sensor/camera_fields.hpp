// SPDX-License-Identifier: MIT
#pragma once
// The parameters and the checks that depth and stereo cameras share.

#include <array>
#include <cstdint>
#include <string_view>

#include "sensor/kinds.hpp"

namespace fathom {

inline constexpr std::array<std::string_view, 2> kPrincipalPoint = {"cx", "cy"};

template <class Camera>
constexpr std::array<Field<Camera>, 11> camera_fields() {
  using Number = double Camera::*;
  using Count = std::uint32_t Camera::*;
  return {{
      {"width", "px", Count(&Camera::width), 1, kMostImageSide, "columns of the image", true},
      {"height", "px", Count(&Camera::height), 1, kMostImageSide, "rows of the image", true},
      {"fx", "px", Number(&Camera::fx), 0, kMostFocalPx, "focal length, horizontal, 0.001 or more; 0: from the others"},
      {"fy", "px", Number(&Camera::fy), 0, kMostFocalPx, "focal length, vertical, 0.001 or more; 0: as fx"},
      {"principal_point_px", "px", PairMember<Camera>{&Camera::principal_point_px, kPrincipalPoint}, -kMostCenterPx,
       kMostCenterPx, "[cx, cy] from the centre of the first pixel; empty: the middle"},
      {"horizontal_fov_rad", "rad", Number(&Camera::horizontal_fov_rad), 0, kMostFieldOfViewRad,
       "field of view instead of fx"},
      {"focal_length_mm", "mm", Number(&Camera::focal_length_mm), 0, 1e4, "focal length instead of fx"},
      {"horizontal_aperture_mm", "mm", Number(&Camera::horizontal_aperture_mm), 0, 1e4,
       "width of the sensor chip, with focal_length_mm"},
      {"vertical_aperture_mm", "mm", Number(&Camera::vertical_aperture_mm), 0, 1e4,
       "height of the sensor chip; 0: square pixels"},
      {"min_range_m", "m", Number(&Camera::min_range_m), 0, kMaxRangeM, "nearest range measured, along the ray"},
      {"max_range_m", "m", Number(&Camera::max_range_m), 0, kMaxRangeM, "farthest range measured, along the ray"},
  }};
}

/// Throws InputError unless the image, the ranges and the focal length fit together. `kind`: its slug.
void check_camera(std::string_view kind, const DepthCamera& camera);

}  // namespace fathom
