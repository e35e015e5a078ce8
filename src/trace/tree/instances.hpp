// SPDX-License-Identifier: MIT
#pragma once
// The trees of a scene: one per mesh, shared by all casters, and one over the instances of a caster.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fathom/core/geometry.hpp>
#include <fathom/scene/scene.hpp>

#include "trace/caster.hpp"
#include "trace/tree/build.hpp"
#include "trace/tree/motion.hpp"

namespace fathom::tree {

/// One tree per mesh of a scene, built once and shared by all casters.
class Meshes {
 public:
  explicit Meshes(Executor& executor) : executor_(executor) {}

  /// Builds new trees and refits trees of deformed meshes; for a device it updates only the bounds. Not thread-safe; no
  /// cast may run meanwhile.
  void sync(const Scene& scene, Walker walker);

  [[nodiscard]] std::size_t size() const { return meshes_.size(); }
  /// Empty for kNoMesh.
  [[nodiscard]] const MeshTree& tree(MeshId mesh) const {
    return mesh == kNoMesh ? no_mesh_ : *meshes_[index(mesh)].tree;
  }
  /// Scene::mesh_version of the vertices of the tree.
  [[nodiscard]] std::uint32_t version(MeshId mesh) const { return mesh == kNoMesh ? 0 : meshes_[index(mesh)].version; }
  /// Whether the version holds only for the bounds of the tree.
  [[nodiscard]] bool is_late(MeshId mesh) const { return meshes_[index(mesh)].late; }
  /// The mesh of a late tree, valid until the scene of the last sync() changes.
  [[nodiscard]] const Mesh& source(MeshId mesh) const { return *meshes_[index(mesh)].source; }

 private:
  struct Entry {
    std::unique_ptr<MeshTree> tree;  // its address must not change
    std::uint32_t version = 0;
    bool late = false;
    const Mesh* source = nullptr;
  };

  Executor& executor_;
  std::vector<Entry> meshes_;  // [meshes]
  MeshTree no_mesh_;
};

/// The upper tree: meshes in the world.
class Instances {
 public:
  /// Places mesh `tree` as instance `i`; instances before it may be placed later. A map that flattens space, or that
  /// scales or shrinks it by more than 1e18, hides the instance. Call commit() before casts.
  void place(std::size_t i, const MeshTree& tree, const Affine& world_from_mesh, std::uint32_t mask = ~0U,
             bool one_sided = false);
  /// Moves a placed instance over the times of a scan, until it is placed again. `rounding_m`: of the samples.
  void move(std::size_t i, std::span<const MotionSample> samples, double rounding_m);
  /// Forgets the keys of all instances, which must be placed or moved again.
  void clear_keys() { keys_.clear(); }
  /// Sets the mask of a placed instance; casts see it at once.
  void set_mask(std::size_t i, std::uint32_t mask) {
    if (instances_[i].mask != mask) touch(i);
    instances_[i].mask = mask;
  }
  /// Removes instances from `count` on.
  void truncate(std::size_t count);
  /// Makes a world of the placed instances, without nodes.
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
  void resize(std::size_t count);
  void touch(std::size_t i) { revisions_[i] = ++world_.revision; }

  NodeBuilder builder_;
  Leaves nodes_;
  std::vector<Instance> instances_;
  std::vector<MotionKey> keys_;
  std::vector<Box> boxes_;    // [instances], world; empty if hidden
  std::vector<float> skews_;  // [instances]: the largest entry of |A| |A^-1|, of world_from_mesh
  std::vector<std::uint64_t> revisions_;
  World world_ = {};
};

}  // namespace fathom::tree
