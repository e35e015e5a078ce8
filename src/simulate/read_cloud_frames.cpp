// SPDX-License-Identifier: MIT
#include <cmath>
#include <optional>
#include <string>
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

}  // namespace

bool CloudRanges::lies_on_rays() const {
  return static_cast<double>(strays) <= kMostStrayShare * static_cast<double>(points);
}

CloudRanges find_ranges(const CloudPoints& points, const RayFinder& finder, const PatternShape& shape) {
  CloudRanges ranges;
  ranges.range_m.assign(std::size_t{shape.rows} * shape.cols, __builtin_nanf(""));
  ranges.points = points.at_m.size();
  for (const Vec3& at : points.at_m) {
    const std::optional<RayFinder::Found> found = finder.find(at);
    if (!found) {
      ++ranges.strays;
      continue;
    }
    float& range = ranges.range_m[found->ray];
    if (!std::isnan(range) && !ranges.twice) ranges.twice = found->ray;
    range = static_cast<float>(found->range_m);
  }
  return ranges;
}

void check_ranges(const CloudRanges& ranges, const fs::path& file, const std::string& sensor) {
  if (ranges.twice) {
    throw InputError(fmt::format("{}: has two points on ray {} of sensor '{}'", file.string(), *ranges.twice, sensor));
  }
  if (ranges.lies_on_rays()) return;
  throw InputError(fmt::format("{}: {} of {} points lie on no ray of sensor '{}', to {} rad: are they in its frame?",
                               file.string(), ranges.strays, ranges.points, sensor, RayFinder::kMostAngleRad));
}

ChainFrames read_cloud_frames(const SceneSetup& setup, std::span<const FrameFile> files,
                              const ChainFramesOptions& options) {
  const Sensor& sensor = setup.sensors[find_sensor(setup, options.sensor)].sensor;
  if (sensor.rolling || make_view(sensor.model).rays_vary) {
    throw InputError(fmt::format("sensor '{}': points do not tell their rays where these {}", sensor.name,
                                 sensor.rolling ? "have poses of their own (rolling)" : "vary from frame to frame"));
  }
  ChainFrameReader reader(setup, files.size(), options);
  const RayFinder finder(make_pattern(sensor.model));
  for (const FrameFile& one : files) {
    const CloudRanges ranges = find_ranges(read_cloud_points(one.file), finder, reader.shape());
    check_ranges(ranges, one.file, sensor.name);
    reader.add_ranges(one.frame, ranges.range_m);
  }
  return reader.frames();
}

}  // namespace fathom
