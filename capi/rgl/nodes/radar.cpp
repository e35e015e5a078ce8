// SPDX-License-Identifier: MIT
#include "nodes/radar.hpp"

#include <cmath>

#include <fmt/format.h>

#include "status.hpp"
#include "world.hpp"

namespace rgl {

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
  fathom::RadarTracker tracker = tracker_;  // a run that fails leaves the tracks alone
  tracker.update(detections, now_s_);
  auto* xyz = own_.resize_as<float>(RGL_FIELD_XYZ_VEC3_F32, tracker.tracks().size());
  auto* id = own_.resize_as<std::int32_t>(RGL_FIELD_ENTITY_ID_I32, tracker.tracks().size());
  tracker_ = std::move(tracker);
  for (const fathom::RadarTrack& track : tracker_.tracks()) {
    *id++ = track.id;
    for (const double c : {track.position_m.x, track.position_m.y, track.position_m.z}) *xyz++ = static_cast<float>(c);
  }
}

}  // namespace rgl
