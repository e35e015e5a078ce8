// SPDX-License-Identifier: MIT
#pragma once
// A tile of rays, the pyramid around their directions, and its walk through a tree.

#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fathom/core/compute.hpp>

#include "trace/tree/layout.hpp"
#include "trace/tree/single.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr unsigned kTileRays = kBlockRays;
inline constexpr unsigned kGroups = kTileRays / FGroup::kLanes;
using Groups = std::uint32_t;  ///< a bit for each group
static_assert(kGroups <= 32);

/// The rays of a tile and their hits so far; `groups` groups are in use.
struct TileRays {
  const float *dx, *dy, *dz;
  const float *ox, *oy, *oz;   ///< per ray, or one for all (kOneOrigin)
  const float* near;           ///< null: 0
  const std::uint32_t* masks;  ///< of each ray; null: `mask` for all
  const float* times_s;        ///< of each ray, which then has its own origin; null: the stamp of the scan
  std::uint32_t mask;          ///< of all rays; rays see instances that share a bit
  unsigned groups;
  alignas(64) float t[kTileRays];  ///< on entry the largest distance; negative: the ray is not cast
  alignas(64) std::uint32_t instance[kTileRays], place[kTileRays];
};

/// The pyramid around the directions of a tile: unit vectors along its middle and sides, and the least and largest
/// tangents to both sides. If it is not `narrow`, it opens too far for planes.
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

inline constexpr std::int32_t kMixed = -1;  ///< the dominant axis if it differs

/// The rays of a tile in the frame of one tree: of the instances, or of the triangles of a mesh.
struct TileFrame {
  alignas(64) float dx[kTileRays], dy[kTileRays], dz[kTileRays];
  alignas(64) float rx[kTileRays], ry[kTileRays], rz[kTileRays];  ///< reciprocals of the directions
  alignas(64) float ox[kTileRays], oy[kTileRays], oz[kTileRays];  ///< only for rays with separate origins
  alignas(64) float sx[kTileRays], sy[kTileRays];                 ///< shears of groups in `sheared`
  std::int32_t kz[kGroups];
  Groups sheared;
  std::int32_t common_kz;   ///< of all groups in `sheared`, or kMixed
  float plus[3], minus[3];  ///< the origin plus and minus the slack
  bool same_signs;          ///< whether all directions agree in the sign of each component
  bool back[3];             ///< whether they are negative, if they agree
  float r_lo[3], r_hi[3];   ///< the least and the largest reciprocal
  bool has_sides;
  float side[4][3];  ///< normals of the side planes, pointing inside
};

FATHOM_KERNEL V3<FGroup> load3(const float* x, const float* y, const float* z, unsigned g) {
  const unsigned i = g * FGroup::kLanes;
  return {FGroup::load(x + i), FGroup::load(y + i), FGroup::load(z + i)};
}
FATHOM_KERNEL void store3(const V3<FGroup>& v, float* x, float* y, float* z, unsigned g) {
  const unsigned i = g * FGroup::kLanes;
  v.x.store(x + i), v.y.store(y + i), v.z.store(z + i);
}

/// Calls f(g) for every group.
template <class F>
FATHOM_KERNEL void for_groups(Groups groups, F f) {
  for (; groups != 0; groups &= groups - 1) f(static_cast<unsigned>(std::countr_zero(groups)));
}

/// Calls f(lane, g) for every lane of every group.
template <class F>
FATHOM_KERNEL void for_lanes(Groups groups, F f) {
  for_groups(groups, [&](unsigned g) {
    for (unsigned i = g * FGroup::kLanes; i < (g + 1) * FGroup::kLanes; ++i) f(i, g);
  });
}

/// Reciprocals of the directions, and whether their signs agree.
inline void set_reciprocals(Groups groups, const float* dx, const float* dy, const float* dz, TileFrame& frame) {
  using F = FGroup;
  V3<F> least_r = {F::all(kInf), F::all(kInf), F::all(kInf)}, most_r = {F::all(-kInf), F::all(-kInf), F::all(-kInf)};
  for_groups(groups, [&](unsigned g) {
    const V3<F> d = load3(dx, dy, dz, g);
    const V3<F> r = {reciprocal(d.x), reciprocal(d.y), reciprocal(d.z)};
    store3(r, frame.rx, frame.ry, frame.rz, g);
    least_r = {min(least_r.x, r.x), min(least_r.y, r.y), min(least_r.z, r.z)};
    most_r = {max(most_r.x, r.x), max(most_r.y, r.y), max(most_r.z, r.z)};
  });
  const float low[3] = {least(least_r.x), least(least_r.y), least(least_r.z)};
  const float high[3] = {most(most_r.x), most(most_r.y), most(most_r.z)};
  frame.same_signs = true;
  for (int a = 0; a < 3; ++a) {
    frame.r_lo[a] = low[a], frame.r_hi[a] = high[a];
    frame.back[a] = high[a] < 0.0F;
    frame.same_signs = frame.same_signs && (frame.back[a] || low[a] > 0.0F);
  }
}

