// SPDX-License-Identifier: MIT
#pragma once
// Embree's objects as values, its errors as exceptions, and its trees of meshes.

#include <cstdint>
#include <utility>
#include <vector>

#include <embree3/rtcore.h>

#include <fathom/base/compute.hpp>
#include <fathom/base/ids.hpp>
#include <fathom/scene/mesh.hpp>
#include <fathom/scene/scene.hpp>

#include "cast/caster.hpp"

namespace fathom {

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
void check(RTCDevice device, const char* doing);

RTCDevice new_device(Isa isa);

/// Without ROBUST, about one ray in ten thousand slips through the edges of a closed surface.
inline constexpr RTCSceneFlags kRobust = RTC_SCENE_FLAG_ROBUST;

/// The tree of one mesh.
struct MeshTree {
  OwnedScene scene;
  OwnedGeometry geometry;
  TriangleAreas areas;  ///< at the build, without deformations
};

/// Copies the mesh, and builds inside the executor, whose limit of threads then holds. `deforms`: refits the tree if
/// vertices are replaced.
MeshTree build_mesh_tree(RTCDevice device, const Mesh& mesh, bool deforms, Executor& executor);

/// Passes every hit on the mesh to `filter`, which makes casts a little slower.
void filter_hits(RTCDevice device, const MeshTree& tree, RTCFilterFunctionN filter, Executor& executor);

/// Takes over the new vertices of the mesh.
void replace_vertices(RTCDevice device, const Mesh& mesh, const MeshTree& tree, Executor& executor);

/// One tree per mesh, built once and shared by all top-level trees.
class MeshTrees {
 public:
  MeshTrees(Isa isa, Executor& executor) : executor_(executor), device_(new_device(isa)) {}

  /// Builds new trees, refits the trees of deformed meshes, and filters hits of one-sided entities. Not thread-safe; no
  /// cast may run meanwhile.
  void sync(const Scene& scene);

  [[nodiscard]] RTCDevice device() const { return device_.get(); }
  [[nodiscard]] std::size_t size() const { return trees_.size(); }
  [[nodiscard]] RTCScene tree(MeshId mesh) const { return trees_[index(mesh)].of.scene.get(); }
  [[nodiscard]] const TriangleAreas& areas(MeshId mesh) const { return trees_[index(mesh)].of.areas; }
  /// Counts changes of a tree that affect its instances.
  [[nodiscard]] std::uint32_t version(MeshId mesh) const { return trees_[index(mesh)].version; }

 private:
  struct Tree {
    MeshTree of;
    std::uint32_t vertices = 0;  // Scene::mesh_version
    std::uint32_t version = 0;
    bool deforms = false, filters = false;
  };

  void refit(const Mesh& mesh, Tree& tree) const;
  void filter_backs(Tree& tree) const;

  Executor& executor_;
  OwnedDevice device_;
  std::vector<Tree> trees_;  // [meshes]
};

}  // namespace fathom
