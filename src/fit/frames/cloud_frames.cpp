// SPDX-License-Identifier: MIT
#include "fit/frames/cloud_frames.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "core/errors.hpp"
#include "io/cloud/point_value.hpp"
#include "io/cloud/read_cloud.hpp"
#include "sensor/sensor_view.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr double kMostStrayShare = 0.01;  // of the points of a file
constexpr double kMostTurnRad = 0.35;     // between a point and the ray at its place

constexpr double kCell = 2.0 * RayFinder::kMostAngleRad;

/// The number of a cell of directions with these whole coordinates.
std::uint64_t cell(std::int64_t x, std::int64_t y, std::int64_t z) {
  constexpr std::int64_t kMiddle = std::int64_t{1} << 20U;
  const auto part = [](std::int64_t v) { return static_cast<std::uint64_t>(v + kMiddle); };
  return part(x) << 42U | part(y) << 21U | part(z);
}

std::int64_t cells(double v) { return static_cast<std::int64_t>(std::floor(v / kCell)); }

CloudRanges no_ranges(const CloudPoints& points, std::size_t rays) {
  CloudRanges ranges;
  ranges.range_m.assign(rays, __builtin_nanf("")), ranges.point_m.assign(3 * rays, __builtin_nanf(""));
  ranges.points = points.at_m.size();
  return ranges;
}

}  // namespace

CloudPoints read_cloud_points(const fs::path& file) {
  const CloudMessage cloud = read_cloud(file);
  const msg::PointCloud2& m = cloud.message;
  const auto [x, y, z] = with_prefix(file.string(), [&] {
    return std::array{coordinate_of(m, "x"), coordinate_of(m, "y"), coordinate_of(m, "z")};
  });
  std::optional<PointValue> ring = find_value(m, "ring");
  CloudPoints points;
  points.rows = m.height, points.cols = m.width;
  for (std::size_t i = 0; i < std::size_t{m.height} * m.width; ++i) {
    const std::byte* point = m.data.data() + byte_of_point(m, i);
    const Vec3 at = {x.of(point), y.of(point), z.of(point)};
    if (!std::isfinite(at.x) || !std::isfinite(at.y) || !std::isfinite(at.z)) continue;
    points.at_m.push_back(at), points.place.push_back(static_cast<std::uint32_t>(i));
    if (!ring) continue;
    if (is_ring(ring->of(point))) {
      points.ring.push_back(static_cast<std::uint32_t>(ring->of(point)));
    } else {
      ring.reset(), points.ring.clear();
    }
  }
  return points;
}

RayFinder::RayFinder(const RayPattern& rays) : x_(rays.direction_x), y_(rays.direction_y), z_(rays.direction_z) {
  for (std::uint32_t i = 0; i < x_.size(); ++i) {
    const Vec3 origin_m = rays.origin_x.empty()
                              ? Vec3{0, 0, 0}
                              : Vec3{double{rays.origin_x[i]}, double{rays.origin_y[i]}, double{rays.origin_z[i]}};
    auto at = std::ranges::find(sources_, origin_m, &Source::origin_m);
    if (at == sources_.end()) at = sources_.insert(at, {origin_m, {}});
    const Vec3 d = direction(i);
    at->rays.emplace_back(cell(cells(d.x), cells(d.y), cells(d.z)), i);
  }
  for (Source& source : sources_) std::ranges::sort(source.rays);
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
      for (auto at = std::ranges::lower_bound(source.rays, std::pair{key, std::uint32_t{0}});
           at != source.rays.end() && at->first == key; ++at) {
        const Vec3 beside = d - direction(at->second);
        const double off = dot(beside, beside);
        if (off <= least) least = off, found = Found{at->second, range_m};
      }
    }
  }
  return found;
}

bool CloudRanges::lies_on_rays() const {
  return static_cast<double>(strays) <= kMostStrayShare * static_cast<double>(points);
}

void CloudRanges::put(std::size_t ray, double range, const Vec3& at) {
  range_m[ray] = static_cast<float>(range);
  point_m[3 * ray] = static_cast<float>(at.x), point_m[3 * ray + 1] = static_cast<float>(at.y);
  point_m[3 * ray + 2] = static_cast<float>(at.z);
}

CloudRanges find_ranges(const CloudPoints& points, const RayFinder& finder, const RayPattern::Shape& shape) {
  CloudRanges ranges = no_ranges(points, std::size_t{shape.rows} * shape.cols);
  for (const Vec3& at : points.at_m) {
    const std::optional<RayFinder::Found> found = finder.find(at);
    if (!found) {
      ++ranges.strays;
      continue;
    }
    if (!std::isnan(ranges.range_m[found->ray]) && !ranges.twice) ranges.twice = found->ray;
    ranges.put(found->ray, found->range_m, at);
  }
  return ranges;
}

