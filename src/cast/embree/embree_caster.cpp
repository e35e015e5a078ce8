// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <embree3/rtcore.h>

#include "cast/caster.hpp"
#include "cast/embree/mesh_trees.hpp"
#include "cast/embree/packets.hpp"
#include "scene/mesh.hpp"
#include "scene/poses.hpp"

namespace fathom {

namespace {

/// One entity in the top-level tree.
struct Instance {
  OwnedGeometry geometry;  // empty for kNoMesh
  MeshId mesh = {};
  Pose world_from_entity = {};
  std::uint32_t mask = kSeesAll;
};

class EmbreeCaster final : public Caster {
 public:
  EmbreeCaster(std::shared_ptr<MeshTrees> meshes, Executor& executor)
      : executor_(executor), meshes_(std::move(meshes)), top_(rtcNewScene(device())) {
    // DYNAMIC keeps the builder's memory: a commit then allocates two small blocks instead of twenty.
    rtcSetSceneFlags(top_.get(), static_cast<RTCSceneFlags>(kRobust | RTC_SCENE_FLAG_DYNAMIC));
  }

  [[nodiscard]] std::unique_ptr<Caster> fork() const override {
    return std::make_unique<EmbreeCaster>(meshes_, executor_);
  }

  [[nodiscard]] Vec3 origin() const override { return origin_; }
  [[nodiscard]] float reach() const override { return reach_; }

  void place(const Scene& scene, double stamp_s, const Vec3& origin, Walker /*walker*/) override {
    meshes_->sync(scene);
    const std::vector<Pose>& world_from_entity = poses_.at(scene, stamp_s);  // may throw, so it comes before changes
    const bool rebase = !(origin == origin_);
    origin_ = origin;
    renew_meshes();
    place_entities(scene, world_from_entity, rebase);
  }

  void set_masks(std::span<const std::uint32_t> masks) override {
    for (std::size_t i = 0; i < instances_.size(); ++i) {
      Instance& instance = instances_[i];
      const std::uint32_t mask = i < masks.size() ? masks[i] : kSeesAll;
      if (instance.mask == mask || instance.mesh == kNoMesh) continue;
      instance.mask = mask;
      rtcSetGeometryMask(instance.geometry.get(), mask);
      rtcCommitGeometry(instance.geometry.get());
      changed_ = true;
    }
  }

  void commit(Walker /*walker*/) override {
    if (!changed_) return;
    // Inside the executor, whose limit of threads then holds.
    executor_.bounded_call([&] { rtcCommitScene(top_.get()); });
    changed_ = false;
    measure();
    check(device(), "building the scene");
  }

  void cast(const CastRays& rays, const CastHits& hits) const override {
    const bool fine = rays.packet_sr > 0.0F && seems_fine(rays);
    with_width(width_, [&]<class Width>() {
      cast_packets<Width>(top_.get(), rays, hits, normals_.data(), fine, one_sided_.data());
    });
  }

  void find_blocked(const SightLines& lines, std::uint32_t* blocked) const override {
    with_width(width_, [&]<class Width>() { occlude_packets<Width>(top_.get(), lines, one_sided_.data(), blocked); });
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
    const Vec3 low = {b.lower_x, b.lower_y, b.lower_z}, high = {b.upper_x, b.upper_y, b.upper_z};
    center_ = 0.5 * (low + high);
    radius_m_ = 0.5 * norm(high - low);
  }

  /// Whether a tile of rays likely covers many triangles: of typical size, at the middle of the scene or, for a sensor
  /// there, halfway to its border.
  [[nodiscard]] bool seems_fine(const CastRays& rays) const {
    const bool one_origin = rays.ox == nullptr;
    const Vec3 from =
        one_origin ? Vec3{rays.origin[0], rays.origin[1], rays.origin[2]} : Vec3{*rays.ox, *rays.oy, *rays.oz};
    return are_fine(double{rays.packet_sr}, std::max(norm(center_ - from), 0.5 * radius_m_), areas_m2_.typical());
  }

  /// Updates the instances of changed meshes, which cache the tree and its bounds.
  void renew_meshes() {
    for (std::size_t i = versions_.size(); i < meshes_->size(); ++i) {
      versions_.push_back(meshes_->version(static_cast<MeshId>(i)));
    }
    for (std::size_t e = 0; e < instances_.size(); ++e) {
      const MeshId mesh = instances_[e].mesh;
      if (mesh == kNoMesh || versions_[index(mesh)] == meshes_->version(mesh)) continue;
      rtcSetGeometryInstancedScene(instances_[e].geometry.get(), meshes_->tree(mesh));
      rtcCommitGeometry(instances_[e].geometry.get());
      changed_ = true;
    }
    for (std::size_t i = 0; i < versions_.size(); ++i) versions_[i] = meshes_->version(static_cast<MeshId>(i));
  }

  void place_entities(const Scene& scene, const std::vector<Pose>& world_from_entity, bool rebase) {
    for (std::size_t i = 0; i < scene.entities().size(); ++i) {
      const Entity& entity = scene.entities()[i];
      const Pose& pose = world_from_entity[i];
      const bool added = i == instances_.size();
      if (added) add_instance(entity, static_cast<EntityId>(i));
      if (entity.mesh == kNoMesh || (!added && !rebase && instances_[i].world_from_entity == pose)) continue;
      place(instances_[i], normals_[i], world_from_vertices(scene, entity, pose), entity.scale);
      instances_[i].world_from_entity = pose;
      changed_ = true;
    }
  }

  void add_instance(const Entity& entity, EntityId id) {
    Instance instance;
    instance.mesh = entity.mesh;
    normals_.emplace_back();
    one_sided_.push_back(entity.one_sided ? 1 : 0);
    if (entity.mesh == kNoMesh) return instances_.push_back(std::move(instance));
    instance.geometry = OwnedGeometry(rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_INSTANCE));
    rtcSetGeometryInstancedScene(instance.geometry.get(), meshes_->tree(entity.mesh));
    rtcAttachGeometryByID(top_.get(), instance.geometry.get(), index(id));
    instances_.push_back(std::move(instance));
    const Vec3& s = entity.scale;
    areas_m2_.add(meshes_->areas(entity.mesh), std::pow(std::abs(s.x * s.y * s.z), 2.0 / 3.0));
  }

  void place(Instance& instance, NormalMatrix& world_from_normal, const Pose& pose, const Vec3& scale) {
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
    rtcSetGeometryTransform(instance.geometry.get(), 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, matrix);
    rtcCommitGeometry(instance.geometry.get());
  }

  Executor& executor_;
  std::shared_ptr<MeshTrees> meshes_;
  OwnedScene top_;
  unsigned width_ = native_width(device());
  bool changed_ = true;  // whether the top-level tree is out of date
  Vec3 origin_;
  float reach_ = 0.0F;
  Vec3 center_;  // of the scene
  double radius_m_ = 0.0;
  TriangleAreas areas_m2_;               // of all instances
  std::vector<std::uint32_t> versions_;  // [meshes], in the instances
  std::vector<Instance> instances_;      // [entities]
  WorldPoses poses_;
  std::vector<NormalMatrix> normals_;    // [entities]
  std::vector<std::uint8_t> one_sided_;  // [entities], for the filter
};

}  // namespace

std::unique_ptr<Caster> make_embree_caster(Isa isa, Executor& executor) {
  return std::make_unique<EmbreeCaster>(std::make_shared<MeshTrees>(isa, executor), executor);
}

std::string_view embree_version() { return RTC_VERSION_STRING; }

namespace {

/// An instance in the top-level tree.
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

  /// Returns whether the slot changed.
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
