// SPDX-License-Identifier: MIT
// Meshes, entities, textures, scene: rows of section 6.2 and of 0.21.

#include "rgl/tests/functions.hpp"

namespace fathom::test {
namespace {

constexpr rgl_vec3f kCorners[3] = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}};
constexpr rgl_vec3f kBroken[3] = {{{0, 0, 0}}, {{kNotANumber, 0, 0}}, {{0, 1, 0}}};
constexpr rgl_vec3f kEightPoints[8] = {};
constexpr rgl_vec3f kEightBroken[8] = {{{kInfinite, 0, 0}}};
constexpr rgl_vec3i kFace = {{0, 1, 2}}, kBeyond = {{0, 1, 3}}, kNegative = {{0, 1, -1}};
constexpr rgl_vec2f kUv[8] = {};
constexpr rgl_bone_weights_t kWeights[8] = {};
constexpr rgl_mat3x4f kPoses[2] = {kIdentity, kIdentity};
constexpr unsigned char kTexels[6] = {};
rgl_scene_t mesh_as_scene(Objects& o) { return reinterpret_cast<rgl_scene_t>(o.mesh); }

std::vector<Function> mesh_functions() {
  return {
      Function("rgl_mesh_create",
               [](Objects& o) {
                 const rgl_status_t status = rgl_mesh_create(&o.out_mesh, kCorners, 3, &kFace, 1);
                 EXPECT_NE(o.out_mesh, nullptr);
                 return status;
               })
          .refuses("out_mesh != nullptr", CALL(rgl_mesh_create(nullptr, kCorners, 3, &kFace, 1)))
          .refuses("vertices != nullptr", CALL(rgl_mesh_create(&o.out_mesh, nullptr, 3, &kFace, 1)))
          .refuses("vertex_count > 0", CALL(rgl_mesh_create(&o.out_mesh, kCorners, 0, &kFace, 1)))
          .refuses("vertex_count > 0", CALL(rgl_mesh_create(&o.out_mesh, kCorners, -3, &kFace, 1)))
          .refuses("indices != nullptr", CALL(rgl_mesh_create(&o.out_mesh, kCorners, 3, nullptr, 1)))
          .refuses("index_count > 0", CALL(rgl_mesh_create(&o.out_mesh, kCorners, 3, &kFace, 0)))
          // RGL reads whatever lies there; here it is refused.
          .refuses("index 3", CALL(rgl_mesh_create(&o.out_mesh, kCorners, 3, &kBeyond, 1)))
          .refuses("index", CALL(rgl_mesh_create(&o.out_mesh, kCorners, 3, &kNegative, 1)))
          .refuses("vertex 1", CALL(rgl_mesh_create(&o.out_mesh, kBroken, 3, &kFace, 1))),
      Function("rgl_mesh_set_texture_coords", CALL(rgl_mesh_set_texture_coords(o.mesh, kUv, 8)))
          .mesh(TAKING(rgl_mesh_t h, rgl_mesh_set_texture_coords(h, kUv, 8)))
          .refuses("uvs != nullptr", CALL(rgl_mesh_set_texture_coords(o.mesh, nullptr, 8)))
          .refuses("uv_count > 0", CALL(rgl_mesh_set_texture_coords(o.mesh, kUv, 0)))
          .refuses("uv_count ==", CALL(rgl_mesh_set_texture_coords(o.mesh, kUv, 7))),
      Function("rgl_mesh_set_bone_weights", CALL(rgl_mesh_set_bone_weights(o.mesh, kWeights, 8)))
          .mesh(TAKING(rgl_mesh_t h, rgl_mesh_set_bone_weights(h, kWeights, 8)))
          .refuses("bone_weights != nullptr", CALL(rgl_mesh_set_bone_weights(o.mesh, nullptr, 8)))
          .refuses("bone_weights_count > 0", CALL(rgl_mesh_set_bone_weights(o.mesh, kWeights, -1)))
          .refuses("bone_weights_count ==", CALL(rgl_mesh_set_bone_weights(o.mesh, kWeights, 7)))
          .refuses("weight",
                   [](Objects& o) {
                     rgl_bone_weights_t weights[8] = {};
                     weights[7].weights[3] = kNotANumber;
                     return rgl_mesh_set_bone_weights(o.mesh, weights, 8);
                   }),
      Function("rgl_mesh_set_restposes", CALL(rgl_mesh_set_restposes(o.mesh, kPoses, 2)))
          .mesh(TAKING(rgl_mesh_t h, rgl_mesh_set_restposes(h, kPoses, 2)))
          .refuses("restposes != nullptr", CALL(rgl_mesh_set_restposes(o.mesh, nullptr, 2)))
          .refuses("bones_count > 0", CALL(rgl_mesh_set_restposes(o.mesh, kPoses, 0)))
          .refuses("max", CALL(rgl_mesh_set_restposes(o.mesh, &kTorn, 1))),
      Function("rgl_mesh_destroy", CALL(rgl_mesh_destroy(o.mesh))).mesh(TAKING(rgl_mesh_t h, rgl_mesh_destroy(h))),
      Function("rgl_mesh_is_alive", says_what_lives(rgl_mesh_is_alive, &Objects::mesh, &Objects::dead_mesh))
          .refuses("out_alive != nullptr", CALL(rgl_mesh_is_alive(o.mesh, nullptr)))
          .refuses("out_alive != nullptr", CALL(rgl_mesh_is_alive(nullptr, nullptr))),
  };
}

