// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/chain_frames.hpp>

#include "cloud/read_cloud.hpp"
#include "sensor/sensor_view.hpp"
#include "simulate/cloud_ranges.hpp"
#include "simulate/ray_finder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr double kMostStrayShare = 0.01;  // of the points of a file
constexpr double kMostTurnRad = 0.35;     // of a point from the ray at its place

/// A number of each point, float32 or float64.
class PointField {
 public:
  PointField(const msg::PointCloud2& cloud, std::string_view name, const fs::path& file) {
    for (const msg::PointField& field : cloud.point_fields) {
      if (field.name == name) offset_ = field.offset, datatype_ = field.datatype;
    }
    if (datatype_ == 7 || datatype_ == 8) return;
    throw InputError(fmt::format("{}: its {} is no float32 or float64", file.string(), name));
  }
  [[nodiscard]] double of(const std::byte* point) const {
    if (datatype_ == 7) return double{read<float>(point)};
    return read<double>(point);
  }

 private:
  template <class T>
  [[nodiscard]] T read(const std::byte* point) const {
    T value;
    std::memcpy(&value, point + offset_, sizeof value);
    return value;
  }
  std::uint32_t offset_ = 0;
  std::uint8_t datatype_ = 0;
};

/// The points of a cloud that are finite, by their places.
template <class F>
void for_each_point(const CloudMessage& cloud, const fs::path& file, F f) {
  const msg::PointCloud2& m = cloud.message;
  const PointField x(m, "x", file), y(m, "y", file), z(m, "z", file);
  for (std::size_t i = 0; i < std::size_t{m.height} * m.width; ++i) {
    const std::byte* point = m.data.data() + i * m.point_step;
    const Vec3 at = {x.of(point), y.of(point), z.of(point)};
    if (std::isfinite(at.x) && std::isfinite(at.y) && std::isfinite(at.z)) f(i, at);
  }
}

void put_point(const Vec3& at, std::size_t ray, std::vector<float>& point_m) {
  point_m[3 * ray] = static_cast<float>(at.x), point_m[3 * ray + 1] = static_cast<float>(at.y);
  point_m[3 * ray + 2] = static_cast<float>(at.z);
}

/// What the points of an organised cloud measure along the rays at their places.
void take_by_place(const CloudMessage& cloud, const fs::path& file, const RayPattern& rays, const std::string& sensor,
                   std::vector<float>& range_m, std::vector<float>& point_m) {
  std::size_t points = 0, strays = 0;
  for_each_point(cloud, file, [&](std::size_t i, const Vec3& at) {
    ++points;
    Vec3 from = at;
    if (!rays.origin_x.empty()) {
      from = at - Vec3{double{rays.origin_x[i]}, double{rays.origin_y[i]}, double{rays.origin_z[i]}};
    }
    const Vec3 ray = {double{rays.direction_x[i]}, double{rays.direction_y[i]}, double{rays.direction_z[i]}};
    const double range = norm(from);
    if (!(range > 0.0) || norm(cross(ray, from)) > std::sin(kMostTurnRad) * range || dot(ray, from) < 0.0) {
      ++strays;
      return;
    }
    range_m[i] = static_cast<float>(range);
    put_point(at, i, point_m);
  });
  if (static_cast<double>(strays) <= kMostStrayShare * static_cast<double>(points)) return;
  throw InputError(
      fmt::format("{}: {} of {} points lie more than {} rad from the rays at their places, of sensor "
                  "'{}': are its rows and columns those of the sensor?",
                  file.string(), strays, points, kMostTurnRad, sensor));
}

}  // namespace

std::vector<float> cloud_ranges(const fs::path& file, const RayFinder& finder, const PatternShape& shape,
                                const std::string& sensor, std::vector<float>* point_m) {
  const CloudMessage cloud = read_cloud(file);
  std::vector<float> range_m(std::size_t{shape.rows} * shape.cols, __builtin_nanf(""));
  if (point_m != nullptr) point_m->assign(3 * range_m.size(), __builtin_nanf(""));
  const std::string_view turned_hint =
      point_m == nullptr ? ""
                         : "; where noise turns them farther, a cloud needs the rows and columns of the sensor "
                           "(keep_misses)";
  std::size_t points = 0, strays = 0;
  for_each_point(cloud, file, [&](std::size_t, const Vec3& at) {
    ++points;
    const std::optional<RayFinder::Found> found = finder.find(at);
    if (!found) {
      ++strays;
      return;
    }
    float& range = range_m[found->ray];
    if (!std::isnan(range)) {
      throw InputError(
          fmt::format("{}: has two points on ray {} of sensor '{}'{}", file.string(), found->ray, sensor, turned_hint));
    }
    range = static_cast<float>(found->range_m);
    if (point_m != nullptr) put_point(at, found->ray, *point_m);
  });
  if (static_cast<double>(strays) <= kMostStrayShare * static_cast<double>(points)) return range_m;
  throw InputError(fmt::format("{}: {} of {} points lie on no ray of sensor '{}', to {} rad: are they in its frame?{}",
                               file.string(), strays, points, sensor, RayFinder::kMostAngleRad, turned_hint));
}

namespace {

/// Whether points of such noise may lie beside their rays.
bool is_turned(const NoiseChain& chain) {
  return std::any_of(chain.begin(), chain.end(), [](const ChainEntry& entry) {
    return entry.noise.stage() == Stage::kRay || entry.noise.stage() == Stage::kHitPoint;
  });
}

/// By their places where the cloud has those of the sensor's rays, else as cloud_ranges().
std::vector<float> turned_ranges(const fs::path& file, const RayPattern& rays, const RayFinder& finder,
                                 const PatternShape& shape, const std::string& sensor, std::vector<float>& point_m) {
  const CloudMessage cloud = read_cloud(file);
  if (cloud.message.height != shape.rows || cloud.message.width != shape.cols) {
    return cloud_ranges(file, finder, shape, sensor, &point_m);
  }
  std::vector<float> range_m(std::size_t{shape.rows} * shape.cols, __builtin_nanf(""));
  point_m.assign(3 * range_m.size(), __builtin_nanf(""));
  take_by_place(cloud, file, rays, sensor, range_m, point_m);
  return range_m;
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
  const PatternShape shape = reader.shape();
  if (!is_turned(sensor.noise) && !is_turned(options.other_chain)) {
    for (const FrameFile& one : files) {
      reader.add_ranges(one.frame, cloud_ranges(one.file, finder, shape, sensor.name));
    }
    return reader.frames();
  }
  for (const FrameFile& one : files) {
    std::vector<float> point_m;
    const std::vector<float> range_m = turned_ranges(one.file, rays, finder, shape, sensor.name, point_m);
    reader.add_points(one.frame, range_m, point_m);
  }
  return reader.frames();
}

}  // namespace fathom
