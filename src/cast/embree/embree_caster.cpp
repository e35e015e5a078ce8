#include "cast/embree/embree_caster.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <fathom/error.hpp>

#include "cast/embree/packets.hpp"
#include "cast/embree/shadow_packets.hpp"

namespace fathom {

namespace {

// Without ROBUST, about one ray in ten thousand slips through the edges of a closed surface.
constexpr RTCSceneFlags kRobust = RTC_SCENE_FLAG_ROBUST;

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

void check(RTCDevice device, const char* doing) {
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_NONE) return;
  throw SystemError(fmt::format("Embree error {} while {}{}", static_cast<int>(error), doing,
                                error == RTC_ERROR_OUT_OF_MEMORY ? ": out of memory" : ""));
}

RTCDevice new_device(Isa isa) {
  // "threads" is never set here: it would bound TBB for the whole process.
  const char* config = isa == Isa::kSse2 ? "isa=sse2" : isa == Isa::kAvx2 ? "isa=avx2" : "";
  RTCDevice device = rtcNewDevice(config);
  if (device == nullptr) check(nullptr, "opening a device");
  return device;
}

/// The tree of one mesh.
struct MeshTree {
  OwnedScene scene;
  OwnedGeometry geometry;
  std::uint32_t version = 0;
  bool deforms = false;
};

/// One entity as it stands in the top-level tree.
struct Instance {
  OwnedGeometry geometry;
  Pose world_from_entity;
};

class EmbreeCaster final : public Caster {
 public:
  EmbreeCaster(Isa isa, Executor& executor)
      : executor_(executor), device_(new_device(isa)), top_(rtcNewScene(device_.get())) {
    rtcSetSceneFlags(top_.get(), kRobust);
    width_ = rtcGetDeviceProperty(device_.get(), RTC_DEVICE_PROPERTY_NATIVE_RAY16_SUPPORTED) != 0  ? 16
             : rtcGetDeviceProperty(device_.get(), RTC_DEVICE_PROPERTY_NATIVE_RAY8_SUPPORTED) != 0 ? 8
                                                                                                   : 4;
  }

  [[nodiscard]] Vec3 origin() const override { return origin_; }
  [[nodiscard]] float reach() const override { return reach_; }

  void move_origin(const Vec3& origin) override {
    moved_ = moved_ || !(origin == origin_);
    origin_ = origin;
  }

  void update(const Scene& scene, double stamp_s, const Vec3& near_m) override {
    const bool far = norm(near_m - origin_) > kRebaseM;
    if (far) origin_ = near_m;
    const bool rebase = std::exchange(moved_, false) || far;
    bool changed = update_meshes(scene);
    changed = update_entities(scene, stamp_s, rebase) || changed;
    if (!changed && committed_) return;
    commit(top_.get());
    committed_ = true;
    measure_reach();
    check(device_.get(), "building the scene");
  }

  void cast(const CastRays& rays, const CastHits& hits) const override {
    with_width([&]<class Width>() { cast_packets<Width>(top_.get(), rays, hits, normals_.data()); });
  }

  void find_blocked(const SightLines& lines, std::uint32_t* blocked) const override {
    with_width([&]<class Width>() { occlude_packets<Width>(top_.get(), lines, blocked); });
  }

 private:
  /// Calls f<Width>() with the width that the device runs natively.
  template <class F>
  void with_width(F f) const {
    if (width_ == 16) return f.template operator()<Width16>();
    if (width_ == 8) return f.template operator()<Width8>();
    f.template operator()<Width4>();
  }

  void commit(RTCScene scene) {
    // Inside the executor, so that a caller's bound on threads holds for tree building too.
    executor_.run([&] { rtcCommitScene(scene); });
  }

  void measure_reach() {
    RTCBounds b;
    rtcGetSceneBounds(top_.get(), &b);
    reach_ = 0.0F;
    if (!(b.lower_x <= b.upper_x)) return;  // nothing in it
    for (const float c : {b.lower_x, b.lower_y, b.lower_z, b.upper_x, b.upper_y, b.upper_z}) {
      reach_ = std::max(reach_, std::abs(c));
    }
  }

  /// Returns whether any tree was refitted. New meshes alone change nothing until an entity uses them.
  bool update_meshes(const Scene& scene) {
    bool changed = false;
    for (std::size_t i = 0; i < scene.meshes().size(); ++i) {
      const std::uint32_t version = scene.mesh_version(static_cast<MeshId>(i));
      if (i == meshes_.size()) {
        meshes_.push_back(build(scene.meshes()[i], false));
        meshes_.back().version = version;
      } else if (meshes_[i].version != version) {
        refit(scene.meshes()[i], static_cast<MeshId>(i));
        meshes_[i].version = version;
        changed = true;
      }
    }
    return changed;
  }

