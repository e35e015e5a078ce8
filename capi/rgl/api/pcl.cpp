// SPDX-License-Identifier: MIT
#include <algorithm>

#include <rgl/api/extensions/pcl.h>
#include <rgl/api/old.h>

#include <fathom/files/clouds.hpp>

#include "api/make_node.hpp"
#include "nodes/merge.hpp"
#include "nodes/select.hpp"

using namespace rgl;

namespace {

/// Every field that a node has, as the properties of a cloud file. Names must differ there, so that of fields with the
/// same name the first one goes.
std::vector<fathom::CloudProperty> properties_of(const PointsNode& node) {
  std::vector<fathom::CloudProperty> properties;
  std::vector<std::string_view> taken;
  for (int f = RGL_FIELD_XYZ_VEC3_F32; f <= RGL_FIELD_REFLECTIVITY_F32; ++f) {
    const FieldInfo& info = info_of(static_cast<rgl_field_t>(f));
    if (!node.has(info.field) || std::find(taken.begin(), taken.end(), info.parts) != taken.end()) continue;
    taken.push_back(info.parts);
    properties.push_back({info.parts, info.type, info.size, node.data(info.field)});
  }
  return properties;
}

}  // namespace

rgl_status_t rgl_graph_write_pcd_file(rgl_node_t node, const char* file_path) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(file_path != nullptr);
    RGL_CHECK(file_path[0] != '\0');
    const auto points = node_as<PointsNode>(lib, node, "IPointsNode");
    lib.wait_for_result(*points);
    if (!points->has(RGL_FIELD_XYZ_VEC3_F32)) {
      fail(RGL_INVALID_API_OBJECT, fmt::format("{} does not provide field XYZ_VEC3_F32", points->name()));
    }
    save_pcd(file_path, properties_of(*points), points->count());
    lib.tape.record("rgl_graph_write_pcd_file", node, std::string(file_path));
  });
}

rgl_status_t rgl_node_points_write_pcd_file(rgl_node_t* node, const char* file_path) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(file_path != nullptr);
    RGL_CHECK(file_path[0] != '\0');
    const std::string file = file_path;
    make_or_change<WritePcdNode>(lib, node, Dirties::kNode, [&](WritePcdNode& write) { write.set(file); });
    lib.tape.record("rgl_node_points_write_pcd_file", *node, file);
  });
}

rgl_status_t rgl_node_points_downsample(rgl_node_t* node, float leaf_size_x, float leaf_size_y, float leaf_size_z) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(leaf_size_x > 0.0F);
    RGL_CHECK(leaf_size_y > 0.0F);
    RGL_CHECK(leaf_size_z > 0.0F);
    make_or_change<DownsampleNode>(lib, node, Dirties::kNode, [&](DownsampleNode& n) {
      n.set({leaf_size_x, leaf_size_y, leaf_size_z});
    });
    lib.tape.record("rgl_node_points_downsample", *node, leaf_size_x, leaf_size_y, leaf_size_z);
  });
}
