// SPDX-License-Identifier: MIT
#pragma once
// Recovers angles from the rays of a pattern, in double precision and without the code under test.

#include <fathom/sensor/pattern.hpp>

#include "support/expect.hpp"

namespace fathom::test {

inline constexpr double kDeg = std::numbers::pi / 180.0;

inline double azimuth_deg(const RayPattern& p, std::size_t i) {
  return std::atan2(double{p.direction_y[i]}, double{p.direction_x[i]}) / kDeg;
}

inline double elevation_deg(const RayPattern& p, std::size_t i) {
  return std::atan2(double{p.direction_z[i]}, std::hypot(double{p.direction_x[i]}, double{p.direction_y[i]})) / kDeg;
}

inline double length(const RayPattern& p, std::size_t i) {
  return std::sqrt(double{p.direction_x[i]} * p.direction_x[i] + double{p.direction_y[i]} * p.direction_y[i] +
                   double{p.direction_z[i]} * p.direction_z[i]);
}

/// The difference of two angles in degrees, in (-180, 180].
inline double turn_deg(double from_deg, double to_deg) { return std::remainder(to_deg - from_deg, 360.0); }

}  // namespace fathom::test
