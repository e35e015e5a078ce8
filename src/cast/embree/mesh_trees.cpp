#include "cast/embree/mesh_trees.hpp"

#include <cstring>

namespace fathom {

void MeshTrees::sync(const Scene& scene) {
  for (std::size_t i = 0; i < scene.meshes().size(); ++i) {
    const std::uint32_t version = scene.mesh_version(static_cast<MeshId>(i));
    if (i == trees_.size()) {
      trees_.push_back(build(scene.meshes()[i], false));
    } else if (trees_[i].version != version) {
      refit(scene.meshes()[i], trees_[i]);
    }
    trees_[i].version = version;
  }
}

MeshTrees::Tree MeshTrees::build(const Mesh& mesh, bool deforms) const {
  Tree tree;
  tree.deforms = deforms;
  tree.geometry = OwnedGeometry(rtcNewGeometry(device(), RTC_GEOMETRY_TYPE_TRIANGLE));
  RTCGeometry geometry = tree.geometry.get();
  void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                           mesh.vertices_m.size());
  void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                          3 * sizeof(std::uint32_t), mesh.triangles.size());
  check(device(), "copying a mesh");
  std::memcpy(vertices, mesh.vertices_m.data(), mesh.vertices_m.size() * sizeof(mesh.vertices_m[0]));
  std::memcpy(indices, mesh.triangles.data(), mesh.triangles.size() * sizeof(mesh.triangles[0]));
  if (deforms) rtcSetGeometryBuildQuality(geometry, RTC_BUILD_QUALITY_REFIT);
  rtcCommitGeometry(geometry);
  tree.scene = OwnedScene(rtcNewScene(device()));
  const int flags = deforms ? kRobust | RTC_SCENE_FLAG_DYNAMIC : kRobust;
  rtcSetSceneFlags(tree.scene.get(), static_cast<RTCSceneFlags>(flags));
  rtcAttachGeometry(tree.scene.get(), geometry);
  executor_.run([&] { rtcCommitScene(tree.scene.get()); });
  check(device(), "building the tree of a mesh");
  return tree;
}

void MeshTrees::refit(const Mesh& mesh, Tree& tree) const {
  // The first deformation moves the mesh to a tree that can be refitted.
  if (!tree.deforms) {
    tree = build(mesh, true);
    return;
  }
  void* vertices = rtcGetGeometryBufferData(tree.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0);
  std::memcpy(vertices, mesh.vertices_m.data(), mesh.vertices_m.size() * sizeof(mesh.vertices_m[0]));
  rtcUpdateGeometryBuffer(tree.geometry.get(), RTC_BUFFER_TYPE_VERTEX, 0);
  rtcCommitGeometry(tree.geometry.get());
  executor_.run([&] { rtcCommitScene(tree.scene.get()); });
  check(device(), "refitting the tree of a mesh");
}

}  // namespace fathom
