// SPDX-License-Identifier: MIT
#pragma once
// A radar's view of a dense cloud: detections (clusters of points that it cannot separate, with cross section and
// power) and tracks of objects over time. Formulas: adapters/rgl/README.md, "Numbers".

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include <fathom/core/geometry.hpp>

#include "parts/tracer.hpp"

namespace fathom {

/// The separation of a radar within [begin, end].
struct RadarScope {
  float begin_m, end_m;  ///< both included
  float distance_m, radial_speed_mps, azimuth_rad;
};

/// Points in a radar's coordinates, [points] each.
struct RadarPoints {
  std::span<const float> distance_m, azimuth_rad, elevation_rad, radial_speed_mps;  ///< NaN: speed unknown
};

struct RadarCluster {
  std::vector<std::uint32_t> points;
  std::uint32_t centre;  ///< the point nearest in angle to the middle of the cluster's limits
};

/// Leaves out points that no scope covers. A point joins the first cluster whose limits, widened by the separation,
/// contain it. Then clusters whose widened limits overlap are merged until none do.
std::vector<RadarCluster> cluster_radar_points(const RadarPoints& points, std::span<const RadarScope> scopes);

/// The wave, and the solid angle of one ray.
struct RadarWave {
  float frequency_hz, azimuth_step_rad, elevation_step_rad;
};

/// Input of a cross section, [points] each.
struct RadarSurfaces {
  std::span<const float> distance_m;
  std::span<const float> normal_xyz;  ///< [points, xyz], world
  std::span<const Matrix34> world_from_ray;
};

/// Physical optics: the field that perfect reflectors at these points send back, as a cross section in dBsm. It may be
/// infinite. It is NaN if a point has no normal.
double radar_cross_section_dbsm(const RadarSurfaces& surfaces, std::span<const std::uint32_t> points,
                                const RadarWave& wave, const Affine& sensor_from_world);

/// Radar equation: received power in dBm without noise.
double radar_power_dbm(double transmitted_dbm, double gain_dbi, double cross_section_dbsm, double distance_m,
                       double frequency_hz);

/// A detection for the tracker.
struct RadarDetection {
  Vec3 position_m;
  float distance_m, azimuth_rad, elevation_rad, radial_speed_mps;
  Vec3 absolute_velocity_mps, relative_velocity_mps;
  std::int32_t entity = 0;
};

struct RadarTrackSettings {
  float distance_m, azimuth_rad, elevation_rad, radial_speed_mps;  ///< detections at most this far apart are one object
  float max_matching_m;
  float max_prediction_s;
  float movement_mps;  ///< slower objects count as standing
};

struct RadarTrack {
  std::int32_t id;
  Vec3 position_m, velocity_mps, acceleration_mps2;
  std::int32_t entity;  ///< the most frequent among its detections
  bool moves;
  double measured_s;  ///< time of its last detection
};

/// Follows objects from frame to frame.
class RadarTracker {
 public:
  explicit RadarTracker(const RadarTrackSettings& settings) : settings_(settings) {}

  void set_settings(const RadarTrackSettings& settings) { settings_ = settings; }
  /// Groups the detections, matches them with the tracks, predicts tracks without a match, and drops tracks without a
  /// match for too long. New tracks reuse the ids of dropped tracks, in the order of dropping.
  void update(std::span<const RadarDetection> detections, double now_s);
  [[nodiscard]] const std::vector<RadarTrack>& tracks() const { return tracks_; }

 private:
  std::int32_t new_id();

  RadarTrackSettings settings_;
  std::vector<RadarTrack> tracks_;
  std::deque<std::int32_t> free_ids_;
  std::int32_t next_id_ = 0;
  double updated_s_ = 0.0;
};

}  // namespace fathom
