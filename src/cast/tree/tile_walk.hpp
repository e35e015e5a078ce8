// SPDX-License-Identifier: MIT
#pragma once
// How a tile goes through a tree: with bits for the groups of rays that still take part.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cast/tree/layout.hpp"
#include "cast/tree/tile_frame.hpp"

namespace fathom::FATHOM_ISA {

inline constexpr int kLoneRays = FGroup::kLanes / 4;

/// Calls leaf(number, groups) for every leaf that rays of `groups` meet before their reach, near ones first. Where no
/// more than kLoneRays meet a child, and these belong to one group, calls lone(child, first, rays) instead: bits of
/// rays from `first` on. `lone` may be nullptr.
template <bool kSameSigns, class Lone, class Leaf>
inline void walk_tile(const tree::Node* nodes, const TileFrame& frame, Groups groups, const float* reach, Lone lone,
                      Leaf leaf) {
  constexpr bool kParts = !std::is_same_v<Lone, std::nullptr_t>;
  struct Open {
    std::uint32_t child;
    float t;
    Groups groups;
    unsigned lone;
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
      float entry = entries[i];
      Groups met = groups;
      unsigned rays = 0;
      if ((all >> i & 1U) == 0) met = meet_box<kSameSigns>(n, i, frame, groups, reach, entry, rays);
      if (met == 0) continue;
      unsigned at = top++;
      for (; at > base && stack[at - 1].t < entry; --at) stack[at] = stack[at - 1];
      const bool is_lone = kParts && (met & (met - 1)) == 0 && std::popcount(rays) <= kLoneRays;
      stack[at] = {n.child[i], entry, met, is_lone ? rays : 0U};
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
      if constexpr (kParts) {
        if (next.lone != 0) {
          lone(next.child, static_cast<unsigned>(std::countr_zero(still)) * FGroup::kLanes, next.lone);
          continue;
        }
      }
      if ((next.child & tree::kLeafBit) == 0) {
        node = next.child, groups = still;
        break;
      }
      leaf(next.child & ~tree::kLeafBit, still);
    }
  }
}
template <class Lone, class Leaf>
FATHOM_KERNEL void walk_tile(const tree::Node* nodes, const TileFrame& frame, Groups groups, const float* reach,
                             Lone lone, Leaf leaf) {
  if (frame.same_signs) return walk_tile<true>(nodes, frame, groups, reach, lone, leaf);
  walk_tile<false>(nodes, frame, groups, reach, lone, leaf);
}

}  // namespace fathom::FATHOM_ISA
