// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

#include <fathom/core/f64.hpp>

#include "parts/radar.hpp"

namespace fathom {

namespace {

struct Limits {
  float low, high;

  [[nodiscard]] bool known() const { return !std::isnan(low) && !std::isnan(high); }
  [[nodiscard]] bool takes(float v, float slack) const { return v >= low - slack && v <= high + slack; }
  [[nodiscard]] bool meets(const Limits& other, float slack) const {
    return other.low <= high + slack && low <= other.high + slack;
  }
  void include(const Limits& other) {
    if (!other.known()) return;
    low = known() ? std::min(low, other.low) : other.low;
    high = std::isnan(high) ? other.high : std::max(high, other.high);
  }
};

struct Growing {
  std::vector<std::uint32_t> points;
  Limits distance, azimuth, elevation, speed;
};

const RadarScope* scope_at(std::span<const RadarScope> scopes, float distance) {
  const auto covers = [&](const RadarScope& s) { return s.begin_m <= distance && distance <= s.end_m; };
  const auto found = std::find_if(scopes.begin(), scopes.end(), covers);
  return found == scopes.end() ? nullptr : &*found;
}

bool takes(const Growing& c, const RadarPoints& p, std::uint32_t i, const RadarScope& scope) {
  return c.distance.takes(p.distance_m[i], scope.distance_m) && c.azimuth.takes(p.azimuth_rad[i], scope.azimuth_rad) &&
         (!c.speed.known() || c.speed.takes(p.radial_speed_mps[i], scope.radial_speed_mps));
}

void include(Growing& c, const Growing& other) {
  c.points.insert(c.points.end(), other.points.begin(), other.points.end());
  c.distance.include(other.distance), c.azimuth.include(other.azimuth);
  c.elevation.include(other.elevation), c.speed.include(other.speed);
}

bool meet(const Growing& a, const Growing& b, std::span<const RadarScope> scopes) {
  // The far end of the gap or overlap of the two clusters decides the separation.
  const float at = std::max(std::max(a.distance.low, b.distance.low), std::min(a.distance.high, b.distance.high));
  const RadarScope* scope = scope_at(scopes, at);
  if (scope == nullptr) return false;
  const bool speeds = !a.speed.known() || !b.speed.known() || a.speed.meets(b.speed, scope->radial_speed_mps);
  return a.distance.meets(b.distance, scope->distance_m) && a.azimuth.meets(b.azimuth, scope->azimuth_rad) && speeds;
}

void merge_all(std::vector<Growing>& clusters, std::span<const RadarScope> scopes) {
  const auto merge_one = [&] {
    for (std::size_t i = 0; i < clusters.size(); ++i) {
      for (std::size_t j = i + 1; j < clusters.size(); ++j) {
        if (!meet(clusters[i], clusters[j], scopes)) continue;
        include(clusters[i], clusters[j]);
        clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(j));
        return true;
      }
    }
    return false;
  };
  while (merge_one()) {
  }
}

std::uint32_t centre_of(const Growing& c, const RadarPoints& p) {
  const float azimuth = 0.5F * (c.azimuth.low + c.azimuth.high),
              elevation = 0.5F * (c.elevation.low + c.elevation.high);
  const auto off = [&](std::uint32_t i) {
    return std::abs(p.azimuth_rad[i] - azimuth) + std::abs(p.elevation_rad[i] - elevation);
  };
  return *std::min_element(c.points.begin(), c.points.end(), [&](auto a, auto b) { return off(a) < off(b); });
}

}  // namespace

std::vector<RadarCluster> cluster_radar_points(const RadarPoints& p, std::span<const RadarScope> scopes) {
  std::vector<Growing> growing;
  for (std::uint32_t i = 0; i < p.distance_m.size(); ++i) {
    const RadarScope* scope = scope_at(scopes, p.distance_m[i]);
    if (scope == nullptr) continue;
    const float speed = p.radial_speed_mps[i];
    const Growing alone = {{i},
                           {p.distance_m[i], p.distance_m[i]},
                           {p.azimuth_rad[i], p.azimuth_rad[i]},
                           {p.elevation_rad[i], p.elevation_rad[i]},
                           {speed, speed}};
    const auto home =
        std::find_if(growing.begin(), growing.end(), [&](const Growing& c) { return takes(c, p, i, *scope); });
    if (home == growing.end()) {
      growing.push_back(alone);
    } else {
      include(*home, alone);
    }
  }
  merge_all(growing, scopes);
  std::vector<RadarCluster> clusters;
  for (Growing& c : growing) {
    const std::uint32_t centre = centre_of(c, p);
    clusters.push_back({std::move(c.points), centre});
  }
  return clusters;
}

