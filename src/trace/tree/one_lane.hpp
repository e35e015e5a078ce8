// SPDX-License-Identifier: MIT
#pragma once
// One ray against the world, one box and one triangle at a time: the walk of a thread of a device. It has the
// arithmetic of triangle.hpp, and a hit depends only on ray and triangles, so it gives the bits of single.hpp and
// tile.hpp.

#include <cstdint>

#include "trace/tree/layout.hpp"
#include "trace/tree/triangle.hpp"

namespace fathom::FATHOM_ISA {

/// A float as a value of one lane, with the operations of lanes.hpp.
struct F1 {
  static constexpr unsigned kLanes = 1;
  struct Mask {
    bool m;
  };
  float v;
  FATHOM_KERNEL static F1 all(float x) { return {x}; }
  FATHOM_KERNEL static Mask mask_from(unsigned bits) { return {bits != 0}; }
  FATHOM_KERNEL void store(float* p) const { *p = v; }
};
FATHOM_KERNEL F1 operator+(F1 a, F1 b) { return {a.v + b.v}; }
FATHOM_KERNEL F1 operator-(F1 a, F1 b) { return {a.v - b.v}; }
FATHOM_KERNEL F1 operator*(F1 a, F1 b) { return {a.v * b.v}; }
FATHOM_KERNEL F1 operator/(F1 a, F1 b) { return {a.v / b.v}; }
FATHOM_KERNEL F1 min(F1 a, F1 b) { return {a.v < b.v ? a.v : b.v}; }
FATHOM_KERNEL F1 max(F1 a, F1 b) { return {a.v > b.v ? a.v : b.v}; }
FATHOM_KERNEL F1 abs(F1 a) { return {__builtin_fabsf(a.v)}; }
FATHOM_KERNEL F1::Mask le(F1 a, F1 b) { return {a.v <= b.v}; }
FATHOM_KERNEL F1::Mask lt(F1 a, F1 b) { return {a.v < b.v}; }
FATHOM_KERNEL F1::Mask eq(F1 a, F1 b) { return {a.v == b.v}; }
FATHOM_KERNEL F1::Mask operator&(F1::Mask a, F1::Mask b) { return {a.m && b.m}; }
FATHOM_KERNEL F1::Mask operator|(F1::Mask a, F1::Mask b) { return {a.m || b.m}; }
FATHOM_KERNEL F1::Mask without(F1::Mask a, F1::Mask b) { return {a.m && !b.m}; }
FATHOM_KERNEL F1 select(F1::Mask m, F1 a, F1 b) { return {m.m ? a.v : b.v}; }
FATHOM_KERNEL unsigned bits(F1::Mask m) { return m.m ? 1U : 0U; }

/// The hit of a ray: the least of (t, instance, triangle).
struct LaneHit {
  float t;  ///< on entry the largest distance
  std::uint32_t instance = tree::kNone;
  std::uint32_t place = tree::kNone;  ///< of the triangle, for triangle_of()
  std::uint32_t triangle = tree::kNone;
};

/// A ray from `o` along `d` in the world, for instances that share a bit with `mask`.
struct LaneRay {
  Point o;
  float d[3];
  float near;
  std::uint32_t mask;
  const float* time_s = nullptr;  ///< after the stamp of the scan; null: at the stamp
};

/// A ray for tests of boxes: its origin plus and minus their slack, and its reciprocals.
struct LaneSlabs {
  float plus[3], minus[3], r[3];
};

FATHOM_KERNEL LaneSlabs make_lane_slabs(const Point& o, float slack, const V3<F1>& r) {
  return {{o.x + slack, o.y + slack, o.z + slack}, {o.x - slack, o.y - slack, o.z - slack}, {r.x.v, r.y.v, r.z.v}};
}

/// Whether the ray meets child i before `reach`; sets `entry` to the distance.
FATHOM_KERNEL bool meets_box(const tree::Node& n, unsigned i, const LaneSlabs& s, float reach, float& entry) {
  F1 enter = {0.0F}, leave = {reach};
  for (int a = 0; a < 3; ++a) {
    const bool back = s.r[a] < 0.0F;
    const F1 low = {(n.lo[a][i] - s.plus[a]) * s.r[a]}, high = {(n.hi[a][i] - s.minus[a]) * s.r[a]};
    enter = max(back ? high : low, enter), leave = min(back ? low : high, leave);
  }
  entry = enter.v;
  return enter.v <= leave.v;
}

/// The children that a ray meets before `reach`, the nearest first: three bits each from the lowest on, then a 1.
FATHOM_KERNEL std::uint32_t children_met(const tree::Node& n, const LaneSlabs& s, float reach) {
  float entry[tree::kWidth];
  std::uint32_t rank[tree::kWidth] = {}, count = 0, met = 0;
  for (unsigned i = 0; i < tree::kWidth; ++i) {
    if (n.child[i] == tree::kNone || !meets_box(n, i, s, reach, entry[i])) entry[i] = math::kInfinity;
    count += entry[i] < math::kInfinity ? 1U : 0U;
    for (unsigned k = 0; k < i; ++k) entry[k] <= entry[i] ? ++rank[i] : ++rank[k];
  }
  for (unsigned i = 0; i < tree::kWidth; ++i) met |= entry[i] < math::kInfinity ? i << 3U * rank[i] : 0U;
  return met | 1U << 3U * count;
}

/// Calls leaf(number) for every leaf that the ray meets within `reach`, near ones first; `reach` may shrink meanwhile.
/// Ends if `leaf` returns true. The stack has one entry per level, because the driver reserves it for all threads.
template <class Leaf>
FATHOM_KERNEL void walk_lane(const tree::Node* nodes, const LaneSlabs& slabs, const float& reach, Leaf leaf) {
  struct Open {
    std::uint32_t node, children;  // that the ray meets, as from children_met(), and are not visited
  };
  Open stack[tree::kMaxDepth];
  stack[0] = {0, children_met(nodes[0], slabs, reach)};
  for (unsigned top = 1; top > 0;) {
    Open& open = stack[top - 1];
    if (open.children == 1) {
      --top;
      continue;
    }
    const tree::Node& n = nodes[open.node];
    const std::uint32_t i = open.children % tree::kWidth, child = n.child[i];
    open.children /= tree::kWidth;
    float entry = 0.0F;
    if (!meets_box(n, i, slabs, reach, entry)) continue;  // `reach` is shorter now
    const bool is_leaf = (child & tree::kLeafBit) != 0;
    if (!is_leaf) stack[top++] = {child, children_met(nodes[child], slabs, reach)};
    if (is_leaf && leaf(child & ~tree::kLeafBit)) return;
  }
}

/// A ray in the frame of a mesh.
struct LaneLocal {
  V3<F1> o, d, r;
  Shear<F1> shear;
  float near;
  bool one_sided;  ///< passes through triangles from behind
};

/// Updates `hit` if triangle k of a leaf is a better hit; returns whether it is.
FATHOM_KERNEL bool meet_triangle(const tree::Leaf& leaf, unsigned k, std::uint32_t place, std::uint32_t instance,
                                 const LaneLocal& ray, LaneHit& hit) {
  V3<F1> v[3], c[3];
  for (int i = 0; i < 3; ++i) {
    v[i] = {{leaf.v[i][0][k]}, {leaf.v[i][1][k]}, {leaf.v[i][2][k]}};
    c[i] = v[i] - ray.o;
  }
  F1 x[3], y[3];
  shear_corners(c, ray.shear, x, y);
  if (!contains(x, y).m) return false;
  const V3<F1> n = cross(v[0] - v[1], v[2] - v[0]);
  if (ray.one_sided && !from_front(n, ray.d).m) return false;
  const V3<F1> lo = least_of(c), hi = most_of(c);
  const float t = distance(dot(c[0], n), n, ray.d, lo, hi, exit_slack(lo, hi), ray.r, entry_of(lo, hi, ray.r)).v;
  if (!(0.0F < t && ray.near <= t && t <= hit.t)) return false;
  const std::uint32_t id = leaf.id[k];
  const bool earlier = instance < hit.instance || (instance == hit.instance && id < hit.triangle);
  if (!(t < hit.t) && !(t == hit.t && earlier)) return false;
  hit = {t, instance, place, id};
  return true;
}

/// The nearest hit up to hit.t, which is finite; with `kAny` any hit. hit.instance stays kNone on a miss.
template <bool kAny>
FATHOM_KERNEL void trace_lane(const tree::World& world, const LaneRay& ray, LaneHit& hit) {
  const V3<F1> d = all3<F1>(ray.d);
  const V3<F1> r = {reciprocal(d.x), reciprocal(d.y), reciprocal(d.z)};
  const float& reach = hit.t;
  walk_lane(
      world.nodes, make_lane_slabs(ray.o, slack_of(world.bounds, ray.o, world.slack), r),
      reach, [&](std::uint32_t id) __attribute__((always_inline)) {
        const tree::Instance& instance = world.instances[id];
        if ((instance.mask & ray.mask) == 0) return false;
        tree::MeshMap own;
        const tree::MeshMap& map = map_at(world, instance, ray.time_s, own);
        const Point at = origin_in(map, double{ray.o.x}, double{ray.o.y}, double{ray.o.z});
        const V3<F1> local_d = turn(map.m_from_w, d);
        const V3<F1> local_r = {reciprocal(local_d.x), reciprocal(local_d.y), reciprocal(local_d.z)};
        const LaneLocal local = {{{at.x}, {at.y}, {at.z}},     local_d,  local_r,
                                 make_shear(local_d, local_r), ray.near, instance.one_sided};
        bool met = false;
        walk_lane(
            instance.nodes, make_lane_slabs(at, slack_of(instance.bounds, at, kMeshSlack), local_r),
            reach, [&](std::uint32_t number) __attribute__((always_inline)) {
              const tree::Leaf& leaf = instance.leaves[number];
              for (unsigned k = 0; k < tree::kLeafTriangles && leaf.id[k] != tree::kNone; ++k) {
                met = meet_triangle(leaf, k, tree::kLeafTriangles * number + k, id, local, hit) || met;
              }
              return kAny && met;
            });
        return kAny && met;
      });
}

}  // namespace fathom::FATHOM_ISA
