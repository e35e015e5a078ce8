// SPDX-License-Identifier: MIT
#pragma once
// The upper tree, built by threads of a device in parallel: instances sorted along a space-filling curve (G. M. Morton,
// "A computer oriented geodetic data base", 1966), and nodes over eight neighbours each, level by level. build.hpp
// makes better trees more slowly; no result depends on the tree.

#include <cstdint>

#include <fathom/core/export.hpp>

#include "trace/tree/layout.hpp"
#include "trace/tree/refit.hpp"

namespace fathom::tree {

/// Input and memory of the build.
struct SortedTree {
  const Box* boxes;  ///< [count], of instances in the world; empty if hidden
  Box bounds;        ///< of all
  std::uint32_t count;
  std::uint64_t* keys[2];  ///< [count]: place on the curve in the high bits, instance in the low; passes alternate
  Node* nodes;             ///< [sorted_nodes(count)], the root first
};

/// An instance that changed, and its places on a device.
struct MovedInstance {
  Instance instance;
  Box box;
  Instance* to;
  Box* box_to;
};

FATHOM_KERNEL void place_instance(const MovedInstance& moved) {
  *moved.to = moved.instance;
  for (int a = 0; a < 3; ++a) moved.box_to->lo[a] = moved.box.lo[a], moved.box_to->hi[a] = moved.box.hi[a];
}

/// The number of nodes `level` levels above the lowest.
FATHOM_KERNEL std::uint32_t sorted_nodes_of(std::uint32_t count, std::uint32_t level) {
  for (std::uint32_t k = 0; k <= level; ++k) count = count / kWidth + (count % kWidth != 0 ? 1 : 0);
  return count == 0 ? 1 : count;
}

/// The level of the root.
FATHOM_KERNEL std::uint32_t sorted_root_level(std::uint32_t count) {
  std::uint32_t level = 0;
  while (sorted_nodes_of(count, level) > 1) ++level;
  return level;
}

/// The number of the first node of a level; higher levels come first.
FATHOM_KERNEL std::uint32_t first_sorted_node(std::uint32_t count, std::uint32_t level) {
  std::uint32_t first = 0;
  for (std::uint32_t above = sorted_root_level(count); above > level; --above) first += sorted_nodes_of(count, above);
  return first;
}

FATHOM_KERNEL std::uint32_t sorted_nodes(std::uint32_t count) {
  return first_sorted_node(count, 0) + sorted_nodes_of(count, 0);
}

namespace detail {

/// The lowest ten bits of x with two zeros between them.
FATHOM_KERNEL std::uint32_t spread(std::uint32_t x) {
  x = (x | (x << 16U)) & 0x030000ffU;
  x = (x | (x << 8U)) & 0x0300f00fU;
  x = (x | (x << 4U)) & 0x030c30c3U;
  return (x | (x << 2U)) & 0x09249249U;
}

/// The place of the middle of a box on the curve; empty boxes come last.
FATHOM_KERNEL std::uint32_t place_on_curve(const Box& bounds, const Box& box) {
  if (!(box.lo[0] <= box.hi[0])) return kNone;
  std::uint32_t place = 0;
  for (int a = 0; a < 3; ++a) {
    const float cells = 1024.0F * (0.5F * box.lo[a] + 0.5F * box.hi[a] - bounds.lo[a]) / (bounds.hi[a] - bounds.lo[a]);
    const float cell = cells > 0.0F ? cells : 0.0F;  // also for NaN
    place |= spread(cell < 1023.0F ? static_cast<std::uint32_t>(cell) : 1023U) << static_cast<unsigned>(a);
  }
  return place;
}

FATHOM_KERNEL std::uint64_t key_of(const SortedTree& tree, std::uint32_t i) {
  return std::uint64_t{place_on_curve(tree.bounds, tree.boxes[i])} << 32U | i;
}

FATHOM_KERNEL void set_child(Node& node, std::uint32_t k, const float* lo, const float* hi, std::uint32_t child) {
  for (int a = 0; a < 3; ++a) node.lo[a][k] = lo[a], node.hi[a][k] = hi[a];
  node.child[k] = child, node.spare[k] = 0;
}

}  // namespace detail

inline constexpr std::uint32_t kSortedRun = 64;  ///< instances in a run of the first pass

/// The number of passes that merge runs two by two into one.
FATHOM_KERNEL std::uint32_t merge_passes(std::uint32_t count) {
  std::uint32_t passes = 0;
  for (std::uint64_t run = kSortedRun; run < count; run *= 2) ++passes;
  return passes;
}

/// The first pass: sorts instance i into its run.
FATHOM_KERNEL void sort_in_run(const SortedTree& tree, std::uint32_t i) {
  if (i >= tree.count) return;
  const std::uint32_t first = i / kSortedRun * kSortedRun;
  const std::uint32_t end = tree.count - first < kSortedRun ? tree.count : first + kSortedRun;
  const std::uint64_t key = detail::key_of(tree, i);
  std::uint32_t rank = 0;
  for (std::uint32_t j = first; j < end; ++j) rank += detail::key_of(tree, j) < key ? 1 : 0;
  tree.keys[0][first + rank] = key;
}

/// A later pass, which merges two runs: moves the i-th key behind all smaller keys of both runs.
FATHOM_KERNEL void merge_key(const SortedTree& tree, std::uint32_t pass, std::uint32_t i) {
  if (i >= tree.count || pass >= merge_passes(tree.count)) return;
  const std::uint64_t* from = tree.keys[pass % 2];
  const std::uint64_t run = std::uint64_t{kSortedRun} << pass, count = tree.count, key = from[i];
  const std::uint64_t own = i / run * run, pair = own / (2 * run) * (2 * run), other = own == pair ? own + run : pair;
  std::uint64_t low = other < count ? other : count, high = other + run < count ? other + run : count;
  const std::uint64_t begin = low;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (from[middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  tree.keys[1 - pass % 2][pair + (i - own) + (low - begin)] = key;
}

/// Builds the k-th node of a level; the level below must be complete.
FATHOM_KERNEL void build_sorted_node(const SortedTree& tree, std::uint32_t level, std::uint32_t k) {
  if (level > sorted_root_level(tree.count) || k >= sorted_nodes_of(tree.count, level)) return;
  Node& node = tree.nodes[first_sorted_node(tree.count, level) + k];
  const Box none;
  const std::uint32_t below = level == 0 ? tree.count : sorted_nodes_of(tree.count, level - 1);
  const std::uint32_t first_below = level == 0 ? 0 : first_sorted_node(tree.count, level - 1);
  for (std::uint32_t c = 0; c < kWidth; ++c) {
    const std::uint32_t j = kWidth * k + c;
    float lo[3] = {none.lo[0], none.lo[1], none.lo[2]}, hi[3] = {none.hi[0], none.hi[1], none.hi[2]};
    std::uint32_t child = kNone;
    if (j < below && level == 0) {
      const auto instance = static_cast<std::uint32_t>(tree.keys[merge_passes(tree.count) % 2][j]);
      for (int a = 0; a < 3; ++a) lo[a] = tree.boxes[instance].lo[a], hi[a] = tree.boxes[instance].hi[a];
      child = kLeafBit | instance;
    } else if (j < below) {
      bounds_of_children(tree.nodes[first_below + j], lo, hi);
      child = first_below + j;
    }
    // Empty boxes are at the end of the curve, so existing children come first.
    detail::set_child(node, c, lo, hi, lo[0] <= hi[0] ? child : kNone);
  }
}

}  // namespace fathom::tree
