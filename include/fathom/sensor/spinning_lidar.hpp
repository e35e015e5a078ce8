// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>

namespace fathom {

/// Rotating lidar: [rings, columns]. Row 0 is the highest ring, whatever the order in which rings are listed; the lists
/// below are in the manufacturer's order. Columns follow each other in time: with `clockwise` (seen from
/// above, as Velodyne and Ouster turn) a range image reads like a camera's, left to right, and the default start puts
/// straight ahead in its middle.
///
///   step = span / columns                       (half open: the last column stops one step short of the end)
///   azimuth(ring, c) = start -+ c step -+ 2 pi rate firing_time(ring) + azimuth_offset(ring)
///   time(ring, c)    = c step / (2 pi rate) + firing_time(ring)
///
/// with - for clockwise: the head turns at a steady rate, also while one column fires.
struct SpinningLidar {
  std::vector<double> elevation_rad;       ///< per ring
  std::vector<double> azimuth_offset_rad;  ///< per ring, counter-clockwise; empty: 0
  std::vector<double> firing_time_s;       ///< per ring, after the start of its column; empty: all at once
  std::vector<double> vertical_offset_m;   ///< per ring, height of its ray origin; empty: 0
  std::vector<std::uint16_t> ring;         ///< its number; empty: counted from the lowest ring, as Velodyne's driver
  std::uint32_t columns = 0;
  double start_azimuth_rad = std::numbers::pi;
  double span_rad = 2 * std::numbers::pi;  ///< (0, 2 pi]
  double rate_hz = 10.0;                   ///< revolutions per second
  bool clockwise = true;
  double min_range_m = 0.0;
  double max_range_m = 100.0;

  static constexpr std::string_view kSlug = "spinning_lidar";
  static constexpr std::string_view kDoc = "Rotating lidar with one or more rings, each at its own elevation.";
  FATHOM_API static std::span<const Field<SpinningLidar>> fields();
  FATHOM_API void check() const;
};

/// `count` elevations, evenly spaced from the first to the last, both included.
FATHOM_API std::vector<double> even_elevations(std::uint32_t count, double first_rad, double last_rad);

/// By how many columns to the right each row, [rings] from the top, must move so that a column of the image looks in
/// one direction: azimuth offsets and firing times in whole columns. See write_range_image.
FATHOM_API std::vector<std::int32_t> destagger_shifts(const SpinningLidar& lidar);

}  // namespace fathom
