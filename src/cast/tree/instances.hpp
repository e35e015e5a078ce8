// SPDX-License-Identifier: MIT
#pragma once
// The upper tree: meshes as they stand in the world.

#include <vector>

#include <fathom/base/affine.hpp>
#include <fathom/base/executor.hpp>

#include "cast/tree/build.hpp"
#include "cast/tree/layout.hpp"

namespace fathom::tree {

class Instances {
 public:
  /// Places mesh `tree` as instance `i`; those between are empty until they are placed. A map that flattens space, or
  /// that scales it by more than 1e18 in one way or the other, hides it. Call commit() before casting.
  void place(std::size_t i, const MeshTree& tree, const Affine& world_from_mesh, std::uint32_t mask = ~0U,
             bool one_sided = false);
  /// The mask of an instance that was placed; casts see it at once.
  void set_mask(std::size_t i, std::uint32_t mask) { instances_[i].mask = mask; }
  /// Removes instances from `count` on.
  void truncate(std::size_t count);
  /// Makes what was placed the world, without nodes over it.
  void settle();
  /// Builds the nodes of the world.
  void build(Executor& executor);
  [[nodiscard]] bool has_nodes() const { return world_.nodes != nullptr; }
  void commit(Executor& executor) {
    settle();
    build(executor);
  }

  [[nodiscard]] std::size_t size() const { return instances_.size(); }
  [[nodiscard]] const World& world() const { return world_; }

 private:
  NodeBuilder builder_;
  Leaves nodes_;
  std::vector<Instance> instances_;
  std::vector<Box> boxes_;    // [instances], world; empty where one is hidden
  std::vector<float> skews_;  // [instances]: the largest entry of |A| |A^-1|, of world_from_mesh
  World world_ = {};
};

}  // namespace fathom::tree
