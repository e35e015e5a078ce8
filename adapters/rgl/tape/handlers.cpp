// SPDX-License-Identifier: MIT
// Makes calls from recorded arguments: a table for each group of functions.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>

#include <rgl/api/extensions/pcl.h>
#include <rgl/api/extensions/weather.h>

#include "fields.hpp"
#include "tape/player.hpp"

namespace rgl {

namespace {

struct TapeEntry {
  std::string_view function;
  TapeHandler handler;
};

using A = const TapeArguments&;  // short, for the tables

/// A call that makes or changes the node in argument 0.
template <class Call>
rgl_status_t with_node(A a, Call call) {
  rgl_node_t node = a.node(0);
  const rgl_status_t status = call(&node);
  if (node != nullptr) a.state().nodes[a.number(0)] = node;
  return status;
}

/// The same for a node made of an array and its length.
template <class T, rgl_status_t (*F)(rgl_node_t*, const T*, std::int32_t)>
rgl_status_t node_of_array(A a) {
  return with_node(a, [&](rgl_node_t* n) {
    const auto count = a.value<std::int32_t>(2);
    return F(n, a.array<T>(1, count), count);
  });
}

template <rgl_status_t (*F)(rgl_node_t*, const rgl_mat3x4f*)>
rgl_status_t node_of_matrix(A a) {
  return with_node(a, [&](rgl_node_t* n) { return F(n, a.array<rgl_mat3x4f>(1)); });
}

template <class T, rgl_status_t (*F)(rgl_mesh_t, const T*, std::int32_t)>
rgl_status_t mesh_array(A a) {
  const auto count = a.value<std::int32_t>(2);
  return F(a.mesh(0), a.array<T>(1, count), count);
}

rgl_status_t create_mesh(A a) {
  rgl_mesh_t mesh = nullptr;
  const auto vertices = a.value<std::int32_t>(2), triangles = a.value<std::int32_t>(4);
  const rgl_status_t status =
      rgl_mesh_create(&mesh, a.array<rgl_vec3f>(1, vertices), vertices, a.array<rgl_vec3i>(3, triangles), triangles);
  if (mesh != nullptr) a.state().meshes[a.number(0)] = mesh;
  return status;
}

rgl_status_t create_entity(A a) {
  rgl_entity_t entity = nullptr;
  const rgl_status_t status = rgl_entity_create(&entity, nullptr, a.mesh(2));
  if (entity != nullptr) a.state().entities[a.number(0)] = entity;
  return status;
}

rgl_status_t create_texture(A a) {
  rgl_texture_t texture = nullptr;
  const auto width = a.value<std::int32_t>(2), height = a.value<std::int32_t>(3);
  const rgl_status_t status =
      rgl_texture_create(&texture, a.array<std::uint8_t>(1, std::int64_t{width} * height), width, height);
  if (texture != nullptr) a.state().textures[a.number(0)] = texture;
  return status;
}

constexpr TapeEntry kSceneHandlers[] = {
    {"rgl_cleanup", [](A) { return rgl_cleanup(); }},
    {"rgl_mesh_create", create_mesh},
    {"rgl_mesh_destroy", [](A a) { return rgl_mesh_destroy(a.mesh(0)); }},
    {"rgl_mesh_set_texture_coords", mesh_array<rgl_vec2f, rgl_mesh_set_texture_coords>},
    {"rgl_mesh_set_bone_weights", mesh_array<rgl_bone_weights_t, rgl_mesh_set_bone_weights>},
    {"rgl_mesh_set_restposes", mesh_array<rgl_mat3x4f, rgl_mesh_set_restposes>},
    {"rgl_mesh_update_vertices", mesh_array<rgl_vec3f, rgl_mesh_update_vertices>},
    {"rgl_mesh_set_vertices", mesh_array<rgl_vec3f, rgl_mesh_set_vertices>},
    {"rgl_entity_create", create_entity},
    {"rgl_entity_destroy", [](A a) { return rgl_entity_destroy(a.entity(0)); }},
    {"rgl_entity_set_transform", [](A a) { return rgl_entity_set_transform(a.entity(0), a.array<rgl_mat3x4f>(1)); }},
    {"rgl_entity_set_pose", [](A a) { return rgl_entity_set_pose(a.entity(0), a.array<rgl_mat3x4f>(1)); }},
    {"rgl_entity_set_pose_world",
     [](A a) {
       const auto count = a.value<std::int32_t>(2);
       return rgl_entity_set_pose_world(a.entity(0), a.array<rgl_mat3x4f>(1, count), count);
     }},
    {"rgl_entity_set_id", [](A a) { return rgl_entity_set_id(a.entity(0), a.value<std::int32_t>(1)); }},
    {"rgl_entity_set_intensity_texture",
     [](A a) { return rgl_entity_set_intensity_texture(a.entity(0), a.texture(1)); }},
    {"rgl_entity_set_laser_retro", [](A a) { return rgl_entity_set_laser_retro(a.entity(0), a.value<float>(1)); }},
    {"rgl_entity_set_ignored_by_sensor",
     [](A a) { return rgl_entity_set_ignored_by_sensor(a.entity(0), a.value<std::int32_t>(1)); }},
    {"rgl_entity_apply_external_animation",
     [](A a) {
       const auto count = a.value<std::int32_t>(2);
       return rgl_entity_apply_external_animation(a.entity(0), a.array<rgl_vec3f>(1, count), count);
     }},
    {"rgl_texture_create", create_texture},
    {"rgl_texture_destroy", [](A a) { return rgl_texture_destroy(a.texture(0)); }},
    {"rgl_scene_set_time", [](A a) { return rgl_scene_set_time(nullptr, a.number(1)); }},
};

template <rgl_status_t (*F)(rgl_node_t*, float, float, rgl_axis_t)>
rgl_status_t angular_noise(A a) {
  return with_node(a,
                   [&](rgl_node_t* n) { return F(n, a.value<float>(1), a.value<float>(2), a.value<rgl_axis_t>(3)); });
}

constexpr TapeEntry kRayHandlers[] = {
    {"rgl_node_rays_from_mat3x4f", node_of_array<rgl_mat3x4f, rgl_node_rays_from_mat3x4f>},
    {"rgl_node_rays_set_ring_ids", node_of_array<std::int32_t, rgl_node_rays_set_ring_ids>},
    {"rgl_node_rays_set_range", node_of_array<rgl_vec2f, rgl_node_rays_set_range>},
    {"rgl_node_rays_set_time_offsets", node_of_array<float, rgl_node_rays_set_time_offsets>},
    {"rgl_node_rays_transform", node_of_matrix<rgl_node_rays_transform>},
    {"rgl_node_gaussian_noise_angular_ray", angular_noise<rgl_node_gaussian_noise_angular_ray>},
    {"rgl_node_gaussian_noise_angular_hitpoint", angular_noise<rgl_node_gaussian_noise_angular_hitpoint>},
    {"rgl_node_gaussian_noise_distance",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_gaussian_noise_distance(n, a.value<float>(1), a.value<float>(2), a.value<float>(3));
       });
     }},
    {"rgl_node_points_simulate_snow",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_points_simulate_snow(
             n, a.value<float>(1), a.value<float>(2), a.value<float>(3), a.value<float>(4), a.value<float>(5),
             a.value<float>(6), a.value<std::int32_t>(7), a.value<float>(8), a.value<bool>(9), a.value<float>(10));
       });
     }},
    {"rgl_node_raytrace",
     [](A a) { return with_node(a, [](rgl_node_t* n) { return rgl_node_raytrace(n, nullptr); }); }},
    {"rgl_node_raytrace_with_distortion",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_raytrace_with_distortion(n, nullptr, a.array<rgl_vec3f>(2), a.array<rgl_vec3f>(3));
       });
     }},
    {"rgl_node_raytrace_in_motion",
     [](A a) {
       return with_node(a, [&](rgl_node_t* n) {
         return rgl_node_raytrace_in_motion(n, nullptr, a.array<rgl_vec3f>(2), a.array<rgl_vec3f>(3), a.value<bool>(4));
       });
     }},
    {"rgl_node_raytrace_configure_velocity",
     [](A a) { return rgl_node_raytrace_configure_velocity(a.node(0), a.array<rgl_vec3f>(1), a.array<rgl_vec3f>(2)); }},
    {"rgl_node_raytrace_configure_distortion",
     [](A a) { return rgl_node_raytrace_configure_distortion(a.node(0), a.value<bool>(1)); }},
    {"rgl_node_raytrace_configure_non_hits",
     [](A a) { return rgl_node_raytrace_configure_non_hits(a.node(0), a.value<float>(1), a.value<float>(2)); }},
    {"rgl_node_raytrace_configure_mask",
     [](A a) {
       const auto count = a.value<std::int32_t>(2);
       return rgl_node_raytrace_configure_mask(a.node(0), a.array<std::int8_t>(1, count), count);
     }},
    {"rgl_node_raytrace_configure_beam_divergence",
     [](A a) { return rgl_node_raytrace_configure_beam_divergence(a.node(0), a.value<float>(1), a.value<float>(2)); }},
    {"rgl_node_raytrace_configure_default_intensity",
     [](A a) { return rgl_node_raytrace_configure_default_intensity(a.node(0), a.value<float>(1)); }},
    {"rgl_node_raytrace_configure_return_mode",
     [](A a) { return rgl_node_raytrace_configure_return_mode(a.node(0), a.value<rgl_return_mode_t>(1)); }},
    {"rgl_node_raytrace_configure_reflectivity_alpha",
     [](A a) { return rgl_node_raytrace_configure_reflectivity_alpha(a.node(0), a.value<float>(1)); }},
    {"rgl_node_raytrace_configure_id",
     [](A a) { return rgl_node_raytrace_configure_id(a.node(0), a.value<std::int32_t>(1)); }},
};

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

