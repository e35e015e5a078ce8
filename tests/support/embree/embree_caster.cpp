// SPDX-License-Identifier: MIT
// Intel Embree as a caster: a second subject of the laws of casting, and a contender of benchmarks.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <embree3/rtcore.h>
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/scene.hpp>

#include "scene/mesh.hpp"
#include "scene/poses.hpp"
#include "support/embree/packets.hpp"
#include "trace/caster.hpp"

namespace fathom::test {
namespace {

/// Owns one reference of an Embree object.
template <class Handle, void (*Release)(Handle)>
class Owned {
 public:
  Owned() = default;
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) Release(handle_);
  }
  [[nodiscard]] Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
};
using OwnedDevice = Owned<RTCDevice, rtcReleaseDevice>;
using OwnedScene = Owned<RTCScene, rtcReleaseScene>;
using OwnedGeometry = Owned<RTCGeometry, rtcReleaseGeometry>;

/// Throws SystemError for an error since the last call.
void check(RTCDevice device, const char* doing) {
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_NONE) return;
  throw SystemError(fmt::format("Embree error {} while {}", static_cast<int>(error), doing));
}

/// `isa` limits its instructions. Without "threads", which would limit TBB in the whole process.
RTCDevice new_device(Isa isa) {
  const std::string limit = isa < detect_isa() ? "isa=" + std::string(to_string(isa)) : "";
  RTCDevice device = rtcNewDevice(limit.c_str());
  if (device == nullptr) check(nullptr, "opening a device");
  return device;
}

/// An arena bounds the threads of the build.
void commit(RTCScene scene, const Executor& executor) {
  tbb::task_arena(executor.threads()).execute([&] { rtcCommitScene(scene); });
}

/// Without ROBUST, about one ray in ten thousand slips through the edges of a closed surface.
constexpr RTCSceneFlags kRobust = RTC_SCENE_FLAG_ROBUST;
/// DYNAMIC keeps the builder's memory.
const RTCSceneFlags kRobustDynamic = kRobust | RTC_SCENE_FLAG_DYNAMIC;

struct EmbreeMesh {
  OwnedScene scene;
  OwnedGeometry geometry;
};

void copy_vertices(const Mesh& mesh, void* to) {
  std::memcpy(to, mesh.vertices_m.data(), mesh.vertices_m.size() * sizeof(mesh.vertices_m[0]));
}

/// `deforms`: refits the tree if vertices are replaced.
EmbreeMesh build_embree_mesh(RTCDevice device, const Mesh& mesh, bool deforms, const Executor& executor) {
  EmbreeMesh made;
  made.geometry = OwnedGeometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
  RTCGeometry geometry = made.geometry.get();
  void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                           mesh.vertices_m.size());
  void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          3 * sizeof(std::uint32_t), mesh.triangles.size());
  check(device, "copying a mesh");
  copy_vertices(mesh, vertices);
  std::memcpy(indices, mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
  if (deforms) rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
  rtcCommitGeometry(geometry);
  made.scene = OwnedScene(rtcNewScene(device));
  rtcSetSceneFlags(made.scene.get(), deforms ? kRobustDynamic : kRobust);
  rtcAttachGeometry(made.scene.get(), geometry);
  commit(made.scene.get(), executor);
  check(device, "building the tree of a mesh");
  return made;
}