  MeshTree build(const Mesh& mesh, bool deforms) {
    MeshTree tree;
    tree.deforms = deforms;
    tree.geometry = OwnedGeometry(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
    RTCGeometry geometry = tree.geometry.get();
    void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                             mesh.vertices_m.size());
    void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            3 * sizeof(std::uint32_t), mesh.triangles.size());
    check(device_.get(), "copying a mesh");
    std::memcpy(vertices, mesh.vertices_m.data(), mesh.vertices_m.size() * sizeof(mesh.vertices_m[0]));
    std::memcpy(indices, mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
    if (deforms) rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
    rtcCommitGeometry(geometry);
    tree.scene = OwnedScene(rtcNewScene(device_.get()));
    const int flags = deforms ? kRobust | RTC_SCENE_FLAG_DYNAMIC : kRobust;
    rtcSetSceneFlags(tree.scene.get(), static_cast<RTCSceneFlags>(flags));
    rtcAttachGeometry(tree.scene.get(), geometry);
    commit(tree.scene.get());
    check(device_.get(), "building the tree of a mesh");
    return tree;
  }

  void refit(const Mesh& mesh, MeshId id) {
    MeshTree& tree = meshes_[id];
    if (!tree.deforms) {
      // The first deformation moves the mesh to a tree that can be refitted; instances must see the new tree.
      tree = build(mesh, true);
    } else {
      void* vertices = rtcGetGeometryBufferData(tree.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0);
      std::memcpy(vertices, mesh.vertices_m.data(), mesh.vertices_m.size() * sizeof(mesh.vertices_m[0]));
      rtcUpdateGeometryBuffer(tree.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0);
      rtcCommitGeometry(tree.geometry.get());
      commit(tree.scene.get());
    }
    // Committed in both cases: an instance caches the bounds of its tree.
    for (std::size_t e = 0; e < instances_.size(); ++e) {
      if (instance_mesh_[e] != id) continue;
      rtcSetGeometryInstancedScene(instances_[e].geometry.get(), tree.scene.get());
      rtcCommitGeometry(instances_[e].geometry.get());
    }
  }

  /// Returns whether any entity is new or stands elsewhere.
  bool update_entities(const Scene& scene, double stamp_s, bool rebase) {
    bool changed = false;
    for (std::size_t i = 0; i < scene.entities().size(); ++i) {
      const Entity& entity = scene.entities()[i];
      const Pose pose = scene.world_from_entity(static_cast<EntityId>(i), stamp_s);
      const bool added = i == instances_.size();
      if (added) add_instance(entity, static_cast<EntityId>(i));
      if (!added && !rebase && instances_[i].world_from_entity == pose) continue;
      place(instances_[i], normals_[i], pose, entity.scale);
      changed = true;
    }
    return changed;
  }

  void add_instance(const Entity& entity, EntityId id) {
    Instance instance;
    instance.geometry = OwnedGeometry(rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_INSTANCE));
    rtcSetGeometryInstancedScene(instance.geometry.get(), meshes_[entity.mesh].scene.get());
    rtcAttachGeometryByID(top_.get(), instance.geometry.get(), id);
    instances_.push_back(std::move(instance));
    instance_mesh_.push_back(entity.mesh);
    normals_.emplace_back();
  }

  void place(Instance& instance, NormalMatrix& world_from_normal, const Pose& pose, const Vec3& scale) {
    instance.world_from_entity = pose;
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
  OwnedDevice device_;
  OwnedScene top_;
  unsigned width_ = 4;
  bool committed_ = false;
  bool moved_ = false;  // whether the origin is another than the one the tree was built for
  Vec3 origin_;
  float reach_ = 0.0F;
  std::vector<MeshTree> meshes_;
  std::vector<Instance> instances_;    // [entities]
  std::vector<MeshId> instance_mesh_;  // [entities]
  std::vector<NormalMatrix> normals_;  // [entities]
};

}  // namespace

std::unique_ptr<Caster> make_embree_caster(Isa isa, Executor& executor) {
  return std::make_unique<EmbreeCaster>(isa, executor);
}

std::string_view embree_version() { return RTC_VERSION_STRING; }

}  // namespace fathom
