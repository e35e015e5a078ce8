// SPDX-License-Identifier: MIT
#pragma once
// Up to 256 nearly parallel rays against the world in one walk. A node tests the four side planes of the tile against
// all children at once, then the remaining boxes against the remaining groups of rays. A leaf tests each triangle
// against the groups whose rays meet the box of the leaf. Planes and boxes only skip work: a ray gets the bits of
// single.hpp.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "trace/caster.hpp"
#include "trace/tree/fine.hpp"
#include "trace/tree/layout.hpp"
#include "trace/tree/tile_frame.hpp"
#include "trace/tree/tile_times.hpp"

namespace fathom::FATHOM_ISA {

/// Four triangles seen from the common origin of rays.
struct LeafCorners {
  alignas(16) float c[3][3][4];  ///< [corner][axis][lane], seen from the origin
  alignas(16) float n[3][4], plane[4], lo[3][4], hi[3][4], slack[4];
};

FATHOM_KERNEL void set_corners(const tree::Leaf& leaf, const V3<F4>& o, LeafCorners& out) {
  const V3<F4> c[3] = {corner(leaf, 0) - o, corner(leaf, 1) - o, corner(leaf, 2) - o};
  for (int i = 0; i < 3; ++i) c[i].x.store(out.c[i][0]), c[i].y.store(out.c[i][1]), c[i].z.store(out.c[i][2]);
}

/// Sets the values for triangles that contain a ray.
FATHOM_KERNEL void set_planes(const tree::Leaf& leaf, const V3<F4>& o, bool one_origin, LeafCorners& out) {
  const V3<F4> v[3] = {corner(leaf, 0), corner(leaf, 1), corner(leaf, 2)};
  const V3<F4> n = cross(v[0] - v[1], v[2] - v[0]);
  n.x.store(out.n[0]), n.y.store(out.n[1]), n.z.store(out.n[2]);
  if (!one_origin) return;
  const V3<F4> c[3] = {v[0] - o, v[1] - o, v[2] - o};
  dot(c[0], n).store(out.plane);
  const V3<F4> lo = least_of(c), hi = most_of(c);
  lo.x.store(out.lo[0]), lo.y.store(out.lo[1]), lo.z.store(out.lo[2]);
  exit_slack(lo, hi).store(out.slack);
  hi.x.store(out.hi[0]), hi.y.store(out.hi[1]), hi.z.store(out.hi[2]);
}

/// One lane of three arrays, in every lane of the result.
FATHOM_KERNEL V3<FGroup> spread3(const float (&v)[3][4], unsigned k) {
  return {FGroup::all(v[0][k]), FGroup::all(v[1][k]), FGroup::all(v[2][k])};
}

/// Triangles per ray above which the rays of a tile go through an instance separately (fine.hpp).
inline constexpr float kFineTriangles = 2.0F;

template <bool kAny, bool kOneOrigin>
class TileTracer {
  using F = FGroup;

 public:
  TileTracer(const tree::World& world, TileRays& rays, const Pyramid& pyramid)
      : world_(world), rays_(rays), pyramid_(pyramid) {}

  void trace() {
    Groups all = 0;
    for (unsigned g = 0; g < rays_.groups; ++g) {
      const F reach = F::load(rays_.t + g * F::kLanes);
      all |= static_cast<Groups>(bits(le(F::all(0.0F), reach)) != 0) << g;
    }
    if (all == 0) return;
    TileFrame& frame = outer_;
    set_reciprocals(all, rays_.dx, rays_.dy, rays_.dz, frame);
    set_sides(pyramid_, nullptr, frame);
    const Point o = {rays_.ox[0], rays_.oy[0], rays_.oz[0]};
    float spread[3] = {0, 0, 0};
    if constexpr (!kOneOrigin) measure_spread(all, rays_.ox, rays_.oy, rays_.oz, o, spread);
    set_slack(o, slack_of(world_.bounds, o, world_.slack), spread, frame);
    walk_tile(world_.nodes, frame, all, rays_.t, [&](std::uint32_t id, Groups groups) {
      if (rays_.masks != nullptr) return enter_seen(id, groups);
      if (rays_.mask == kSeesAll || (world_.instances[id].mask & rays_.mask) != 0) enter(id, groups);
    });
  }

