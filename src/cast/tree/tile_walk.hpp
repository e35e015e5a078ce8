// SPDX-License-Identifier: MIT
#pragma once
// How a tile goes through a tree: with bits for the groups of rays that still take part.

#include <bit>
#include <cstdint>

#include "cast/tree/layout.hpp"
#include "cast/tree/tile_frame.hpp"

namespace fathom::FATHOM_ISA {

/// Calls leaf(number, groups) for every leaf that rays of `groups` meet before their reach, near ones first.
template <bool kSameSigns, class Leaf>
inline void walk_tile(const tree::Node* nodes, const TileFrame& frame, Groups groups, const float* reach, Leaf leaf) {
  struct Open {
    std::uint32_t child;
    float t;
    Groups groups;
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
      float entry = kSameSigns ? entries[i] : 0.0F;
      Groups met = groups;
      if ((all >> i & 1U) == 0) met = meet_box<kSameSigns>(n, i, frame, groups, reach, entry);
      if (met == 0) continue;
      unsigned at = top++;
      for (; at > base && stack[at - 1].t < entry; --at) stack[at] = stack[at - 1];
      stack[at] = {n.child[i], entry, met};
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
      if ((next.child & tree::kLeafBit) == 0) {
        node = next.child, groups = still;
        break;
      }
      leaf(next.child & ~tree::kLeafBit, still);
    }
  }
}
template <class Leaf>
FATHOM_KERNEL void walk_tile(const tree::Node* nodes, const TileFrame& frame, Groups groups, const float* reach,
                             Leaf leaf) {
  if (frame.same_signs) return walk_tile<true>(nodes, frame, groups, reach, leaf);
  walk_tile<false>(nodes, frame, groups, reach, leaf);
}

}  // namespace fathom::FATHOM_ISA
