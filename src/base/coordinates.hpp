// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <optional>
#include <string_view>

#include <fathom/base/geometry.hpp>

namespace fathom {

/// kMaxCoordinateM as messages have it.
inline constexpr std::string_view kCoordinateLimits = "[-1e9, 1e9] m";

/// The length of a quaternion as files and callers give it may differ from 1 by so much: it is often written with few
/// digits.
inline constexpr double kQuaternionTolerance = 1e-2;
inline bool is_about_one(double length) { return std::abs(length - 1.0) <= kQuaternionTolerance; }

/// The first coordinate that is not a number within kMaxCoordinateM; nothing where all are.
inline std::optional<double> coordinate_beyond_limits(const Vec3& place_m) {
  for (const double c : {place_m.x, place_m.y, place_m.z}) {
    if (!(std::abs(c) <= kMaxCoordinateM)) return c;
  }
  return std::nullopt;
}

}  // namespace fathom
