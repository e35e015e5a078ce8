// SPDX-License-Identifier: MIT
#include "cast/embree/mesh_tree.hpp"

#include <cstring>

namespace fathom {

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

}  // namespace fathom
