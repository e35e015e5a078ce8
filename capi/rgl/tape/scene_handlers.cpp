// SPDX-License-Identifier: MIT
#include "tape/handlers.hpp"

namespace rgl {

namespace {

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

}  // namespace

std::span<const TapeEntry> scene_handlers() { return kSceneHandlers; }

}  // namespace rgl
