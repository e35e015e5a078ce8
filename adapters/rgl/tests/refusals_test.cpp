// SPDX-License-Identifier: MIT
// Every bad argument of every function, stale and foreign handles, NULL: a status code and a text that says why.

#include <limits>

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class RglRefusals : public Rgl {};

TEST_F(RglRefusals, General) {
  int32_t a = 0, b = 0;
  RGL_STATUS(rgl_get_version_info(nullptr, &a, &b), RGL_INVALID_ARGUMENT, "out_major != nullptr");
  RGL_STATUS(rgl_get_version_info(&a, nullptr, &b), RGL_INVALID_ARGUMENT, "out_minor != nullptr");
  RGL_STATUS(rgl_get_version_info(&a, &b, nullptr), RGL_INVALID_ARGUMENT, "out_patch != nullptr");
  RGL_STATUS(rgl_get_extension_info(RGL_EXTENSION_COUNT, &a), RGL_INVALID_ARGUMENT, "extension");
  RGL_STATUS(rgl_get_extension_info(static_cast<rgl_extension_t>(-1), &a), RGL_INVALID_ARGUMENT, "extension >= 0");
  RGL_STATUS(rgl_get_extension_info(RGL_EXTENSION_PCL, nullptr), RGL_INVALID_ARGUMENT, "out_available != nullptr");
  RGL_STATUS(rgl_configure_logging(RGL_LOG_LEVEL_COUNT, "", true), RGL_INVALID_ARGUMENT, "log_level");
  RGL_STATUS(rgl_configure_logging(RGL_LOG_LEVEL_INFO, nullptr, false), RGL_INVALID_ARGUMENT, "use_stdout");
  RGL_STATUS(rgl_configure_logging(RGL_LOG_LEVEL_INFO, "", false), RGL_INVALID_ARGUMENT, "use_stdout");
  rgl_get_last_error_string(nullptr);
  for (int e = 0; e < RGL_EXTENSION_COUNT; ++e) {
    a = 7;
    RGL_OK(rgl_get_extension_info(static_cast<rgl_extension_t>(e), &a));
    EXPECT_EQ(a, 0);
  }
}

TEST_F(RglRefusals, Meshes) {
  const rgl_vec3f v[3] = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}};
  const rgl_vec3i t[1] = {{{0, 1, 2}}}, beyond[1] = {{{0, 1, 3}}}, negative[1] = {{{0, -1, 2}}};
  rgl_mesh_t mesh = nullptr;
  RGL_STATUS(rgl_mesh_create(nullptr, v, 3, t, 1), RGL_INVALID_ARGUMENT, "out_mesh != nullptr");
  RGL_STATUS(rgl_mesh_create(&mesh, nullptr, 3, t, 1), RGL_INVALID_ARGUMENT, "vertices != nullptr");
  RGL_STATUS(rgl_mesh_create(&mesh, v, 0, t, 1), RGL_INVALID_ARGUMENT, "vertex_count > 0");
  RGL_STATUS(rgl_mesh_create(&mesh, v, 3, nullptr, 1), RGL_INVALID_ARGUMENT, "indices != nullptr");
  RGL_STATUS(rgl_mesh_create(&mesh, v, 3, t, -1), RGL_INVALID_ARGUMENT, "index_count > 0");
  RGL_STATUS(rgl_mesh_create(&mesh, v, 3, beyond, 1), RGL_INVALID_ARGUMENT, "index 3");
  RGL_STATUS(rgl_mesh_create(&mesh, v, 3, negative, 1), RGL_INVALID_ARGUMENT, "index");
  EXPECT_EQ(mesh, nullptr);
  RGL_OK(rgl_mesh_create(&mesh, v, 3, t, 1));
  const rgl_vec2f uv[4] = {};
  const rgl_bone_weights_t weights[4] = {};
  RGL_STATUS(rgl_mesh_set_texture_coords(nullptr, uv, 3), RGL_INVALID_ARGUMENT, "mesh != nullptr");
  RGL_STATUS(rgl_mesh_set_texture_coords(mesh, nullptr, 3), RGL_INVALID_ARGUMENT, "uvs != nullptr");
  RGL_STATUS(rgl_mesh_set_texture_coords(mesh, uv, 0), RGL_INVALID_ARGUMENT, "uv_count > 0");
  RGL_STATUS(rgl_mesh_set_texture_coords(mesh, uv, 4), RGL_INVALID_ARGUMENT, "uv_count ==");
  RGL_STATUS(rgl_mesh_set_bone_weights(mesh, nullptr, 3), RGL_INVALID_ARGUMENT, "bone_weights != nullptr");
  RGL_STATUS(rgl_mesh_set_bone_weights(mesh, weights, 4), RGL_INVALID_ARGUMENT, "bone_weights_count ==");
  RGL_STATUS(rgl_mesh_set_restposes(mesh, nullptr, 1), RGL_INVALID_ARGUMENT, "restposes != nullptr");
  RGL_STATUS(rgl_mesh_set_restposes(mesh, &kIdentity, 0), RGL_INVALID_ARGUMENT, "bones_count > 0");
  RGL_STATUS(rgl_mesh_destroy(nullptr), RGL_INVALID_ARGUMENT, "mesh != nullptr");
  RGL_STATUS(rgl_mesh_is_alive(mesh, nullptr), RGL_INVALID_ARGUMENT, "out_alive != nullptr");
  bool alive = true;
  RGL_OK(rgl_mesh_is_alive(nullptr, &alive));
  EXPECT_FALSE(alive);
  RGL_OK(rgl_mesh_is_alive(mesh, &alive));
  EXPECT_TRUE(alive);
  RGL_OK(rgl_mesh_destroy(mesh));
  RGL_OK(rgl_mesh_is_alive(mesh, &alive));
  EXPECT_FALSE(alive);
  RGL_STATUS(rgl_mesh_destroy(mesh), RGL_INVALID_API_OBJECT, "Object does not exist: Mesh 0x");
}

