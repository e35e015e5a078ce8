// SPDX-License-Identifier: MIT
// Any sequence of calls ends in status codes, never in a crash or a fatal state.

#include "rgl/tests/scene.hpp"

namespace fathom::test {
namespace {

/// The handles that a sequence has come by, alive or not, and some that never were.
struct Handles {
  std::vector<rgl_node_t> nodes = {nullptr, reinterpret_cast<rgl_node_t>(0x10)};
  std::vector<rgl_mesh_t> meshes = {nullptr};
  std::vector<rgl_entity_t> entities = {nullptr, reinterpret_cast<rgl_entity_t>(0x7)};
  std::vector<rgl_texture_t> textures = {nullptr};
};

template <class T>
T any_of(const std::vector<T>& list) {
  return list[*rc::gen::inRange<std::size_t>(0, list.size())];
}

float any_float() {
  const float odd[] = {
      0, 1, -1, 0.01F, 100, 1e30F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
  return odd[*rc::gen::inRange(0, 8)];
}

rgl_mat3x4f any_matrix() {
  rgl_mat3x4f m = kIdentity;
  if (*rc::gen::inRange(0, 3) == 0) m.value[*rc::gen::inRange(0, 3)][*rc::gen::inRange(0, 4)] = any_float();
  m.value[2][3] += float(*rc::gen::inRange(-3, 4));
  return m;
}

rgl_field_t any_field() {
  const int last = *rc::gen::inRange(0, 10);
  if (last == 0) return RGL_FIELD_DYNAMIC_FORMAT;
  if (last == 1) return RGL_FIELD_PADDING_32;
  return static_cast<rgl_field_t>(*rc::gen::inRange(1, 28));
}

rgl_status_t make_node(rgl_node_t* node) {
  const rgl_mat3x4f m = any_matrix();
  std::vector<rgl_field_t> fields;
  for (int i = *rc::gen::inRange(1, 4); i > 0; --i) fields.push_back(any_field());
  const std::vector<rgl_mat3x4f> rays(std::size_t(*rc::gen::inRange(1, 300)), m);
  const float points[64] = {};
  const int32_t rings[2] = {1, 2};
  const rgl_vec2f range = {{0, any_float()}};
  const float offsets[3] = {1, 2, 3};
  const rgl_vec3f up = {{0, any_float(), 0}};
  const rgl_radar_scope_t scope = {0, 1000, 1, 1, 1};
  const int n = int(fields.size());
  switch (*rc::gen::inRange(0, 21)) {
    case 0:
      return rgl_node_rays_from_mat3x4f(node, rays.data(), int32_t(rays.size()));
    case 1:
      return rgl_node_rays_set_ring_ids(node, rings, *rc::gen::inRange(0, 3));
    case 2:
      return rgl_node_rays_set_range(node, &range, 1);
    case 3:
      return rgl_node_rays_set_time_offsets(node, offsets, *rc::gen::inRange(0, 4));
    case 4:
      return rgl_node_rays_transform(node, &m);
    case 5:
      return rgl_node_gaussian_noise_angular_ray(node, any_float(), any_float(), RGL_AXIS_Y);
    case 6:
      return rgl_node_raytrace(node, nullptr);
    case 7:
      return rgl_node_points_transform(node, &m);
    case 8:
      return rgl_node_points_format(node, fields.data(), n);
    case 9:
      return rgl_node_points_yield(node, fields.data(), n);
    case 10:
      return rgl_node_points_compact_by_field(node, any_field());
    case 11:
      return rgl_node_points_spatial_merge(node, fields.data(), n);
    case 12:
      return rgl_node_points_temporal_merge(node, fields.data(), n);
    case 13:
      return rgl_node_points_from_array(node, points, 1, fields.data(), n);
    case 14:
      return rgl_node_points_filter_ground(node, &up, any_float());
    case 15:
      return rgl_node_gaussian_noise_angular_hitpoint(node, any_float(), any_float(), RGL_AXIS_X);
    case 16:
      return rgl_node_gaussian_noise_distance(node, any_float(), any_float(), any_float());
    case 17:
      return rgl_node_points_radar_postprocess(node, &scope, 1, 0.01F, 0.01F, 79e9F, 31, 27, 60, 1);
    case 18:
      return rgl_node_points_radar_track_objects(node, 1, 1, 1, 1, any_float(), 1, 0);
    case 19:
      return rgl_node_points_simulate_snow(node, any_float(), any_float(), any_float(), 1, 1, 1, 1, any_float(), true,
                                           0);
    default:
      return rgl_node_points_downsample(node, any_float(), 1, 1);
  }
}

rgl_status_t configure(rgl_node_t node) {
  const int8_t mask[3] = {0, 1, 1};
  const rgl_vec3f v = {{any_float(), 0, 1}};
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      return rgl_node_raytrace_configure_velocity(node, &v, &v);
    case 1:
      return rgl_node_raytrace_configure_distortion(node, *rc::gen::arbitrary<bool>());
    case 2:
      return rgl_node_raytrace_configure_non_hits(node, any_float(), any_float());
    case 3:
      return rgl_node_raytrace_configure_mask(node, mask, *rc::gen::inRange(0, 4));
    case 4:
      return rgl_node_raytrace_configure_beam_divergence(node, any_float(), any_float());
    case 5:
      return rgl_node_raytrace_configure_default_intensity(node, any_float());
    case 6:
      return rgl_node_raytrace_configure_return_mode(node, RGL_RETURN_FIRST_LAST);
    default:
      return rgl_node_raytrace_configure_id(node, *rc::gen::inRange(-2, 3));
  }
}

rgl_status_t read(rgl_node_t node) {
  int32_t count = 0, size = 0;
  const rgl_field_t field = any_field();
  const rgl_status_t status = rgl_graph_get_result_size(node, field, &count, &size);
  if (status != RGL_SUCCESS) return status;
  std::vector<char> room(std::size_t(count) * std::size_t(size) + 1);
  return rgl_graph_get_result_data(node, field, room.data());
}

rgl_status_t touch_scene(Handles& h) {
  const rgl_mat3x4f m = any_matrix();
  rgl_vec3f vertices[8] = {};
  vertices[3].value[1] = any_float();
  switch (*rc::gen::inRange(0, 9)) {
    case 0:
      h.meshes.push_back(make_cube());
      return RGL_SUCCESS;
    case 1: {
      rgl_entity_t entity = nullptr;
      const rgl_status_t status = rgl_entity_create(&entity, nullptr, any_of(h.meshes));
      h.entities.push_back(entity);
      return status;
    }
    case 2:
      return rgl_entity_set_transform(any_of(h.entities), &m);
    case 3:
      return rgl_entity_destroy(any_of(h.entities));
    case 4:
      return rgl_mesh_destroy(any_of(h.meshes));
    case 5:
      return rgl_entity_apply_external_animation(any_of(h.entities), vertices, 8);
    case 6:
      return rgl_scene_set_time(nullptr, *rc::gen::inRange<std::uint64_t>(0, 1000));
    case 7:
      return rgl_entity_set_id(any_of(h.entities), *rc::gen::inRange(-1, 3));
    default:
      return rgl_entity_set_ignored_by_sensor(any_of(h.entities), *rc::gen::inRange(-1, 2));
  }
}

rgl_status_t call_extension(rgl_node_t node) {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return rgl_node_points_ros2_publish(&node, nullptr, "frame");
    case 1:
      return rgl_node_points_udp_publish(&node, RGL_VELODYNE_VLP16, RGL_UDP_NO_ADDITIONAL_OPTIONS, nullptr, "", -1);
    case 2:
      return rgl_node_points_simulate_rain(nullptr, 0, any_float(), 0, -1, any_float(), true, 0);
    default:
      return rgl_node_points_remove_ground(&node, RGL_AXIS_Z, any_float(), 0, 0);
  }
}

rgl_status_t any_call(Handles& h) {
  const int kind = *rc::gen::inRange(0, 25);
  if (kind < 6) {
    rgl_node_t node = *rc::gen::inRange(0, 4) == 0 ? any_of(h.nodes) : nullptr;
    const rgl_status_t status = make_node(&node);
    h.nodes.push_back(node);
    return status;
  }
  if (kind < 12) return rgl_graph_node_add_child(any_of(h.nodes), any_of(h.nodes));
  if (kind < 13) return rgl_graph_node_remove_child(any_of(h.nodes), any_of(h.nodes));
  if (kind < 16) return rgl_graph_run(any_of(h.nodes));
  if (kind < 18) return read(any_of(h.nodes));
  if (kind < 19) return configure(any_of(h.nodes));
  if (kind < 20) return rgl_graph_node_set_priority(any_of(h.nodes), *rc::gen::inRange(-3, 4));
  if (kind == 24) {
    const rgl_status_t status = call_extension(any_of(h.nodes));
    return status == RGL_NOT_IMPLEMENTED ? RGL_SUCCESS : RGL_INTERNAL_EXCEPTION;
  }
  if (kind < 21 && *rc::gen::inRange(0, 4) == 0) return rgl_graph_destroy(any_of(h.nodes));
  return touch_scene(h);
}

RC_GTEST_PROP(RglRandomCalls, EndInRecoverableStatuses, ()) {
  RC_ASSERT(rgl_cleanup() == RGL_SUCCESS);
  Handles handles;
  const int calls = *rc::gen::inRange(1, 120);
  for (int i = 0; i < calls; ++i) {
    const rgl_status_t status = any_call(handles);
    const bool recoverable = status == RGL_SUCCESS || status == RGL_INVALID_ARGUMENT ||
                             status == RGL_INVALID_API_OBJECT || status == RGL_INVALID_PIPELINE;
    if (!recoverable) RC_FAIL(last_error());
  }
  RC_ASSERT(rgl_cleanup() == RGL_SUCCESS);
}

/// Chains that do run: rays, any ray nodes, raytrace, any points nodes that need only XYZ, packed at the end.
RC_GTEST_PROP(RglRandomCalls, ValidChainsRunAndAgreeOnTheirSize, ()) {
  RC_ASSERT(rgl_cleanup() == RGL_SUCCESS);
  place(make_cube(), translation(0, 0, 5));
  const auto rays = *rc::gen::inRange<std::size_t>(1, 1000);
  rgl_node_t last = make_rays(std::vector<rgl_mat3x4f>(rays, kIdentity));
  const auto append = [&](rgl_node_t node) {
    RC_ASSERT(rgl_graph_node_add_child(last, node) == RGL_SUCCESS);
    last = node;
  };
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    rgl_node_t node = nullptr;
    const rgl_mat3x4f m = turned(0.1, 0.01);
    if (*rc::gen::arbitrary<bool>()) {
      RC_ASSERT(rgl_node_rays_transform(&node, &m) == RGL_SUCCESS);
    } else {
      RC_ASSERT(rgl_node_gaussian_noise_angular_ray(&node, 0, 0.01F, RGL_AXIS_X) == RGL_SUCCESS);
    }
    append(node);
  }
  append(make_raytrace());
  bool compacted = false;
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
    rgl_node_t node = nullptr;
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        RC_ASSERT(rgl_node_points_transform(&node, &kIdentity) == RGL_SUCCESS);
        break;
      case 1:
        RC_ASSERT(rgl_node_gaussian_noise_distance(&node, 0, 0.01F, 0) == RGL_SUCCESS);
        break;
      default:
        RC_ASSERT(rgl_node_points_compact_by_field(&node, RGL_FIELD_IS_HIT_I32) == RGL_SUCCESS);
        compacted = true;
    }
    append(node);
  }
  const rgl_field_t fields[] = {RGL_FIELD_XYZ_VEC3_F32, RGL_FIELD_RAY_IDX_U32};
  rgl_node_t format = nullptr;
  RC_ASSERT(rgl_node_points_format(&format, fields, 2) == RGL_SUCCESS);
  append(format);
  if (rgl_graph_run(format) != RGL_SUCCESS) RC_FAIL(last_error());
  const auto index = result<unsigned>(format, RGL_FIELD_RAY_IDX_U32);
  RC_ASSERT((compacted ? index.size() <= rays : index.size() == rays));
  RC_ASSERT(std::is_sorted(index.begin(), index.end()));
  RC_ASSERT(result<char>(format, RGL_FIELD_DYNAMIC_FORMAT).size() == index.size() * 16);
  RC_ASSERT(rgl_cleanup() == RGL_SUCCESS);
}

}  // namespace
}  // namespace fathom::test
