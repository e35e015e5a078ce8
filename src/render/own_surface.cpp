// SPDX-License-Identifier: MIT
#include "render/own_surface.hpp"

#include <algorithm>

#include <fathom/noise/drive.hpp>

#include "cast/tile.hpp"

namespace fathom {

namespace {

/// The lines of a block that are still open, side by side so that one cast serves them all.
struct OpenLines {
  std::uint32_t lane[kBlockRays];
  float near[kBlockRays];  // share of the way that is done with
  std::uint32_t count = 0;

  void add(std::uint32_t i, float from) {
    lane[count] = i;
    near[count++] = from;
  }
};

/// The next surface that each open line meets.
struct NextHits {
  float way[kBlockRays];  // share of the whole, because directions reach from the camera to the point
  std::uint32_t entity[kBlockRays];
};

void cast_open(const Caster& caster, const SightLines& lines, const OpenLines& open, NextHits& next) {
  float dx[kBlockRays], dy[kBlockRays], dz[kBlockRays], near[kBlockRays];
  const std::uint32_t padded = whole_packets(open.count);
  for (std::uint32_t k = 0; k < padded; ++k) {
    const std::uint32_t from = std::min(k, open.count - 1), i = open.lane[from];
    dx[k] = lines.dx[i], dy[k] = lines.dy[i], dz[k] = lines.dz[i], near[k] = open.near[from];
  }
  CastRays rays{.dx = dx, .dy = dy, .dz = dz, .near = near, .count = padded, .coherent = false, .mask = lines.mask};
  std::copy_n(lines.eye, 3, rays.origin);
  caster.cast(rays, {.range_m = next.way, .entity = next.entity});
}

}  // namespace

float own_resolution(const SightLines& lines, std::uint32_t lane, float reach, float cosine) {
  const SightLine line = {lines.dx[lane], lines.dy[lane], lines.dz[lane], lines.clear[lane]};
  return own_resolution_of(lines.eye, line, reach, cosine);
}

void forgive_own_surfaces(const Caster& caster, const SightLines& lines, const std::uint32_t* entity,
                          const float* tolerance, std::uint32_t* blocked) {
  OpenLines open;
  for (std::uint32_t i = 0; i < lines.count; ++i) {
    if (blocked[i] != 0 && tolerance[i] > 0.0F) open.add(i, 0.0F);
  }
  NextHits next;
  for (int step = 0; step <= kOwnSurfaces && open.count > 0; ++step) {
    cast_open(caster, lines, open, next);
    OpenLines left;
    for (std::uint32_t k = 0; k < open.count; ++k) {
      const std::uint32_t i = open.lane[k];
      if (next.way[k] > lines.clear[i]) {
        blocked[i] = 0;
      } else if (entity[i] == next.entity[k] && next.way[k] >= 1.0F - tolerance[i]) {
        // On by the resolution of this line, so that the same surface is not met again.
        left.add(i, next.way[k] + (1.0F - lines.clear[i]));
      }
    }
    open = left;
  }
}

}  // namespace fathom