/// Takes over the new vertices of the mesh.
void move_vertices(RTCDevice device, const Mesh& mesh, const EmbreeMesh& built, const Executor& executor) {
  copy_vertices(mesh, rtcGetGeometryBufferData(built.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0));
  rtcUpdateGeometryBuffer(built.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(built.geometry.get());
  commit(built.scene.get(), executor);
  check(device, "taking over the vertices of a mesh");
}

/// One tree per mesh, built once and shared by all top-level trees.
class EmbreeMeshes {
 public:
  EmbreeMeshes(Isa isa, Executor& executor) : executor_(executor), device_(new_device(isa)) {}

  /// Builds new trees, refits the trees of deformed meshes, and filters hits of one-sided entities. No cast may run
  /// meanwhile.
  void sync(const Scene& scene) {
    for (std::size_t i = 0; i < scene.meshes().size(); ++i) {
      const Mesh& mesh = scene.meshes()[i];
      const std::uint32_t vertices = scene.mesh_version(static_cast<MeshId>(i));
      if (i == trees_.size()) {
        trees_.push_back({.of = build_embree_mesh(device(), mesh, false, executor_), .vertices = vertices});
      } else if (trees_[i].vertices != vertices) {
        refit(mesh, trees_[i]);
        trees_[i].vertices = vertices, ++trees_[i].version;
      }
    }
    for (const Entity& entity : scene.entities()) {
      if (entity.one_sided && entity.mesh != kNoMesh) filter_backs(trees_[index(entity.mesh)]);
    }
  }

  [[nodiscard]] RTCDevice device() const { return device_.get(); }
  [[nodiscard]] std::size_t size() const { return trees_.size(); }
  [[nodiscard]] RTCScene tree(MeshId mesh) const { return trees_[index(mesh)].of.scene.get(); }
  /// Counts changes of a tree that affect its instances.
  [[nodiscard]] std::uint32_t version(MeshId mesh) const { return trees_[index(mesh)].version; }

 private:
  struct Tree {
    EmbreeMesh of;
    std::uint32_t vertices = 0;  // Scene::mesh_version
    std::uint32_t version = 0;
    bool deforms = false, filters = false;
  };

  /// The first deformation needs another tree, which can be refitted.
  void refit(const Mesh& mesh, Tree& tree) const {
    if (tree.deforms) return move_vertices(device(), mesh, tree.of, executor_);
    tree.of = build_embree_mesh(device(), mesh, true, executor_);
    tree.deforms = true, tree.filters = false;
  }

  void filter_backs(Tree& tree) const {
    if (tree.filters) return;
    rtcSetGeometryIntersectFilterFunction(tree.of.geometry.get(), OneSidedContext::refuse_backs);
    rtcSetGeometryOccludedFilterFunction(tree.of.geometry.get(), OneSidedContext::refuse_backs);
    rtcCommitGeometry(tree.of.geometry.get());
    commit(tree.of.scene.get(), executor_);
    check(device(), "filtering the hits of a mesh");
    tree.filters = true, ++tree.version;
  }

  Executor& executor_;
  OwnedDevice device_;
  std::vector<Tree> trees_;  // [meshes]
};

/// One entity in the top-level tree.
struct EmbreeEntity {
  OwnedGeometry geometry;  // empty for kNoMesh
  MeshId mesh = {};
  Pose world_from_entity = {};
  std::uint32_t mask = kSeesAll;
};

class EmbreeCaster final : public Caster {
 public:
  EmbreeCaster(std::shared_ptr<EmbreeMeshes> meshes, Executor& executor)
      : executor_(executor), meshes_(std::move(meshes)), top_(rtcNewScene(device())) {
    rtcSetSceneFlags(top_.get(), kRobustDynamic);
  }

  [[nodiscard]] std::unique_ptr<Caster> fork() const override {
    return std::make_unique<EmbreeCaster>(meshes_, executor_);
  }

  [[nodiscard]] Vec3 origin() const override { return origin_; }
  [[nodiscard]] float reach() const override { return reach_; }

  void place(const Scene& scene, double stamp_s, const Vec3& origin, Walker /*walker*/,
             std::span<const float> /*times_s*/, std::span<const EntityId> /*moved*/) override {
    meshes_->sync(scene);
    const std::vector<Pose>& world_from_entity = poses_.at(scene, stamp_s);  // may throw, so it comes before changes
    const bool rebase = !(origin == origin_);
    origin_ = origin;
    renew_meshes();
    place_entities(scene, world_from_entity, rebase);
  }

  void set_masks(std::span<const std::uint32_t> masks) override {
    for (std::size_t i = 0; i < entities_.size(); ++i) {
      EmbreeEntity& entity = entities_[i];
      const std::uint32_t mask = i < masks.size() ? masks[i] : kSeesAll;
      if (entity.mask == mask || entity.mesh == kNoMesh) continue;
      entity.mask = mask;
      rtcSetGeometryMask(entity.geometry.get(), mask);
      rtcCommitGeometry(entity.geometry.get());
      changed_ = true;
    }
  }

  void commit(Walker /*walker*/) override {
    if (!changed_) return;
    test::commit(top_.get(), executor_);
    changed_ = false;
    measure();
    check(device(), "building the scene");
  }

  void cast(const CastRays& rays, const CastHits& hits) const override {
    cast_packets(top_.get(), rays, hits, normals_.data(), one_sided_.data());
  }

  void find_blocked(const SightLines& lines, std::uint32_t* blocked) const override {
    occlude_packets(top_.get(), lines, one_sided_.data(), blocked);
  }

 private:
  [[nodiscard]] RTCDevice device() const { return meshes_->device(); }

  void measure() {
    RTCBounds b;
    rtcGetSceneBounds(top_.get(), &b);
    reach_ = 0.0F;
    if (!(b.lower_x <= b.upper_x)) return;  // nothing in it
    for (const float c : {b.lower_x, b.lower_y, b.lower_z, b.upper_x, b.upper_y, b.upper_z}) {
      reach_ = std::max(reach_, std::abs(c));
    }
  }

  /// Updates the instances of changed meshes, which cache the tree and its bounds.
  void renew_meshes() {
    for (std::size_t i = versions_.size(); i < meshes_->size(); ++i) {
      versions_.push_back(meshes_->version(static_cast<MeshId>(i)));
    }
    for (const EmbreeEntity& entity : entities_) {
      if (entity.mesh == kNoMesh || versions_[index(entity.mesh)] == meshes_->version(entity.mesh)) continue;
      rtcSetGeometryInstancedScene(entity.geometry.get(), meshes_->tree(entity.mesh));
      rtcCommitGeometry(entity.geometry.get());
      changed_ = true;
    }
    for (std::size_t i = 0; i < versions_.size(); ++i) versions_[i] = meshes_->version(static_cast<MeshId>(i));
  }

  void place_entities(const Scene& scene, const std::vector<Pose>& world_from_entity, bool rebase) {
    for (std::size_t i = 0; i < scene.entities().size(); ++i) {
      const Entity& entity = scene.entities()[i];
      const Pose& pose = world_from_entity[i];
      const bool added = i == entities_.size();
      if (added) add_entity(entity, static_cast<EntityId>(i));
      if (entity.mesh == kNoMesh || (!added && !rebase && entities_[i].world_from_entity == pose)) continue;
      place(entities_[i], normals_[i], world_from_vertices(scene, entity, pose), entity.scale);
      entities_[i].world_from_entity = pose;
      changed_ = true;
    }
  }

  void add_entity(const Entity& entity, EntityId id) {
    EmbreeEntity added;
    added.mesh = entity.mesh;
    normals_.emplace_back();
    one_sided_.push_back(entity.one_sided ? 1 : 0);
    if (entity.mesh == kNoMesh) return entities_.push_back(std::move(added));
    added.geometry = OwnedGeometry(rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_INSTANCE));
    rtcSetGeometryInstancedScene(added.geometry.get(), meshes_->tree(entity.mesh));
    rtcAttachGeometryByID(top_.get(), added.geometry.get(), index(id));
    entities_.push_back(std::move(added));
  }

  void place(const EmbreeEntity& entity, NormalMatrix& world_from_normal, const Pose& pose, const Vec3& scale) const {
    const Vec3 axis[3] = {rotate(pose.rotation, {1, 0, 0}), rotate(pose.rotation, {0, 1, 0}),
                          rotate(pose.rotation, {0, 0, 1})};
    const double s[3] = {scale.x, scale.y, scale.z};
    const Vec3 at = pose.translation_m - origin_;
    float matrix[12];  // column-major 3 x 4
    for (int c = 0; c < 3; ++c) {
      const double column[3] = {axis[c].x, axis[c].y, axis[c].z};
      for (int r = 0; r < 3; ++r) {
        matrix[3 * c + r] = static_cast<float>(column[r] * s[c]);
        // Normals transform with the inverse transpose: R S^-1. The sign of a mirroring cancels, because they are
        // turned against the ray.
        world_from_normal.m[3 * c + r] = static_cast<float>(column[r] / s[c]);
      }
    }
    matrix[9] = static_cast<float>(at.x), matrix[10] = static_cast<float>(at.y), matrix[11] = static_cast<float>(at.z);
    rtcSetGeometryTransform(entity.geometry.get(), 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, matrix);
    rtcCommitGeometry(entity.geometry.get());
  }

  Executor& executor_;
  std::shared_ptr<EmbreeMeshes> meshes_;
  OwnedScene top_;
  bool changed_ = true;  // whether the top-level tree is out of date
  Vec3 origin_;
  float reach_ = 0.0F;
  std::vector<std::uint32_t> versions_;  // [meshes], in the entities
  std::vector<EmbreeEntity> entities_;   // [entities]
  WorldPoses poses_;
  std::vector<NormalMatrix> normals_;    // [entities]
  std::vector<std::uint8_t> one_sided_;  // [entities], for the filter
};

