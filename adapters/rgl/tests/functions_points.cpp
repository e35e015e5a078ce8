// SPDX-License-Identifier: MIT
// Points and noise on points: rows of section 6.5.

#include <rgl/api/extensions/weather.h>

#include "rgl/tests/functions.hpp"

namespace fathom::test {
namespace {

constexpr rgl_field_t kPointFields = RGL_FIELD_XYZ_VEC3_F32, kPacked = RGL_FIELD_DYNAMIC_FORMAT;
constexpr auto kNoSuchField = static_cast<rgl_field_t>(99), kPastTheLast = static_cast<rgl_field_t>(27);
constexpr float kPoints[6] = {};
constexpr rgl_vec3f kUp = {{0, 0, 1}};
constexpr rgl_radar_scope_t kScope = {0, 10, 1, 1, 1};

using OfFields = rgl_status_t (*)(rgl_node_t*, const rgl_field_t*, std::int32_t);

/// format, yield, spatial_merge, temporal_merge.
template <OfFields F>
Function of_fields(const char* name) {
  const auto make = TAKING(rgl_node_t * n, F(n, &kPointFields, 1));
  return Function(name, made_and_changed(make))
      .makes(make)
      .refuses("fields != nullptr", MAKING(F(n, nullptr, 1)))
      .refuses("field_count > 0", MAKING(F(n, &kPointFields, 0)))
      .refuses("field_count > 0", MAKING(F(n, &kPointFields, -1)))
      .refuses("cannot format field 'RGL_FIELD_DYNAMIC_FORMAT'", MAKING(F(n, &kPacked, 1)))
      .refuses("99", MAKING(F(n, &kNoSuchField, 1)))
      .refuses("27", MAKING(F(n, &kPastTheLast, 1)));
}

Function from_array() {
  const auto make = TAKING(rgl_node_t * n, rgl_node_points_from_array(n, kPoints, 2, &kPointFields, 1));
  return Function("rgl_node_points_from_array", made_and_changed(make))
      .makes(make)
      .refuses("points != nullptr", MAKING(rgl_node_points_from_array(n, nullptr, 2, &kPointFields, 1)))
      .refuses("points_count > 0", MAKING(rgl_node_points_from_array(n, kPoints, 0, &kPointFields, 1)))
      .refuses("fields != nullptr", MAKING(rgl_node_points_from_array(n, kPoints, 2, nullptr, 1)))
      .refuses("field_count > 0", MAKING(rgl_node_points_from_array(n, kPoints, 2, &kPointFields, 0)))
      .refuses("cannot format field", MAKING(rgl_node_points_from_array(n, kPoints, 2, &kPacked, 1)));
}

Function snow() {
  const auto make =
      TAKING(rgl_node_t * n, rgl_node_points_simulate_snow(n, 0, 100, 9, 0.003F, 1.6F, 0.07F, 16, 0.003F, true, 0));
  // Each number in turn is one that no snow has.
  const auto with = [](std::size_t place, float wrong) {
    return making([=](rgl_node_t* n) {
      std::array<float, 9> v = {0, 100, 9, 0.003F, 1.6F, 0.07F, 16, 0.003F, 0};
      v[place] = wrong;
      return rgl_node_points_simulate_snow(n, v[0], v[1], v[2], v[3], v[4], v[5], static_cast<std::int32_t>(v[6]), v[7],
                                           true, v[8]);
    });
  };
  return Function("rgl_node_points_simulate_snow", made_and_changed(make))
      .makes(make)
      .refuses("min_range >= 0", with(0, -1))
      .refuses("max_range > min_range", with(1, 0))
      .refuses("max_range > min_range", with(1, kNotANumber))
      .refuses("rain_rate >= 0", with(2, 301))
      .refuses("mean_snowflake_diameter > 0", with(3, 0))
      .refuses("terminal_velocity > 0", with(4, kNotANumber))
      .refuses("density > 0", with(5, -1))
      .refuses("num_channels > 0", with(6, 0))
      .refuses("beam_divergence >= 0", with(7, 0.3F))
      .refuses("snowflake_occupancy_threshold >= 0", with(8, 2));
}

std::vector<Function> others() {
  const auto transform = [](Objects&, rgl_node_t* n) {
    return rgl_node_points_transform(n, &kFlat);  // points may be laid onto a plane
  };
  const auto compact = TAKING(rgl_node_t * n, rgl_node_points_compact_by_field(n, RGL_FIELD_IS_GROUND_I32));
  const auto ground = TAKING(rgl_node_t * n, rgl_node_points_filter_ground(n, &kUp, 0));
  const auto hit = TAKING(rgl_node_t * n, rgl_node_gaussian_noise_angular_hitpoint(n, 9, 0, RGL_AXIS_Z));
  const auto distance = TAKING(rgl_node_t * n, rgl_node_gaussian_noise_distance(n, -500, 100, 3));
  const auto down = TAKING(rgl_node_t * n, rgl_node_points_downsample(n, 1, 1, 1));
  const auto leaf = [](float x, float y, float z) {
    return making([=](rgl_node_t* n) { return rgl_node_points_downsample(n, x, y, z); });
  };
  return {
      Function("rgl_node_points_transform", made_and_changed(transform))
          .makes(transform)
          .refuses("transform != nullptr", MAKING(rgl_node_points_transform(n, nullptr)))
          .refuses("max", MAKING(rgl_node_points_transform(n, &kTorn))),
      Function("rgl_node_points_compact_by_field", made_and_changed(compact))
          .makes(compact)
          .refuses("RGL_FIELD_IS_HIT_I32", MAKING(rgl_node_points_compact_by_field(n, kPointFields)))
          .refuses("RGL_FIELD_IS_GROUND_I32", MAKING(rgl_node_points_compact_by_field(n, kPacked))),
      Function("rgl_node_points_filter_ground", made_and_changed(ground))
          .makes(ground)
          // RGL reads through NULL; here it is refused.
          .refuses("sensor_up_vector != nullptr", MAKING(rgl_node_points_filter_ground(n, nullptr, 1)))
          .refuses("ground_angle_threshold >= 0", MAKING(rgl_node_points_filter_ground(n, &kUp, -1)))
          .refuses("ground_angle_threshold >= 0", MAKING(rgl_node_points_filter_ground(n, &kUp, kNotANumber))),
      Function("rgl_node_gaussian_noise_angular_hitpoint", made_and_changed(hit))
          .makes(hit)
          .refuses("st_dev >= 0", MAKING(rgl_node_gaussian_noise_angular_hitpoint(n, 0, -1, RGL_AXIS_X)))
          .refuses("st_dev >= 0", MAKING(rgl_node_gaussian_noise_angular_hitpoint(n, 0, kNotANumber, RGL_AXIS_X)))
          .refuses("rotation_axis ==",
                   MAKING(rgl_node_gaussian_noise_angular_hitpoint(n, 0, 0, static_cast<rgl_axis_t>(0))))
          .refuses("rotation_axis ==",
                   MAKING(rgl_node_gaussian_noise_angular_hitpoint(n, 0, 0, static_cast<rgl_axis_t>(4)))),
      Function("rgl_node_gaussian_noise_distance", made_and_changed(distance))
          .makes(distance)
          .refuses("st_dev_base >= 0", MAKING(rgl_node_gaussian_noise_distance(n, 0, -1, 0)))
          .refuses("st_dev_base >= 0", MAKING(rgl_node_gaussian_noise_distance(n, 0, kNotANumber, 0)))
          .refuses("st_dev_rise_per_meter >= 0", MAKING(rgl_node_gaussian_noise_distance(n, 0, 0, -1)))
          .refuses("st_dev_rise_per_meter >= 0", MAKING(rgl_node_gaussian_noise_distance(n, 0, 0, kNotANumber))),
      snow(),
      // The types of `lone` and of this one are the same: it cannot serve as a foreign one.
      Function("rgl_node_points_downsample", made_and_changed(down))
          .refuses("node != nullptr", CALL(rgl_node_points_downsample(nullptr, 1, 1, 1)))
          .refuses(RGL_INVALID_API_OBJECT, "Node 0x", CALL(rgl_node_points_downsample(&o.yield, 1, 1, 1)))
          .refuses("leaf_size_x > 0", leaf(0, 1, 1))
          .refuses("leaf_size_y > 0", leaf(1, -1, 1))
          .refuses("leaf_size_z > 0", leaf(1, 1, kNotANumber)),
  };
}

rgl_status_t postprocess(rgl_node_t* node, const std::array<float, 7>& p, const rgl_radar_scope_t* scopes = &kScope,
                         int count = 1) {
  return rgl_node_points_radar_postprocess(node, scopes, count, p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
}

Function radar_postprocess() {
  static constexpr std::array<float, 7> kGood = {0.01F, 0.01F, 79e9F, 31, 27, 60, 1};
  const char* names[7] = {"ray_azimuth_step",     "ray_elevation_step",     "frequency",
                          "power_transmitted",    "cumulative_device_gain", "received_noise_mean",
                          "received_noise_st_dev"};
  const auto make = TAKING(rgl_node_t * n, postprocess(n, kGood));
  Function f("rgl_node_points_radar_postprocess", made_and_changed(make));
  f.makes(make);  // RGL writes through NULL; here it is refused
  f.refuses("radar_scopes != nullptr", MAKING(postprocess(n, kGood, nullptr)));
  f.refuses("radar_scopes_count > 0", MAKING(postprocess(n, kGood, &kScope, 0)));
  for (std::size_t i = 0; i < kGood.size(); ++i) {
    for (const float v : {0.0F, -1.0F, kNotANumber}) {
      if (i == 5 && v <= 0.0F) continue;  // the mean of the noise may be anything
      std::array<float, 7> bad = kGood;
      bad[i] = v;
      f.refuses(names[i], making([bad](rgl_node_t* n) { return postprocess(n, bad); }));
    }
  }
  const char* members[5] = {"begin_distance", "end_distance", "distance_separation_threshold",
                            "radial_speed_separation_threshold", "azimuth_separation_threshold"};
  for (int i = 0; i < 5; ++i) {
    for (const float v : {-1.0F, kNotANumber}) {
      std::array<float, 5> m = {0, 10, 1, 1, 1};
      m[std::size_t(i)] = v;
      const rgl_radar_scope_t bad = {m[0], m[1], m[2], m[3], m[4]};
      f.refuses(std::string("scope.") + members[i] + " >= 0", making([bad](rgl_node_t* n) {
                  const rgl_radar_scope_t both[2] = {kScope, bad};
                  return postprocess(n, kGood, both, 2);
                }));
    }
  }
  const rgl_radar_scope_t turned_round = {10, 5, 1, 1, 1};
  f.refuses("scope.end_distance >= scope.begin_distance",
            making([turned_round](rgl_node_t* n) { return postprocess(n, kGood, &turned_round); }));
  return f;
}

rgl_status_t track_objects(rgl_node_t* n, const std::array<float, 7>& p) {
  return rgl_node_points_radar_track_objects(n, p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
}

Function radar_track() {
  static constexpr std::array<float, 7> kGood = {1, 1, 1, 1, 1, 1, 0};
  const char* names[7] = {"object_distance_threshold",     "object_azimuth_threshold", "object_elevation_threshold",
                          "object_radial_speed_threshold", "max_matching_distance",    "max_prediction_time_frame",
                          "movement_sensitivity"};
  const auto make = TAKING(rgl_node_t * n, track_objects(n, kGood));
  Function f("rgl_node_points_radar_track_objects", made_and_changed(make));
  f.makes(make);
  for (std::size_t i = 0; i < kGood.size(); ++i) {
    for (const float v : {0.0F, -1.0F, kNotANumber}) {
      if (i == 6 && v == 0.0F) continue;
      std::array<float, 7> bad = kGood;
      bad[i] = v;
      f.refuses(std::string(names[i]) + (i == 6 ? " >= 0" : " > 0"),
                making([bad](rgl_node_t* n) { return track_objects(n, bad); }));
    }
  }
  return f;
}

Function radar_classes() {
  static constexpr std::int32_t kIds[1] = {4};
  static constexpr rgl_radar_object_class_t kCar[1] = {RGL_RADAR_CLASS_CAR}, kNone[1] = {RGL_RADAR_CLASS_COUNT};
  return Function("rgl_node_points_radar_set_classes",
                  [](Objects& o) {
                    EXPECT_EQ(rgl_node_points_radar_set_classes(o.track, kIds, kCar, 0), RGL_SUCCESS);
                    return rgl_node_points_radar_set_classes(o.track, kIds, kCar, 1);
                  })
      .node("node", TAKING(rgl_node_t n, rgl_node_points_radar_set_classes(n, kIds, kCar, 1)),
            "RadarTrackObjectsPointsNode")
      .refuses("entity_ids != nullptr", CALL(rgl_node_points_radar_set_classes(o.track, nullptr, kCar, 1)))
      .refuses("object_classes != nullptr", CALL(rgl_node_points_radar_set_classes(o.track, kIds, nullptr, 1)))
      .refuses("count >= 0", CALL(rgl_node_points_radar_set_classes(o.track, kIds, kCar, -1)))
      .refuses("object_classes", CALL(rgl_node_points_radar_set_classes(o.track, kIds, kNone, 1)));
}

}  // namespace

std::vector<Function> point_functions() {
  std::vector<Function> all = others();
  all.push_back(of_fields<rgl_node_points_format>("rgl_node_points_format"));
  all.push_back(of_fields<rgl_node_points_yield>("rgl_node_points_yield"));
  all.push_back(of_fields<rgl_node_points_spatial_merge>("rgl_node_points_spatial_merge"));
  all.push_back(of_fields<rgl_node_points_temporal_merge>("rgl_node_points_temporal_merge"));
  for (auto* one : {from_array, radar_postprocess, radar_track, radar_classes}) all.push_back(one());
  return all;
}

}  // namespace fathom::test
