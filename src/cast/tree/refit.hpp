// SPDX-License-Identifier: MIT
#pragma once
// Vertices of a tree that moved: a host's loops and a device's threads take over the same corners and boxes.

#include <cstdint>

#include <fathom/base/export.hpp>

#include "cast/tree/layout.hpp"

namespace fathom::tree {

/// A tree, and the vertices that it is to follow.
struct Refit {
  const float (*vertices)[3];           ///< m
  const std::uint32_t (*triangles)[3];  ///< numbers of their corners
  const std::uint32_t* order;           ///< nodes, none before its children; kNone between
  Node* nodes;
  Leaf* leaves;
};

/// Takes over the corners of the triangles that a leaf names; sets [lo, hi] to the box around them.
FATHOM_KERNEL void fill_leaf(const float (*vertices)[3], const std::uint32_t (*triangles)[3], Leaf& leaf, float* lo,
                             float* hi) {
  const Box none;
  for (int a = 0; a < 3; ++a) lo[a] = none.lo[a], hi[a] = none.hi[a];
  for (std::uint32_t lane = 0; lane < kLeafTriangles && leaf.id[lane] != kNone; ++lane) {
    for (int corner = 0; corner < 3; ++corner) {
      const float* p = vertices[triangles[leaf.id[lane]][corner]];
      for (int a = 0; a < 3; ++a) {
        leaf.v[corner][a][lane] = p[a];
        if (p[a] < lo[a]) lo[a] = p[a];
        if (p[a] > hi[a]) hi[a] = p[a];
      }
    }
  }
}

/// The box around the children of a node.
FATHOM_KERNEL void bounds_of_children(const Node& node, float* lo, float* hi) {
  for (int a = 0; a < 3; ++a) {
    lo[a] = node.lo[a][0], hi[a] = node.hi[a][0];
    for (std::uint32_t k = 1; k < kWidth; ++k) {
      if (node.lo[a][k] < lo[a]) lo[a] = node.lo[a][k];
      if (node.hi[a][k] > hi[a]) hi[a] = node.hi[a][k];
    }
  }
}

/// Brings child k of a node up to date, which there must be; those below it must be.
FATHOM_KERNEL void refit_child(const Refit& refit, Node& node, std::uint32_t k) {
  const std::uint32_t child = node.child[k];
  float lo[3], hi[3];
  if ((child & kLeafBit) != 0) {
    fill_leaf(refit.vertices, refit.triangles, refit.leaves[child & ~kLeafBit], lo, hi);
  } else {
    bounds_of_children(refit.nodes[child], lo, hi);
  }
  for (int a = 0; a < 3; ++a) node.lo[a][k] = lo[a], node.hi[a][k] = hi[a];
}

/// A thread for each child of the nodes in `order`.
FATHOM_KERNEL void refit_task(const Refit& refit, std::uint32_t task) {
  const std::uint32_t number = refit.order[task / kWidth], k = task % kWidth;
  if (number != kNone && refit.nodes[number].child[k] != kNone) refit_child(refit, refit.nodes[number], k);
}

}  // namespace fathom::tree
