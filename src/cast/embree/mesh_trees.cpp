// SPDX-License-Identifier: MIT
#include "cast/embree/mesh_trees.hpp"

#include "cast/embree/one_sided.hpp"

namespace fathom {

void MeshTrees::sync(const Scene& scene) {
  for (std::size_t i = 0; i < scene.meshes().size(); ++i) {
    const Mesh& mesh = scene.meshes()[i];
    const std::uint32_t vertices = scene.mesh_version(static_cast<MeshId>(i));
    if (i == trees_.size()) {
      trees_.push_back({.of = build_mesh_tree(device(), mesh, false, executor_), .vertices = vertices});
    } else if (trees_[i].vertices != vertices) {
      refit(mesh, trees_[i]);
      trees_[i].vertices = vertices, ++trees_[i].version;
    }
  }
  for (const Entity& entity : scene.entities()) {
    if (entity.one_sided && entity.mesh != kNoMesh) filter_backs(trees_[index(entity.mesh)]);
  }
}

void MeshTrees::refit(const Mesh& mesh, Tree& tree) const {
  // The first deformation moves the mesh to a tree that can be refitted.
  if (tree.deforms) return replace_vertices(device(), mesh, tree.of, executor_);
  tree.of = build_mesh_tree(device(), mesh, true, executor_);
  tree.deforms = true, tree.filters = false;
}

void MeshTrees::filter_backs(Tree& tree) const {
  if (tree.filters) return;
  filter_hits(device(), tree.of, OneSidedContext::refuse_backs, executor_);
  tree.filters = true, ++tree.version;
}

}  // namespace fathom