TEST_F(RglRefusals, Entities) {
  const rgl_mesh_t mesh = make_cube();
  rgl_entity_t entity = nullptr;
  RGL_STATUS(rgl_entity_create(nullptr, nullptr, mesh), RGL_INVALID_ARGUMENT, "out_entity != nullptr");
  RGL_STATUS(rgl_entity_create(&entity, nullptr, nullptr), RGL_INVALID_ARGUMENT, "mesh != nullptr");
  RGL_STATUS(rgl_entity_create(&entity, reinterpret_cast<rgl_scene_t>(mesh), mesh), RGL_INVALID_ARGUMENT,
             "scene == nullptr");
  RGL_OK(rgl_entity_create(&entity, nullptr, mesh));
  rgl_entity_t foreign = reinterpret_cast<rgl_entity_t>(mesh);
  RGL_STATUS(rgl_entity_set_transform(foreign, &kIdentity), RGL_INVALID_API_OBJECT, "Object does not exist: Entity 0x");
  RGL_STATUS(rgl_entity_set_transform(entity, nullptr), RGL_INVALID_ARGUMENT, "transform != nullptr");
  rgl_mat3x4f broken = kIdentity;
  broken.value[1][3] = kNan;
  RGL_STATUS(rgl_entity_set_transform(entity, &broken), RGL_INVALID_ARGUMENT, "max");
  RGL_STATUS(rgl_entity_set_id(entity, 0), RGL_INVALID_ARGUMENT, "RGL_ENTITY_INVALID_ID");
  RGL_STATUS(rgl_entity_set_id(entity, RGL_DEFAULT_ENTITY_ID + 1), RGL_INVALID_ARGUMENT, "RGL_DEFAULT_ENTITY_ID");
  RGL_OK(rgl_entity_set_id(entity, -5));
  RGL_STATUS(rgl_entity_set_pose_world(entity, &kIdentity, 1), RGL_INVALID_ARGUMENT, "weights");
  RGL_STATUS(rgl_entity_set_pose_world(entity, nullptr, 1), RGL_INVALID_ARGUMENT, "pose != nullptr");
  rgl_vec3f v[9] = {};
  RGL_STATUS(rgl_entity_apply_external_animation(entity, v, 9), RGL_INVALID_ARGUMENT, "vertex counts do not match");
  RGL_STATUS(rgl_entity_apply_external_animation(entity, nullptr, 8), RGL_INVALID_ARGUMENT, "vertices != nullptr");
  v[2].value[0] = kNan;
  RGL_STATUS(rgl_entity_apply_external_animation(entity, v, 8), RGL_INVALID_ARGUMENT, "vertex 2");
  RGL_STATUS(rgl_entity_set_laser_retro(nullptr, 1), RGL_INVALID_ARGUMENT, "entity != nullptr");
  RGL_STATUS(rgl_entity_set_intensity_texture(entity, nullptr), RGL_INVALID_ARGUMENT, "texture != nullptr");
  RGL_STATUS(rgl_entity_set_intensity_texture(entity, reinterpret_cast<rgl_texture_t>(entity)), RGL_INVALID_API_OBJECT,
             "Texture");
  RGL_OK(rgl_entity_destroy(entity));
  RGL_STATUS(rgl_entity_destroy(entity), RGL_INVALID_API_OBJECT, "Entity");
  RGL_STATUS(rgl_entity_set_ignored_by_sensor(entity, 1), RGL_INVALID_API_OBJECT, "Entity");
  RGL_STATUS(rgl_scene_set_time(reinterpret_cast<rgl_scene_t>(mesh), 1), RGL_INVALID_ARGUMENT, "scene == nullptr");
}

