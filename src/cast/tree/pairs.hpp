// SPDX-License-Identifier: MIT
#pragma once
// Rays that soon part, through one tree. Ray after ray would wait for each node and guess most turns wrongly; so pairs
// of a ray and a node are worked off, list after list. No pair waits for another, and nothing is guessed.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "cast/tree/layout.hpp"
#include "cast/tree/tile_frame.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr unsigned kPairs = 4 * kTileRays;  ///< that a list holds

/// Pairs of a ray of the tile and a child of a node, as Node::child has it. Behind them is room for the eight lanes
/// that are stored at once.
struct PairList {
  alignas(64) std::uint32_t child[kPairs + 8];
  alignas(64) std::uint32_t ray[kPairs + 8];

  /// Adds those `which` of eight children, as bits, behind `count` others; returns how many there are then.
  FATHOM_KERNEL unsigned add(unsigned count, F8 children, unsigned which, F8 ray_number) {
    pack(children, which, child + count);
    ray_number.store(reinterpret_cast<float*>(ray + count));
    return count + static_cast<unsigned>(std::popcount(which));
  }
  /// Adds one pair if it is `wanted`, which is 0 or 1.
  FATHOM_KERNEL unsigned add(unsigned count, std::uint32_t one_child, std::uint32_t ray_number, unsigned wanted) {
    child[count] = one_child, ray[count] = ray_number;
    return count + wanted;
  }
  static bool full(unsigned count) { return count > kPairs - 8; }
};

struct PairLists {
  PairList nodes[2], leaves, later;
  alignas(64) float entry[kPairs + 8];  ///< where rays enter the boxes of `later`
};

/// Boxes as the rays of a tile see them. kSameSigns: its directions agree in their signs.
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

  /// Which children ray i meets before `reach`, and where it enters them.
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
/// alone(child, ray) where a list is full. With `kAny` in any order. Else each ray goes into the nearest child first,
/// and into the others after that, if it still reaches them.
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

}  // namespace fathom::FATHOM_ISA
