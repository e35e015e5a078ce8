// SPDX-License-Identifier: MIT
#pragma once
// A tile through an instance with triangles so fine that neighbouring rays share no leaf. Single rays would wait for
// each node and mispredict most branches. So lists of pairs of a ray and a node are processed: pairs do not depend on
// each other, and there are no branches to predict.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "trace/tree/layout.hpp"
#include "trace/tree/single.hpp"
#include "trace/tree/tile_frame.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr unsigned kPairs = 4 * kTileRays;  ///< in a list

/// Pairs of a ray of the tile and a child of a node (Node::child). There is room for eight more lanes, which are stored
/// at once.
struct PairList {
  alignas(64) std::uint32_t child[kPairs + 8];
  alignas(64) std::uint32_t ray[kPairs + 8];

  /// Appends the children `which` of eight, as bits, to `count` pairs; returns the new count.
  FATHOM_KERNEL unsigned add(unsigned count, F8 children, unsigned which, F8 ray_number) {
    pack(children, which, child + count);
    ray_number.store(reinterpret_cast<float*>(ray + count));
    return count + static_cast<unsigned>(std::popcount(which));
  }
  /// Appends one pair if `wanted` is 1, not 0.
  FATHOM_KERNEL unsigned add(unsigned count, std::uint32_t one_child, std::uint32_t ray_number, unsigned wanted) {
    child[count] = one_child, ray[count] = ray_number;
    return count + wanted;
  }
  static bool full(unsigned count) { return count > kPairs - 8; }
};

struct PairLists {
  PairList nodes[2], leaves, later;
  alignas(64) float entry[kPairs + 8];  ///< distances at which rays enter the boxes of `later`
};

/// Tests of boxes by the rays of a tile. kSameSigns: directions agree in their signs.
template <bool kSameSigns>
class TileSlabs {
 public:
  explicit TileSlabs(const TileFrame& f) : frame_(f) {
    for (int a = 0; a < 3; ++a) {
      back_[a] = kSameSigns && f.back[a] ? 1 : 0;
      near_[a] = F8::all(back_[a] != 0 ? f.minus[a] : f.plus[a]);
      far_[a] = F8::all(back_[a] != 0 ? f.plus[a] : f.minus[a]);
    }
  }

  /// The children that ray i meets before `reach`; sets `enter` to the distances.
  FATHOM_KERNEL F8 meet(const tree::Node& n, std::uint32_t i, float reach, F8& enter) const {
    constexpr std::size_t kBeyond = sizeof(n.lo) / sizeof(float);  // from lo to hi
    const float along[3] = {frame_.rx[i], frame_.ry[i], frame_.rz[i]};
    enter = F8::all(0.0F);
    F8 leave = F8::all(reach);
    for (int a = 0; a < 3; ++a) {
      const std::size_t back = kSameSigns ? back_[a] : std::bit_cast<std::uint32_t>(along[a]) >> 31U;
      F8 near = near_[a], far = far_[a];
      if constexpr (!kSameSigns) {
        const float edges[2] = {frame_.plus[a], frame_.minus[a]};
        near = F8::all(edges[back]), far = F8::all(edges[1 - back]);
      }
      const float* planes = n.lo[a];
      const F8 r = F8::all(along[a]);
      enter = max((F8::load(planes + back * kBeyond) - near) * r, enter);
      leave = min((F8::load(planes + (1 - back) * kBeyond) - far) * r, leave);
    }
    return le(enter, leave);
  }

 private:
  const TileFrame& frame_;
  F8 near_[3], far_[3];
  std::size_t back_[3];  ///< 1: towards smaller coordinates
};

