// SPDX-License-Identifier: MIT
#pragma once
// Fields that say one thing in several ways. In a file they exclude one another, and what a file says in one way takes
// the place of what a preset says in another.

#include <array>
#include <span>
#include <string_view>

namespace fathom {

/// One way: the field that chooses it where it is not 0, and those that go with it (empty: none).
struct FieldWay {
  std::string_view field;
  std::array<std::string_view, 2> others = {};
};

inline constexpr FieldWay kFocalWays[] = {
    {"fx", {"fy"}}, {"horizontal_fov_rad"}, {"focal_length_mm", {"horizontal_aperture_mm", "vertical_aperture_mm"}}};
inline constexpr FieldWay kRigWays[] = {{"baseline_m", {"reference"}}, {"left_camera", {"right_camera"}}};

/// A list is for the kinds that have all its ways.
inline constexpr std::array<std::span<const FieldWay>, 2> kFieldWays = {kFocalWays, kRigWays};

}  // namespace fathom