TEST_F(RglRefusals, Textures) {
  const char texel = 1;
  rgl_texture_t texture = nullptr;
  RGL_STATUS(rgl_texture_create(nullptr, &texel, 1, 1), RGL_INVALID_ARGUMENT, "out_texture != nullptr");
  RGL_STATUS(rgl_texture_create(&texture, nullptr, 1, 1), RGL_INVALID_ARGUMENT, "texels != nullptr");
  RGL_STATUS(rgl_texture_create(&texture, &texel, 0, 1), RGL_INVALID_ARGUMENT, "width > 0");
  RGL_STATUS(rgl_texture_create(&texture, &texel, 1, -1), RGL_INVALID_ARGUMENT, "height > 0");
  RGL_STATUS(rgl_texture_destroy(nullptr), RGL_INVALID_ARGUMENT, "texture != nullptr");
  RGL_STATUS(rgl_texture_is_alive(nullptr, nullptr), RGL_INVALID_ARGUMENT, "out_alive != nullptr");
}

TEST_F(RglRefusals, RayNodes) {
  rgl_node_t n = nullptr;
  const int32_t ring = 1;
  const float offset = 0;
  RGL_STATUS(rgl_node_rays_from_mat3x4f(nullptr, &kIdentity, 1), RGL_INVALID_ARGUMENT, "node != nullptr");
  RGL_STATUS(rgl_node_rays_from_mat3x4f(&n, nullptr, 1), RGL_INVALID_ARGUMENT, "rays != nullptr");
  RGL_STATUS(rgl_node_rays_from_mat3x4f(&n, &kIdentity, 0), RGL_INVALID_ARGUMENT, "ray_count > 0");
  RGL_STATUS(rgl_node_rays_set_ring_ids(&n, nullptr, 1), RGL_INVALID_ARGUMENT, "ring_ids != nullptr");
  RGL_STATUS(rgl_node_rays_set_ring_ids(&n, &ring, 0), RGL_INVALID_ARGUMENT, "ring_ids_count > 0");
  for (const rgl_vec2f range : {rgl_vec2f{{-1, 2}}, rgl_vec2f{{3, 2}}, rgl_vec2f{{kNan, 2}}, rgl_vec2f{{0, kNan}}}) {
    RGL_STATUS(rgl_node_rays_set_range(&n, &range, 1), RGL_INVALID_ARGUMENT, "m");
  }
  RGL_STATUS(rgl_node_rays_set_range(&n, nullptr, 1), RGL_INVALID_ARGUMENT, "ranges != nullptr");
  RGL_STATUS(rgl_node_rays_set_time_offsets(&n, nullptr, 1), RGL_INVALID_ARGUMENT, "offsets != nullptr");
  RGL_STATUS(rgl_node_rays_set_time_offsets(&n, &offset, 0), RGL_INVALID_ARGUMENT, "offsets_count > 0");
  RGL_STATUS(rgl_node_rays_transform(&n, nullptr), RGL_INVALID_ARGUMENT, "transform != nullptr");
  for (const float bad : {-1.0F, kNan}) {
    RGL_STATUS(rgl_node_gaussian_noise_angular_ray(&n, 0, bad, RGL_AXIS_X), RGL_INVALID_ARGUMENT, "st_dev >= 0");
    RGL_STATUS(rgl_node_gaussian_noise_angular_hitpoint(&n, 0, bad, RGL_AXIS_X), RGL_INVALID_ARGUMENT, "st_dev >= 0");
    RGL_STATUS(rgl_node_gaussian_noise_distance(&n, 0, bad, 0), RGL_INVALID_ARGUMENT, "st_dev_base >= 0");
    RGL_STATUS(rgl_node_gaussian_noise_distance(&n, 0, 0, bad), RGL_INVALID_ARGUMENT, "st_dev_rise_per_meter >= 0");
  }
  RGL_STATUS(rgl_node_gaussian_noise_angular_ray(&n, 0, 0, static_cast<rgl_axis_t>(0)), RGL_INVALID_ARGUMENT,
             "rotation_axis");
  RGL_STATUS(rgl_node_gaussian_noise_angular_hitpoint(&n, 0, 0, static_cast<rgl_axis_t>(4)), RGL_INVALID_ARGUMENT,
             "rotation_axis");
  EXPECT_EQ(n, nullptr);
  // No upper limits, as in RGL.
  RGL_OK(rgl_node_gaussian_noise_angular_ray(&n, 100.0F, 50.0F, RGL_AXIS_Y));
  rgl_node_t distance = nullptr;
  RGL_OK(rgl_node_gaussian_noise_distance(&distance, -500.0F, 100.0F, 3.0F));
}

