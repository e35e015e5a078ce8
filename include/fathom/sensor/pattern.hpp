// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>

namespace fathom {

/// The rays of one frame of a sensor, in the sensor frame: x forward, y left, z up. Every array is [rows, cols],
/// row-major, unless stated otherwise. Every kind of sensor becomes one of these; a user may fill one by hand.
///
/// A table of one row may hold more rays than a frame: with rays_per_frame, frame k plays the rays from
/// k rays_per_frame on. A table that loops starts again after its last ray; otherwise its last rays_per_frame rays
/// repeat.
struct RayPattern {
  /// The number of rays of a frame.
  struct Shape {
    std::uint32_t rows = 0, cols = 0;
  };

  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::vector<float> direction_x, direction_y, direction_z;  ///< unit vectors
  std::vector<float> origin_x, origin_y, origin_z;           ///< m; all three empty: rays start at the sensor origin
  std::vector<float> min_range_m, max_range_m;               ///< one value for all rays, or one per ray
  std::vector<float> time_offset_s;                          ///< since the start of the frame; empty: 0
  std::vector<std::uint16_t> ring;                           ///< scan line of the ray; empty: the row
  std::uint32_t rays_per_frame = 0;                          ///< 0: each frame has all rays
  bool loop = true;
  /// Ray i of a frame is at i / points_per_s. 0: at time_offset_s, which with rays_per_frame counts from the frame's
  /// first ray on.
  double points_per_s = 0.0;

  static constexpr std::string_view kSlug = "ray_table";
  static constexpr std::string_view kDoc = "Rays given one by one, usually read from a file.";
  static constexpr bool kRaysFromFile = true;
  FATHOM_API static std::span<const Field<RayPattern>> fields();
};

/// Throws InputError when sizes disagree, there are no rays, a direction is not a finite unit vector (1e-3), an origin
/// or time is not finite, not 0 <= min_range < max_range, or rays_per_frame does not suit the table.
FATHOM_API void validate(const RayPattern& pattern);

}  // namespace fathom
