// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <fathom/core/geometry.hpp>

#include "core/compute.hpp"
#include "scene/mesh.hpp"
#include "scene/poses.hpp"
#include "trace/caster.hpp"
#include "trace/tree/build.hpp"
#include "trace/tree/instances.hpp"
#include "trace/tree/kernels.hpp"
#include "trace/tree/motion.hpp"

namespace fathom {

namespace {

class TreeCaster final : public Caster {
 public:
  TreeCaster(std::shared_ptr<tree::Meshes> meshes, Isa isa, Executor& executor)
      : executor_(executor), isa_(isa), meshes_(std::move(meshes)) {}

  [[nodiscard]] std::unique_ptr<Caster> fork() const override {
    return std::make_unique<TreeCaster>(meshes_, isa_, executor_);
  }
  [[nodiscard]] Vec3 origin() const override { return origin_; }
  [[nodiscard]] float reach() const override { return reach_; }
  [[nodiscard]] const tree::World* world() const override { return &instances_.world(); }
  [[nodiscard]] const tree::Meshes* meshes() const override { return meshes_.get(); }

  void place(const Scene& scene, double stamp_s, const Vec3& origin, Walker walker, std::span<const float> times_s,
             std::span<const EntityId> moved) override {
    meshes_->sync(scene, walker);
    // May throw, so it comes before changes.
    const std::vector<Pose>& world_from_entity =
        moved.empty() ? poses_.at(scene, stamp_s) : poses_.at(scene, stamp_s, moved);
    const bool rebase = !is_whole_ || !(origin == origin_);
    origin_ = origin, is_whole_ = false;
    sampler_.begin(stamp_s, times_s, origin);
    instances_.clear_keys();
    const std::size_t before = placed_.size();
    placed_.resize(scene.entities().size());
    for (const EntityId id : moved.empty() ? poses_.order() : moved) {
      const std::size_t i = index(id);
      const Entity& entity = scene.entities()[i];
      const std::uint32_t version = meshes_->version(entity.mesh);
      const bool added = i >= before;
      Placed& placed = placed_[i];
      const bool same = !added && !rebase && placed.version == version && placed.pose == world_from_entity[i];
      const tree::MeshTree& mesh = meshes_->tree(entity.mesh);
      std::span<const tree::MotionSample> motion;
      if (!times_s.empty() && poses_.moves(i)) motion = sampler_.sample(scene, id, mesh.bounds);  // may throw
      if (same && !placed.moves && motion.empty()) continue;
      placed.pose = world_from_entity[i], placed.version = version, placed.moves = !motion.empty();
      instances_.place(i, mesh, tree::world_from_mesh(scene, entity, placed.pose, origin_), placed.mask,
                       entity.one_sided);
      if (placed.moves) instances_.move(i, motion, sampler_.rounding_m());
      changed_ = true;
    }
    is_whole_ = true;
  }

  void set_masks(std::span<const std::uint32_t> masks) override {
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      placed_[i].mask = i < masks.size() ? masks[i] : kSeesAll;
      instances_.set_mask(i, placed_[i].mask);
    }
  }

  void commit(Walker walker) override {
    if (changed_) {
      instances_.settle();
      changed_ = false;
      reach_ = 0.0F;
      const tree::Box& box = instances_.world().bounds;
      for (int a = 0; a < 3 && !box.empty(); ++a) reach_ = std::max({reach_, std::abs(box.lo[a]), std::abs(box.hi[a])});
    }
    if (walker == Walker::kProcessor && !instances_.has_nodes()) instances_.build(executor_);
  }

  void cast(const CastRays& rays, const CastHits& hits) const override {
    kernels_.cast(instances_.world(), rays, {}, hits);
  }
  void find_blocked(const SightLines& lines, std::uint32_t* blocked) const override {
    kernels_.find_blocked(instances_.world(), lines, nullptr, blocked);
  }

 private:
  struct Placed {
    Pose pose = {};
    std::uint32_t version = 0;
    std::uint32_t mask = kSeesAll;
    bool moves = false;  // during the scan
  };

  Executor& executor_;
  Isa isa_;
  const tree::Kernels& kernels_ = FATHOM_FOR_ISA(isa_, kTreeKernels);
  std::shared_ptr<tree::Meshes> meshes_;
  tree::Instances instances_;
  std::vector<Placed> placed_;  // [entities]
  WorldPoses poses_;
  tree::MotionSampler sampler_;
  Vec3 origin_ = {};
  float reach_ = 0.0F;
  bool is_whole_ = true;  // the last place() did not throw
  bool changed_ = true;
};

}  // namespace

std::unique_ptr<Caster> make_caster(Isa isa, Executor& executor) {
  return std::make_unique<TreeCaster>(std::make_shared<tree::Meshes>(executor), isa, executor);
}

namespace {

/// A placed instance.
struct Placement {
  const CastMesh* mesh = nullptr;
  Affine world_from_mesh;
};

class TreeInstanceCaster final : public InstanceCaster {
 public:
  TreeInstanceCaster(Isa isa, Executor& executor) : executor_(executor), kernels_(FATHOM_FOR_ISA(isa, kTreeKernels)) {
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
  /// Returns whether the instance changed.
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

std::unique_ptr<InstanceCaster> make_instance_caster(Isa isa, Executor& executor) {
  return std::make_unique<TreeInstanceCaster>(isa, executor);
}

}  // namespace fathom