rgl_status_t get_data(A a) {
  std::int32_t count = 0, size = 0;
  const auto field = a.value<rgl_field_t>(1);
  const rgl_status_t status = rgl_graph_get_result_size(a.node(0), field, &count, &size);
  if (status != RGL_SUCCESS) return status;
  std::vector<std::byte> out(static_cast<std::size_t>(count) * static_cast<std::size_t>(size) + 1);
  return rgl_graph_get_result_data(a.node(0), field, out.data());
}

constexpr TapeEntry kGraphHandlers[] = {
    {"rgl_graph_run", [](A a) { return rgl_graph_run(a.node(0)); }},
    {"rgl_graph_destroy", [](A a) { return rgl_graph_destroy(a.node(0)); }},
    {"rgl_graph_get_result_size",
     [](A a) { return rgl_graph_get_result_size(a.node(0), a.value<rgl_field_t>(1), nullptr, nullptr); }},
    {"rgl_graph_get_result_data", get_data},
    {"rgl_graph_node_add_child", [](A a) { return rgl_graph_node_add_child(a.node(0), a.node(1)); }},
    {"rgl_graph_node_remove_child", [](A a) { return rgl_graph_node_remove_child(a.node(0), a.node(1)); }},
    {"rgl_graph_node_set_priority",
     [](A a) { return rgl_graph_node_set_priority(a.node(0), a.value<std::int32_t>(1)); }},
    {"rgl_graph_write_pcd_file", [](A a) { return rgl_graph_write_pcd_file(a.node(0), a.text(1).c_str()); }},
};

