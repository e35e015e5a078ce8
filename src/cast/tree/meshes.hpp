// SPDX-License-Identifier: MIT
#pragma once
// One tree per mesh of a scene, built once and shared by every caster that places it.

#include <cstdint>
#include <memory>
#include <vector>

#include <fathom/base/executor.hpp>
#include <fathom/scene/scene.hpp>

#include "cast/caster.hpp"
#include "cast/tree/layout.hpp"

namespace fathom::tree {

class Meshes {
 public:
  explicit Meshes(Executor& executor) : executor_(executor) {}

  /// Builds new trees and refits those of deformed meshes; of those that only a device walks, no more than the bounds.
  /// Not thread-safe; no cast may run meanwhile.
  void sync(const Scene& scene, Walker walker);

  [[nodiscard]] std::size_t size() const { return meshes_.size(); }
  /// Of kNoMesh: one that is empty.
  [[nodiscard]] const MeshTree& tree(MeshId mesh) const {
    return mesh == kNoMesh ? no_mesh_ : *meshes_[index(mesh)].tree;
  }
  /// Scene::mesh_version of the vertices that the tree holds.
  [[nodiscard]] std::uint32_t version(MeshId mesh) const { return mesh == kNoMesh ? 0 : meshes_[index(mesh)].version; }
  /// Whether only the bounds of the tree are those of its version.
  [[nodiscard]] bool is_late(MeshId mesh) const { return meshes_[index(mesh)].late; }
  /// What a late tree is to follow, until the scene of the last sync() changes.
  [[nodiscard]] const Mesh& source(MeshId mesh) const { return *meshes_[index(mesh)].source; }

 private:
  struct Entry {
    std::unique_ptr<MeshTree> tree;  // stays where it is when meshes are added
    std::uint32_t version = 0;
    bool late = false;
    const Mesh* source = nullptr;
  };

  Executor& executor_;
  std::vector<Entry> meshes_;  // [meshes]
  MeshTree no_mesh_;
};

}  // namespace fathom::tree