namespace {

constexpr double kLightMps = 299792458.0;

/// 10 log10(x), with the C library's values at 0 and below, and the same bits everywhere.
double decibels(double x) {
  constexpr double kPerLog = 10.0 / std::numbers::ln10;
  if (!(x > 0.0)) return x == 0.0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (std::isinf(x)) return x;
  if (!std::isnormal(x)) return kPerLog * (math::log(x * 0x1p54) - 54.0 * std::numbers::ln2);
  return kPerLog * math::log(x);
}

Vec3 unit(Vec3 v) { return (1.0 / norm(v)) * v; }

/// Polarisation after a perfect reflection, by components along and across the plane of incidence.
Vec3 reflect_polarisation(Vec3 incoming, Vec3 reflected, Vec3 polarisation, Vec3 normal) {
  if (std::abs(dot(incoming, normal)) >= 1.0) return -1.0 * polarisation;
  const Vec3 across = cross(incoming, normal);
  if (dot(across, across) == 0.0) return -1.0 * polarisation;
  const Vec3 u = unit(across), r = unit(cross(incoming, u));
  const Vec3 u2 = -1.0 * u, r2 = cross(reflected, u2);
  return -dot(polarisation, r) * r2 + dot(polarisation, u) * u2;
}

struct EchoField {
  double u, r;
};

/// The two components of the field that a point sends back, divided by k i / (4 pi). The phases of the way there,
/// e^ikr, and of the way back, e^-ikr, cancel, so the components are real.
EchoField field_of(const Affine& sensor_from_ray, Vec3 normal, double area_m2) {
  // Transformed as points, so directions contain the translation of the ray: for a radar, small against 1.
  const Vec3 d = transform_point(sensor_from_ray, {0, 0, 1}),
             polarisation = transform_point(sensor_from_ray, {1, 0, 0});
  const double phi = math::atan2(d.y, d.z), theta = math::acos(d.x / norm(d));
  const Vec3 along_phi = {0, math::cos(phi), -math::sin(phi)};
  const Vec3 along_theta = {-math::sin(theta), math::sin(phi) * math::cos(theta), math::cos(phi) * math::cos(theta)};
  const Vec3 reflected = unit(d - 2.0 * dot(d, normal) * normal);
  const Vec3 e = reflect_polarisation(d, reflected, polarisation, normal);
  const Vec3 h = -1.0 * cross(e, reflected);
  const double u = -dot(cross(e, -1.0 * along_phi) + cross(h, along_theta), reflected);
  const double r = -dot(cross(e, along_theta) + cross(h, along_phi), reflected);
  const double weight = area_m2 * dot(reflected, normal);
  return {u * weight, r * weight};
}

}  // namespace

double radar_cross_section_dbsm(const RadarSurfaces& s, std::span<const std::uint32_t> points, const RadarWave& wave,
                                const Affine& sensor_from_world) {
  const double k = 2.0 * std::numbers::pi * wave.frequency_hz / kLightMps;
  EchoField sum = {0.0, 0.0};
  for (const std::uint32_t i : points) {
    const float* n = s.normal_xyz.data() + std::size_t{3} * i;
    const Vec3 normal = transform_vector(sensor_from_world, {n[0], n[1], n[2]});
    const double r = s.distance_m[i];
    const double area = r * r * math::sin(double{wave.elevation_step_rad}) * wave.azimuth_step_rad;
    const EchoField f = field_of(sensor_from_world * to_affine(s.world_from_ray[i]), normal, area);
    sum.u += f.u, sum.r += f.r;
  }
  const double scale = k / (4.0 * std::numbers::pi);
  return decibels(4.0 * std::numbers::pi * scale * scale * (sum.u * sum.u + sum.r * sum.r));
}

double radar_power_dbm(double transmitted_dbm, double gain_dbi, double cross_section_dbsm, double distance_m,
                       double frequency_hz) {
  const double wavelength_m = kLightMps / frequency_hz;
  return transmitted_dbm + 2.0 * gain_dbi + cross_section_dbsm + 2.0 * decibels(wavelength_m) -
         3.0 * decibels(4.0 * std::numbers::pi) - 4.0 * decibels(distance_m);
}