std::vector<Function> entity_functions() {
  return {
      Function("rgl_entity_create",
               [](Objects& o) {
                 const rgl_status_t status = rgl_entity_create(&o.out_entity, nullptr, o.mesh);
                 EXPECT_NE(o.out_entity, nullptr);
                 return status;
               })
          .mesh(TAKING(rgl_mesh_t h, rgl_entity_create(&o.out_entity, nullptr, h)))
          .refuses("out_entity != nullptr", CALL(rgl_entity_create(nullptr, nullptr, o.mesh)))
          .refuses("scene == nullptr", CALL(rgl_entity_create(&o.out_entity, mesh_as_scene(o), o.mesh))),
      Function("rgl_entity_destroy", CALL(rgl_entity_destroy(o.entity)))
          .entity(TAKING(rgl_entity_t h, rgl_entity_destroy(h))),
      Function("rgl_entity_set_transform", CALL(rgl_entity_set_transform(o.entity, &kIdentity)))
          .entity(TAKING(rgl_entity_t h, rgl_entity_set_transform(h, &kIdentity)))
          .refuses("transform != nullptr", CALL(rgl_entity_set_transform(o.entity, nullptr)))
          .refuses("max", CALL(rgl_entity_set_transform(o.entity, &kTorn))),
      Function("rgl_entity_set_pose_world", CALL(rgl_entity_set_pose_world(o.skinned, kPoses, 1)))
          .entity(TAKING(rgl_entity_t h, rgl_entity_set_pose_world(h, kPoses, 1)))
          .refuses("pose != nullptr", CALL(rgl_entity_set_pose_world(o.skinned, nullptr, 1)))
          .refuses("bones_count > 0", CALL(rgl_entity_set_pose_world(o.skinned, kPoses, 0)))
          .refuses("bones_count ==", CALL(rgl_entity_set_pose_world(o.skinned, kPoses, 2)))
          .refuses("max", CALL(rgl_entity_set_pose_world(o.skinned, &kTorn, 1)))
          .refuses("weights", CALL(rgl_entity_set_pose_world(o.entity, kPoses, 1)))
          .refuses("restposes",
                   [](Objects& o) {
                     EXPECT_EQ(rgl_mesh_set_bone_weights(o.mesh, kWeights, 8), RGL_SUCCESS);
                     return rgl_entity_set_pose_world(o.entity, kPoses, 1);
                   })
          .refuses("bone 5",
                   [](Objects& o) {
                     rgl_bone_weights_t weights[8] = {};
                     weights[3] = {{1, 0, 0, 0}, {5, 0, 0, 0}};
                     EXPECT_EQ(rgl_mesh_set_bone_weights(o.mesh, weights, 8), RGL_SUCCESS);
                     EXPECT_EQ(rgl_mesh_set_restposes(o.mesh, kPoses, 1), RGL_SUCCESS);
                     return rgl_entity_set_pose_world(o.entity, kPoses, 1);
                   }),
      Function("rgl_entity_set_id",
               [](Objects& o) {
                 EXPECT_EQ(rgl_entity_set_id(o.entity, RGL_DEFAULT_ENTITY_ID), RGL_SUCCESS);
                 return rgl_entity_set_id(o.entity, -5);  // negative ones were never caught
               })
          .entity(TAKING(rgl_entity_t h, rgl_entity_set_id(h, 3)))
          .refuses("id != RGL_ENTITY_INVALID_ID", CALL(rgl_entity_set_id(o.entity, 0)))
          .refuses("id <= RGL_DEFAULT_ENTITY_ID", CALL(rgl_entity_set_id(o.entity, 1 << 28))),
      Function("rgl_entity_set_intensity_texture", CALL(rgl_entity_set_intensity_texture(o.entity, o.texture)))
          .entity(TAKING(rgl_entity_t h, rgl_entity_set_intensity_texture(h, o.texture)))
          .handle<rgl_texture_t>("texture", "Texture", &Objects::dead_texture,
                                 TAKING(rgl_texture_t h, rgl_entity_set_intensity_texture(o.entity, h))),
      Function("rgl_entity_set_laser_retro",
               [](Objects& o) {
                 for (const float any : {-1.0F, kNotANumber, kInfinite})
                   EXPECT_EQ(rgl_entity_set_laser_retro(o.entity, any), RGL_SUCCESS);
                 return rgl_entity_set_laser_retro(o.entity, 1);
               })
          .entity(TAKING(rgl_entity_t h, rgl_entity_set_laser_retro(h, 1))),
      Function("rgl_entity_set_ignored_by_sensor", CALL(rgl_entity_set_ignored_by_sensor(o.entity, 5)))
          .entity(TAKING(rgl_entity_t h, rgl_entity_set_ignored_by_sensor(h, 5))),
      Function("rgl_entity_apply_external_animation",
               CALL(rgl_entity_apply_external_animation(o.entity, kEightPoints, 8)))
          .entity(TAKING(rgl_entity_t h, rgl_entity_apply_external_animation(h, kEightPoints, 8)))
          .refuses("vertices != nullptr", CALL(rgl_entity_apply_external_animation(o.entity, nullptr, 8)))
          .refuses("vertex_count > 0", CALL(rgl_entity_apply_external_animation(o.entity, kEightPoints, 0)))
          .refuses("vertex counts do not match", CALL(rgl_entity_apply_external_animation(o.entity, kEightPoints, 7)))
          .refuses("vertex 0", CALL(rgl_entity_apply_external_animation(o.entity, kEightBroken, 8))),
      Function("rgl_entity_is_alive", says_what_lives(rgl_entity_is_alive, &Objects::entity, &Objects::dead_entity))
          .refuses("out_alive != nullptr", CALL(rgl_entity_is_alive(o.entity, nullptr))),
  };
}

