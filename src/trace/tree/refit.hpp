// SPDX-License-Identifier: MIT
#pragma once
// Moves the vertices of a tree: loops of a host and threads of a device set the same corners and boxes.

#include <cstdint>

#include <fathom/core/export.hpp>

#include "trace/tree/layout.hpp"

namespace fathom::tree {

/// A tree and its new vertices.
struct Refit {
  const float (*vertices)[3];           ///< m
  const std::uint32_t (*triangles)[3];  ///< vertices of the corners
  const std::uint32_t* order;           ///< nodes, each after its children; kNone fills gaps
  Node* nodes;
  Leaf* leaves;
};

/// Sets the corners of the triangles of a leaf, and [lo, hi] to the box around them.
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

/// Updates child k of a node, which must exist; its children must be up to date.
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

/// The task of a thread for one child of the nodes in `order`.
FATHOM_KERNEL void refit_task(const Refit& refit, std::uint32_t task) {
  const std::uint32_t number = refit.order[task / kWidth], k = task % kWidth;
  if (number != kNone && refit.nodes[number].child[k] != kNone) refit_child(refit, refit.nodes[number], k);
}

}  // namespace fathom::tree
