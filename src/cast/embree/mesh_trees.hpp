// SPDX-License-Identifier: MIT
#pragma once
// One tree per mesh, built once and shared by every top-level tree that instances it.

#include <cstdint>
#include <vector>

#include <fathom/base/ids.hpp>
#include <fathom/base/isa.hpp>
#include <fathom/scene/scene.hpp>

#include "base/executor.hpp"
#include "cast/embree/mesh_tree.hpp"

namespace fathom {

class MeshTrees {
 public:
  MeshTrees(Isa isa, Executor& executor) : executor_(executor), device_(new_device(isa)) {}

  /// Builds new trees and refits those of deformed meshes; those of one-sided entities get a filter. Not thread-safe;
  /// no cast may run meanwhile.
  void sync(const Scene& scene);

  [[nodiscard]] RTCDevice device() const { return device_.get(); }
  [[nodiscard]] std::size_t size() const { return trees_.size(); }
  [[nodiscard]] RTCScene tree(MeshId mesh) const { return trees_[index(mesh)].of.scene.get(); }
  [[nodiscard]] const TriangleAreas& areas(MeshId mesh) const { return trees_[index(mesh)].of.areas; }
  /// Counts the changes of a tree that its instances need a notice of.
  [[nodiscard]] std::uint32_t version(MeshId mesh) const { return trees_[index(mesh)].version; }

 private:
  struct Tree {
    MeshTree of;
    std::uint32_t vertices = 0;  // Scene::mesh_version of those it holds
    std::uint32_t version = 0;
    bool deforms = false, filters = false;
  };

  void refit(const Mesh& mesh, Tree& tree) const;
  void filter_backs(Tree& tree) const;

  Executor& executor_;
  OwnedDevice device_;
  std::vector<Tree> trees_;  // [meshes]
};

}  // namespace fathom