void check_ranges(const CloudRanges& ranges, const fs::path& file, const std::string& sensor, std::string_view hint) {
  if (ranges.twice) {
    throw InputError(
        fmt::format("{}: has two points on ray {} of sensor '{}'{}", file.string(), *ranges.twice, sensor, hint));
  }
  if (ranges.lies_on_rays()) return;
  throw InputError(fmt::format("{}: {} of {} points lie on no ray of sensor '{}', to {} rad: are they in its frame?{}",
                               file.string(), ranges.strays, ranges.points, sensor, RayFinder::kMostAngleRad, hint));
}

namespace {

/// Whether this noise may move points off their rays.
bool is_turned(const NoiseChain& chain) {
  return std::ranges::any_of(chain, [](const ChainEntry& entry) {
    return entry.noise.stage() == Stage::kRay || entry.noise.stage() == Stage::kHitPoint;
  });
}

/// For a cloud with the rows and columns of the sensor: ranges along the rays at the places of its points. Strays are
/// points farther from their rays.
CloudRanges placed_ranges(const CloudPoints& points, const RayPattern& rays) {
  CloudRanges ranges = no_ranges(points, std::size_t{rays.rows} * rays.cols);
  for (std::size_t k = 0; k < points.at_m.size(); ++k) {
    const std::size_t i = points.place[k];
    Vec3 from = points.at_m[k];
    if (!rays.origin_x.empty()) {
      from = from - Vec3{double{rays.origin_x[i]}, double{rays.origin_y[i]}, double{rays.origin_z[i]}};
    }
    const Vec3 ray = {double{rays.direction_x[i]}, double{rays.direction_y[i]}, double{rays.direction_z[i]}};
    const double range_m = norm(from), beside_m = norm(cross(ray, from));
    if (!(range_m > 0.0) || beside_m > std::sin(kMostTurnRad) * range_m || dot(ray, from) < 0.0) {
      ++ranges.strays;
    } else {
      ranges.put(i, range_m, points.at_m[k]);
    }
  }
  return ranges;
}

/// For noise that turns rays or points: by place if the cloud has the rows and columns of the sensor.
CloudRanges turned_ranges(const CloudPoints& points, const fs::path& file, const RayPattern& rays,
                          const RayFinder& finder, const std::string& sensor) {
  if (points.rows != rays.rows || points.cols != rays.cols) {
    CloudRanges ranges = find_ranges(points, finder, {rays.rows, rays.cols});
    check_ranges(ranges, file, sensor,
                 "; where noise turns them farther, a cloud needs the rows and columns of the sensor (keep_misses)");
    return ranges;
  }
  CloudRanges ranges = placed_ranges(points, rays);
  if (ranges.lies_on_rays()) return ranges;
  throw InputError(
      fmt::format("{}: {} of {} points lie more than {} rad from the rays at their places, of sensor "
                  "'{}': does the cloud have the rows and columns of the sensor?",
                  file.string(), ranges.strays, ranges.points, kMostTurnRad, sensor));
}

}  // namespace

ChainFrames read_cloud_frames(const SceneSetup& setup, std::span<const FrameFile> files,
                              const ChainFrames::Options& options) {
  const Sensor& sensor = setup.sensors[find_sensor(setup, options.sensor)].sensor;
  if (sensor.rolling || make_view(sensor.model).rays_vary) {
    throw InputError(fmt::format("sensor '{}': points do not tell their rays where these {}", sensor.name,
                                 sensor.rolling ? "have different poses (rolling)" : "vary from frame to frame"));
  }
  ChainFrameReader reader(setup, files.size(), options);
  const RayPattern rays = make_pattern(sensor.model);
  const RayFinder finder(rays);
  const bool turned = is_turned(sensor.noise) || is_turned(options.other_chain);
  for (const FrameFile& one : files) {
    const CloudPoints points = read_cloud_points(one.file);
    if (turned) {
      const CloudRanges ranges = turned_ranges(points, one.file, rays, finder, sensor.name);
      reader.add_points(one.frame, ranges.range_m, ranges.point_m);
    } else {
      const CloudRanges ranges = find_ranges(points, finder, reader.shape());
      check_ranges(ranges, one.file, sensor.name);
      reader.add_ranges(one.frame, ranges.range_m);
    }
  }
  return reader.frames();
}

}  // namespace fathom
