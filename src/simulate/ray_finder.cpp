// SPDX-License-Identifier: MIT
#include "simulate/ray_finder.hpp"

#include <algorithm>
#include <cmath>

namespace fathom {

namespace {

constexpr double kCell = 2.0 * RayFinder::kMostAngleRad;

/// The number of a cell of directions, whose coordinates are whole.
std::uint64_t cell(std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr std::int64_t kMiddle = std::int64_t{1} << 20U;
  const auto part = [](std::int64_t v) { return static_cast<std::uint64_t>(v + kMiddle); };
  return part(x) << 42U | part(y) << 21U | part(z);
}

std::int64_t cells(double v) { return static_cast<std::int64_t>(std::floor(v / kCell)); }

}  // namespace

RayFinder::RayFinder(const RayPattern& rays) : x_(rays.direction_x), y_(rays.direction_y), z_(rays.direction_z) {
  for (std::uint32_t i = 0; i < x_.size(); ++i) {
    const Vec3 origin_m = rays.origin_x.empty()
                              ? Vec3{0, 0, 0}
                              : Vec3{double{rays.origin_x[i]}, double{rays.origin_y[i]}, double{rays.origin_z[i]}};
    auto at = std::find_if(sources_.begin(), sources_.end(), [&](const Source& s) { return s.origin_m == origin_m; });
    if (at == sources_.end()) at = sources_.insert(at, {origin_m, {}});
    const Vec3 d = direction(i);
    at->rays.emplace_back(cell(cells(d.x), cells(d.y), cells(d.z)), i);
  }
  for (Source& source : sources_) std::sort(source.rays.begin(), source.rays.end());
}

std::optional<RayFinder::Found> RayFinder::find(const Vec3& point_m) const {
  std::optional<Found> found;
  double least = kMostAngleRad * kMostAngleRad;
  for (const Source& source : sources_) {
    const Vec3 from = point_m - source.origin_m;
    const double range_m = norm(from);
    if (!(range_m > 0.0)) continue;
    const Vec3 d = {from.x / range_m, from.y / range_m, from.z / range_m};
    for (int k = 0; k < 27; ++k) {
      const std::uint64_t key = cell(cells(d.x) + k / 9 - 1, cells(d.y) + k / 3 % 3 - 1, cells(d.z) + k % 3 - 1);
      for (auto at = std::lower_bound(source.rays.begin(), source.rays.end(), std::pair{key, std::uint32_t{0}});
           at != source.rays.end() && at->first == key; ++at) {
        const Vec3 beside = d - direction(at->second);
        const double off = dot(beside, beside);
        if (off <= least) least = off, found = Found{at->second, range_m};
      }
    }
  }
  return found;
}

}  // namespace fathom
