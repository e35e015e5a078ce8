// SPDX-License-Identifier: MIT
#pragma once
// The rays of a tile, and the pyramid around their directions.

#include <cmath>
#include <cstdint>
#include <numeric>

#include <fathom/base/block.hpp>

#include "cast/tree/triangle.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr unsigned kTileRays = kBlockRays;
inline constexpr unsigned kGroups = kTileRays / FGroup::kLanes;
using Groups = std::uint32_t;  ///< a bit for each group
static_assert(kGroups <= 32);

/// The rays of a tile, and what they have met so far. `groups` of them are in use.
struct TileRays {
  const float *dx, *dy, *dz;
  const float *ox, *oy, *oz;   ///< per ray, or one for all, as TileTracer is told
  const float* near;           ///< null: 0
  const std::uint32_t* masks;  ///< of each ray; null: all have `mask`
  std::uint32_t mask;          ///< kSeesAll, or what instances share a bit with that any ray sees
  unsigned groups;
  alignas(64) float t[kTileRays];  ///< at first: how far a ray reaches; negative: it is not cast
  alignas(64) std::uint32_t instance[kTileRays], place[kTileRays];
};

/// The pyramid around the directions of a tile: unit vectors along its middle and sides, and the least and largest
/// tangents to both sides. Not `narrow`: it opens too far for planes.
struct Pyramid {
  float middle[3], side[3], up[3];
  float side_lo, side_hi, up_lo, up_hi;
  bool narrow;

  [[nodiscard]] float solid_angle() const { return (side_hi - side_lo) * (up_hi - up_lo); }
};

inline constexpr float kTangentSlack = 2e-6F;  ///< roundings of unit vectors and tangents

inline Pyramid make_pyramid(const TileRays& rays) {
  using F = FGroup;
  V3<F> sum = {F::all(0.0F), F::all(0.0F), F::all(0.0F)};
  const auto direction = [&](unsigned g) {
    const unsigned i = g * F::kLanes;
    return V3<F>{F::load(rays.dx + i), F::load(rays.dy + i), F::load(rays.dz + i)};
  };
  for (unsigned g = 0; g < rays.groups; ++g) sum = sum + direction(g);
  alignas(64) float s[3][F::kLanes];
  sum.x.store(s[0]), sum.y.store(s[1]), sum.z.store(s[2]);
  Pyramid p;
  for (int a = 0; a < 3; ++a) p.middle[a] = std::accumulate(s[a], s[a] + F::kLanes, 0.0F);
  const auto make_unit = [](float(&v)[3]) {
    const float length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (float& x : v) x /= length;
    return length;
  };
  p.narrow = make_unit(p.middle) > 0.0F;
  const float* m = p.middle;
  // Sides along and across the horizon, where scan lines lie.
  if (std::fabs(m[2]) < 0.9F) {
    p.side[0] = -m[1], p.side[1] = m[0], p.side[2] = 0.0F;
  } else {
    p.side[0] = 0.0F, p.side[1] = -m[2], p.side[2] = m[1];
  }
  make_unit(p.side);
  p.up[0] = m[1] * p.side[2] - m[2] * p.side[1], p.up[1] = m[2] * p.side[0] - m[0] * p.side[2];
  p.up[2] = m[0] * p.side[1] - m[1] * p.side[0];
  F lo_s = F::all(kInf), hi_s = F::all(-kInf), lo_u = lo_s, hi_u = hi_s, least_cos = lo_s;
  for (unsigned g = 0; g < rays.groups; ++g) {
    const V3<F> d = direction(g);
    const F along = dot(d, all3<F>(p.middle)), r = F::all(1.0F) / along;
    const F length2 = dot(d, d);
    // cos = along / |d|, compared with 0.2 without a root.
    least_cos = min(least_cos, select(lt(F::all(0.0F), along), along * along - F::all(0.04F) * length2, F::all(-1.0F)));
    const F s_tan = dot(d, all3<F>(p.side)) * r, u_tan = dot(d, all3<F>(p.up)) * r;
    lo_s = min(lo_s, s_tan), hi_s = max(hi_s, s_tan), lo_u = min(lo_u, u_tan), hi_u = max(hi_u, u_tan);
  }
  p.side_lo = least(lo_s) - kTangentSlack, p.side_hi = most(hi_s) + kTangentSlack;
  p.up_lo = least(lo_u) - kTangentSlack, p.up_hi = most(hi_u) + kTangentSlack;
  p.narrow = p.narrow && least(least_cos) > 0.0F;
  return p;
}

}  // namespace fathom::FATHOM_ISA
