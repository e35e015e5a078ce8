// SPDX-License-Identifier: MIT
#include "cast/tree/meshes.hpp"

#include "cast/tree/build.hpp"

namespace fathom::tree {

void Meshes::sync(const Scene& scene, Walker walker) {
  for (std::size_t i = 0; i < scene.meshes().size(); ++i) {
    const Mesh& mesh = scene.meshes()[i];
    const std::uint32_t version = scene.mesh_version(static_cast<MeshId>(i));
    if (i == meshes_.size()) {
      meshes_.push_back({std::make_unique<MeshTree>(build_mesh(mesh.vertices_m, mesh.triangles, executor_)), version});
      meshes_.back().tree->number = static_cast<std::uint32_t>(i);
    }
    Entry& entry = meshes_[i];  // read alone where nothing changes: forks on threads of their own share it
    if (entry.version != version) {
      entry.late = true, entry.version = version;
      if (walker == Walker::kDevice) entry.tree->bounds = bounds_of(mesh.vertices_m, mesh.triangles, executor_);
    }
    if (entry.late) entry.source = &mesh;
    if (entry.late && walker == Walker::kProcessor) {
      refit_mesh(mesh.vertices_m, mesh.triangles, executor_, *entry.tree);
      entry.late = false;
    }
  }
}

}  // namespace fathom::tree