rgl_status_t nothing(A) { return RGL_SUCCESS; }

/// Functions that change nothing.
constexpr TapeEntry kSilentHandlers[] = {
    {"rgl_get_version_info", nothing},  // queries
    {"rgl_get_extension_info", nothing},
    {"rgl_mesh_is_alive", nothing},
    {"rgl_entity_is_alive", nothing},
    {"rgl_texture_is_alive", nothing},
    {"rgl_node_is_alive", nothing},
    {"rgl_configure_logging", nothing},  // the caller that plays the tape owns the log
    // Nodes of absent extensions: the rest of the tape is played.
    {"rgl_node_points_ros2_publish", nothing},
    {"rgl_node_points_ros2_publish_with_qos", nothing},
    {"rgl_node_publish_ros2_radarscan", nothing},
    {"rgl_node_publish_ros2_radartracks", nothing},
    {"rgl_node_configure_agnocast", nothing},
    {"rgl_node_points_udp_publish", nothing},
    {"rgl_node_publish_udp_objectlist", nothing},
    {"rgl_node_points_simulate_snow", nothing},
    {"rgl_node_points_simulate_snow_configure_defaults", nothing},
    {"rgl_node_points_simulate_rain", nothing},
    {"rgl_node_points_simulate_rain_configure_defaults", nothing},
    {"rgl_node_points_simulate_fog", nothing},
    {"rgl_node_points_simulate_fog_configure_defaults", nothing},
    {"rgl_node_points_visualize", nothing},
    {"rgl_node_points_remove_ground", nothing},
    {"rgl_graph_node_get_priority", nothing},
};

const std::unordered_map<std::string_view, TapeHandler>& handlers() {
  static const auto all = [] {
    std::unordered_map<std::string_view, TapeHandler> map;
    using Group = std::span<const TapeEntry>;
    for (const Group group : {Group(kSilentHandlers), Group(kSceneHandlers), Group(kRayHandlers), Group(kPointHandlers),
                              Group(kGraphHandlers)}) {
      for (const TapeEntry& entry : group) map.emplace(entry.function, entry.handler);
    }
    return map;
  }();
  return all;
}

}  // namespace

TapeHandler find_tape_handler(const std::string& function) {
  const auto found = handlers().find(function);
  return found == handlers().end() ? nullptr : found->second;
}

}  // namespace rgl
