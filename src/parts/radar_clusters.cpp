// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include <fathom/parts/radar.hpp>

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
  // The gap or overlap of the two clusters is compared with the separation allowed at its far end.
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

}  // namespace fathom
