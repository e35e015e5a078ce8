// SPDX-License-Identifier: MIT
#pragma once
// Builds and refits trees. Which tree comes out changes how fast rays are cast, and no result.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fathom/base/executor.hpp>

#include "cast/tree/layout.hpp"

namespace fathom::tree {

/// Nodes over boxes, and which boxes their leaves hold: `count` numbers in `order`, from `first` on.
struct Leaves {
  struct Range {
    std::uint32_t first, count;
  };
  std::vector<Node> nodes;
  std::vector<Range> leaves;
  std::vector<std::uint32_t> order;
};

/// Builds nodes by the surface area heuristic over 16 bins an axis (I. Wald, "On fast construction of SAH-based
/// bounding volume hierarchies", 2007), with eight children. Keeps its memory from call to call.
class NodeBuilder {
 public:
  NodeBuilder();
  ~NodeBuilder();
  NodeBuilder(NodeBuilder&&) noexcept;
  NodeBuilder& operator=(NodeBuilder&&) noexcept;

  /// `boxes`: [boxes]; empty ones are left out. `leaf_size`: most boxes of a leaf, 1 to 4. A child comes after its
  /// parent in out.nodes.
  void build(std::span<const Box> boxes, std::uint32_t leaf_size, Executor& executor, Leaves& out);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// `leaf_size`: most triangles of a leaf, up to kLeafTriangles; no result depends on it.
MeshTree build_mesh(std::span<const std::array<float, 3>> vertices,
                    std::span<const std::array<std::uint32_t, 3>> triangles, Executor& executor,
                    std::uint32_t leaf_size = kLeafTriangles);

/// Moves the vertices of a tree of the same triangles; its boxes follow.
void refit_mesh(std::span<const std::array<float, 3>> vertices, std::span<const std::array<std::uint32_t, 3>> triangles,
                Executor& executor, MeshTree& tree);

/// The box around all triangles, as MeshTree::bounds has it.
Box bounds_of(std::span<const std::array<float, 3>> vertices, std::span<const std::array<std::uint32_t, 3>> triangles,
              Executor& executor);

/// The nodes of a tree from the lowest up: those before `ends[h]` are up to date before the ones behind are begun.
struct RefitOrder {
  static constexpr std::size_t kGroup = 16;  ///< of nodes that threads work on together; kNone fills the last

  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> ends;  ///< [heights]: the first place behind those of a height; multiples of kGroup
};
RefitOrder refit_order(const MeshTree& tree);

/// Arrays as a Refit takes them.
inline const float (*vertices_of(std::span<const std::array<float, 3>> vertices))[3] {
  return reinterpret_cast<const float(*)[3]>(vertices.data());
}
inline const std::uint32_t (*triangles_of(std::span<const std::array<std::uint32_t, 3>> triangles))[3] {
  return reinterpret_cast<const std::uint32_t(*)[3]>(triangles.data());
}

}  // namespace fathom::tree