TEST_F(RglRefusals, RaytraceNodes) {
  rgl_node_t n = nullptr;
  RGL_STATUS(rgl_node_raytrace(nullptr, nullptr), RGL_INVALID_ARGUMENT, "node != nullptr");
  RGL_STATUS(rgl_node_raytrace(&n, reinterpret_cast<rgl_scene_t>(&n)), RGL_INVALID_ARGUMENT, "scene == nullptr");
  n = make_raytrace();
  const rgl_vec3f v = {{0, 0, 0}};
  const int8_t mask = 1;
  RGL_STATUS(rgl_node_raytrace_configure_velocity(n, nullptr, &v), RGL_INVALID_ARGUMENT, "linear_velocity != nullptr");
  RGL_STATUS(rgl_node_raytrace_configure_velocity(n, &v, nullptr), RGL_INVALID_ARGUMENT, "angular_velocity != nullptr");
  RGL_STATUS(rgl_node_raytrace_configure_distortion(nullptr, true), RGL_INVALID_ARGUMENT, "node != nullptr");
  RGL_STATUS(rgl_node_raytrace_configure_non_hits(nullptr, 0, 0), RGL_INVALID_ARGUMENT, "node != nullptr");
  RGL_STATUS(rgl_node_raytrace_configure_mask(n, nullptr, 1), RGL_INVALID_ARGUMENT, "rays_mask != nullptr");
  RGL_STATUS(rgl_node_raytrace_configure_mask(n, &mask, 0), RGL_INVALID_ARGUMENT, "rays_count > 0");
  for (const auto& [h, w] : {std::pair{1.0F, 0.0F}, {0.0F, 1.0F}, {-1.0F, 1.0F}, {kNan, 1.0F}}) {
    RGL_STATUS(rgl_node_raytrace_configure_beam_divergence(n, h, w), RGL_INVALID_ARGUMENT, "beam_divergence");
  }
  RGL_STATUS(rgl_node_raytrace_configure_default_intensity(n, -1), RGL_INVALID_ARGUMENT, "default_intensity >= 0");
  RGL_STATUS(rgl_node_raytrace_configure_default_intensity(n, kNan), RGL_INVALID_ARGUMENT, "default_intensity >= 0");
  RGL_STATUS(rgl_node_raytrace_configure_return_mode(n, RGL_RETURN_UNKNOWN), RGL_INVALID_ARGUMENT,
             "RGL_RETURN_UNKNOWN");
  RGL_STATUS(rgl_node_raytrace_configure_return_mode(n, static_cast<rgl_return_mode_t>(0x7f000004)),
             RGL_INVALID_ARGUMENT, "return_count");
  RGL_STATUS(rgl_node_raytrace_configure_return_mode(n, static_cast<rgl_return_mode_t>(0x01000009)),
             RGL_INVALID_ARGUMENT, "return_type");
  const rgl_node_t rays = make_rays({kIdentity});
  RGL_STATUS(rgl_node_raytrace_configure_distortion(rays, true), RGL_INVALID_API_OBJECT,
             "Object does not exist: RaytraceNode 0x");
  RGL_STATUS(rgl_node_raytrace_configure_id(rays, 3), RGL_INVALID_API_OBJECT, "RaytraceNode");
}

