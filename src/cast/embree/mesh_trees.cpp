// SPDX-License-Identifier: MIT
#include "cast/embree/mesh_trees.hpp"

#include <cstring>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "cast/embree/packets.hpp"

namespace fathom {

void check(RTCDevice device, const char* doing) {
  const RTCError error = rtcGetDeviceError(device);
  if (error == RTC_ERROR_NONE) return;
  throw SystemError(fmt::format("Embree error {} while {}{}", static_cast<int>(error), doing,
                                error == RTC_ERROR_OUT_OF_MEMORY ? ": out of memory" : ""));
}

RTCDevice new_device(Isa isa) {
  // Does not set "threads", which would limit TBB in the whole process.
  const char* config = isa == Isa::kSse2 ? "isa=sse2" : isa == Isa::kAvx2 ? "isa=avx2" : "";
  RTCDevice device = rtcNewDevice(config);
  if (device == nullptr) check(nullptr, "opening a device");
  return device;
}

namespace {

void copy_vertices(const Mesh& mesh, void* to) {
  std::memcpy(to, mesh.vertices_m.data(), mesh.vertices_m.size() * sizeof(mesh.vertices_m[0]));
}

}  // namespace

MeshTree build_mesh_tree(RTCDevice device, const Mesh& mesh, bool deforms, Executor& executor) {
  MeshTree tree;
  tree.areas = add_up_areas(mesh.vertices_m, mesh.triangles, executor);
  tree.geometry = OwnedGeometry(rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE));
  RTCGeometry geometry = tree.geometry.get();
  void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                           mesh.vertices_m.size());
  void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          3 * sizeof(std::uint32_t), mesh.triangles.size());
  check(device, "copying a mesh");
  copy_vertices(mesh, vertices);
  std::memcpy(indices, mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
  if (deforms) rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
  rtcCommitGeometry(geometry);
  tree.scene = OwnedScene(rtcNewScene(device));
  const int flags = deforms ? kRobust | RTC_SCENE_FLAG_DYNAMIC : kRobust;
  rtcSetSceneFlags(tree.scene.get(), static_cast<RTCSceneFlags>(flags));
  rtcAttachGeometry(tree.scene.get(), geometry);
  executor.bounded_call([&] { rtcCommitScene(tree.scene.get()); });
  check(device, "building the tree of a mesh");
  return tree;
}

void filter_hits(RTCDevice device, const MeshTree& tree, RTCFilterFunctionN filter, Executor& executor) {
  rtcSetGeometryIntersectFilterFunction(tree.geometry.get(), filter);
  rtcSetGeometryOccludedFilterFunction(tree.geometry.get(), filter);
  rtcCommitGeometry(tree.geometry.get());
  executor.bounded_call([&] { rtcCommitScene(tree.scene.get()); });
  check(device, "building the tree of a mesh");
}

void replace_vertices(RTCDevice device, const Mesh& mesh, const MeshTree& tree, Executor& executor) {
  copy_vertices(mesh, rtcGetGeometryBufferData(tree.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0));
  rtcUpdateGeometryBuffer(tree.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(tree.geometry.get());
  executor.bounded_call([&] { rtcCommitScene(tree.scene.get()); });
  check(device, "taking over the vertices of a mesh");
}

void MeshTrees::sync(const Scene& scene) {
  for (std::size_t i = 0; i < scene.meshes().size(); ++i) {
    const Mesh& mesh = scene.meshes()[i];
    const std::uint32_t vertices = scene.mesh_version(static_cast<MeshId>(i));
    if (i == trees_.size()) {
      trees_.push_back({.of = build_mesh_tree(device(), mesh, false, executor_), .vertices = vertices});
    } else if (trees_[i].vertices != vertices) {
      refit(mesh, trees_[i]);
      trees_[i].vertices = vertices, ++trees_[i].version;
    }
  }
  for (const Entity& entity : scene.entities()) {
    if (entity.one_sided && entity.mesh != kNoMesh) filter_backs(trees_[index(entity.mesh)]);
  }
}

void MeshTrees::refit(const Mesh& mesh, Tree& tree) const {
  // The first deformation needs another tree, which can be refitted.
  if (tree.deforms) return replace_vertices(device(), mesh, tree.of, executor_);
  tree.of = build_mesh_tree(device(), mesh, true, executor_);
  tree.deforms = true, tree.filters = false;
}

void MeshTrees::filter_backs(Tree& tree) const {
  if (tree.filters) return;
  filter_hits(device(), tree.of, OneSidedContext::refuse_backs, executor_);
  tree.filters = true, ++tree.version;
}

}  // namespace fathom
