// SPDX-License-Identifier: MIT
#pragma once
// A tile in the frame of one tree, and what it does at a node: skip the children that its rays do not meet.

#include <bit>
#include <cstdint>

#include "cast/tree/layout.hpp"
#include "cast/tree/pyramid.hpp"
#include "cast/tree/walk.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr std::int32_t kMixed = -1;  ///< the dominant axis where it differs

/// The rays of a tile in the frame of one tree: of the instances, or of the triangles of a mesh.
struct TileFrame {
  alignas(64) float dx[kTileRays], dy[kTileRays], dz[kTileRays];
  alignas(64) float rx[kTileRays], ry[kTileRays], rz[kTileRays];  ///< reciprocals of the directions
  alignas(64) float ox[kTileRays], oy[kTileRays], oz[kTileRays];  ///< only of rays with origins of their own
  alignas(64) float sx[kTileRays], sy[kTileRays];                 ///< shears, of groups in `sheared`
  std::int32_t kz[kGroups];
  Groups sheared;
  std::int32_t common_kz;   ///< of all groups in `sheared`, or kMixed
  float plus[3], minus[3];  ///< the origin plus and minus the slack
  bool same_signs;          ///< whether all directions agree in the sign of each component
  bool back[3];             ///< which, where they do
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

/// How the rays of group g shear space.
inline void set_shear(unsigned g, TileFrame& frame) {
  using F = FGroup;
  const Shear<F> s = make_shear(load3(frame.dx, frame.dy, frame.dz, g), load3(frame.rx, frame.ry, frame.rz, g));
  s.sx.store(frame.sx + g * F::kLanes), s.sy.store(frame.sy + g * F::kLanes);
  frame.kz[g] = s.kz;
  frame.common_kz = frame.sheared == 0 || frame.common_kz == s.kz ? s.kz : kMixed;
  frame.sheared |= Groups{1} << g;
}

/// How ray i does.
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

/// Children that are not all outside one of the side planes, as bits.
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

/// Children whose boxes every ray of a tile with same_signs meets if it reaches them, as bits, and a bound of where the
/// first enters: it spares them the test of group after group.
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

/// Groups of which a ray meets child i before its reach, and where the first of them enters it.
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
    met |= static_cast<Groups>(bits(in) != 0) << g;  // no branch, because nobody could guess it
    first = min(select(in, enter, F::all(kInf)), first);
  });
  if (met != 0) entry = least(first);
  return met;
}

}  // namespace fathom::FATHOM_ISA
