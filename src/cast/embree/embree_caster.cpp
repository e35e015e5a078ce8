// SPDX-License-Identifier: MIT
#include "cast/embree/embree_caster.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <embree3/rtcore.h>

#include "cast/embree/mesh_trees.hpp"
#include "cast/embree/packets.hpp"
#include "cast/embree/shadow_packets.hpp"
#include "cast/make_caster.hpp"
#include "scene/mesh_origin.hpp"
#include "scene/world_poses.hpp"

namespace fathom {

namespace {

/// One entity as it stands in the top-level tree.
struct Instance {
  OwnedGeometry geometry;  // of kNoMesh: none
  MeshId mesh = {};
  Pose world_from_entity = {};
  std::uint32_t mask = kSeesAll;
};

class EmbreeCaster final : public Caster {
 public:
  EmbreeCaster(std::shared_ptr<MeshTrees> meshes, Executor& executor)
      : executor_(executor), meshes_(std::move(meshes)), top_(rtcNewScene(device())) {
    // DYNAMIC keeps the builder's memory from commit to commit: two small blocks of Embree's own instead of twenty.
    rtcSetSceneFlags(top_.get(), static_cast<RTCSceneFlags>(kRobust | RTC_SCENE_FLAG_DYNAMIC));
  }

  [[nodiscard]] std::unique_ptr<Caster> fork() const override {
    return std::make_unique<EmbreeCaster>(meshes_, executor_);
  }

  [[nodiscard]] Vec3 origin() const override { return origin_; }
  [[nodiscard]] float reach() const override { return reach_; }

  void place(const Scene& scene, double stamp_s, const Vec3& origin, Walker /*walker*/) override {
    meshes_->sync(scene);
    const std::vector<Pose>& world_from_entity = poses_.at(scene, stamp_s);  // what throws comes before what changes
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
    // Inside the executor, so that a caller's bound on threads holds for tree building too.
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

  /// Whether a tile of rays is likely to hold many triangles: of typical size, in the middle of the scene or, for a
  /// sensor that stands there, half the way out.
  [[nodiscard]] bool seems_fine(const CastRays& rays) const {
    const bool alike = rays.ox == nullptr;
    const Vec3 from = alike ? Vec3{rays.origin[0], rays.origin[1], rays.origin[2]} : Vec3{*rays.ox, *rays.oy, *rays.oz};
    return are_fine(double{rays.packet_sr}, std::max(norm(center_ - from), 0.5 * radius_m_), areas_m2_.typical());
  }

  /// An instance caches the tree of its mesh and that tree's bounds, so it needs a notice when they change.
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
        // Normals transform with the inverse transpose: R S^-1. The sign of a mirroring cancels when they are turned
        // against the ray.
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
  bool changed_ = true;  // whether the top-level tree is not what it should be
  Vec3 origin_;
  float reach_ = 0.0F;
  Vec3 center_;  // of everything in the tree
  double radius_m_ = 0.0;
  TriangleAreas areas_m2_;               // of all instances
  std::vector<std::uint32_t> versions_;  // [meshes], as the instances know them
  std::vector<Instance> instances_;      // [entities]
  WorldPoses poses_;
  std::vector<NormalMatrix> normals_;    // [entities]
  std::vector<std::uint8_t> one_sided_;  // [entities], as a filter of Embree reads them
};

}  // namespace

std::unique_ptr<Caster> make_embree_caster(Isa isa, Executor& executor) {
  return std::make_unique<EmbreeCaster>(std::make_shared<MeshTrees>(isa, executor), executor);
}

std::string_view embree_version() { return RTC_VERSION_STRING; }

}  // namespace fathom
