// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

/// Planar scanner: one row, `beams` beams from min_azimuth to max_azimuth, both included, in the order of increasing
/// azimuth (as ROS' LaserScan). Its mirror turns once per scan, so beams are (max - min) / (beams - 1) / (2 pi rate)
/// apart in time; `clockwise` ones fire from the last to the first.
struct Laser2d {
  std::uint32_t beams = 0;
  double min_azimuth_rad = 0.0;
  double max_azimuth_rad = 0.0;
  double rate_hz = 10.0;  ///< scans per second
  bool clockwise = false;
  double min_range_m = 0.0;
  double max_range_m = 30.0;

  static constexpr std::string_view kSlug = "laser_2d";
  static constexpr std::string_view kDoc = "Planar laser scanner.";
  FATHOM_API static std::span<const Field<Laser2d>> fields();
  FATHOM_API void check() const;
};

}  // namespace fathom