 private:
  /// The largest distances of origins from the first, by axis.
  static void measure_spread(Groups groups, const float* x, const float* y, const float* z, const Point& o,
                             float (&spread)[3]) {
    const V3<F> at = {F::all(o.x), F::all(o.y), F::all(o.z)};
    V3<F> farthest = {F::all(0.0F), F::all(0.0F), F::all(0.0F)};
    for_groups(groups, [&](unsigned g) {
      const V3<F> off = load3(x, y, z, g) - at;
      farthest = {max(abs(off.x), farthest.x), max(abs(off.y), farthest.y), max(abs(off.z), farthest.z)};
    });
    spread[0] = most(farthest.x), spread[1] = most(farthest.y), spread[2] = most(farthest.z);
  }

  /// As enter(), for rays that see the instance; meanwhile the others have no reach.
  void enter_seen(std::uint32_t id, Groups groups) {
    float reach[kTileRays];
    bool blind[kTileRays];
    Groups seeing = 0;
    for_lanes(groups, [&](unsigned i, unsigned g) {
      reach[i] = rays_.t[i];
      blind[i] = (world_.instances[id].mask & rays_.masks[i]) == 0;
      if (blind[i]) rays_.t[i] = -1.0F;
      seeing |= Groups{!blind[i]} << g;
    });
    if (seeing != 0) enter(id, seeing);
    for_lanes(groups, [&](unsigned i, unsigned) {
      if (blind[i]) rays_.t[i] = reach[i];
    });
  }

  void enter(std::uint32_t id, Groups groups) {
    const tree::Instance& instance = world_.instances[id];
    one_sided_ = instance.one_sided;
    TileFrame& frame = inner_;
    bool moves = false;
    if constexpr (!kOneOrigin) moves = instance.key_count > 0 && rays_.times_s != nullptr;
    if (!moves) {
      for_groups(groups, [&](unsigned g) {
        store3(turn(instance.map.m_from_w, load3(rays_.dx, rays_.dy, rays_.dz, g)), frame.dx, frame.dy, frame.dz, g);
      });
    }
    Point o;
    float spread[3] = {0, 0, 0};
    if constexpr (kOneOrigin) {
      o = origin_in(instance.map, double{rays_.ox[0]}, double{rays_.oy[0]}, double{rays_.oz[0]});
    } else {
      if (moves) {
        times_.enter(world_, instance, rays_, groups, frame);
      } else {
        for_lanes(groups, [&](unsigned i, unsigned) { set_origin(instance.map, rays_, i, frame); });
      }
      const auto i = static_cast<unsigned>(std::countr_zero(groups)) * F::kLanes;
      o = {frame.ox[i], frame.oy[i], frame.oz[i]};
      measure_spread(groups, frame.ox, frame.oy, frame.oz, o, spread);
    }
    set_reciprocals(groups, frame.dx, frame.dy, frame.dz, frame);
    if (moves) {
      times_.set_sides(pyramid_, frame);
    } else {
      set_sides(pyramid_, instance.w_from_m, frame);
    }
    frame.sheared = 0;
    set_slack(o, slack_of(instance.bounds, o, kMeshSlack), spread, frame);
    if (is_fine(instance, o)) {
      return FineTracer<kAny, kOneOrigin>(instance, id, o, frame, rays_, pairs_).trace(groups);
    }
    const auto meet_triangles = [&](std::uint32_t number, Groups met) {
      const tree::Leaf& leaf = instance.leaves[number];
      LeafCorners corners;
      if constexpr (kOneOrigin) set_corners(leaf, all3(o), corners);
      for_groups(met & ~frame.sheared, [&](unsigned g) { set_shear(g, frame); });
      bool planes = false;
      for (unsigned k = 0; k < tree::kLeafTriangles && leaf.id[k] != tree::kNone; ++k) {
        unsigned inside[kGroups];
        const bool alike = kOneOrigin && frame.common_kz >= 0;
        const Groups hit =
            alike ? contain_alike(leaf, corners, k, met, inside) : contain_each(leaf, corners, k, met, inside);
        if (hit != 0 && !std::exchange(planes, true)) set_planes(leaf, all3(o), kOneOrigin, corners);
        for_groups(hit, [&](unsigned g) { meet(leaf, corners, k, 4 * number + k, id, g, F::mask_from(inside[g])); });
      }
    };
    walk_tile(instance.nodes, frame, groups, rays_.t, meet_triangles);
  }

