// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <iterator>

#include <rgl/api/old.h>

#include "library.hpp"

using namespace rgl;

namespace {

std::vector<std::array<std::uint32_t, 3>> to_triangles(const rgl_vec3i* indices, std::int32_t count) {
  std::vector<std::array<std::uint32_t, 3>> triangles(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    std::transform(indices[i].value, indices[i].value + 3, triangles[i].begin(),
                   [](std::int32_t index) { return static_cast<std::uint32_t>(index); });
  }
  return triangles;
}

std::int32_t vertices_of(const MeshObject& mesh) {
  return static_cast<std::int32_t>(mesh.shared->mesh.vertices_m.size());
}

/// rgl_mesh_update_vertices, and rgl_mesh_set_vertices, its older name. `function`: the called one.
void update_vertices(Library& lib, const char* function, rgl_mesh_t mesh, const rgl_vec3f* vertices,
                     std::int32_t vertex_count) {
  RGL_CHECK(mesh != nullptr);
  RGL_CHECK(vertices != nullptr);
  RGL_CHECK(vertex_count > 0);
  const auto object = lib.meshes.get(mesh);
  if (vertex_count != vertices_of(*object)) {
    fail(RGL_INVALID_ARGUMENT, "Invalid argument: vertex counts do not match");
  }
  lib.changed_scene();
  fathom::CastMesh changed = *object->shared;
  changed.mesh.vertices_m = to_vertices(vertices, vertex_count);
  fathom::validate(changed);
  ++changed.version;
  *object->shared = std::move(changed);
  lib.tape.record(function, mesh, tape_array(vertices, vertex_count), vertex_count);
}

}  // namespace

rgl_status_t rgl_mesh_create(rgl_mesh_t* out_mesh, const rgl_vec3f* vertices, int32_t vertex_count,
                             const rgl_vec3i* indices, int32_t index_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_mesh != nullptr);
    RGL_CHECK(vertices != nullptr);
    RGL_CHECK(vertex_count > 0);
    RGL_CHECK(indices != nullptr);
    RGL_CHECK(index_count > 0);
    lib.settled_scene();
    auto mesh = std::make_shared<MeshObject>();
    mesh->shared->mesh = {to_vertices(vertices, vertex_count), to_triangles(indices, index_count)};
    fathom::validate(*mesh->shared);
    *out_mesh = lib.meshes.add(std::move(mesh));
    lib.tape.record("rgl_mesh_create", *out_mesh, tape_array(vertices, vertex_count), vertex_count,
                    tape_array(indices, index_count), index_count);
  });
}

rgl_status_t rgl_mesh_set_texture_coords(rgl_mesh_t mesh, const rgl_vec2f* uvs, int32_t uv_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(mesh != nullptr);
    RGL_CHECK(uvs != nullptr);
    RGL_CHECK(uv_count > 0);
    const auto object = lib.meshes.get(mesh);
    RGL_CHECK(uv_count == vertices_of(*object));
    lib.changed_scene();
    auto& uv = object->shared->uv;
    uv.resize(static_cast<std::size_t>(uv_count));
    for (std::size_t i = 0; i < uv.size(); ++i) std::copy_n(uvs[i].value, 2, uv[i].begin());
    lib.tape.record("rgl_mesh_set_texture_coords", mesh, tape_array(uvs, uv_count), uv_count);
  });
}

rgl_status_t rgl_mesh_set_bone_weights(rgl_mesh_t mesh, const rgl_bone_weights_t* bone_weights,
                                       int32_t bone_weights_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(mesh != nullptr);
    RGL_CHECK(bone_weights != nullptr);
    RGL_CHECK(bone_weights_count > 0);
    const auto object = lib.meshes.get(mesh);
    RGL_CHECK(bone_weights_count == vertices_of(*object));
    for (std::int32_t i = 0; i < bone_weights_count; ++i) {
      for (const float weight : bone_weights[i].weights) RGL_CHECK(std::isfinite(weight));
    }
    lib.settled_scene();
    object->weights.resize(static_cast<std::size_t>(bone_weights_count));
    for (std::size_t i = 0; i < object->weights.size(); ++i) {
      std::copy_n(bone_weights[i].weights, 4, object->weights[i].weight.begin());
      std::copy_n(bone_weights[i].bone_indexes, 4, object->weights[i].bone.begin());
    }
    lib.tape.record("rgl_mesh_set_bone_weights", mesh, tape_array(bone_weights, bone_weights_count),
                    bone_weights_count);
  });
}

