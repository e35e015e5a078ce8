// SPDX-License-Identifier: MIT
#include <algorithm>
#include <utility>

#include "cast/tree/build.hpp"
#include "cast/triangle_areas.hpp"

namespace fathom::tree {

namespace {

constexpr std::size_t kChunkTriangles = 16384;  ///< of a large mesh, looked at by one task

Box box_of(std::span<const std::array<float, 3>> vertices, const std::array<std::uint32_t, 3>& triangle) {
  Box box;
  for (const std::uint32_t v : triangle) box.add(vertices[v]);
  return box;
}

/// Takes over the corners of the triangles that a leaf names; returns the box around them.
Box fill_leaf(std::span<const std::array<float, 3>> vertices, std::span<const std::array<std::uint32_t, 3>> triangles,
              Leaf& leaf) {
  Box box;
  for (std::uint32_t lane = 0; lane < kLeafTriangles && leaf.id[lane] != kNone; ++lane) {
    const auto& triangle = triangles[leaf.id[lane]];
    const std::array<float, 3>&p = vertices[triangle[0]], &q = vertices[triangle[1]], &r = vertices[triangle[2]];
    for (int a = 0; a < 3; ++a) {
      leaf.v[0][a][lane] = p[a], leaf.v[1][a][lane] = q[a], leaf.v[2][a][lane] = r[a];
      box.lo[a] = std::min(box.lo[a], std::min(std::min(p[a], q[a]), r[a]));
      box.hi[a] = std::max(box.hi[a], std::max(std::max(p[a], q[a]), r[a]));
    }
  }
  return box;
}

Box bounds_of(const Node& root) {
  Box box;
  for (std::uint32_t i = 0; i < kWidth; ++i) {
    box.add(Box{{root.lo[0][i], root.lo[1][i], root.lo[2][i]}, {root.hi[0][i], root.hi[1][i], root.hi[2][i]}});
  }
  return box;
}

void set_box(const Box& box, std::uint32_t child, Node& node) {
  for (int a = 0; a < 3; ++a) node.lo[a][child] = box.lo[a], node.hi[a][child] = box.hi[a];
}

}  // namespace

MeshTree build_mesh(std::span<const std::array<float, 3>> vertices,
                    std::span<const std::array<std::uint32_t, 3>> triangles, Executor& executor,
                    std::uint32_t leaf_size) {
  std::vector<Box> boxes(triangles.size());
  executor.parallel_for(boxes.size(), kChunkTriangles, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) boxes[i] = box_of(vertices, triangles[i]);
  });
  Leaves built;
  NodeBuilder().build(boxes, leaf_size, executor, built);
  MeshTree tree;
  tree.nodes = std::move(built.nodes);
  tree.nodes.shrink_to_fit();  // trees are put together by appending
  tree.bounds = bounds_of(tree.nodes[0]);
  tree.typical_area = static_cast<float>(add_up_areas(vertices, triangles, executor).typical());
  tree.leaves.resize(built.leaves.size());
  executor.parallel_for(tree.leaves.size(), kChunkTriangles, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Leaf& leaf = tree.leaves[i];
      leaf = {};
      for (std::uint32_t lane = 0; lane < kLeafTriangles; ++lane) {
        leaf.id[lane] = lane < built.leaves[i].count ? built.order[built.leaves[i].first + lane] : kNone;
      }
      fill_leaf(vertices, triangles, leaf);
    }
  });
  return tree;
}

void refit_mesh(std::span<const std::array<float, 3>> vertices, std::span<const std::array<std::uint32_t, 3>> triangles,
                Executor& executor, MeshTree& tree) {
  constexpr std::size_t kChunkNodes = 512;
  executor.parallel_for(tree.nodes.size(), kChunkNodes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Node& node = tree.nodes[i];
      for (std::uint32_t k = 0; k < kWidth && node.child[k] != kNone; ++k) {
        if ((node.child[k] & kLeafBit) == 0) continue;
        const std::uint32_t leaf = node.child[k] & ~kLeafBit;
        set_box(fill_leaf(vertices, triangles, tree.leaves[leaf]), k, node);
      }
    }
  });
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {  // children come after their parents
    Node& node = tree.nodes[i];
    for (std::uint32_t k = 0; k < kWidth && node.child[k] != kNone; ++k) {
      if ((node.child[k] & kLeafBit) == 0) set_box(bounds_of(tree.nodes[node.child[k]]), k, node);
    }
  }
  tree.bounds = bounds_of(tree.nodes[0]);
}

}  // namespace fathom::tree
