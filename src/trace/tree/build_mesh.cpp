// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <fathom/core/geometry.hpp>

#include "trace/tree/build.hpp"
#include "trace/tree/refit.hpp"

namespace fathom::tree {

namespace {

constexpr std::size_t kChunkTriangles = 16384;  ///< of a task

Box box_of(std::span<const std::array<float, 3>> vertices, const std::array<std::uint32_t, 3>& triangle) {
  Box box;
  for (const std::uint32_t v : triangle) box.add(vertices[v]);
  return box;
}

using Vertices = std::span<const std::array<float, 3>>;
using Triangles = std::span<const std::array<std::uint32_t, 3>>;

Refit refit_of(Vertices vertices, Triangles triangles, MeshTree& tree) {
  return {vertices_of(vertices), triangles_of(triangles), nullptr, tree.nodes.data(), tree.leaves.data()};
}

Box bounds_of(const Node& root) {
  Box box;
  bounds_of_children(root, box.lo, box.hi);
  return box;
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
  tree.nodes.shrink_to_fit();  // the builder appends
  tree.bounds = bounds_of(tree.nodes[0]);
  tree.typical_area = static_cast<float>(typical_area(vertices, triangles, executor));
  tree.leaves.resize(built.leaves.size());
  executor.parallel_for(tree.leaves.size(), kChunkTriangles, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Leaf& leaf = tree.leaves[i];
      // NaN in lanes without a triangle contains no ray, without the doubtful case of equal corners.
      std::fill_n(&leaf.v[0][0][0], sizeof(leaf.v) / sizeof(float), std::numeric_limits<float>::quiet_NaN());
      for (std::uint32_t lane = 0; lane < kLeafTriangles; ++lane) {
        leaf.id[lane] = lane < built.leaves[i].count ? built.order[built.leaves[i].first + lane] : kNone;
      }
      Box box;
      fill_leaf(vertices_of(vertices), triangles_of(triangles), leaf, box.lo, box.hi);
    }
  });
  return tree;
}

void refit_mesh(std::span<const std::array<float, 3>> vertices, std::span<const std::array<std::uint32_t, 3>> triangles,
                Executor& executor, MeshTree& tree) {
  constexpr std::size_t kChunkNodes = 512;
  const Refit refit = refit_of(vertices, triangles, tree);
  executor.parallel_for(tree.nodes.size(), kChunkNodes, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::uint32_t k = 0; k < kWidth && tree.nodes[i].child[k] != kNone; ++k) {
        if ((tree.nodes[i].child[k] & kLeafBit) != 0) refit_child(refit, tree.nodes[i], k);
      }
    }
  });
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {  // children come after their parents
    for (std::uint32_t k = 0; k < kWidth && tree.nodes[i].child[k] != kNone; ++k) {
      if ((tree.nodes[i].child[k] & kLeafBit) == 0) refit_child(refit, tree.nodes[i], k);
    }
  }
  tree.bounds = bounds_of(tree.nodes[0]);
}

Box bounds_of(Vertices vertices, Triangles triangles, Executor& executor) {
  std::vector<Box> parts((triangles.size() + kChunkTriangles - 1) / kChunkTriangles);
  executor.parallel_for(parts.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * kChunkTriangles; i < std::min(end * kChunkTriangles, triangles.size()); ++i) {
      parts[i / kChunkTriangles].add(box_of(vertices, triangles[i]));
    }
  });
  Box box;
  for (const Box& part : parts) box.add(part);
  return box;
}

RefitOrder refit_order(const MeshTree& tree) {
  std::vector<std::uint32_t> height(tree.nodes.size());
  std::vector<std::uint32_t> count;  // of nodes by height
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    for (const std::uint32_t child : tree.nodes[i].child) {
      if (child != kNone && (child & kLeafBit) == 0) height[i] = std::max(height[i], height[child] + 1);
    }
    if (height[i] >= count.size()) count.resize(height[i] + 1);
    ++count[height[i]];
  }
  RefitOrder order;
  std::vector<std::size_t> next;
  for (const std::uint32_t n : count) {
    next.push_back(order.nodes.size());
    order.nodes.resize(order.nodes.size() + (n + RefitOrder::kGroup - 1) / RefitOrder::kGroup * RefitOrder::kGroup,
                       kNone);
    order.ends.push_back(static_cast<std::uint32_t>(order.nodes.size()));
  }
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) order.nodes[next[height[i]]++] = i;
  return order;
}

double typical_area(Vertices vertices, Triangles triangles, Executor& executor) {
  struct Sums {
    double areas = 0.0, squares = 0.0;
  };
  const auto corner = [&](std::uint32_t v) { return Vec3{vertices[v][0], vertices[v][1], vertices[v][2]}; };
  std::vector<Sums> chunks((triangles.size() + kChunkTriangles - 1) / kChunkTriangles);
  executor.parallel_for(chunks.size(), 1, [&](std::size_t chunk, std::size_t) {
    Sums sums;
    for (std::size_t i = chunk * kChunkTriangles; i < std::min((chunk + 1) * kChunkTriangles, triangles.size()); ++i) {
      const Vec3 a = corner(triangles[i][0]);
      const double area = 0.5 * norm(cross(corner(triangles[i][1]) - a, corner(triangles[i][2]) - a));
      sums.areas += area, sums.squares += area * area;
    }
    chunks[chunk] = sums;
  });
  Sums all;
  for (const Sums& sums : chunks) all.areas += sums.areas, all.squares += sums.squares;
  return all.areas > 0.0 ? all.squares / all.areas : 0.0;
}

}  // namespace fathom::tree
