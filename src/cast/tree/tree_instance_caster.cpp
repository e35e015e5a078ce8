// SPDX-License-Identifier: MIT
#include "cast/tree/tree_instance_caster.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/isa.hpp"
#include "cast/tree/instances.hpp"
#include "cast/tree/kernels.hpp"

namespace fathom {

namespace {

struct KeptTree {
  tree::MeshTree of;
  std::uint32_t version = 0;
  bool changed = true;  // since the instances were last placed
  bool used = true;
};

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
    for (auto& [mesh, tree] : trees_) tree.used = false;
    for (const CastInstance& instance : instances) prepare(*instance.mesh);
    bool changed = placements_.size() != instances.size();
    placements_.resize(instances.size());
    instances_.truncate(instances.size());
    for (std::size_t i = 0; i < instances.size(); ++i) changed = place(i, instances[i]) || changed;
    for (auto& [mesh, tree] : trees_) tree.changed = false;
    if (changed) instances_.commit(executor_);
    std::erase_if(trees_, [](const auto& entry) { return !entry.second.used; });
  }

  void cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const override {
    kernels_.cast_lanes(instances_.world(), rays, limits, hits);
  }

 private:
  void prepare(const CastMesh& mesh) {
    const auto [entry, fresh] = trees_.try_emplace(&mesh);
    KeptTree& tree = entry->second;
    if (fresh) {
      tree.of = tree::build_mesh(mesh.mesh.vertices_m, mesh.mesh.triangles, executor_);
    } else if (tree.version != mesh.version) {
      tree::refit_mesh(mesh.mesh.vertices_m, mesh.mesh.triangles, executor_, tree.of);
      tree.changed = true;
    }
    tree.version = mesh.version;
    tree.used = true;
  }

  /// Returns whether anything about the instance is new.
  bool place(std::size_t i, const CastInstance& instance) {
    const KeptTree& tree = trees_.at(instance.mesh.get());
    Placement& placed = placements_[i];
    if (!tree.changed && placed.mesh == instance.mesh.get() && placed.world_from_mesh == instance.world_from_mesh) {
      return false;
    }
    placed = {instance.mesh.get(), instance.world_from_mesh};
    instances_.place(i, tree.of, instance.world_from_mesh);
    return true;
  }

  Executor& executor_;
  const tree::Kernels& kernels_;
  std::unordered_map<const CastMesh*, KeptTree> trees_;
  tree::Instances instances_;
  std::vector<Placement> placements_;  // [instances]
};

}  // namespace

std::unique_ptr<InstanceCaster> make_tree_instance_caster(Isa isa, Executor& executor) {
  return std::make_unique<TreeInstanceCaster>(isa, executor);
}

}  // namespace fathom