/// An instance in the top-level tree.
struct EmbreeSlot {
  OwnedGeometry geometry;
  const CastMesh* mesh = nullptr;
  Affine world_from_mesh;
};

class EmbreeInstanceCaster final : public InstanceCaster {
 public:
  EmbreeInstanceCaster(Isa isa, Executor& executor)
      : executor_(executor), device_(new_device(isa)), top_(rtcNewScene(device_.get())) {
    rtcSetSceneFlags(top_.get(), kRobust);
    commit(top_.get(), executor_);
  }

  void update(const std::vector<CastInstance>& instances) override {
    trees_.update(
        instances, [&](const Mesh& mesh) { return build_embree_mesh(device_.get(), mesh, false, executor_); },
        [&](const Mesh& mesh, EmbreeMesh& built) { move_vertices(device_.get(), mesh, built, executor_); });
    bool changed = slots_.size() != instances.size();
    for (std::size_t i = instances.size(); i < slots_.size(); ++i) {
      rtcDetachGeometry(top_.get(), static_cast<unsigned>(i));
    }
    slots_.resize(instances.size());
    for (std::size_t i = 0; i < instances.size(); ++i) {
      changed = place(static_cast<unsigned>(i), instances[i]) || changed;
    }
    if (changed) commit(top_.get(), executor_);
    trees_.finish();
    check(device_.get(), "building the scene");
  }

