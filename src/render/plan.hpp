// SPDX-License-Identifier: MIT
#pragma once
// How a sensor's rays lie in memory for casting: tiles of up to 256 rays, made of packets of 16, both about square in
// angle, chosen once per sensor, stored one after another. Sorting rays at run time would cost more than it saves (85
// ns a ray against 25).

#include <cstdint>
#include <span>
#include <vector>

#include <fathom/noise/drive.hpp>
#include <fathom/sensor/pattern.hpp>

#include "cast/tile.hpp"
#include "render/quad_target.hpp"

namespace fathom {

/// Rays in casting order. "lane" arrays are [lanes], a multiple of 16; padding lanes repeat a real ray.
struct CastPlan {
  std::uint64_t revision = 0;  ///< counts the calls of make_plan()
  std::uint32_t rows = 0, cols = 0;
  RayRectangle packet, tile;  ///< a tile holds whole packets, row after row of them
  bool coherent = true;       ///< whether the rays of a packet are nearly parallel
  float packet_sr = 0.0F;     ///< solid angle of a packet, about
  bool from_sensor_origin = true;
  std::vector<float> dx, dy, dz;                ///< [lanes]
  std::vector<float> ox, oy, oz;                ///< [lanes], or empty
  std::vector<float> min_range_m, max_range_m;  ///< [lanes], or one value for all
  /// [lanes / 4, and 4 more, which a block may read]; names the quad's random numbers: row * ceil(cols / 4) + col / 4.
  std::vector<std::uint32_t> quad_keys;
  std::vector<QuadTarget> targets;         ///< [lanes / 4]
  std::vector<float> times_s;              ///< distinct time offsets, ascending; empty: all 0
  std::vector<std::uint32_t> time_index;   ///< [lanes] into times_s
  std::vector<std::uint32_t> ray_of_lane;  ///< [lanes], index in the pattern
  std::vector<std::uint32_t> first_lanes;  ///< [blocks + 1], a multiple of 16; at the end: lanes

  [[nodiscard]] std::uint32_t lanes() const { return static_cast<std::uint32_t>(dx.size()); }
  /// A block is a tile, of at most kBlockRays lanes.
  [[nodiscard]] std::uint32_t blocks() const { return static_cast<std::uint32_t>(first_lanes.size()) - 1; }
};

/// Fills `plan` for a valid pattern; reuses its memory. `with_times`: whether rays are cast at their own times.
void make_plan(const RayPattern& pattern, bool with_times, CastPlan& plan);

}  // namespace fathom