/// The planes of the pyramid in the frame of a mesh: normals turn by the transpose of w_from_m. Null: the world itself.
inline void set_sides(const Pyramid& p, const float* w_from_m, TileFrame& frame) {
  frame.has_sides = p.narrow;
  if (!p.narrow) return;
  for (int k = 0; k < 4; ++k) {
    const float* across = k < 2 ? p.side : p.up;
    const float bound = k == 0 ? p.side_lo : k == 1 ? p.side_hi : k == 2 ? p.up_lo : p.up_hi;
    const float sign = k % 2 == 0 ? 1.0F : -1.0F;
    float n[3];
    for (int a = 0; a < 3; ++a) n[a] = sign * (across[a] - bound * p.middle[a]);
    for (int a = 0; a < 3; ++a) {
      frame.side[k][a] = n[a];
      if (w_from_m == nullptr) continue;
      const float* m = w_from_m + 3 * a;
      frame.side[k][a] = m[0] * n[0] + m[1] * n[1] + m[2] * n[2];
    }
  }
}

/// Sets the shears of group g.
inline void set_shear(unsigned g, TileFrame& frame) {
  using F = FGroup;
  const Shear<F> s = make_shear(load3(frame.dx, frame.dy, frame.dz, g), load3(frame.rx, frame.ry, frame.rz, g));
  s.sx.store(frame.sx + g * F::kLanes), s.sy.store(frame.sy + g * F::kLanes);
  frame.kz[g] = s.kz;
  frame.common_kz = frame.sheared == 0 || frame.common_kz == s.kz ? s.kz : kMixed;
  frame.sheared |= Groups{1} << g;
}

/// The shear of ray i.
FATHOM_KERNEL Shear<F4> shear_of(unsigned i, TileFrame& frame) {
  const unsigned g = i / FGroup::kLanes;
  if ((frame.sheared >> g & 1U) == 0) set_shear(g, frame);
  if (frame.kz[g] >= 0) {
    const F4 unused = F4::all(0.0F);
    return {F4::all(frame.sx[i]), F4::all(frame.sy[i]), unused, unused, frame.kz[g]};
  }
  return make_shear<F4>({F4::all(frame.dx[i]), F4::all(frame.dy[i]), F4::all(frame.dz[i])},
                        {F4::all(frame.rx[i]), F4::all(frame.ry[i]), F4::all(frame.rz[i])});
}

inline void set_slack(const Point& o, float slack, const float (&spread)[3], TileFrame& frame) {
  const float p[3] = {o.x, o.y, o.z};
  for (int a = 0; a < 3; ++a) frame.plus[a] = p[a] + (slack + spread[a]), frame.minus[a] = p[a] - (slack + spread[a]);
}

/// Children that are not wholly outside one of the side planes, as bits.
FATHOM_KERNEL unsigned inside_sides(const tree::Node& n, const TileFrame& frame) {
  F8 lo[3], hi[3];
  for (int a = 0; a < 3; ++a) {
    lo[a] = F8::load(n.lo[a]) - F8::all(frame.plus[a]);
    hi[a] = F8::load(n.hi[a]) - F8::all(frame.minus[a]);
  }
  F8 farthest = F8::all(kInf);
  for (int k = 0; k < 4; ++k) {
    F8 sum = F8::all(0.0F);
    for (int a = 0; a < 3; ++a) {
      const float m = frame.side[k][a];
      sum = sum + F8::all(m) * (m > 0.0F ? hi[a] : lo[a]);
    }
    farthest = min(sum, farthest);
  }
  return bits(le(F8::all(0.0F), farthest));
}

/// Children whose boxes every ray of a tile with same_signs meets if it reaches them, as bits, with a lower bound of
/// their entries. These children need no test of groups.
FATHOM_KERNEL unsigned met_by_all(const tree::Node& n, const TileFrame& frame, float* entry) {
  F8 enter_lo = F8::all(0.0F), enter_hi = enter_lo, leave_lo = F8::all(kInf);
  for (int a = 0; a < 3; ++a) {
    const F8 lo = F8::load(n.lo[a]) - F8::all(frame.plus[a]), hi = F8::load(n.hi[a]) - F8::all(frame.minus[a]);
    const F8 front = frame.back[a] ? hi : lo, rear = frame.back[a] ? lo : hi;
    const F8 r_lo = F8::all(frame.r_lo[a]), r_hi = F8::all(frame.r_hi[a]);
    const F8 f0 = front * r_lo, f1 = front * r_hi;
    enter_lo = max(min(f0, f1), enter_lo), enter_hi = max(max(f0, f1), enter_hi);
    leave_lo = min(min(rear * r_lo, rear * r_hi), leave_lo);
  }
  enter_lo.store(entry);
  return bits(le(enter_hi, leave_lo));
}

