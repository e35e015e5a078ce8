// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
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

}  // namespace

std::vector<float> cloud_ranges(const fs::path& file, const RayFinder& finder, const PatternShape& shape,
                                const std::string& sensor) {
  const CloudMessage cloud = read_cloud(file);
  const msg::PointCloud2& m = cloud.message;
  const PointField x(m, "x", file), y(m, "y", file), z(m, "z", file);
  std::vector<float> range_m(std::size_t{shape.rows} * shape.cols, __builtin_nanf(""));
  std::size_t points = 0, strays = 0;
  for (std::size_t i = 0; i < std::size_t{m.height} * m.width; ++i) {
    const std::byte* point = m.data.data() + i * m.point_step;
    const Vec3 at = {x.of(point), y.of(point), z.of(point)};
    if (!std::isfinite(at.x) || !std::isfinite(at.y) || !std::isfinite(at.z)) continue;
    ++points;
    const std::optional<RayFinder::Found> found = finder.find(at);
    if (!found) {
      ++strays;
      continue;
    }
    float& range = range_m[found->ray];
    if (!std::isnan(range)) {
      throw InputError(fmt::format("{}: has two points on ray {} of sensor '{}'", file.string(), found->ray, sensor));
    }
    range = static_cast<float>(found->range_m);
  }
  if (static_cast<double>(strays) <= kMostStrayShare * static_cast<double>(points)) return range_m;
  throw InputError(fmt::format("{}: {} of {} points lie on no ray of sensor '{}', to {} rad: are they in its frame?",
                               file.string(), strays, points, sensor, RayFinder::kMostAngleRad));
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
    reader.add_ranges(one.frame, cloud_ranges(one.file, finder, reader.shape(), sensor.name));
  }
  return reader.frames();
}

}  // namespace fathom
