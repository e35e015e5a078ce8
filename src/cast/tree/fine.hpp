// SPDX-License-Identifier: MIT
#pragma once
// A tile through an instance whose triangles are so fine that neighbouring rays share no leaf.

#include <bit>
#include <cstdint>

#include "cast/tree/layout.hpp"
#include "cast/tree/pairs.hpp"
#include "cast/tree/single.hpp"

namespace fathom::FATHOM_ISA {

/// Which rays of a group meet a box of the frame before their reach, as bits.
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
  /// `frame` holds the rays in the frame of the instance, `id` in the world; `origin` is theirs if they have one.
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
  /// What waits for nearer children is packed besides: too much where that takes a loop.
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

  /// What ray i has met so far.
  [[nodiscard]] Hit hit_of(std::uint32_t i) const {
    Hit hit = {rays_.t[i], rays_.instance[i], rays_.place[i], tree::kNone};
    if (hit.instance == id_) hit.triangle = triangle_of(instance_, hit.place);  // else nobody asks
    return hit;
  }
  void keep(const Hit& hit, std::uint32_t i) {
    rays_.t[i] = kAny ? -1.0F : hit.t, rays_.instance[i] = hit.instance, rays_.place[i] = hit.place;
  }

  /// First those pairs are kept whose ray is within a triangle, without a branch: it would be wrong every other time.
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
