#include "cast/embree/instance_tree.hpp"

#include <cstring>
#include <unordered_map>
#include <utility>

#include "cast/embree/handles.hpp"
#include "cast/embree/instance_packets.hpp"

namespace fathom {

namespace {

struct SharedTree {
  OwnedScene scene;
  OwnedGeometry geometry;
  std::uint32_t version = 0;
  bool changed = true;  // since the instances were last committed
  bool used = true;
};

/// An instance as it stands in the top-level tree.
struct Slot {
  OwnedGeometry geometry;
  const CastMesh* mesh = nullptr;
  Affine world_from_mesh;
};

void copy_vertices(const Mesh& mesh, void* to) {
  std::memcpy(to, mesh.vertices_m.data(), mesh.vertices_m.size() * sizeof(mesh.vertices_m[0]));
}

}  // namespace

class InstanceTree::Impl {
 public:
  Impl(Executor& executor, Isa isa) : executor_(executor), device_(new_device(isa)), top_(rtcNewScene(device_.get())) {
    rtcSetSceneFlags(top_.get(), RTC_SCENE_FLAG_ROBUST);
    const auto has = [&](RTCDeviceProperty p) { return rtcGetDeviceProperty(device_.get(), p) != 0; };
    width_ = has(RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED)  ? 16
             : has(RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED) ? 8
                                                              : 4;
    commit(top_.get());
  }

  void update(const std::vector<CastInstance>& instances) {
    for (auto& [mesh, tree] : trees_) tree.used = false;
    for (const CastInstance& instance : instances) prepare(*instance.mesh);
    bool changed = slots_.size() != instances.size();
    for (std::size_t i = instances.size(); i < slots_.size(); ++i) {
      rtcDetachGeometry(top_.get(), static_cast<unsigned>(i));
    }
    slots_.resize(instances.size());
    for (std::size_t i = 0; i < instances.size(); ++i)
      changed = place(static_cast<unsigned>(i), instances[i]) || changed;
    for (auto& [mesh, tree] : trees_) tree.changed = false;
    if (changed) commit(top_.get());
    std::erase_if(trees_, [](const auto& entry) { return !entry.second.used; });
    check(device_.get(), "building the scene");
  }

  void cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const {
    if (width_ == 16) return cast_instance_packets<Width16>(top_.get(), rays, limits, hits);
    if (width_ == 8) return cast_instance_packets<Width8>(top_.get(), rays, limits, hits);
    cast_instance_packets<Width4>(top_.get(), rays, limits, hits);
  }

 private:
  void commit(RTCScene scene) {
    executor_.run([&] { rtcCommitScene(scene); });
  }

  void prepare(const CastMesh& mesh) {
    const auto [entry, fresh] = trees_.try_emplace(&mesh);
    SharedTree& tree = entry->second;
    if (fresh) {
      build(mesh.mesh, tree);
    } else if (tree.version != mesh.version) {
      copy_vertices(mesh.mesh, rtcGetGeometryBufferData(tree.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0));
      rtcUpdateGeometryBuffer(tree.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0);
      rtcCommitGeometry(tree.geometry.get());
      commit(tree.scene.get());
      tree.changed = true;
    }
    tree.version = mesh.version;
    tree.used = true;
  }

  void build(const Mesh& mesh, SharedTree& tree) {
    tree.geometry = OwnedGeometry(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
    RTCGeometry geometry = tree.geometry.get();
    void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                             mesh.vertices_m.size());
    void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            3 * sizeof(std::uint32_t), mesh.triangles.size());
    check(device_.get(), "copying a mesh");
    copy_vertices(mesh, vertices);
    std::memcpy(indices, mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
    rtcCommitGeometry(geometry);
    tree.scene = OwnedScene(rtcNewScene(device_.get()));
    rtcSetSceneFlags(tree.scene.get(), RTC_SCENE_FLAG_ROBUST);
    rtcAttachGeometry(tree.scene.get(), geometry);
    commit(tree.scene.get());
    check(device_.get(), "building the tree of a mesh");
  }

  /// Returns whether anything about the slot is new.
  bool place(unsigned index, const CastInstance& instance) {
    Slot& slot = slots_[index];
    const bool fresh = slot.geometry.get() == nullptr;
    if (fresh) slot.geometry = OwnedGeometry(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_INSTANCE));
    const SharedTree& tree = trees_.at(instance.mesh.get());
    const bool retree = fresh || tree.changed || slot.mesh != instance.mesh.get();
    const bool moved = fresh || !(slot.world_from_mesh == instance.world_from_mesh);
    if (!retree && !moved) return false;
    RTCGeometry geometry = slot.geometry.get();
    if (retree) rtcSetGeometryInstancedScene(geometry, tree.scene.get());
    if (moved) set_transform(geometry, instance.world_from_mesh);
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
  unsigned width_ = 4;
  std::unordered_map<const CastMesh*, SharedTree> trees_;
  std::vector<Slot> slots_;  // [instances]
};

InstanceTree::InstanceTree(Executor& executor, Isa isa) : impl_(std::make_unique<Impl>(executor, isa)) {}
InstanceTree::~InstanceTree() = default;
void InstanceTree::update(const std::vector<CastInstance>& instances) { impl_->update(instances); }
void InstanceTree::cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const {
  impl_->cast(rays, limits, hits);
}

}  // namespace fathom
