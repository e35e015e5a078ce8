// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fathom/parts/radar.hpp>

namespace fathom {

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

/// Groups of detections: each detection is near another of its group.
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

/// Updates a track from a measurement. Velocities that are not known (before the second frame) count as 0.
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