  void cast(const RayLanes& rays, const CastLimits& limits, const RoughHits& hits) const override {
    cast_instance_packets(top_.get(), rays, limits, hits);
  }

 private:
  /// Returns whether the slot changed.
  bool place(unsigned index, const CastInstance& instance) {
    EmbreeSlot& slot = slots_[index];
    const bool fresh = slot.geometry.get() == nullptr;
    if (fresh) slot.geometry = OwnedGeometry(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_INSTANCE));
    const auto& tree = trees_.at(*instance.mesh);
    const bool retree = fresh || tree.changed || slot.mesh != instance.mesh.get();
    const bool moved = fresh || !(slot.world_from_mesh == instance.world_from_mesh);
    if (!retree && !moved) return false;
    RTCGeometry geometry = slot.geometry.get();
    if (retree) rtcSetGeometryInstancedScene(geometry, tree.of.scene.get());
    set_transform(geometry, at_mesh_origin(instance.world_from_mesh, instance.mesh->mesh));
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
  KeptByMesh<EmbreeMesh> trees_;
  std::vector<EmbreeSlot> slots_;  // [instances]
};

}  // namespace

std::unique_ptr<Caster> make_embree_caster(Isa isa, Executor& executor) {
  return std::make_unique<EmbreeCaster>(std::make_shared<EmbreeMeshes>(isa, executor), executor);
}

std::unique_ptr<InstanceCaster> make_embree_instance_caster(Isa isa, Executor& executor) {
  return std::make_unique<EmbreeInstanceCaster>(isa, executor);
}

}  // namespace fathom::test
