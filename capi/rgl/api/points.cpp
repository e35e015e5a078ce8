// SPDX-License-Identifier: MIT
#include <rgl/api/old.h>

#include "api/make_node.hpp"
#include "nodes/merge.hpp"
#include "nodes/points.hpp"
#include "nodes/select.hpp"

using namespace rgl;

namespace {

/// The four functions that make a node of a list of fields.
template <class Kind>
void make_of_fields(Library& lib, const char* function, rgl_node_t* node, const rgl_field_t* fields,
                    std::int32_t field_count) {
  RGL_CHECK(node != nullptr);
  RGL_CHECK(fields != nullptr);
  RGL_CHECK(field_count > 0);
  std::vector<rgl_field_t> list = read_fields(fields, field_count);
  make_or_change<Kind>(lib, node, Dirties::kGraph, [&](Kind& made) { made.set(std::move(list)); });
  lib.tape.record(function, *node, tape_array(fields, field_count), field_count);
}

void make_compact(Library& lib, rgl_node_t* node, rgl_field_t field) {
  make_or_change<CompactNode>(lib, node, Dirties::kNode, [&](CompactNode& compact) { compact.set(field); });
}

}  // namespace

rgl_status_t rgl_node_points_transform(rgl_node_t* node, const rgl_mat3x4f* transform) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(transform != nullptr);
    check_finite(*transform);  // it may flatten: points are laid onto a plane so
    make_or_change<TransformNode>(lib, node, Dirties::kNode, [&](TransformNode& t) { t.set(to_affine(*transform)); });
    lib.tape.record("rgl_node_points_transform", *node, tape_array(transform));
  });
}

rgl_status_t rgl_node_points_format(rgl_node_t* node, const rgl_field_t* fields, int32_t field_count) {
  return guarded(
      [&](Library& lib) { make_of_fields<FormatNode>(lib, "rgl_node_points_format", node, fields, field_count); });
}

rgl_status_t rgl_node_points_yield(rgl_node_t* node, const rgl_field_t* fields, int32_t field_count) {
  return guarded(
      [&](Library& lib) { make_of_fields<YieldNode>(lib, "rgl_node_points_yield", node, fields, field_count); });
}

rgl_status_t rgl_node_points_spatial_merge(rgl_node_t* node, const rgl_field_t* fields, int32_t field_count) {
  return guarded([&](Library& lib) {
    make_of_fields<SpatialMergeNode>(lib, "rgl_node_points_spatial_merge", node, fields, field_count);
  });
}

rgl_status_t rgl_node_points_temporal_merge(rgl_node_t* node, const rgl_field_t* fields, int32_t field_count) {
  return guarded([&](Library& lib) {
    make_of_fields<TemporalMergeNode>(lib, "rgl_node_points_temporal_merge", node, fields, field_count);
  });
}

rgl_status_t rgl_node_points_compact_by_field(rgl_node_t* node, rgl_field_t field) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(field == RGL_FIELD_IS_HIT_I32 || field == RGL_FIELD_IS_GROUND_I32);
    make_compact(lib, node, field);
    lib.tape.record("rgl_node_points_compact_by_field", *node, field);
  });
}

rgl_status_t rgl_node_points_compact(rgl_node_t* node) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    make_compact(lib, node, RGL_FIELD_IS_HIT_I32);
    lib.tape.record("rgl_node_points_compact", *node);
  });
}

rgl_status_t rgl_node_multi_return_switch(rgl_node_t* node, rgl_return_type_t return_type) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(return_type != RGL_RETURN_TYPE_UNKNOWN);
    RGL_CHECK(return_type <= RGL_RETURN_TYPE_SECOND_STRONGEST);
    make_or_change<ReturnSwitchNode>(lib, node, Dirties::kNode, [&](ReturnSwitchNode& s) { s.set(return_type); });
    lib.tape.record("rgl_node_multi_return_switch", *node, return_type);
  });
}

rgl_status_t rgl_node_points_from_array(rgl_node_t* node, const void* points, int32_t points_count,
                                        const rgl_field_t* fields, int32_t field_count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(points != nullptr);
    RGL_CHECK(points_count > 0);
    RGL_CHECK(fields != nullptr);
    RGL_CHECK(field_count > 0);
    const std::vector<rgl_field_t> list = read_fields(fields, field_count);
    make_or_change<FromArrayNode>(lib, node, Dirties::kResults, [&](FromArrayNode& array) {
      array.set(static_cast<const std::byte*>(points), static_cast<std::size_t>(points_count), list);
    });
    lib.tape.record("rgl_node_points_from_array", *node,
                    TapeArray{points, static_cast<std::size_t>(points_count) * packed_size(list)}, points_count,
                    tape_array(fields, field_count), field_count);
  });
}

rgl_status_t rgl_node_points_filter_ground(rgl_node_t* node, const rgl_vec3f* sensor_up_vector,
                                           float ground_angle_threshold) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(sensor_up_vector != nullptr);
    RGL_CHECK(ground_angle_threshold >= 0.0F);
    const fathom::Vec3 up = {sensor_up_vector->value[0], sensor_up_vector->value[1], sensor_up_vector->value[2]};
    make_or_change<FilterGroundNode>(lib, node, Dirties::kNode,
                                     [&](FilterGroundNode& filter) { filter.set(up, ground_angle_threshold); });
    lib.tape.record("rgl_node_points_filter_ground", *node, tape_array(sensor_up_vector), ground_angle_threshold);
  });
}
