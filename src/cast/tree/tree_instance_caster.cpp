// SPDX-License-Identifier: MIT
#include "cast/tree/tree_instance_caster.hpp"

#include <algorithm>
#include <utility>

#include "base/isa.hpp"
#include "cast/kept_by_mesh.hpp"
#include "cast/tree/build.hpp"
#include "cast/tree/instances.hpp"
#include "cast/tree/kernels.hpp"
#include "scene/mesh_origin.hpp"

namespace fathom {

namespace {

/// What was placed as an instance.
struct Placement {
  const CastMesh* mesh = nullptr;
  Affine world_from_mesh;
};

class TreeInstanceCaster final : public InstanceCaster {
 public:
  TreeInstanceCaster(Isa isa, Executor& executor)
      : executor_(executor), kernels_(for_isa(isa, sse2::kTreeKernels, avx2::kTreeKernels, avx512::kTreeKernels)) {
    instances_.commit(executor_);
  }

  void update(const std::vector<CastInstance>& instances) override {
    trees_.update(
        instances, [&](const Mesh& mesh) { return tree::build_mesh(mesh.vertices_m, mesh.triangles, executor_); },
        [&](const Mesh& mesh, tree::MeshTree& tree) {
          tree::refit_mesh(mesh.vertices_m, mesh.triangles, executor_, tree);
        });
    bool changed = placements_.size() != instances.size();
    placements_.resize(instances.size());
    instances_.truncate(instances.size());
    for (std::size_t i = 0; i < instances.size(); ++i) changed = place(i, instances[i]) || changed;
    if (changed) instances_.commit(executor_);
    trees_.finish();
  }

  void cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const override {
    kernels_.cast_lanes(instances_.world(), rays, limits, hits);
  }

 private:
  /// Returns whether anything about the instance is new.
  bool place(std::size_t i, const CastInstance& instance) {
    const auto& tree = trees_.at(*instance.mesh);
    Placement& placed = placements_[i];
    if (!tree.changed && placed.mesh == instance.mesh.get() && placed.world_from_mesh == instance.world_from_mesh) {
      return false;
    }
    placed = {instance.mesh.get(), instance.world_from_mesh};
    instances_.place(i, tree.of, at_mesh_origin(instance.world_from_mesh, instance.mesh->mesh));
    return true;
  }

  Executor& executor_;
  const tree::Kernels& kernels_;
  KeptByMesh<tree::MeshTree> trees_;
  tree::Instances instances_;
  std::vector<Placement> placements_;  // [instances]
};

}  // namespace

std::unique_ptr<InstanceCaster> make_tree_instance_caster(Isa isa, Executor& executor) {
  return std::make_unique<TreeInstanceCaster>(isa, executor);
}

}  // namespace fathom
