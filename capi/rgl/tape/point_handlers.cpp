// SPDX-License-Identifier: MIT
#include <algorithm>

#include "fields.hpp"
#include "tape/handlers.hpp"

namespace rgl {

namespace {

rgl_status_t make_from_array(A a) {
  return with_node(a, [&](rgl_node_t* n) {
    const auto points = a.value<std::int32_t>(2), fields = a.value<std::int32_t>(4);
    const auto* list = a.array<rgl_field_t>(3, fields);
    const auto step = static_cast<std::int64_t>(packed_size(read_fields(list, std::max(0, fields))));
    return rgl_node_points_from_array(n, a.array<std::byte>(1, step * points), points, list, fields);
  });
}

rgl_status_t make_radar(A a) {
  return with_node(a, [&](rgl_node_t* n) {
    const auto count = a.value<std::int32_t>(2);
    return rgl_node_points_radar_postprocess(n, a.array<rgl_radar_scope_t>(1, count), count, a.value<float>(3),
                                             a.value<float>(4), a.value<float>(5), a.value<float>(6), a.value<float>(7),
                                             a.value<float>(8), a.value<float>(9));
  });
}

rgl_status_t make_track(A a) {
  return with_node(a, [&](rgl_node_t* n) {
    return rgl_node_points_radar_track_objects(n, a.value<float>(1), a.value<float>(2), a.value<float>(3),
                                               a.value<float>(4), a.value<float>(5), a.value<float>(6),
                                               a.value<float>(7));
  });
}

rgl_status_t set_classes(A a) {
  const auto count = a.value<std::int32_t>(3);
  return rgl_node_points_radar_set_classes(a.node(0), a.array<std::int32_t>(1, count),
                                           a.array<rgl_radar_object_class_t>(2, count), count);
}

constexpr TapeEntry kPointHandlers[] = {
    {"rgl_node_points_transform", node_of_matrix<rgl_node_points_transform>},
    {"rgl_node_points_format", node_of_array<rgl_field_t, rgl_node_points_format>},
    {"rgl_node_points_yield", node_of_array<rgl_field_t, rgl_node_points_yield>},
    {"rgl_node_points_spatial_merge", node_of_array<rgl_field_t, rgl_node_points_spatial_merge>},
    {"rgl_node_points_temporal_merge", node_of_array<rgl_field_t, rgl_node_points_temporal_merge>},
    {"rgl_node_points_compact_by_field",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) { return rgl_node_points_compact_by_field(n, a.value<rgl_field_t>(1)); });
     }},
    {"rgl_node_points_compact", [](A a) { return with_node(a, rgl_node_points_compact); }},
    {"rgl_node_multi_return_switch",
     [](A a) {
       return with_node(a,
                        [&](rgl_node_t* n) { return rgl_node_multi_return_switch(n, a.value<rgl_return_type_t>(1)); });
     }},
    {"rgl_node_points_from_array", make_from_array},
    {"rgl_node_points_filter_ground",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_points_filter_ground(n, a.array<rgl_vec3f>(1), a.value<float>(2));
       });
     }},
    {"rgl_node_points_write_pcd_file",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) { return rgl_node_points_write_pcd_file(n, a.text(1).c_str()); });
     }},
    {"rgl_node_points_downsample",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_points_downsample(n, a.value<float>(1), a.value<float>(2), a.value<float>(3));
       });
     }},
    {"rgl_node_points_radar_postprocess", make_radar},
    {"rgl_node_points_radar_track_objects", make_track},
    {"rgl_node_points_radar_set_classes", set_classes},
};

}  // namespace

std::span<const TapeEntry> point_handlers() { return kPointHandlers; }

}  // namespace rgl
