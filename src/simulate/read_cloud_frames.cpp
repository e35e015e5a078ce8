// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain_frames.hpp>

#include "sensor/sensor_view.hpp"
#include "simulate/cloud_ranges.hpp"
#include "simulate/ray_finder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr double kMostStrayShare = 0.01;  // of the points of a file
constexpr double kMostTurnRad = 0.35;     // of a point from the ray at its place

}  // namespace

bool CloudRanges::lies_on_rays() const {
  return static_cast<double>(strays) <= kMostStrayShare * static_cast<double>(points);
}

namespace {

CloudRanges no_ranges(const CloudPoints& points, std::size_t rays) {
  CloudRanges ranges;
  ranges.range_m.assign(rays, __builtin_nanf("")), ranges.point_m.assign(3 * rays, __builtin_nanf(""));
  ranges.points = points.at_m.size();
  return ranges;
}

}  // namespace

void CloudRanges::put(std::size_t ray, double range, const Vec3& at) {
  range_m[ray] = static_cast<float>(range);
  point_m[3 * ray] = static_cast<float>(at.x), point_m[3 * ray + 1] = static_cast<float>(at.y);
  point_m[3 * ray + 2] = static_cast<float>(at.z);
}

CloudRanges find_ranges(const CloudPoints& points, const RayFinder& finder, const PatternShape& shape) {
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

/// Whether points of such noise may lie beside their rays.
bool is_turned(const NoiseChain& chain) {
  return std::any_of(chain.begin(), chain.end(), [](const ChainEntry& entry) {
    return entry.noise.stage() == Stage::kRay || entry.noise.stage() == Stage::kHitPoint;
  });
}

/// Of a cloud with the rows and columns of the sensor, along the rays at the places of its points; strays are those
/// that lie farther beside them.
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

/// Of noise that turns rays or points: by place where the cloud has the places of the sensor's rays.
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
                  "'{}': are its rows and columns those of the sensor?",
                  file.string(), ranges.strays, ranges.points, kMostTurnRad, sensor));
}

}  // namespace

ChainFrames read_cloud_frames(const SceneSetup& setup, std::span<const FrameFile> files,
                              const ChainFramesOptions& options) {
  const Sensor& sensor = setup.sensors[find_sensor(setup, options.sensor)].sensor;
  if (sensor.rolling || make_view(sensor.model).rays_vary) {
    throw InputError(fmt::format("sensor '{}': points do not tell their rays where these {}", sensor.name,
                                 sensor.rolling ? "have poses of their own (rolling)" : "vary from frame to frame"));
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
