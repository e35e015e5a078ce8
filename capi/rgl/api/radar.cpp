// SPDX-License-Identifier: MIT
#include <cmath>

#include "api/make_node.hpp"
#include "nodes/radar.hpp"

using namespace rgl;

namespace {

std::vector<fathom::RadarScope> read_scopes(const rgl_radar_scope_t* radar_scopes, std::int32_t count) {
  std::vector<fathom::RadarScope> list;
  for (std::int32_t i = 0; i < count; ++i) {
    const rgl_radar_scope_t& scope = radar_scopes[i];
    RGL_CHECK(scope.begin_distance >= 0.0F);
    RGL_CHECK(scope.end_distance >= 0.0F);
    RGL_CHECK(scope.distance_separation_threshold >= 0.0F);
    RGL_CHECK(scope.radial_speed_separation_threshold >= 0.0F);
    RGL_CHECK(scope.azimuth_separation_threshold >= 0.0F);
    RGL_CHECK(scope.end_distance >= scope.begin_distance);
    list.push_back({scope.begin_distance, scope.end_distance, scope.distance_separation_threshold,
                    scope.radial_speed_separation_threshold, scope.azimuth_separation_threshold});
  }
  return list;
}

}  // namespace

rgl_status_t rgl_node_points_radar_postprocess(rgl_node_t* node, const rgl_radar_scope_t* radar_scopes,
                                               int32_t radar_scopes_count, float ray_azimuth_step,
                                               float ray_elevation_step, float frequency, float power_transmitted,
                                               float cumulative_device_gain, float received_noise_mean,
                                               float received_noise_st_dev) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(radar_scopes != nullptr);
    RGL_CHECK(radar_scopes_count > 0);
    RGL_CHECK(ray_azimuth_step > 0.0F);
    RGL_CHECK(ray_elevation_step > 0.0F);
    RGL_CHECK(frequency > 0.0F);
    RGL_CHECK(power_transmitted > 0.0F);
    RGL_CHECK(cumulative_device_gain > 0.0F);
    RGL_CHECK(!std::isnan(received_noise_mean));
    RGL_CHECK(received_noise_st_dev > 0.0F);
    RadarSettings settings = {read_scopes(radar_scopes, radar_scopes_count),
                              {frequency, ray_azimuth_step, ray_elevation_step},
                              power_transmitted,
                              cumulative_device_gain,
                              received_noise_mean,
                              received_noise_st_dev};
    make_or_change<RadarPostprocessNode>(lib, node, Dirties::kNode,
                                         [&](RadarPostprocessNode& radar) { radar.set(std::move(settings)); });
    lib.tape.record("rgl_node_points_radar_postprocess", *node, tape_array(radar_scopes, radar_scopes_count),
                    radar_scopes_count, ray_azimuth_step, ray_elevation_step, frequency, power_transmitted,
                    cumulative_device_gain, received_noise_mean, received_noise_st_dev);
  });
}

rgl_status_t rgl_node_points_radar_track_objects(rgl_node_t* node, float object_distance_threshold,
                                                 float object_azimuth_threshold, float object_elevation_threshold,
                                                 float object_radial_speed_threshold, float max_matching_distance,
                                                 float max_prediction_time_frame, float movement_sensitivity) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(object_distance_threshold > 0.0F);
    RGL_CHECK(object_azimuth_threshold > 0.0F);
    RGL_CHECK(object_elevation_threshold > 0.0F);
    RGL_CHECK(object_radial_speed_threshold > 0.0F);
    RGL_CHECK(max_matching_distance > 0.0F);
    RGL_CHECK(max_prediction_time_frame > 0.0F);
    RGL_CHECK(movement_sensitivity >= 0.0F);
    const fathom::RadarTrackSettings settings = {object_distance_threshold,  object_azimuth_threshold,
                                                 object_elevation_threshold, object_radial_speed_threshold,
                                                 max_matching_distance,      1e-3F * max_prediction_time_frame,
                                                 movement_sensitivity};
    make_or_change<RadarTrackNode>(lib, node, Dirties::kNode, [&](RadarTrackNode& track) { track.set(settings); });
    lib.tape.record("rgl_node_points_radar_track_objects", *node, object_distance_threshold, object_azimuth_threshold,
                    object_elevation_threshold, object_radial_speed_threshold, max_matching_distance,
                    max_prediction_time_frame, movement_sensitivity);
  });
}

rgl_status_t rgl_node_points_radar_set_classes(rgl_node_t node, const int32_t* entity_ids,
                                               const rgl_radar_object_class_t* object_classes, int32_t count) {
  return guarded([&](Library& lib) {
    RGL_CHECK(node != nullptr);
    RGL_CHECK(entity_ids != nullptr);
    RGL_CHECK(object_classes != nullptr);
    RGL_CHECK(count >= 0);
    const auto track = node_as<RadarTrackNode>(lib, node, "RadarTrackObjectsPointsNode");
    std::map<std::int32_t, rgl_radar_object_class_t> classes;
    for (std::int32_t i = 0; i < count; ++i) {
      RGL_CHECK(object_classes[i] >= 0 && object_classes[i] < RGL_RADAR_CLASS_COUNT);
      classes[entity_ids[i]] = object_classes[i];
    }
    lib.settle(*track);
    track->set_classes(std::move(classes));
    lib.tape.record("rgl_node_points_radar_set_classes", node, tape_array(entity_ids, count),
                    tape_array(object_classes, count), count);
  });
}
