// SPDX-License-Identifier: MIT
#include <cmath>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "library.hpp"
#include "nodes/points.hpp"
#include "parts/radar.hpp"
#include "status.hpp"
#include "world.hpp"

namespace rgl {

namespace {

struct RadarSettings {
  std::vector<fathom::RadarScope> scopes;
  fathom::RadarWave wave;
  float power_dbm, gain_dbi, noise_mean_db, noise_stddev_db;
};

/// A point for each detection, with its cross section and power.
class RadarPostprocessNode final : public SelectNode {
 public:
  void set(RadarSettings settings) { settings_ = std::move(settings); }
  [[nodiscard]] std::string_view name() const override { return "RadarPostprocessPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override;
  void validate(const World& world) override;
  [[nodiscard]] bool has(rgl_field_t field) const override;
  void run(const RunContext& context) override;

 private:
  RadarSettings settings_;
  std::vector<std::uint32_t> kept_;
};

/// A point for each tracked object: its position and the number of its track.
class RadarTrackNode final : public PointsNode {
 public:
  void set(const fathom::RadarTrackSettings& settings) { tracker_.set_settings(settings); }
  void set_classes(std::map<std::int32_t, rgl_radar_object_class_t> classes) { classes_ = std::move(classes); }
  [[nodiscard]] std::string_view name() const override { return "RadarTrackObjectsPointsNode"; }
  [[nodiscard]] std::vector<rgl_field_t> required() const override;
  void prepare(World& world) override;
  void run(const RunContext& context) override;

  [[nodiscard]] bool has(rgl_field_t field) const override {
    return field == RGL_FIELD_XYZ_VEC3_F32 || field == RGL_FIELD_ENTITY_ID_I32;
  }
  [[nodiscard]] std::size_t count() const override { return tracker_.tracks().size(); }
  [[nodiscard]] bool is_dense() const override { return true; }
  [[nodiscard]] std::span<const rgl_return_type_t> returns() const override { return {}; }
  [[nodiscard]] const std::byte* data(rgl_field_t field) const override { return own_.data(field); }