/// Takes the first `count` pairs of lists.nodes[0] through the tree. Calls meet_leaves(count) for lists.leaves, and
/// alone(child, ray) if a list is full. Unless `kAny`, each ray goes into the nearest child first, and then into the
/// others if it still reaches them.
template <bool kAny, bool kSameSigns, class Leaves, class Alone>
inline void walk_pairs(const tree::Node* nodes, const TileFrame& frame, const float* reach, PairLists& lists,
                       unsigned count, Leaves meet_leaves, Alone alone) {
  const TileSlabs<kSameSigns> slabs(frame);
  PairList *now = &lists.nodes[0], *next = &lists.nodes[1], &leaves = lists.leaves, &later = lists.later;
  unsigned leaf_count = 0, late_count = 0;
  for (;;) {
    while (count != 0) {
      unsigned next_count = 0;
      for (unsigned k = 0; k < count; ++k) {
        const std::uint32_t number = now->child[k], i = now->ray[k];
        if (PairList::full(next_count) || PairList::full(late_count)) [[unlikely]] {
          alone(number, i);
          continue;
        }
        const tree::Node& n = nodes[number];
        F8 entry;
        const F8 in = slabs.meet(n, i, reach[i], entry);
        const F8 child = F8::load(reinterpret_cast<const float*>(n.child)), ray = F8::word(i);
        unsigned met = bits(in);
        if constexpr (!kAny) {
          const F8 left = select(in, entry, F8::all(kInf));
          const unsigned nearest = bits(eq(left, F8::all(least(left)))) & met, first = nearest & (0U - nearest);
          pack(entry, met ^ first, lists.entry + late_count);
          late_count = later.add(late_count, child, met ^ first, ray);
          met = first;
        }
        const unsigned leaf = bits(child);  // kLeafBit is the sign
        next_count = next->add(next_count, child, met & ~leaf, ray);
        leaf_count = leaves.add(leaf_count, child, met & leaf, ray);
        if (PairList::full(leaf_count)) [[unlikely]]
          meet_leaves(std::exchange(leaf_count, 0U));
      }
      std::swap(now, next);
      count = next_count;
    }
    meet_leaves(std::exchange(leaf_count, 0U));
    if (late_count == 0) return;
    for (unsigned k = 0; k < late_count; ++k) {
      const std::uint32_t child = later.child[k], i = later.ray[k];
      const unsigned wanted = lists.entry[k] <= reach[i] ? 1 : 0, leaf = child >> 31U;
      count = now->add(count, child, i, wanted & ~leaf);
      leaf_count = leaves.add(leaf_count, child, i, wanted & leaf);
    }
    late_count = 0;
  }
}

/// The rays of a group that meet a box of the frame before their reach, as bits.
FATHOM_KERNEL unsigned meet_bounds(const tree::Box& box, const TileFrame& frame, const float* reach, unsigned g) {
  using F = FGroup;
  const V3<F> r = load3(frame.rx, frame.ry, frame.rz, g);
  const F along[3] = {r.x, r.y, r.z};
  F enter = F::all(0.0F), leave = F::load(reach + g * F::kLanes);
  for (int a = 0; a < 3; ++a) {
    const F low = F::all(box.lo[a] - frame.plus[a]) * along[a], high = F::all(box.hi[a] - frame.minus[a]) * along[a];
    enter = max(min(low, high), enter), leave = min(max(low, high), leave);
  }
  return bits(le(enter, leave));
}

template <bool kAny, bool kOneOrigin>
class FineTracer {
 public:
  /// `frame` holds the rays in the frame of instance `id`; `origin` is their common origin, if any.
  FineTracer(const tree::Instance& instance, std::uint32_t id, const Point& origin, TileFrame& frame, TileRays& rays,
             PairLists& lists)
      : instance_(instance), id_(id), origin_(all3(origin)), frame_(frame), rays_(rays), lists_(lists) {}

