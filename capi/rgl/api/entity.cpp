// SPDX-License-Identifier: MIT
#include <algorithm>
#include <iterator>

#include <rgl/api/old.h>

#include "library.hpp"

using namespace rgl;

namespace {

void set_transform(Library& lib, rgl_entity_t entity, const rgl_mat3x4f* transform) {
  RGL_CHECK(entity != nullptr);
  RGL_CHECK(transform != nullptr);
  const auto object = lib.entities.get(entity);
  check_finite(*transform);
  object->set_transform(to_affine(*transform), lib.changed_scene().now());
}

}  // namespace

rgl_status_t rgl_entity_create(rgl_entity_t* out_entity, rgl_scene_t scene, rgl_mesh_t mesh) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_entity != nullptr);
    RGL_CHECK(mesh != nullptr);
    RGL_CHECK(scene == nullptr);
    const auto entity = std::make_shared<EntityObject>(lib.meshes.get(mesh));
    lib.changed_scene().add(entity);
    try {
      *out_entity = lib.entities.add(entity);
    } catch (...) {
      lib.scene().remove(entity.get());
      throw;
    }
    lib.tape.record("rgl_entity_create", *out_entity, scene, mesh);
  });
}

rgl_status_t rgl_entity_destroy(rgl_entity_t entity) {
  return guarded([&](Library& lib) {
    RGL_CHECK(entity != nullptr);
    const auto object = lib.entities.get(entity);
    lib.changed_scene().remove(object.get());
    lib.entities.remove(object.get());
    lib.tape.record("rgl_entity_destroy", entity);
  });
}

rgl_status_t rgl_entity_set_transform(rgl_entity_t entity, const rgl_mat3x4f* transform) {
  return guarded([&](Library& lib) {
    set_transform(lib, entity, transform);
    lib.tape.record("rgl_entity_set_transform", entity, tape_array(transform));
  });
}

rgl_status_t rgl_entity_set_pose(rgl_entity_t entity, const rgl_mat3x4f* pose) {
  return guarded([&](Library& lib) {
    set_transform(lib, entity, pose);
    lib.tape.record("rgl_entity_set_pose", entity, tape_array(pose));
  });
}

rgl_status_t rgl_entity_set_pose_world(rgl_entity_t entity, const rgl_mat3x4f* pose, int32_t bones_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(entity != nullptr);
    RGL_CHECK(pose != nullptr);
    RGL_CHECK(bones_count > 0);
    const auto object = lib.entities.get(entity);
    const MeshObject& mesh = object->mesh();
    RGL_CHECK(!mesh.weights.empty());
    RGL_CHECK(!mesh.restposes.empty());
    RGL_CHECK(bones_count == static_cast<std::int32_t>(mesh.restposes.size()));
    std::for_each(pose, pose + bones_count, check_finite);
    std::vector<fathom::Affine> bones;
    std::transform(pose, pose + bones_count, std::back_inserter(bones), to_affine);
    object->pose_bones(bones, lib.changed_scene().now());
    lib.tape.record("rgl_entity_set_pose_world", entity, tape_array(pose, bones_count), bones_count);
  });
}

rgl_status_t rgl_entity_set_id(rgl_entity_t entity, int32_t id) {
  return guarded([&](Library& lib) {
    RGL_CHECK(entity != nullptr);
    RGL_CHECK(id != RGL_ENTITY_INVALID_ID);
    RGL_CHECK(id <= RGL_DEFAULT_ENTITY_ID);
    const auto object = lib.entities.get(entity);
    lib.changed_scene();
    object->id = id;
    lib.tape.record("rgl_entity_set_id", entity, id);
  });
}

rgl_status_t rgl_entity_set_intensity_texture(rgl_entity_t entity, rgl_texture_t texture) {
  return guarded([&](Library& lib) {
    RGL_CHECK(entity != nullptr);
    RGL_CHECK(texture != nullptr);
    const auto object = lib.entities.get(entity);
    const auto image = lib.textures.get(texture);
    lib.changed_scene();
    object->texture = image->texture;
    lib.tape.record("rgl_entity_set_intensity_texture", entity, texture);
  });
}

rgl_status_t rgl_entity_set_laser_retro(rgl_entity_t entity, float retro) {
  return guarded([&](Library& lib) {
    RGL_CHECK(entity != nullptr);
    lib.entities.get(entity)->laser_retro = retro;  // runs in progress have a copy
    lib.scene().touch();
    lib.tape.record("rgl_entity_set_laser_retro", entity, retro);
  });
}

rgl_status_t rgl_entity_apply_external_animation(rgl_entity_t entity, const rgl_vec3f* vertices, int32_t vertex_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(entity != nullptr);
    RGL_CHECK(vertices != nullptr);
    RGL_CHECK(vertex_count > 0);
    const auto object = lib.entities.get(entity);
    if (static_cast<std::size_t>(vertex_count) != object->mesh().shared->mesh.vertices_m.size()) {
      fail(RGL_INVALID_ARGUMENT, "Invalid argument: vertex counts do not match");
    }
    object->animate(to_vertices(vertices, vertex_count), lib.changed_scene().now());
    lib.tape.record("rgl_entity_apply_external_animation", entity, tape_array(vertices, vertex_count), vertex_count);
  });
}

rgl_status_t rgl_entity_set_ignored_by_sensor(rgl_entity_t entity, int32_t sensor_id) {
  return guarded([&](Library& lib) {
    RGL_CHECK(entity != nullptr);
    const auto object = lib.entities.get(entity);
    lib.changed_scene();
    object->ignored_by = sensor_id;
    lib.tape.record("rgl_entity_set_ignored_by_sensor", entity, sensor_id);
  });
}

rgl_status_t rgl_entity_is_alive(rgl_entity_t entity, bool* out_alive) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_alive != nullptr);
    *out_alive = lib.entities.has(entity);
    lib.tape.record("rgl_entity_is_alive", entity, *out_alive);
  });
}