TEST_F(RglRefusals, PointNodes) {
  rgl_node_t n = nullptr;
  const rgl_field_t xyz = RGL_FIELD_XYZ_VEC3_F32, packed = RGL_FIELD_DYNAMIC_FORMAT,
                    none = static_cast<rgl_field_t>(77);
  const float point[3] = {};
  for (auto* make :
       {rgl_node_points_format, rgl_node_points_yield, rgl_node_points_spatial_merge, rgl_node_points_temporal_merge}) {
    RGL_STATUS(make(nullptr, &xyz, 1), RGL_INVALID_ARGUMENT, "node != nullptr");
    RGL_STATUS(make(&n, nullptr, 1), RGL_INVALID_ARGUMENT, "fields != nullptr");
    RGL_STATUS(make(&n, &xyz, 0), RGL_INVALID_ARGUMENT, "field_count > 0");
    RGL_STATUS(make(&n, &packed, 1), RGL_INVALID_ARGUMENT, "cannot format field 'RGL_FIELD_DYNAMIC_FORMAT'");
    RGL_STATUS(make(&n, &none, 1), RGL_INVALID_ARGUMENT, "77");
  }
  RGL_STATUS(rgl_node_points_from_array(&n, nullptr, 1, &xyz, 1), RGL_INVALID_ARGUMENT, "points != nullptr");
  RGL_STATUS(rgl_node_points_from_array(&n, point, 0, &xyz, 1), RGL_INVALID_ARGUMENT, "points_count > 0");
  RGL_STATUS(rgl_node_points_from_array(&n, point, 1, nullptr, 1), RGL_INVALID_ARGUMENT, "fields != nullptr");
  RGL_STATUS(rgl_node_points_from_array(&n, point, 1, &packed, 1), RGL_INVALID_ARGUMENT, "cannot format field");
  RGL_STATUS(rgl_node_points_transform(&n, nullptr), RGL_INVALID_ARGUMENT, "transform != nullptr");
  RGL_STATUS(rgl_node_points_compact_by_field(&n, xyz), RGL_INVALID_ARGUMENT, "RGL_FIELD_IS_HIT_I32");
  const rgl_vec3f up = {{0, 0, 1}};
  RGL_STATUS(rgl_node_points_filter_ground(&n, nullptr, 0.1F), RGL_INVALID_ARGUMENT, "sensor_up_vector != nullptr");
  RGL_STATUS(rgl_node_points_filter_ground(&n, &up, -0.1F), RGL_INVALID_ARGUMENT, "ground_angle_threshold >= 0");
  RGL_STATUS(rgl_node_multi_return_switch(&n, RGL_RETURN_TYPE_UNKNOWN), RGL_INVALID_ARGUMENT, "return_type");
  RGL_STATUS(rgl_node_points_downsample(&n, 0, 1, 1), RGL_INVALID_ARGUMENT, "leaf_size_x > 0");
  EXPECT_EQ(n, nullptr);
  // A node of another type is not changed.
  rgl_node_t yield = make_yield({xyz});
  RGL_STATUS(rgl_node_points_format(&yield, &xyz, 1), RGL_INVALID_API_OBJECT, "Object does not exist");
  RGL_STATUS(rgl_graph_write_pcd_file(yield, ""), RGL_INVALID_ARGUMENT, "file_path");
  RGL_STATUS(rgl_graph_write_pcd_file(yield, nullptr), RGL_INVALID_ARGUMENT, "file_path != nullptr");
}