  void trace(Groups groups) {
    unsigned count = 0;
    for_groups(groups, [&](unsigned g) {
      for (unsigned met = meet_bounds(instance_.bounds, frame_, rays_.t, g); met != 0; met &= met - 1) {
        const unsigned i = g * FGroup::kLanes + static_cast<unsigned>(std::countr_zero(met));
        if constexpr (kInLists) {
          count = lists_.nodes[0].add(count, 0, i, 1);
        } else {
          walk_alone(0, i);
        }
      }
    });
    if constexpr (!kInLists) return;
    const auto leaves = [&](unsigned n) { meet_leaves(n); };
    const auto alone = [&](std::uint32_t node, std::uint32_t i) { walk_alone(node, i); };
    const auto walk = frame_.same_signs ? walk_pairs<kAny, true, decltype(leaves), decltype(alone)>
                                        : walk_pairs<kAny, false, decltype(leaves), decltype(alone)>;
    walk(instance_.nodes, frame_, rays_.t, lists_, count, leaves, alone);
  }

 private:
  /// Without kAny, pairs that wait for nearer children are packed too: too slow if packing takes a loop.
  static constexpr bool kInLists = kAny || kPacksFast;

  [[nodiscard]] V3<F4> origin_of(std::uint32_t i) const {
    if constexpr (kOneOrigin) return origin_;
    return {F4::all(frame_.ox[i]), F4::all(frame_.oy[i]), F4::all(frame_.oz[i])};
  }

  LeafRay leaf_ray(std::uint32_t i) {
    return {.o = origin_of(i),
            .d = {F4::all(frame_.dx[i]), F4::all(frame_.dy[i]), F4::all(frame_.dz[i])},
            .r = {F4::all(frame_.rx[i]), F4::all(frame_.ry[i]), F4::all(frame_.rz[i])},
            .shear = shear_of(i, frame_),
            .near = rays_.near == nullptr ? 0.0F : rays_.near[i],
            .one_sided = instance_.one_sided};
  }

  /// The hit of ray i so far.
  [[nodiscard]] Hit hit_of(std::uint32_t i) const {
    Hit hit = {rays_.t[i], rays_.instance[i], rays_.place[i], tree::kNone};
    if (hit.instance == id_) hit.triangle = triangle_of(instance_, hit.place);  // else the triangle is not read
    return hit;
  }
  void keep(const Hit& hit, std::uint32_t i) {
    rays_.t[i] = kAny ? -1.0F : hit.t, rays_.instance[i] = hit.instance, rays_.place[i] = hit.place;
  }

  /// First keeps pairs whose ray is within a triangle, without a branch, which would be mispredicted half of the time.
  [[gnu::noinline]] void meet_leaves(unsigned count) {
    PairList& list = lists_.leaves;
    std::uint8_t inside[kPairs + 8];
    unsigned left = 0;
    for (unsigned k = 0; k < count; ++k) {
      const std::uint32_t number = list.child[k] & ~tree::kLeafBit, i = list.ray[k];
      const unsigned in = bits(containing(instance_.leaves[number], origin_of(i), shear_of(i, frame_)));
      inside[left] = static_cast<std::uint8_t>(in);
      left = list.add(left, number, i, in != 0 ? 1 : 0);
    }
    for (unsigned k = 0; k < left; ++k) {
      const std::uint32_t number = list.child[k], i = list.ray[k];
      Hit hit = hit_of(i);
      if (meet_contained(instance_.leaves[number], F4::mask_from(inside[k]), number, id_, leaf_ray(i), hit)) {
        keep(hit, i);
      }
    }
  }

  [[gnu::noinline]] void walk_alone(std::uint32_t node, std::uint32_t i) {
    const LeafRay ray = leaf_ray(i);
    Hit hit = hit_of(i);
    bool met = false;
    walk<kAny>(instance_.nodes, node, make_slabs(frame_.plus, frame_.minus, ray.r), hit.t, [&](std::uint32_t leaf) {
      met = meet_leaf(instance_.leaves[leaf], leaf, id_, ray, hit) || met;
      return met && kAny;
    });
    if (met) keep(hit, i);
  }

  const tree::Instance& instance_;
  std::uint32_t id_;
  V3<F4> origin_;
  TileFrame& frame_;
  TileRays& rays_;
  PairLists& lists_;
};

}  // namespace fathom::FATHOM_ISA