  /// Whether neighbouring rays rarely share a leaf: they run in all directions, or each covers many triangles at the
  /// middle of the instance or, for a sensor there, halfway to its border.
  [[nodiscard]] bool is_fine(const tree::Instance& instance, const Point& o) const {
    if (!pyramid_.narrow) return true;
    const float p[3] = {o.x, o.y, o.z};
    float to_middle2 = 0.0F, size2 = 0.0F;
    for (int a = 0; a < 3; ++a) {
      const float middle = 0.5F * (instance.bounds.lo[a] + instance.bounds.hi[a]) - p[a];
      const float size = 0.25F * (instance.bounds.hi[a] - instance.bounds.lo[a]);
      to_middle2 += middle * middle, size2 += size * size;
    }
    const auto rays = static_cast<float>(rays_.groups * F::kLanes);
    return pyramid_.solid_angle() * std::max(to_middle2, size2) > kFineTriangles * rays * instance.typical_area;
  }

  FATHOM_KERNEL V3<F> seen_corner(const tree::Leaf& leaf, int i, unsigned k, unsigned g) const {
    return V3<F>{F::all(leaf.v[i][0][k]), F::all(leaf.v[i][1][k]), F::all(leaf.v[i][2][k])} -
           load3(inner_.ox, inner_.oy, inner_.oz, g);
  }

  /// The rays that triangle k of a leaf contains, as bits of each group; returns the groups with such rays. All groups
  /// have the same dominant axis, so the innermost loop of a frame loads only two shears per group.
  FATHOM_KERNEL Groups contain_alike(const tree::Leaf& leaf, const LeafCorners& q, unsigned k, Groups groups,
                                     unsigned* inside) const {
    const int kz = inner_.common_kz, kx = kz == 2 ? 0 : kz + 1, ky = kx == 2 ? 0 : kx + 1;
    F a[3], b[3], z[3];
    for (int i = 0; i < 3; ++i)
      a[i] = F::all(q.c[i][kx][k]), b[i] = F::all(q.c[i][ky][k]), z[i] = F::all(q.c[i][kz][k]);
    Groups hit = 0, doubtful = 0;
    for_groups(groups, [&](unsigned g) {
      const F sx = F::load(inner_.sx + g * F::kLanes), sy = F::load(inner_.sy + g * F::kLanes);
      F x[3], y[3];
      for (int i = 0; i < 3; ++i) x[i] = a[i] - sx * z[i], y[i] = b[i] - sy * z[i];
      const F product = edge_product(x, y), zero = F::all(0.0F);
      inside[g] = bits(le(zero, product));
      hit |= static_cast<Groups>(inside[g] != 0) << g;
      doubtful |= static_cast<Groups>(bits(eq(zero, product)) != 0) << g;
    });
    for_groups(doubtful, [&](unsigned g) {
      inside[g] = contain(leaf, q, k, g);
      if (inside[g] == 0) hit &= ~(Groups{1} << g);
    });
    return hit;
  }

  /// The same for any dominant axes and origins.
  Groups contain_each(const tree::Leaf& leaf, const LeafCorners& q, unsigned k, Groups groups, unsigned* inside) const {
    Groups hit = 0;
    for_groups(groups, [&](unsigned g) {
      inside[g] = contain(leaf, q, k, g);
      hit |= static_cast<Groups>(inside[g] != 0) << g;
    });
    return hit;
  }