/// Groups with a ray that meets child i before its reach, and the distance of the first entry.
template <bool kSameSigns>
FATHOM_KERNEL Groups meet_box(const tree::Node& n, unsigned i, const TileFrame& frame, Groups groups,
                              const float* reach, float& entry) {
  using F = FGroup;
  F lo[3], hi[3];
  for (int a = 0; a < 3; ++a) {
    const float low = n.lo[a][i] - frame.plus[a], high = n.hi[a][i] - frame.minus[a];
    const bool swap = kSameSigns && frame.back[a];
    lo[a] = F::all(swap ? high : low), hi[a] = F::all(swap ? low : high);
  }
  F first = F::all(kInf);
  Groups met = 0;
  for_groups(groups, [&](unsigned g) {
    const V3<F> r = load3(frame.rx, frame.ry, frame.rz, g);
    F x0 = lo[0] * r.x, x1 = hi[0] * r.x, y0 = lo[1] * r.y, y1 = hi[1] * r.y, z0 = lo[2] * r.z, z1 = hi[2] * r.z;
    F enter, leave;
    if constexpr (kSameSigns) {
      enter = max(max(x0, y0), max(z0, F::all(0.0F)));
      leave = min(min(x1, y1), min(z1, F::load(reach + g * F::kLanes)));
    } else {
      enter = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), F::all(0.0F)));
      leave = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), F::load(reach + g * F::kLanes)));
    }
    const auto in = le(enter, leave);
    met |= static_cast<Groups>(bits(in) != 0) << g;  // no branch, because it would be unpredictable
    first = min(select(in, enter, F::all(kInf)), first);
  });
  if (met != 0) entry = least(first);
  return met;
}

/// Calls leaf(number, groups) for every leaf that rays of `groups` meet before their reach, near ones first. Bits mark
/// the groups that still take part.
template <bool kSameSigns, class Leaf>
inline void walk_tile(const tree::Node* nodes, const TileFrame& frame, Groups groups, const float* reach, Leaf leaf) {
  struct Open {
    std::uint32_t child;
    float t;
    Groups groups;
  };
  Open stack[tree::kStack];
  unsigned top = 0;
  std::uint32_t node = 0;
  for (;;) {
    const tree::Node& n = nodes[node];
    const unsigned base = top;
    alignas(32) float entries[8];
    const unsigned all = kSameSigns ? met_by_all(n, frame, entries) : 0U;
    for (unsigned m = frame.has_sides ? inside_sides(n, frame) : 0xffU; m != 0; m &= m - 1) {
      const auto i = static_cast<unsigned>(std::countr_zero(m));
      if (n.child[i] == tree::kNone) break;
      float entry = kSameSigns ? entries[i] : 0.0F;
      Groups met = groups;
      if ((all >> i & 1U) == 0) met = meet_box<kSameSigns>(n, i, frame, groups, reach, entry);
      if (met == 0) continue;
      unsigned at = top++;
      for (; at > base && stack[at - 1].t < entry; --at) stack[at] = stack[at - 1];
      stack[at] = {n.child[i], entry, met};
    }
    bool fresh = top > base;  // what was just pushed is still met
    for (;;) {
      if (top == 0) return;
      const Open next = stack[--top];
      Groups still = next.groups;
      if (!fresh) {
        still = 0;
        for_groups(next.groups, [&](unsigned g) {
          const FGroup far = FGroup::load(reach + g * FGroup::kLanes);
          still |= static_cast<Groups>(bits(le(FGroup::all(next.t), far)) != 0) << g;
        });
        if (still == 0) continue;
      }
      fresh = false;
      if ((next.child & tree::kLeafBit) == 0) {
        node = next.child, groups = still;
        break;
      }
      leaf(next.child & ~tree::kLeafBit, still);
    }
  }
}
template <class Leaf>
FATHOM_KERNEL void walk_tile(const tree::Node* nodes, const TileFrame& frame, Groups groups, const float* reach,
                             Leaf leaf) {
  if (frame.same_signs) return walk_tile<true>(nodes, frame, groups, reach, leaf);
  walk_tile<false>(nodes, frame, groups, reach, leaf);
}

}  // namespace fathom::FATHOM_ISA
