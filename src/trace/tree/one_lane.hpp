// SPDX-License-Identifier: MIT
#pragma once
// One ray against the world: the walk of a thread of a device. It has the arithmetic of triangle.hpp, and a hit depends
// only on ray and triangles, so it gives the bits of single.hpp and tile.hpp.

#include <cstdint>

#include "trace/tree/layout.hpp"
#include "trace/tree/triangle.hpp"

namespace fathom::FATHOM_ISA {

// Reads of trees, and the larger and the smaller of two distances, each one instruction of a device. A launch does not
// write trees, so a device may read them by its cache of constants, and no store to a stack comes between such reads.
// As for a comparison, NaN in `a` gives `b`. The signs of zeros may differ, which no test of a box sees.
#if defined(__CUDA_ARCH__)
using Four = float __attribute__((ext_vector_type(4)));
FATHOM_KERNEL float read(const float* at) { return __nvvm_ldg_f(at); }
FATHOM_KERNEL std::uint32_t read(const std::uint32_t* at) { return __nvvm_ldg_ui(at); }
FATHOM_KERNEL Four read(const Four* at) { return __nvvm_ldg_f4(at); }
FATHOM_KERNEL float larger(float a, float b) {
  float larger;
  asm("max.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}
FATHOM_KERNEL float smaller(float a, float b) {
  float smaller;
  asm("min.f32 %0, %1, %2;" : "=f"(smaller) : "f"(a), "f"(b));
  return smaller;
}
#else
using Four = float __attribute__((vector_size(16), may_alias));
FATHOM_KERNEL float read(const float* at) { return *at; }
FATHOM_KERNEL std::uint32_t read(const std::uint32_t* at) { return *at; }
FATHOM_KERNEL Four read(const Four* at) { return *at; }
FATHOM_KERNEL float larger(float a, float b) { return a > b ? a : b; }
FATHOM_KERNEL float smaller(float a, float b) { return a < b ? a : b; }
#endif

/// Four numbers from a place on that is a multiple of 16 bytes; words come as the floats with their bits.
FATHOM_KERNEL Four read_four(const void* at) { return read(static_cast<const Four*>(at)); }

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

/// A ray for tests of boxes: its origin plus or minus their slack, and its reciprocals.
struct LaneSlabs {
  float near[3], far[3], r[3];
  std::uint32_t front[3];  ///< by axis: the place in a tree::Node of the row of sides that it enters by
};

FATHOM_KERNEL LaneSlabs make_lane_slabs(const Point& o, float slack, const V3<F1>& r) {
  const float at[3] = {o.x, o.y, o.z}, reciprocals[3] = {r.x.v, r.y.v, r.z.v};
  LaneSlabs s;
  for (std::uint32_t a = 0; a < 3; ++a) {
    const bool back = reciprocals[a] < 0.0F;
    s.r[a] = reciprocals[a];
    s.near[a] = back ? at[a] - slack : at[a] + slack;
    s.far[a] = back ? at[a] + slack : at[a] - slack;
    s.front[a] = (back ? a + 3 : a) * tree::kWidth;
  }
  return s;
}

FATHOM_KERNEL const float* rows_of(const tree::Node& n) { return reinterpret_cast<const float*>(&n); }
/// The place of the row of sides that the ray leaves by.
FATHOM_KERNEL std::uint32_t rear(const LaneSlabs& s, std::uint32_t a) {
  return (2 * a + 3) * tree::kWidth - s.front[a];
}

/// Limits the stretch of the ray to that between the sides of child i across axis a.
FATHOM_KERNEL void meet_slab(const tree::Node& n, std::uint32_t i, const LaneSlabs& s, std::uint32_t a, float& enter,
                             float& leave) {
  enter = larger((read(rows_of(n) + s.front[a] + i) - s.near[a]) * s.r[a], enter);
  leave = smaller((read(rows_of(n) + rear(s, a) + i) - s.far[a]) * s.r[a], leave);
}

/// Whether the ray meets child i before `reach`.
FATHOM_KERNEL bool meets_child(const tree::Node& n, std::uint32_t i, const LaneSlabs& s, float reach) {
  float enter = 0.0F, leave = reach;
  meet_slab(n, i, s, 0, enter, leave), meet_slab(n, i, s, 1, enter, leave), meet_slab(n, i, s, 2, enter, leave);
  return enter <= leave;
}

/// The same as meet_slab() for all children.
FATHOM_KERNEL void meet_slabs(const tree::Node& n, const LaneSlabs& s, std::uint32_t a, float (&enter)[tree::kWidth],
                              float (&leave)[tree::kWidth]) {
  for (std::uint32_t half = 0; half < tree::kWidth; half += 4) {
    const Four front = read_four(rows_of(n) + s.front[a] + half), back = read_four(rows_of(n) + rear(s, a) + half);
    for (std::uint32_t k = 0; k < 4; ++k) {
      enter[half + k] = larger((front[k] - s.near[a]) * s.r[a], enter[half + k]);
      leave[half + k] = smaller((back[k] - s.far[a]) * s.r[a], leave[half + k]);
    }
  }
}

FATHOM_KERNEL void sort_two(std::uint32_t& a, std::uint32_t& b) {
  const std::uint32_t least = a < b ? a : b;
  b = a < b ? b : a, a = least;
}

/// Sorts by the network of 19 exchanges (D. E. Knuth, "The Art of Computer Programming" 3, 5.3.4).
FATHOM_KERNEL void sort_eight(std::uint32_t (&k)[8]) {
  sort_two(k[0], k[2]), sort_two(k[1], k[3]), sort_two(k[4], k[6]), sort_two(k[5], k[7]);
  sort_two(k[0], k[4]), sort_two(k[1], k[5]), sort_two(k[2], k[6]), sort_two(k[3], k[7]);
  sort_two(k[0], k[1]), sort_two(k[2], k[3]), sort_two(k[4], k[5]), sort_two(k[6], k[7]);
  sort_two(k[2], k[4]), sort_two(k[3], k[5]), sort_two(k[1], k[4]), sort_two(k[3], k[6]);
  sort_two(k[1], k[2]), sort_two(k[3], k[4]), sort_two(k[5], k[6]);
}

/// The children that a ray meets before `reach`, the nearest first: three bits each from the lowest on, then a 1. Boxes
/// of missing children are empty.
FATHOM_KERNEL std::uint32_t children_met(const tree::Node& n, const LaneSlabs& s, float reach) {
  float enter[tree::kWidth], leave[tree::kWidth];
  for (std::uint32_t i = 0; i < tree::kWidth; ++i) enter[i] = 0.0F, leave[i] = reach;
  // Calls, because a device would keep arrays in local memory for a loop that is not unrolled.
  meet_slabs(n, s, 0, enter, leave), meet_slabs(n, s, 1, enter, leave), meet_slabs(n, s, 2, enter, leave);
  std::uint32_t key[tree::kWidth], end = 1, met = 0;  // distances from 0 on have the order of their bits
  for (std::uint32_t i = 0; i < tree::kWidth; ++i) {
    const bool meets = enter[i] <= leave[i];
    key[i] = meets ? (math::bits_of(enter[i]) & ~7U) | i : ~0U;
    end <<= meets ? 3U : 0U;
  }
  sort_eight(key);
  for (std::uint32_t i = 0; i < tree::kWidth; ++i) met |= (key[i] & 7U) << 3U * i;
  return (met & (end - 1)) | end;
}

/// Child i of a node: all are read beside the boxes, because a read that waits for them would take as long again.
FATHOM_KERNEL std::uint32_t child_of(const tree::Node& n, std::uint32_t i) {
  const Four low = read_four(n.child), high = read_four(n.child + 4);
  float child = low[0];
  for (std::uint32_t k = 1; k < tree::kWidth; ++k) child = i == k ? (k < 4 ? low[k % 4] : high[k % 4]) : child;
  return math::bits_of(child);
}

/// A ray in the frame of a mesh.
struct LaneLocal {
  V3<F1> o, d;
  F1 sx, sy;
  int kz;
  bool one_sided;  ///< passes through triangles from behind
};

/// The rows of a tree::Leaf.
struct LeafRows {
  Four v[3][3], id;
};

/// Children of a node that the ray meets, as from children_met(), and has not visited.
struct OpenNode {
  std::uint32_t node, children;
};
/// One for each level of a SortedTree and of a mesh's, because the driver reserves the stacks of all threads.
inline constexpr std::uint32_t kLaneStack = tree::kSortedDepth + tree::kMaxDepth;

/// The walk of a ray through the nodes over instances and the nodes of meshes, to the nearest hit; with `kAny` to any
/// hit. One loop and one stack serve both, so that the rays of a group work together.
template <bool kAny>
class LaneWalk {
 public:
  /// `stack`: [kLaneStack]. It is no member, because a device keeps an object with an indexed array in local memory.
  FATHOM_KERNEL LaneWalk(const tree::World& world, const LaneRay& ray, const LaneHit& hit, OpenNode* stack)
      : world_(world), ray_(ray), hit_(hit), stack_(stack) {
    const V3<F1> d = all3<F1>(ray.d);
    over_instances_ = make_lane_slabs(ray.o, slack_of(world.bounds, ray.o, world.slack),
                                      {reciprocal(d.x), reciprocal(d.y), reciprocal(d.z)});
    leave_mesh();
  }

  FATHOM_KERNEL LaneHit run() {
    const float sum = (ray_.o.x + ray_.o.y + ray_.o.z) + (ray_.d[0] + ray_.d[1] + ray_.d[2]);
    if (!(sum - sum == 0.0F)) return hit_;  // NaN would meet every box, also of a missing child
    for (std::uint32_t next = 0;;) {        // a node, an instance or a leaf
      bool goes_on = false;
      if ((next & tree::kLeafBit) == 0) {
        goes_on = open(next);
      } else if (instance_ == tree::kNone) {
        goes_on = enter_mesh(next);
      } else if (meet_leaf(next & ~tree::kLeafBit) && kAny) {
        return hit_;
      }
      if (!goes_on && !go_back(next)) return hit_;
    }
  }

 private:
  /// Turns to the nearest child, and keeps the others for later.
  FATHOM_KERNEL bool open(std::uint32_t& next) {
    const tree::Node& n = nodes_[next];
    const std::uint32_t met = children_met(n, slabs_, hit_.t), child = child_of(n, met % tree::kWidth);
    if (met >= tree::kWidth * tree::kWidth) stack_[top_++] = {next, met / tree::kWidth};
    next = child;
    return met > 1;
  }

  /// Turns to the root of a mesh that the ray sees.
  FATHOM_KERNEL bool enter_mesh(std::uint32_t& next) {
    const tree::Instance& instance = world_.instances[next & ~tree::kLeafBit];
    if ((instance.mask & ray_.mask) == 0) return false;
    tree::MeshMap own;
    const tree::MeshMap& map = map_at(world_, instance, ray_.time_s, own);
    const Point at = origin_in(map, double{ray_.o.x}, double{ray_.o.y}, double{ray_.o.z});
    const V3<F1> d = turn(map.m_from_w, all3<F1>(ray_.d));
    const V3<F1> r = {reciprocal(d.x), reciprocal(d.y), reciprocal(d.z)};
    const Shear<F1> shear = make_shear(d, r);
    local_ = {{{at.x}, {at.y}, {at.z}}, d, shear.sx, shear.sy, shear.kz, instance.one_sided};
    slabs_ = make_lane_slabs(at, slack_of(instance.bounds, at, kMeshSlack), r);
    nodes_ = instance.nodes, leaves_ = instance.leaves;
    instance_ = next & ~tree::kLeafBit, floor_ = top_, next = 0;
    return true;
  }

  FATHOM_KERNEL void leave_mesh() {
    slabs_ = over_instances_, nodes_ = world_.nodes;
    instance_ = tree::kNone, floor_ = 0;
  }

  /// Turns to the nearest of the children that were kept; returns false at the end.
  FATHOM_KERNEL bool go_back(std::uint32_t& next) {
    for (;;) {
      if (top_ == floor_) {
        if (instance_ == tree::kNone) return false;
        leave_mesh();
        continue;
      }
      OpenNode& kept = stack_[top_ - 1];
      const tree::Node& n = nodes_[kept.node];
      const std::uint32_t i = kept.children % tree::kWidth;
      kept.children /= tree::kWidth;
      if (kept.children == 1) --top_;
      if (!meets_child(n, i, slabs_, hit_.t)) continue;  // the reach is shorter now
      next = read(n.child + i);
      return true;
    }
  }

  /// Whether a triangle of the leaf is a better hit.
  FATHOM_KERNEL bool meet_leaf(std::uint32_t number) {
    const tree::Leaf& leaf = leaves_[number];
    LeafRows rows;
    for (int i = 0; i < 3; ++i) {
      for (int a = 0; a < 3; ++a) rows.v[i][a] = read_four(leaf.v[i][a]);
    }
    rows.id = read_four(leaf.id);
    const bool met[] = {meet_triangle(rows, number, 0), meet_triangle(rows, number, 1), meet_triangle(rows, number, 2),
                        meet_triangle(rows, number, 3)};
    return met[0] || met[1] || met[2] || met[3];
  }

  /// Updates the hit if triangle k is a better one; returns whether it is.
  FATHOM_KERNEL bool meet_triangle(const LeafRows& rows, std::uint32_t number, std::uint32_t k) {
    const std::uint32_t id = math::bits_of(rows.id[k]);
    if (id == tree::kNone) return false;
    V3<F1> v[3], c[3];
    for (int i = 0; i < 3; ++i) {
      v[i] = {{rows.v[i][0][k]}, {rows.v[i][1][k]}, {rows.v[i][2][k]}};
      c[i] = v[i] - local_.o;
    }
    F1 x[3], y[3];
    shear_corners(c, {local_.sx, local_.sy, {local_.kz == 0}, {local_.kz == 1}, local_.kz}, x, y);
    if (!contains(x, y).m) return false;
    const V3<F1> n = cross(v[0] - v[1], v[2] - v[0]);
    if (local_.one_sided && !from_front(n, local_.d).m) return false;
    const V3<F1> lo = least_of(c), hi = most_of(c), r = all3<F1>(slabs_.r);
    const float t = distance(dot(c[0], n), n, local_.d, lo, hi, exit_slack(lo, hi), r, entry_of(lo, hi, r)).v;
    if (!(0.0F < t && ray_.near <= t && t <= hit_.t)) return false;
    const bool earlier = instance_ < hit_.instance || (instance_ == hit_.instance && id < hit_.triangle);
    if (!(t < hit_.t) && !(t == hit_.t && earlier)) return false;
    hit_ = {t, instance_, tree::kLeafTriangles * number + k, id};
    return true;
  }

  const tree::World& world_;
  const LaneRay& ray_;
  LaneHit hit_;
  LaneSlabs over_instances_, slabs_;  // the second for the nodes where the walk is
  LaneLocal local_ = {};
  const tree::Node* nodes_ = nullptr;
  const tree::Leaf* leaves_ = nullptr;
  std::uint32_t instance_ = tree::kNone;  // whose mesh is walked; kNone: none
  std::uint32_t top_ = 0, floor_ = 0;     // of the stack; the floor belongs to the mesh
  OpenNode* stack_;
};

/// The nearest hit up to hit.t, which is finite; with `kAny` any hit. hit.instance stays kNone on a miss.
template <bool kAny>
FATHOM_KERNEL void trace_lane(const tree::World& world, const LaneRay& ray, LaneHit& hit) {
  OpenNode stack[kLaneStack];
  hit = LaneWalk<kAny>(world, ray, hit, stack).run();
}

}  // namespace fathom::FATHOM_ISA
