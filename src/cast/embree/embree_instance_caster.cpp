// SPDX-License-Identifier: MIT
#include "cast/embree/embree_instance_caster.hpp"

#include "cast/embree/instance_packets.hpp"
#include "cast/embree/mesh_tree.hpp"
#include "cast/kept_by_mesh.hpp"
#include "scene/mesh_origin.hpp"

namespace fathom {

namespace {

/// An instance as it stands in the top-level tree.
struct Slot {
  OwnedGeometry geometry;
  const CastMesh* mesh = nullptr;
  Affine world_from_mesh;
};

class EmbreeInstanceCaster final : public InstanceCaster {
 public:
  EmbreeInstanceCaster(Isa isa, Executor& executor)
      : executor_(executor), device_(new_device(isa)), top_(rtcNewScene(device_.get())) {
    rtcSetSceneFlags(top_.get(), kRobust);
    commit();
  }

  void update(const std::vector<CastInstance>& instances) override {
    trees_.update(
        instances, [&](const Mesh& mesh) { return build_mesh_tree(device_.get(), mesh, false, executor_); },
        [&](const Mesh& mesh, MeshTree& tree) { replace_vertices(device_.get(), mesh, tree, executor_); });
    bool changed = slots_.size() != instances.size();
    for (std::size_t i = instances.size(); i < slots_.size(); ++i) {
      rtcDetachGeometry(top_.get(), static_cast<unsigned>(i));
    }
    slots_.resize(instances.size());
    for (std::size_t i = 0; i < instances.size(); ++i)
      changed = place(static_cast<unsigned>(i), instances[i]) || changed;
    if (changed) commit();
    trees_.finish();
    check(device_.get(), "building the scene");
  }

  void cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const override {
    with_width(width_, [&]<class Width>() { cast_instance_packets<Width>(top_.get(), rays, limits, hits); });
  }

 private:
  void commit() {
    executor_.bounded_call([&] { rtcCommitScene(top_.get()); });
  }

  /// Returns whether anything about the slot is new.
  bool place(unsigned index, const CastInstance& instance) {
    Slot& slot = slots_[index];
    const bool fresh = slot.geometry.get() == nullptr;
    if (fresh) slot.geometry = OwnedGeometry(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_INSTANCE));
    const auto& tree = trees_.at(*instance.mesh);
    const bool retree = fresh || tree.changed || slot.mesh != instance.mesh.get();
    const bool moved = fresh || !(slot.world_from_mesh == instance.world_from_mesh);
    if (!retree && !moved) return false;
    RTCGeometry geometry = slot.geometry.get();
    if (retree) rtcSetGeometryInstancedScene(geometry, tree.of.scene.get());
    if (moved || retree) set_transform(geometry, at_mesh_origin(instance.world_from_mesh, instance.mesh->mesh));
    const bool visible = inverse(instance.world_from_mesh).has_value();
    visible ? rtcEnableGeometry(geometry) : rtcDisableGeometry(geometry);
    rtcCommitGeometry(geometry);
    if (fresh) rtcAttachGeometryByID(top_.get(), geometry, index);
    slot.mesh = instance.mesh.get(), slot.world_from_mesh = instance.world_from_mesh;
    return true;
  }

  static void set_transform(RTCGeometry geometry, const Affine& a) {
    float matrix[12];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 4; ++j) matrix[4 * i + j] = static_cast<float>(a.m[i][j]);
    }
    rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, matrix);
  }

  Executor& executor_;
  OwnedDevice device_;
  OwnedScene top_;
  unsigned width_ = native_width(device_.get());
  KeptByMesh<MeshTree> trees_;
  std::vector<Slot> slots_;  // [instances]
};

}  // namespace

std::unique_ptr<InstanceCaster> make_embree_instance_caster(Isa isa, Executor& executor) {
  return std::make_unique<EmbreeInstanceCaster>(isa, executor);
}

}  // namespace fathom
