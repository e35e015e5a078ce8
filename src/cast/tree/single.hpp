// SPDX-License-Identifier: MIT
#pragma once
// One ray against the world: eight boxes at a time, four triangles at a time.

#include "cast/tree/walk.hpp"

namespace fathom::FATHOM_ISA {

struct Hit {
  float t;  ///< on entry: how far the ray reaches
  std::uint32_t instance;
  std::uint32_t place;  ///< of the triangle: 4 leaf + lane
  std::uint32_t triangle;
};

/// A ray as boxes are tested with it.
struct Slabs {
  F8 near[3], far[3], r[3];
  bool back[3];  ///< runs towards smaller coordinates
};

FATHOM_KERNEL Slabs make_slabs(const Point& o, const V3<F4>& r, float slack) {
  Slabs s;
  const float p[3] = {o.x, o.y, o.z}, inverse[3] = {first(r.x), first(r.y), first(r.z)};
  for (int a = 0; a < 3; ++a) {
    s.back[a] = inverse[a] < 0.0F;
    s.r[a] = F8::all(inverse[a]);
    s.near[a] = F8::all(s.back[a] ? p[a] - slack : p[a] + slack);
    s.far[a] = F8::all(s.back[a] ? p[a] + slack : p[a] - slack);
  }
  return s;
}

/// Which children a ray meets before `reach`, as bits, and where it enters them.
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

/// Calls leaf(number) for every leaf below child `from` that the ray meets within `reach`, near ones first; `reach` may
/// shrink meanwhile. Ends early when `leaf` returns true.
template <class Leaf>
FATHOM_KERNEL bool walk(const tree::Node* nodes, std::uint32_t from, const Slabs& slabs, const float& reach,
                        Leaf leaf) {
  struct Open {
    std::uint32_t child;
    float t;
  };
  Open stack[tree::kStack];
  unsigned top = 0;
  if ((from & tree::kLeafBit) != 0) return leaf(from & ~tree::kLeafBit);
  std::uint32_t node = from;
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
        for (; at > base && stack[at - 1].t < entry[i]; --at) stack[at] = stack[at - 1];
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

/// The part of a ray that does not change from leaf to leaf.
struct LeafRay {
  V3<F4> o, d, r;
  Shear<F4> shear;
  float near;
};

/// Improves `hit` by the triangles of a leaf; returns whether it did.
FATHOM_KERNEL bool meet_leaf(const tree::Leaf& leaf, std::uint32_t number, std::uint32_t instance, const LeafRay& ray,
                             Hit& hit) {
  V3<F4> v[3], c[3];
  for (int i = 0; i < 3; ++i) {
    v[i] = {F4::load(leaf.v[i][0]), F4::load(leaf.v[i][1]), F4::load(leaf.v[i][2])};
    c[i] = v[i] - ray.o;
  }
  F4 x[3], y[3];
  shear_corners(c, ray.shear, x, y);
  const F4 in = contains(x, y);
  if (bits(in) == 0) return false;
  const V3<F4> n = cross(v[0] - v[1], v[2] - v[0]);
  const V3<F4> lo = {min(min(c[0].x, c[1].x), c[2].x), min(min(c[0].y, c[1].y), c[2].y),
                     min(min(c[0].z, c[1].z), c[2].z)};
  const V3<F4> hi = {max(max(c[0].x, c[1].x), c[2].x), max(max(c[0].y, c[1].y), c[2].y),
                     max(max(c[0].z, c[1].z), c[2].z)};
  const F4 t = distance(dot(c[0], n), n, ray.d, lo, hi, exit_slack(lo, hi), ray.r, entry_of(lo, hi, ray.r));
  float ts[4];
  t.store(ts);
  bool better = false;
  for (unsigned m = bits(in & le(F4::all(ray.near), t) & le(t, F4::all(hit.t))); m != 0; m &= m - 1) {
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

/// A ray from (ox, oy, oz) along d, both in the world, for entities that share a bit with `mask`.
struct SingleRay {
  float o[3], d[3];
  float near;
  std::uint32_t mask;
};

/// Each of the first three lanes, in all lanes.
FATHOM_KERNEL V3<F4> spread(F4 v) {
  return {{_mm_shuffle_ps(v.v, v.v, 0x00)}, {_mm_shuffle_ps(v.v, v.v, 0x55)}, {_mm_shuffle_ps(v.v, v.v, 0xaa)}};
}

/// What rays from one origin know of it in the frames of instances: a third of a ray's time went into turning it.
class OriginMemory {
 public:
  OriginMemory(const tree::World& world, const Point& o)
      : world_(world), o_(o), world_slack_(slack_of(world.bounds, o, kWorldSlack)) {
    for (Entry& entry : entries_) entry.instance = tree::kNone;
  }

  [[nodiscard]] float world_slack() const { return world_slack_; }
  FATHOM_KERNEL const SeenOrigin& in(std::uint32_t instance) {
    Entry& entry = entries_[instance % kEntries];
    if (entry.instance != instance) entry = {instance, seen_from(world_.instances[instance], o_)};
    return entry.origin;
  }

 private:
  static constexpr std::uint32_t kEntries = 64;
  struct Entry {
    std::uint32_t instance;
    SeenOrigin origin;
  };

  const tree::World& world_;
  Point o_;
  float world_slack_;
  Entry entries_[kEntries];
};

/// The same for a ray with an origin of its own: nothing is remembered.
class OriginOfOne {
 public:
  OriginOfOne(const tree::World& world, const Point& o) : world_(world), o_(o) {}

  [[nodiscard]] float world_slack() const { return slack_of(world_.bounds, o_, kWorldSlack); }
  FATHOM_KERNEL SeenOrigin in(std::uint32_t instance) const { return seen_from(world_.instances[instance], o_); }

 private:
  const tree::World& world_;
  Point o_;
};

/// The nearest hit up to hit.t, which is finite. hit.instance stays kNone where there is none.
template <class Origin>
inline void trace_single(const tree::World& world, const SingleRay& ray, Origin& origin, Hit& hit) {
  const Point o = {ray.o[0], ray.o[1], ray.o[2]};
  const V3<F4> d = all3<F4>(ray.d);
  const V3<F4> r = spread(reciprocal(F4{_mm_setr_ps(ray.d[0], ray.d[1], ray.d[2], 1.0F)}));
  walk(world.nodes, 0, make_slabs(o, r, origin.world_slack()), hit.t, [&](std::uint32_t id) {
    const tree::Instance& instance = world.instances[id];
    if ((instance.mask & ray.mask) == 0) return false;
    const SeenOrigin& seen = origin.in(id);
    const Point& at = seen.at;
    const float* m = instance.m_from_w;  // its columns, each with a fourth value that is not used
    const F4 turned = F4::load(m) * d.x + F4::load(m + 3) * d.y + F4::load(m + 6) * d.z;
    LeafRay local;
    local.o = {F4::all(at.x), F4::all(at.y), F4::all(at.z)};
    local.d = spread(turned);
    local.r = spread(reciprocal(turned));
    local.shear = make_shear(local.d, local.r);
    local.near = ray.near;
    return walk(instance.nodes, 0, make_slabs(at, local.r, seen.slack), hit.t,
                [&](std::uint32_t leaf) { return meet_leaf(instance.leaves[leaf], leaf, id, local, hit), false; });
  });
}

}  // namespace fathom::FATHOM_ISA