namespace {

struct Object {
  Vec3 position, velocity;
  std::int32_t entity;
};

bool near(const RadarDetection& a, const RadarDetection& b, const RadarTrackSettings& s) {
  const float speed = std::abs(a.radial_speed_mps - b.radial_speed_mps);
  return std::abs(a.distance_m - b.distance_m) <= s.distance_m &&
         std::abs(a.azimuth_rad - b.azimuth_rad) <= s.azimuth_rad &&
         std::abs(a.elevation_rad - b.elevation_rad) <= s.elevation_rad &&
         (std::isnan(speed) || speed <= s.radial_speed_mps);
}

Object object_of(std::span<const RadarDetection> all, const std::vector<std::size_t>& members) {
  Object o = {};
  std::map<std::int32_t, int> votes;
  for (const std::size_t i : members) {
    o.position = o.position + all[i].position_m;
    o.velocity = o.velocity + all[i].absolute_velocity_mps;
    ++votes[all[i].entity];
  }
  const double share = 1.0 / static_cast<double>(members.size());
  o.position = share * o.position, o.velocity = share * o.velocity;
  const auto most = std::max_element(votes.begin(), votes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  o.entity = most->first;
  return o;
}

/// Groups detections: each is near another of its group.
std::vector<Object> group(std::span<const RadarDetection> all, const RadarTrackSettings& settings) {
  std::vector<Object> objects;
  std::vector<bool> taken(all.size(), false);
  for (std::size_t seed = 0; seed < all.size(); ++seed) {
    if (taken[seed]) continue;
    std::vector<std::size_t> members = {seed};
    taken[seed] = true;
    for (std::size_t m = 0; m < members.size(); ++m) {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (taken[i] || !near(all[members[m]], all[i], settings)) continue;
        taken[i] = true;
        members.push_back(i);
      }
    }
    objects.push_back(object_of(all, members));
  }
  return objects;
}

Vec3 predicted(const RadarTrack& track, double dt) {
  return track.position_m + dt * (track.velocity_mps + dt * track.acceleration_mps2);
}

std::optional<std::size_t> nearest(const std::vector<Object>& objects, const Vec3& place, double limit) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const double distance = norm(objects[i].position - place);
    if (distance < limit) limit = distance, best = i;
  }
  return best;
}

bool finite(const Vec3& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

/// Updates a track from a measurement. Unknown velocities (before the second frame) count as 0.
void measure(RadarTrack& track, const Object& object, double dt, double now_s, float movement_mps) {
  const Vec3 velocity = finite(object.velocity) ? object.velocity : Vec3{};
  const Vec3 change = velocity - track.velocity_mps;
  track.acceleration_mps2 = dt > 0.0 ? (1.0 / dt) * change : Vec3{};
  track.position_m = object.position, track.velocity_mps = velocity, track.entity = object.entity;
  track.moves = norm(velocity) > movement_mps;
  track.measured_s = now_s;
}

}  // namespace

std::int32_t RadarTracker::new_id() {
  if (free_ids_.empty()) return next_id_++;
  const std::int32_t id = free_ids_.front();
  free_ids_.pop_front();
  return id;
}

void RadarTracker::update(std::span<const RadarDetection> detections, double now_s) {
  std::vector<Object> objects = group(detections, settings_);
  const double dt = std::max(0.0, now_s - updated_s_);
  updated_s_ = now_s;
  std::vector<RadarTrack> kept;
  for (RadarTrack& track : tracks_) {
    const Vec3 place = predicted(track, dt);
    if (const auto found = nearest(objects, place, settings_.max_matching_m)) {
      measure(track, objects[*found], dt, now_s, settings_.movement_mps);
      objects.erase(objects.begin() + static_cast<std::ptrdiff_t>(*found));
    } else if (track.measured_s < now_s - settings_.max_prediction_s) {
      free_ids_.push_back(track.id);
      continue;
    } else {
      track.position_m = place;
    }
    kept.push_back(track);
  }
  for (const Object& object : objects) {
    RadarTrack track = {new_id(), {},   finite(object.velocity) ? object.velocity : Vec3{}, {}, object.entity,
                        false,    now_s};
    measure(track, object, 0.0, now_s, settings_.movement_mps);
    kept.push_back(track);
  }
  tracks_ = std::move(kept);
}

}  // namespace fathom