rgl_status_t rgl_mesh_set_restposes(rgl_mesh_t mesh, const rgl_mat3x4f* restposes, int32_t bones_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(mesh != nullptr);
    RGL_CHECK(restposes != nullptr);
    RGL_CHECK(bones_count > 0);
    const auto object = lib.meshes.get(mesh);
    std::for_each(restposes, restposes + bones_count, check_finite);
    lib.settled_scene();
    std::vector<fathom::Affine> list;
    std::transform(restposes, restposes + bones_count, std::back_inserter(list), to_affine);
    object->restposes = std::move(list);
    lib.tape.record("rgl_mesh_set_restposes", mesh, tape_array(restposes, bones_count), bones_count);
  });
}

rgl_status_t rgl_mesh_destroy(rgl_mesh_t mesh) {
  return guarded([&](Library& lib) {
    RGL_CHECK(mesh != nullptr);
    static_cast<void>(lib.meshes.get(mesh));
    lib.settled_scene();
    lib.meshes.remove(mesh);
    lib.tape.record("rgl_mesh_destroy", mesh);
  });
}

rgl_status_t rgl_mesh_is_alive(rgl_mesh_t mesh, bool* out_alive) {
  return ask_alive(&Library::meshes, "rgl_mesh_is_alive", mesh, out_alive);
}

rgl_status_t rgl_mesh_update_vertices(rgl_mesh_t mesh, const rgl_vec3f* vertices, int32_t vertex_count) {
  return guarded([&](Library& lib) { update_vertices(lib, "rgl_mesh_update_vertices", mesh, vertices, vertex_count); });
}

rgl_status_t rgl_mesh_set_vertices(rgl_mesh_t mesh, const rgl_vec3f* vertices, int32_t vertex_count) {
  return guarded([&](Library& lib) { update_vertices(lib, "rgl_mesh_set_vertices", mesh, vertices, vertex_count); });
}

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
    lib.entities.get(entity)->laser_retro = retro;  // current runs have a copy
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
  return ask_alive(&Library::entities, "rgl_entity_is_alive", entity, out_alive);
}

rgl_status_t rgl_texture_create(rgl_texture_t* out_texture, const void* texels, int32_t width, int32_t height) {
  return guarded([&](Library& lib) {
    RGL_CHECK(out_texture != nullptr);
    RGL_CHECK(texels != nullptr);
    RGL_CHECK(width > 0);
    RGL_CHECK(height > 0);
    lib.settled_scene();
    const auto* bytes = static_cast<const std::uint8_t*>(texels);
    const std::size_t size = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    auto object = std::make_shared<TextureObject>();
    object->texture = std::make_shared<const fathom::Texture>(
        fathom::Texture{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {bytes, bytes + size}});
    *out_texture = lib.textures.add(std::move(object));
    lib.tape.record("rgl_texture_create", *out_texture, TapeArray{texels, size}, width, height);
  });
}

rgl_status_t rgl_texture_destroy(rgl_texture_t texture) {
  return guarded([&](Library& lib) {
    RGL_CHECK(texture != nullptr);
    static_cast<void>(lib.textures.get(texture));
    lib.settled_scene();
    lib.textures.remove(texture);
    lib.tape.record("rgl_texture_destroy", texture);
  });
}

rgl_status_t rgl_texture_is_alive(rgl_texture_t texture, bool* out_alive) {
  return ask_alive(&Library::textures, "rgl_texture_is_alive", texture, out_alive);
}

rgl_status_t rgl_scene_set_time(rgl_scene_t scene, uint64_t nanoseconds) {
  return guarded([&](Library& lib) {
    RGL_CHECK(scene == nullptr);
    lib.settled_scene().set_time(nanoseconds);
    lib.tape.record("rgl_scene_set_time", scene, nanoseconds);
  });
}
