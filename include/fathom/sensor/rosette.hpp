// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

/// Non-repetitive two-prism scanner (Livox-like), one row of `points`. Each prism deflects the beam by a quarter of the
/// field of view, and turns:
///
///   a(t) = field_of_view / 4 (e(prism1 t) + e(prism2 t)),   e(n) = (cos, sin)(2 pi n) in the sensor's (y, z)
///
/// The ray leaves at the angle |a| from the x axis, towards a: a rosette that fills the cone when the two rates have no
/// small common period. Frame k starts where frame k - 1 ended: t = (k points + i) / points_per_s.
struct Rosette {
  std::uint32_t points = 0;                 ///< per frame
  double field_of_view_rad = 0.0;           ///< full cone angle, (0, pi)
  double prism1_hz = 0.0, prism2_hz = 0.0;  ///< rotation rates, signed, counter-clockwise seen from in front
  double points_per_s = 0.0;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "rosette";
  static constexpr std::string_view kDoc = "Two-prism scanner whose pattern does not repeat from frame to frame.";
  FATHOM_API static std::span<const Field<Rosette>> fields();
  FATHOM_API void check() const;
};

}  // namespace fathom