std::vector<Function> texture_functions() {
  return {
      Function("rgl_texture_create",
               [](Objects& o) {
                 const rgl_status_t status = rgl_texture_create(&o.out_texture, kTexels, 3, 2);
                 EXPECT_NE(o.out_texture, nullptr);
                 return status;
               })
          .refuses("out_texture != nullptr", CALL(rgl_texture_create(nullptr, kTexels, 3, 2)))
          .refuses("texels != nullptr", CALL(rgl_texture_create(&o.out_texture, nullptr, 3, 2)))
          .refuses("width > 0", CALL(rgl_texture_create(&o.out_texture, kTexels, 0, 2)))
          .refuses("width > 0", CALL(rgl_texture_create(&o.out_texture, kTexels, -3, -2)))
          .refuses("height > 0", CALL(rgl_texture_create(&o.out_texture, kTexels, 3, 0))),
      Function("rgl_texture_destroy", CALL(rgl_texture_destroy(o.texture)))
          .handle<rgl_texture_t>("texture", "Texture", &Objects::dead_texture,
                                 TAKING(rgl_texture_t h, rgl_texture_destroy(h))),
      Function("rgl_texture_is_alive", says_what_lives(rgl_texture_is_alive, &Objects::texture, &Objects::dead_texture))
          .refuses("out_alive != nullptr", CALL(rgl_texture_is_alive(o.texture, nullptr))),
      Function("rgl_scene_set_time", CALL(rgl_scene_set_time(nullptr, ~std::uint64_t{0})))
          .refuses("scene == nullptr", CALL(rgl_scene_set_time(mesh_as_scene(o), 5))),
  };
}

}  // namespace

std::vector<Function> scene_functions() { return joined({mesh_functions, entity_functions, texture_functions}); }

}  // namespace fathom::test
