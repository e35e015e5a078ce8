// SPDX-License-Identifier: MIT
#include "cast/embree/mesh_trees.hpp"

namespace fathom {

void MeshTrees::sync(const Scene& scene) {
  for (std::size_t i = 0; i < scene.meshes().size(); ++i) {
    const Mesh& mesh = scene.meshes()[i];
    const std::uint32_t version = scene.mesh_version(static_cast<MeshId>(i));
    if (i == trees_.size()) {
      trees_.push_back({build_mesh_tree(device(), mesh, false, executor_), version, false});
    } else if (trees_[i].version != version) {
      refit(mesh, trees_[i]);
      trees_[i].version = version;
    }
  }
}

void MeshTrees::refit(const Mesh& mesh, Tree& tree) const {
  // The first deformation moves the mesh to a tree that can be refitted.
  if (tree.deforms) return replace_vertices(device(), mesh, tree.of, executor_);
  tree.of = build_mesh_tree(device(), mesh, true, executor_);
  tree.deforms = true;
}

}  // namespace fathom