 private:
  fathom::RadarTracker tracker_{{}};
  std::map<std::int32_t, rgl_radar_object_class_t> classes_;  ///< by entity; only ROS messages would contain them
  double now_s_ = 0.0;
  FieldStore own_;
};

std::vector<rgl_field_t> RadarPostprocessNode::required() const {
  return {RGL_FIELD_DISTANCE_F32,        RGL_FIELD_AZIMUTH_F32,     RGL_FIELD_ELEVATION_F32, RGL_FIELD_RADIAL_SPEED_F32,
          RGL_FIELD_RAY_POSE_MAT3x4_F32, RGL_FIELD_NORMAL_VEC3_F32, RGL_FIELD_XYZ_VEC3_F32};
}

bool RadarPostprocessNode::has(rgl_field_t field) const {
  const bool own = field == RGL_FIELD_POWER_F32 || field == RGL_FIELD_RCS_F32 || field == RGL_FIELD_NOISE_F32 ||
                   field == RGL_FIELD_SNR_F32;
  return own || input().has(field);
}

void RadarPostprocessNode::validate(const World& world) {
  SelectNode::validate(world);
  if (!input().is_dense()) fail(RGL_INVALID_PIPELINE, fmt::format("{} requires a dense point cloud", name()));
}

void RadarPostprocessNode::run(const RunContext& context) {
  forget(context);
  const auto distance = input_as<float>(RGL_FIELD_DISTANCE_F32);
  const auto clusters = fathom::cluster_radar_points(
      {distance, input_as<float>(RGL_FIELD_AZIMUTH_F32), input_as<float>(RGL_FIELD_ELEVATION_F32),
       input_as<float>(RGL_FIELD_RADIAL_SPEED_F32)},
      settings_.scopes);
  kept_.clear();
  for (const auto& cluster : clusters) kept_.push_back(cluster.centre);
  indices_ = kept_;
  auto* power = own_.resize_as<float>(RGL_FIELD_POWER_F32, count());
  auto* rcs = own_.resize_as<float>(RGL_FIELD_RCS_F32, count());
  auto* noise = own_.resize_as<float>(RGL_FIELD_NOISE_F32, count());
  auto* snr = own_.resize_as<float>(RGL_FIELD_SNR_F32, count());
  const fathom::RadarSurfaces surfaces = {distance, input_as<float>(RGL_FIELD_NORMAL_VEC3_F32, 3),
                                          input_as<fathom::Matrix34>(RGL_FIELD_RAY_POSE_MAT3x4_F32)};
  const fathom::NoiseKey key = noise_key(context, "radar");
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const double section =
        fathom::radar_cross_section_dbsm(surfaces, clusters[i].points, settings_.wave, sensor_from_world());
    if (std::isnan(section)) fail(RGL_INVALID_PIPELINE, "RCS is NaN");
    const fathom::PhiloxBlock words = fathom::keyed_block(key, static_cast<std::uint32_t>(i), 0);
    const float n = fathom::normals_from_words(words.word[0], words.word[1]).first;
    noise[i] = settings_.noise_mean_db + settings_.noise_stddev_db * n;
    rcs[i] = static_cast<float>(section);
    power[i] = static_cast<float>(fathom::radar_power_dbm(settings_.power_dbm, settings_.gain_dbi, section,
                                                          distance[indices_[i]], settings_.wave.frequency_hz)) +
               noise[i];
    snr[i] = power[i] - noise[i];
  }
}

std::vector<rgl_field_t> RadarTrackNode::required() const {
  return {RGL_FIELD_XYZ_VEC3_F32,
          RGL_FIELD_DISTANCE_F32,
          RGL_FIELD_AZIMUTH_F32,
          RGL_FIELD_ELEVATION_F32,
          RGL_FIELD_RADIAL_SPEED_F32,
          RGL_FIELD_ENTITY_ID_I32,
          RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32,
          RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32};
}

void RadarTrackNode::prepare(World& world) { now_s_ = 1e-9 * static_cast<double>(world.now().value_or(0)); }

void RadarTrackNode::run(const RunContext&) {
  const auto vector_at = [&](rgl_field_t field, std::size_t i) {
    const auto v = input_as<float>(field, 3);
    return fathom::Vec3{v[3 * i], v[3 * i + 1], v[3 * i + 2]};
  };
  const auto float_at = [&](rgl_field_t field, std::size_t i) { return input_as<float>(field)[i]; };
  std::vector<fathom::RadarDetection> detections;
  for (std::size_t i = 0; i < input().count(); ++i) {
    detections.push_back({vector_at(RGL_FIELD_XYZ_VEC3_F32, i), float_at(RGL_FIELD_DISTANCE_F32, i),
                          float_at(RGL_FIELD_AZIMUTH_F32, i), float_at(RGL_FIELD_ELEVATION_F32, i),
                          float_at(RGL_FIELD_RADIAL_SPEED_F32, i), vector_at(RGL_FIELD_ABSOLUTE_VELOCITY_VEC3_F32, i),
                          vector_at(RGL_FIELD_RELATIVE_VELOCITY_VEC3_F32, i),
                          input_as<std::int32_t>(RGL_FIELD_ENTITY_ID_I32)[i]});
  }
  fathom::RadarTracker tracker = tracker_;  // a run that fails does not change the tracks
  tracker.update(detections, now_s_);
  auto* xyz = own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, tracker.tracks().size());
  auto* id = own_.resize_as<std::int32_t>(RGL_FIELD_ENTITY_ID_I32, tracker.tracks().size());
  tracker_ = std::move(tracker);
  for (const fathom::RadarTrack& track : tracker_.tracks()) {
    *id++ = track.id;
    for (const double c : {track.position_m.x, track.position_m.y, track.position_m.z}) *xyz++ = static_cast<float>(c);
  }
}

}  // namespace

}  // namespace rgl

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