TEST_F(RglRefusals, Radar) {
  rgl_node_t n = nullptr;
  const rgl_radar_scope_t scope = {0, 10, 1, 1, 1};
  const auto make = [&](rgl_node_t* node, const rgl_radar_scope_t* s, int count, std::array<float, 7> p) {
    return rgl_node_points_radar_postprocess(node, s, count, p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
  };
  const std::array<float, 7> good = {0.01F, 0.01F, 79e9F, 31, 27, 60, 1};
  RGL_STATUS(make(nullptr, &scope, 1, good), RGL_INVALID_ARGUMENT, "node != nullptr");
  RGL_STATUS(make(&n, nullptr, 1, good), RGL_INVALID_ARGUMENT, "radar_scopes != nullptr");
  RGL_STATUS(make(&n, &scope, 0, good), RGL_INVALID_ARGUMENT, "radar_scopes_count > 0");
  for (const std::size_t i : {0, 1, 2, 3, 4, 6}) {
    std::array<float, 7> bad = good;
    bad[i] = 0;
    RGL_STATUS(make(&n, &scope, 1, bad), RGL_INVALID_ARGUMENT, "> 0.0F");
  }
  const rgl_radar_scope_t turned_round = {10, 5, 1, 1, 1}, negative = {0, 10, -1, 1, 1};
  RGL_STATUS(make(&n, &turned_round, 1, good), RGL_INVALID_ARGUMENT, "end_distance >= scope.begin_distance");
  RGL_STATUS(make(&n, &negative, 1, good), RGL_INVALID_ARGUMENT, "distance_separation_threshold >= 0");
  for (int i = 0; i < 7; ++i) {
    float p[7] = {1, 1, 1, 1, 1, 1, 0};
    p[i] = i == 6 ? -1.0F : 0.0F;
    RGL_STATUS(rgl_node_points_radar_track_objects(&n, p[0], p[1], p[2], p[3], p[4], p[5], p[6]), RGL_INVALID_ARGUMENT,
               "0.0F");
  }
  RGL_OK(rgl_node_points_radar_track_objects(&n, 1, 1, 1, 1, 1, 1, 0));
  const int32_t id = 1;
  const rgl_radar_object_class_t car = RGL_RADAR_CLASS_CAR, none = RGL_RADAR_CLASS_COUNT;
  RGL_OK(rgl_node_points_radar_set_classes(n, &id, &car, 1));
  RGL_STATUS(rgl_node_points_radar_set_classes(n, nullptr, &car, 1), RGL_INVALID_ARGUMENT, "entity_ids != nullptr");
  RGL_STATUS(rgl_node_points_radar_set_classes(n, &id, nullptr, 1), RGL_INVALID_ARGUMENT, "object_classes != nullptr");
  RGL_STATUS(rgl_node_points_radar_set_classes(n, &id, &car, -1), RGL_INVALID_ARGUMENT, "count >= 0");
  RGL_STATUS(rgl_node_points_radar_set_classes(n, &id, &none, 1), RGL_INVALID_ARGUMENT, "object_classes");
  RGL_STATUS(rgl_node_points_radar_set_classes(make_yield({RGL_FIELD_XYZ_VEC3_F32}), &id, &car, 1),
             RGL_INVALID_API_OBJECT, "Radar");
}

TEST_F(RglRefusals, Graphs) {
  const rgl_node_t rays = make_rays({kIdentity}), trace = make_raytrace();
  int32_t number = 0;
  float room[8];
  RGL_STATUS(rgl_graph_run(nullptr), RGL_INVALID_ARGUMENT, "node != nullptr");
  RGL_STATUS(rgl_graph_run(reinterpret_cast<rgl_node_t>(0x8)), RGL_INVALID_API_OBJECT,
             "Object does not exist: Node 0x8");
  RGL_STATUS(rgl_graph_destroy(nullptr), RGL_INVALID_ARGUMENT, "node != nullptr");
  RGL_STATUS(rgl_graph_node_add_child(rays, nullptr), RGL_INVALID_ARGUMENT, "child != nullptr");
  RGL_STATUS(rgl_graph_node_add_child(nullptr, rays), RGL_INVALID_ARGUMENT, "parent != nullptr");
  RGL_STATUS(rgl_graph_node_add_child(rays, rays), RGL_INVALID_ARGUMENT, "parent != child");
  RGL_STATUS(rgl_graph_node_remove_child(rays, trace), RGL_INVALID_PIPELINE, "not a child");
  chain({rays, trace});
  RGL_STATUS(rgl_graph_node_add_child(rays, trace), RGL_INVALID_PIPELINE, "already a child");
  RGL_STATUS(rgl_graph_get_result_size(rays, RGL_FIELD_XYZ_VEC3_F32, &number, &number), RGL_INVALID_API_OBJECT,
             "IPointsNode");
  RGL_STATUS(rgl_graph_get_result_data(trace, RGL_FIELD_XYZ_VEC3_F32, nullptr), RGL_INVALID_ARGUMENT, "dst != nullptr");
  RGL_STATUS(rgl_graph_get_result_data(trace, RGL_FIELD_XYZ_VEC3_F32, room), RGL_INVALID_PIPELINE,
             "it hasn't been run yet");
  RGL_OK(rgl_graph_run(rays));
  RGL_OK(rgl_graph_get_result_size(trace, RGL_FIELD_XYZ_VEC3_F32, nullptr, nullptr));
  RGL_STATUS(rgl_graph_get_result_size(trace, RGL_FIELD_DYNAMIC_FORMAT, &number, nullptr), RGL_INVALID_ARGUMENT,
             "DYNAMIC_FORMAT");
  RGL_STATUS(rgl_graph_get_result_size(trace, static_cast<rgl_field_t>(99), &number, nullptr), RGL_INVALID_ARGUMENT,
             "99");
  RGL_STATUS(rgl_graph_get_result_data(trace, RGL_FIELD_DISTANCE_F32, room), RGL_INVALID_PIPELINE, "DISTANCE_F32");
  RGL_STATUS(rgl_graph_node_get_priority(trace, nullptr), RGL_INVALID_ARGUMENT, "out_priority != nullptr");
  RGL_STATUS(rgl_node_is_alive(trace, nullptr), RGL_INVALID_ARGUMENT, "out_alive != nullptr");
  RGL_OK(rgl_graph_node_set_priority(trace, 5));
  RGL_STATUS(rgl_graph_node_set_priority(rays, 4), RGL_INVALID_PIPELINE, "cannot set priority");
  RGL_OK(rgl_graph_node_get_priority(rays, &number));
  EXPECT_EQ(number, 5);
  RGL_OK(rgl_graph_destroy(rays));
  RGL_STATUS(rgl_graph_run(trace), RGL_INVALID_API_OBJECT, "Object does not exist");
}

TEST_F(RglRefusals, Tape) {
  bool active = true;
  RGL_OK(rgl_tape_record_is_active(&active));
  EXPECT_FALSE(active);
  RGL_STATUS(rgl_tape_record_is_active(nullptr), RGL_INVALID_ARGUMENT, "is_active != nullptr");
  RGL_STATUS(rgl_tape_record_begin(nullptr), RGL_INVALID_ARGUMENT, "path != nullptr");
  RGL_STATUS(rgl_tape_record_begin(""), RGL_INVALID_ARGUMENT, "path[0]");
  RGL_STATUS(rgl_tape_record_begin("/nowhere/at/all"), RGL_INVALID_FILE_PATH, "/nowhere/at/all");
  RGL_STATUS(rgl_tape_record_end(), RGL_TAPE_ERROR, "no recording");
  RGL_STATUS(rgl_tape_play(nullptr), RGL_INVALID_ARGUMENT, "path != nullptr");
  RGL_STATUS(rgl_tape_play("/nowhere/at/all"), RGL_INVALID_FILE_PATH, ".bin");
}

}  // namespace
}  // namespace fathom::test
