// SPDX-License-Identifier: MIT
#pragma once
// One ray against the world: eight boxes at a time, four triangles at a time.

#include <cstdint>

#include "trace/tree/lanes.hpp"
#include "trace/tree/layout.hpp"
#include "trace/tree/triangle.hpp"

namespace fathom::FATHOM_ISA {

/// A point in all lanes.
FATHOM_KERNEL V3<F4> all3(const Point& p) { return {F4::all(p.x), F4::all(p.y), F4::all(p.z)}; }

/// Corner i of the four triangles of a leaf.
FATHOM_KERNEL V3<F4> corner(const tree::Leaf& leaf, int i) {
  return {F4::load(leaf.v[i][0]), F4::load(leaf.v[i][1]), F4::load(leaf.v[i][2])};
}

struct Hit {
  float t;  ///< on entry the largest distance
  std::uint32_t instance;
  std::uint32_t place;  ///< of the triangle, for triangle_of()
  std::uint32_t triangle;
};

/// A ray for tests of boxes.
struct Slabs {
  F8 near[3], far[3], r[3];
  bool back[3];  ///< runs towards smaller coordinates
};

/// `plus`, `minus`: the origin plus and minus the slack of boxes.
FATHOM_KERNEL Slabs make_slabs(const float (&plus)[3], const float (&minus)[3], const V3<F4>& r) {
  Slabs s;
  const float inverse[3] = {first(r.x), first(r.y), first(r.z)};
  for (int a = 0; a < 3; ++a) {
    s.back[a] = inverse[a] < 0.0F;
    s.r[a] = F8::all(inverse[a]);
    s.near[a] = F8::all(s.back[a] ? minus[a] : plus[a]);
    s.far[a] = F8::all(s.back[a] ? plus[a] : minus[a]);
  }
  return s;
}
FATHOM_KERNEL Slabs make_slabs(const Point& o, float slack, const V3<F4>& r) {
  return make_slabs({o.x + slack, o.y + slack, o.z + slack}, {o.x - slack, o.y - slack, o.z - slack}, r);
}

/// The children that a ray meets before `reach`, as bits; stores the distances at which it enters them.
FATHOM_KERNEL unsigned meet_boxes(const tree::Node& n, const Slabs& s, float reach, float* entry) {
  F8 enter = F8::all(0.0F), leave = F8::all(reach);
  for (int a = 0; a < 3; ++a) {
    const float *front = s.back[a] ? n.hi[a] : n.lo[a], *rear = s.back[a] ? n.lo[a] : n.hi[a];
    enter = max((F8::load(front) - s.near[a]) * s.r[a], enter);
    leave = min((F8::load(rear) - s.far[a]) * s.r[a], leave);
  }
  enter.store(entry);
  return bits(le(enter, leave));
}

/// Calls leaf(number) for every leaf that the ray meets within `reach`, near ones first unless `kAny`; `reach` may
/// shrink meanwhile. Ends if `leaf` returns true.
template <bool kAny, class Leaf>
FATHOM_KERNEL bool walk(const tree::Node* nodes, std::uint32_t node, const Slabs& slabs, const float& reach,
                        Leaf leaf) {
  struct Open {
    std::uint32_t child;
    float t;
  };
  Open stack[tree::kStack];
  unsigned top = 0;
  alignas(32) float entry[8];
  for (;;) {
    const tree::Node& n = nodes[node];
    unsigned met = meet_boxes(n, slabs, reach, entry);
    Open next;
    if (met != 0 && (met & (met - 1)) == 0) {  // one child, the most frequent case: no stack
      next = {n.child[std::countr_zero(met)], 0.0F};
    } else {
      for (const unsigned base = top; met != 0; met &= met - 1) {
        const auto i = static_cast<unsigned>(std::countr_zero(met));
        unsigned at = top++;
        if constexpr (!kAny) {
          for (; at > base && stack[at - 1].t < entry[i]; --at) stack[at] = stack[at - 1];
        }
        stack[at] = {n.child[i], entry[i]};
      }
      if (top == 0) return false;
      next = stack[--top];
    }
    for (;;) {
      if (next.t <= reach) {
        if ((next.child & tree::kLeafBit) == 0) break;
        if (leaf(next.child & ~tree::kLeafBit)) return true;
      }
      if (top == 0) return false;
      next = stack[--top];
    }
    node = next.child;
  }
}

/// The part of a ray that all leaves share.
struct LeafRay {
  V3<F4> o, d, r;
  Shear<F4> shear;
  float near;
  bool one_sided;  ///< passes through triangles from behind
};

/// The triangles of a leaf that contain a ray from `o`.
FATHOM_KERNEL F4 containing(const tree::Leaf& leaf, const V3<F4>& o, const Shear<F4>& shear) {
  const V3<F4> c[3] = {corner(leaf, 0) - o, corner(leaf, 1) - o, corner(leaf, 2) - o};
  F4 x[3], y[3];
  shear_corners(c, shear, x, y);
  return contains(x, y);
}

/// Updates `hit` by the triangles `in` of a leaf, which contain the ray; returns whether one is a better hit.
FATHOM_KERNEL bool meet_contained(const tree::Leaf& leaf, F4 in, std::uint32_t number, std::uint32_t instance,
                                  const LeafRay& ray, Hit& hit) {
  const V3<F4> v[3] = {corner(leaf, 0), corner(leaf, 1), corner(leaf, 2)};
  const V3<F4> c[3] = {v[0] - ray.o, v[1] - ray.o, v[2] - ray.o};
  const V3<F4> n = cross(v[0] - v[1], v[2] - v[0]);
  if (ray.one_sided) in = in & from_front(n, ray.d);
  const V3<F4> lo = least_of(c), hi = most_of(c);
  const F4 t = distance(dot(c[0], n), n, ray.d, lo, hi, exit_slack(lo, hi), ray.r, entry_of(lo, hi, ray.r));
  float ts[4];
  t.store(ts);
  bool better = false;
  const F4 ahead = lt(F4::all(0.0F), t) & le(F4::all(ray.near), t);
  for (unsigned m = bits(in & ahead & le(t, F4::all(hit.t))); m != 0; m &= m - 1) {
    const auto k = static_cast<unsigned>(std::countr_zero(m));
    const std::uint32_t id = leaf.id[k];
    if (id == tree::kNone) continue;
    const bool nearer = ts[k] < hit.t,
               earlier = instance < hit.instance || (instance == hit.instance && id < hit.triangle);
    if (!nearer && !(ts[k] == hit.t && earlier)) continue;
    hit = {ts[k], instance, 4 * number + k, id};
    better = true;
  }
  return better;
}

/// Updates `hit` by the triangles of a leaf; returns whether one is a better hit.
FATHOM_KERNEL bool meet_leaf(const tree::Leaf& leaf, std::uint32_t number, std::uint32_t instance, const LeafRay& ray,
                             Hit& hit) {
  const F4 in = containing(leaf, ray.o, ray.shear);
  return bits(in) != 0 && meet_contained(leaf, in, number, instance, ray, hit);
}

/// A ray from `o` along `d` in the world, for entities that share a bit with `mask`.
struct SingleRay {
  float o[3], d[3];
  float near;
  std::uint32_t mask;
  const float* time_s;  ///< after the stamp of the scan; null: at the stamp
};

/// Each of the first three lanes, in all lanes.
FATHOM_KERNEL V3<F4> spread(F4 v) {
  return {{__builtin_shufflevector(v.v, v.v, 0, 0, 0, 0)},
          {__builtin_shufflevector(v.v, v.v, 1, 1, 1, 1)},
          {__builtin_shufflevector(v.v, v.v, 2, 2, 2, 2)}};
}

/// The nearest hit up to hit.t, which is finite. hit.instance stays kNone on a miss.
inline void trace_single(const tree::World& world, const SingleRay& ray, Hit& hit) {
  const Point o = {ray.o[0], ray.o[1], ray.o[2]};
  const V3<F4> d = all3<F4>(ray.d);
  const V3<F4> r = spread(reciprocal(F4{Floats4{ray.d[0], ray.d[1], ray.d[2], 1.0F}}));
  walk<false>(world.nodes, 0, make_slabs(o, slack_of(world.bounds, o, world.slack), r), hit.t, [&](std::uint32_t id) {
    const tree::Instance& instance = world.instances[id];
    if ((instance.mask & ray.mask) == 0) return false;
    tree::MeshMap own;
    const tree::MeshMap& map = map_at(world, instance, ray.time_s, own);
    const Point at = origin_in(map, double{o.x}, double{o.y}, double{o.z});
    const float* m = map.m_from_w;  // its columns, each with an unused fourth value
    const F4 turned = F4::load(m) * d.x + F4::load(m + 3) * d.y + F4::load(m + 6) * d.z;
    const V3<F4> local_d = spread(turned), local_r = spread(reciprocal(turned));
    const LeafRay local = {all3(at), local_d, local_r, make_shear(local_d, local_r), ray.near, instance.one_sided};
    return walk<false>(
        instance.nodes, 0, make_slabs(at, slack_of(instance.bounds, at, kMeshSlack), local_r), hit.t,
        [&](std::uint32_t leaf) { return meet_leaf(instance.leaves[leaf], leaf, id, local, hit), false; });
  });
}

}  // namespace fathom::FATHOM_ISA