  /// The same for one group.
  [[gnu::noinline]] unsigned contain(const tree::Leaf& leaf, const LeafCorners& q, unsigned k, unsigned g) const {
    V3<F> c[3];
    for (int i = 0; i < 3; ++i) c[i] = kOneOrigin ? spread3(q.c[i], k) : seen_corner(leaf, i, k, g);
    const unsigned at = g * F::kLanes;
    Shear<F> s = {F::load(inner_.sx + at), F::load(inner_.sy + at), {}, {}, inner_.kz[g]};
    if (s.kz < 0) [[unlikely]]
      s = make_shear(load3(inner_.dx, inner_.dy, inner_.dz, g), load3(inner_.rx, inner_.ry, inner_.rz, g));
    F x[3], y[3];
    shear_corners(c, s, x, y);
    return bits(contains(x, y));
  }

  FATHOM_KERNEL void meet(const tree::Leaf& leaf, const LeafCorners& q, unsigned k, std::uint32_t place,
                          std::uint32_t id, unsigned g, typename F::Mask in) {
    const unsigned at = g * F::kLanes;
    const V3<F> d = load3(inner_.dx, inner_.dy, inner_.dz, g);
    const V3<F> n = spread3(q.n, k), r = load3(inner_.rx, inner_.ry, inner_.rz, g);
    if (one_sided_) in = in & from_front(n, d);
    const F reach = F::load(rays_.t + at);
    F plane, slack;
    V3<F> lo, hi;
    if constexpr (kOneOrigin) {
      plane = F::all(q.plane[k]), slack = F::all(q.slack[k]), lo = spread3(q.lo, k), hi = spread3(q.hi, k);
    } else {
      const V3<F> c[3] = {seen_corner(leaf, 0, k, g), seen_corner(leaf, 1, k, g), seen_corner(leaf, 2, k, g)};
      plane = dot(c[0], n), lo = least_of(c), hi = most_of(c), slack = exit_slack(lo, hi);
    }
    const F entry = entry_of(lo, hi, r);
    if (bits(in & le(entry, reach)) == 0) return;
    const F t = distance(plane, n, d, lo, hi, slack, r, entry);
    const F near = rays_.near == nullptr ? F::all(0.0F) : F::load(rays_.near + at);
    const auto ok = in & lt(F::all(0.0F), t) & le(near, t) & le(t, reach);
    if (bits(ok) == 0) return;
    auto take = ok & lt(t, reach);
    const unsigned ties = bits(without(ok, take));
    if (ties != 0) [[unlikely]]
      take = settle_ties(ties, bits(take), id, leaf.id[k], at);
    if constexpr (kAny) {
      select(take, F::all(-1.0F), reach).store(rays_.t + at);
    } else {
      select(take, t, reach).store(rays_.t + at);
    }
    store_word(take, id, rays_.instance + at), store_word(take, place, rays_.place + at);
  }

  static void store_word(typename F::Mask take, std::uint32_t word, std::uint32_t* out) {
    auto* words = reinterpret_cast<float*>(out);
    select(take, F::word(word), F::load(words)).store(words);
  }

  /// Of two hits at the same range the lower instance wins, then the lower triangle.
  [[gnu::noinline]] typename F::Mask settle_ties(unsigned ties, unsigned taken, std::uint32_t instance,
                                                 std::uint32_t triangle, unsigned at) const {
    for (; ties != 0; ties &= ties - 1) {
      const auto k = static_cast<unsigned>(std::countr_zero(ties));
      const std::uint32_t other = rays_.instance[at + k];
      bool earlier = instance < other;
      if (instance == other) earlier = triangle < triangle_of(world_.instances[other], rays_.place[at + k]);
      taken |= static_cast<unsigned>(earlier) << k;
    }
    return F::mask_from(taken);
  }

  const tree::World& world_;
  TileRays& rays_;
  const Pyramid& pyramid_;
  TileFrame outer_, inner_;
  PairLists pairs_;
  TileTimes times_;
  bool one_sided_ = false;  // of the instance of inner_
};

}  // namespace fathom::FATHOM_ISA
