// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>

#include <rgl/api/extensions/pcl.h>
#include <rgl/api/extensions/weather.h>
#include <rgl/api/old.h>

#include <fathom/files/clouds.hpp>

#include "library.hpp"
#include "nodes/points.hpp"

using namespace rgl;

namespace {

/// The body of the functions that make a node from a list of fields.
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
    check_finite(*transform);  // it may flatten: a projection of points onto a plane
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

rgl_status_t rgl_node_gaussian_noise_angular_hitpoint(rgl_node_t* node, float mean, float st_dev,
                                                      rgl_axis_t rotation_axis) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(st_dev >= 0.0F);
    RGL_CHECK(rotation_axis == RGL_AXIS_X || rotation_axis == RGL_AXIS_Y || rotation_axis == RGL_AXIS_Z);
    const fathom::Noise noise = angular_hit_noise(mean, st_dev, to_axis(rotation_axis));
    make_or_change<HitPointNoise>(lib, node, Dirties::kNode, [&](HitPointNoise& n) { n.set(noise); });
    lib.tape.record("rgl_node_gaussian_noise_angular_hitpoint", *node, mean, st_dev, rotation_axis);
  });
}

rgl_status_t rgl_node_gaussian_noise_distance(rgl_node_t* node, float mean, float st_dev_base,
                                              float st_dev_rise_per_meter) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(st_dev_base >= 0.0F);
    RGL_CHECK(st_dev_rise_per_meter >= 0.0F);
    const fathom::Noise noise = distance_noise(mean, st_dev_base, st_dev_rise_per_meter);
    make_or_change<RangeNoise>(lib, node, Dirties::kNode, [&](RangeNoise& n) { n.set(noise); });
    lib.tape.record("rgl_node_gaussian_noise_distance", *node, mean, st_dev_base, st_dev_rise_per_meter);
  });
}

rgl_status_t rgl_node_points_simulate_snow(rgl_node_t* node, float min_range, float max_range, float rain_rate,
                                           float mean_snowflake_diameter, float terminal_velocity, float density,
                                           int32_t num_channels, float beam_divergence, bool simulate_energy_loss,
                                           float snowflake_occupancy_threshold) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(min_range >= 0.0F);
    RGL_CHECK(max_range > min_range && max_range < std::numeric_limits<float>::infinity());
    RGL_CHECK(rain_rate >= 0.0F && rain_rate <= 300.0F);
    RGL_CHECK(mean_snowflake_diameter > 0.0F);
    RGL_CHECK(terminal_velocity > 0.0F);
    RGL_CHECK(density > 0.0F);
    RGL_CHECK(num_channels > 0);
    RGL_CHECK(beam_divergence >= 0.0F && beam_divergence <= 0.2F);
    RGL_CHECK(snowflake_occupancy_threshold >= 0.0F && snowflake_occupancy_threshold <= 1.0F);
    constexpr float kFullIntensity = 255.0F;  // of textures
    const fathom::Noise snow = fathom::Snow{
        .rate_mm_per_h = rain_rate, .beam_rad = beam_divergence, .nearest_m = std::clamp(min_range, 0.9F, 50.0F)};
    const fathom::PointLight light = {
        .min_range_m = min_range, .max_range_m = max_range, .is_dimmed = simulate_energy_loss, .full = kFullIntensity};
    make_or_change<SnowNode>(lib, node, Dirties::kNode, [&](SnowNode& n) { n.set(snow, light); });
    lib.tape.record("rgl_node_points_simulate_snow", *node, min_range, max_range, rain_rate, mean_snowflake_diameter,
                    terminal_velocity, density, num_channels, beam_divergence, simulate_energy_loss,
                    snowflake_occupancy_threshold);
  });
}

namespace {

/// The fields of a node as properties of a cloud file. Names must be unique there: the first field of a name counts.
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
