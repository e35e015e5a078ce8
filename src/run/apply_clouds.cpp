// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/simulate/apply.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/formats.hpp"
#include "io/cloud/point_value.hpp"
#include "io/cloud/read_cloud.hpp"
#include "io/message/cdr.hpp"
#include "run/message_noise.hpp"

namespace fathom {

namespace {

std::size_t points_of(const msg::PointCloud2& cloud) { return std::size_t{cloud.width} * cloud.height; }

struct CloudCoordinates {
  explicit CloudCoordinates(const msg::PointCloud2& cloud)
      : x(coordinate_of(cloud, "x")), y(coordinate_of(cloud, "y")), z(coordinate_of(cloud, "z")) {}
  void put(float at_x, float at_y, float at_z, std::byte* point) const {
    x.put(at_x, point), y.put(at_y, point), z.put(at_z, point);
  }
  PointValue x, y, z;
};

/// The intensities of a cloud, which weather reads and changes. The full scale is the least of 1, 255 and 65535 that
/// holds them all.
class CloudIntensity {
 public:
  CloudIntensity(const msg::PointCloud2& cloud, bool is_read) {
    value_ = is_read ? find_value(cloud, "intensity") : std::nullopt;
    if (!value_) return;
    double most = 0.0;
    for (std::size_t i = 0; i < points_of(cloud); ++i) most = std::max(most, of(cloud, i));
    scale_ = most <= 1.0 ? 1.0 : most <= 255.0 ? 255.0 : 65535.0;
    for (std::size_t i = 0; i < points_of(cloud); ++i) {
      shares_.push_back(static_cast<float>(std::min(of(cloud, i) / scale_, 1.0)));
    }
  }
  /// [points] in [0, 1]; empty if not read.
  [[nodiscard]] std::span<const float> shares() const { return shares_; }
  void put(float share, std::byte* point) const {
    if (value_) value_->put(std::clamp(double{share}, 0.0, 1.0) * scale_, point);
  }

 private:
  [[nodiscard]] double of(const msg::PointCloud2& cloud, std::size_t i) const {
    const double value = value_->of(cloud.data.data() + byte_of_point(cloud, i));
    return value > 0.0 ? value : 0.0;  // also for NaN
  }

  std::optional<PointValue> value_;
  double scale_ = 1.0;
  std::vector<float> shares_;
};

/// 0 for a point that met nothing.
std::uint16_t ring_of_point(const CleanCloud& cloud, std::size_t i, double value) {
  if (is_ring(value)) return static_cast<std::uint16_t>(value);
  if (!std::isfinite(cloud.x_m[i] + cloud.y_m[i] + cloud.z_m[i])) return 0;
  throw InputError(fmt::format("point {}: ring = {} is no whole number in [0, {}]", i, value, kMostRing));
}

CleanCloud columns_of(const msg::PointCloud2& cloud, const CloudCoordinates& at, const CloudIntensity& intensity) {
  CleanCloud columns;
  if (cloud.height > 1) columns.rows = cloud.height, columns.cols = cloud.width;
  const std::optional<PointValue> ring = find_value(cloud, "ring");
  for (std::size_t i = 0; i < points_of(cloud); ++i) {
    const std::byte* const point = cloud.data.data() + byte_of_point(cloud, i);
    columns.x_m.push_back(static_cast<float>(at.x.of(point)));
    columns.y_m.push_back(static_cast<float>(at.y.of(point)));
    columns.z_m.push_back(static_cast<float>(at.z.of(point)));
    if (ring) columns.ring.push_back(ring_of_point(columns, i, ring->of(point)));
  }
  columns.intensity.assign(intensity.shares().begin(), intensity.shares().end());
  return columns;
}

/// Weather reads intensities.
bool reads_intensity(const NoiseChain& chain) {
  return std::any_of(chain.begin(), chain.end(),
                     [](const ChainEntry& entry) { return entry.noise.info().needs.power; });
}

/// The returns of a frame at the places of the points.
class AppliedPoints {
 public:
  AppliedPoints(const Frame& frame, std::span<const std::uint32_t> places, const CloudIntensity& intensity)
      : places_(places),
        at_(frame.hit_sensor_m()),
        reason_(frame.reason()),
        values_(intensity.shares().empty() ? std::span<const float>() : frame.intensity()),
        intensity_(intensity) {}

  [[nodiscard]] Reason reason(std::size_t i) const {
    return places_[i] < reason_.size() ? reason_[places_[i]] : Reason::kMiss;
  }
  void put(const CloudCoordinates& to, std::size_t i, std::byte* point) const {
    constexpr float kLost = std::numeric_limits<float>::quiet_NaN();
    const std::uint32_t at = places_[i];
    if (reason(i) != Reason::kHit) return to.put(kLost, kLost, kLost, point);
    to.put(at_.x[at], at_.y[at], at_.z[at], point);
    if (!intensity_.shares().empty() && values_[at] != intensity_.shares()[i]) intensity_.put(values_[at], point);
  }

 private:
  std::span<const std::uint32_t> places_;
  Frame::Points at_;
  std::span<const Reason> reason_;
  std::span<const float> values_;
  const CloudIntensity& intensity_;
};

/// A copy of `clean` with other points. A cloud of one row keeps its returns only.
CloudMessage cloud_with(const AppliedPoints& points, const msg::PointCloud2& clean, const CloudCoordinates& at) {
  CloudMessage noisy{clean, std::make_unique<std::byte[]>(clean.data.size())};
  std::byte* const data = noisy.points.get();
  if (clean.height > 1) {
    std::memcpy(data, clean.data.data(), clean.data.size());
    for (std::size_t i = 0; i < points_of(clean); ++i) {
      points.put(at, i, data + byte_of_point(clean, i));
      noisy.message.is_dense = noisy.message.is_dense && points.reason(i) == Reason::kHit;
    }
    noisy.message.data = {data, clean.data.size()};
    return noisy;
  }
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < points_of(clean); ++i) {
    if (points.reason(i) != Reason::kHit) continue;
    std::byte* const point = data + std::size_t{kept++} * clean.point_step;
    std::memcpy(point, clean.data.data() + byte_of_point(clean, i), clean.point_step);
    points.put(at, i, point);
  }
  noisy.message.width = kept, noisy.message.row_step = kept * clean.point_step;
  noisy.message.is_dense = true;
  noisy.message.data = {data, std::size_t{kept} * clean.point_step};
  return noisy;
}

CloudMessage noisy_cloud(SensorNoise& noise, std::uint32_t index, const msg::PointCloud2& clean, ReasonCounts& counts) {
  const CloudCoordinates at(clean);
  const bool is_weather = reads_intensity(noise.sensor().noise);
  const CloudIntensity intensity(clean, is_weather);
  const CleanCloud columns = columns_of(clean, at, intensity);
  ChannelSet channels = {Channel::kHitSensor, Channel::kReason};
  if (is_weather) channels.insert(Channel::kIntensity);
  Frame frame(channels);
  noise.apply_cloud(index, columns.given(), frame);
  const AppliedPoints points(frame, noise.cloud_places(), intensity);
  for (std::size_t i = 0; i < points_of(clean); ++i) ++counts[static_cast<std::size_t>(points.reason(i))];
  return cloud_with(points, clean, at);
}

}  // namespace

CleanCloud read_clean_cloud(const std::filesystem::path& file, const NoiseChain& chain) {
  return within_memory(file, [&] {
    const CloudFile read = read_cloud_file(file);
    const msg::PointCloud2& cloud = read.cloud.message;
    return with_prefix(file.string(), [&] {
      return columns_of(cloud, CloudCoordinates(cloud), CloudIntensity(cloud, reads_intensity(chain)));
    });
  });
}

std::vector<std::byte> apply_to_cloud_message(SensorNoise& noise, std::uint32_t index,
                                              std::span<const std::byte> message, ReasonCounts& counts) {
  msg::PointCloud2 clean;
  read_message(message, clean);
  const std::string bytes = write_message(noisy_cloud(noise, index, clean, counts).message);
  const auto made = std::as_bytes(std::span(bytes));
  return {made.begin(), made.end()};
}

void apply_to_cloud_file(SensorNoise& noise, std::uint32_t index, const std::filesystem::path& clean,
                         const std::filesystem::path& noisy, ReasonCounts& counts) {
  within_memory(clean, [&] {
    const CloudFile file = read_cloud_file(clean);
    const CloudMessage made =
        with_prefix(clean.string(), [&] { return noisy_cloud(noise, index, file.cloud.message, counts); });
    if (noisy.has_parent_path()) std::filesystem::create_directories(noisy.parent_path());
    write_cloud(noisy, made.message, file.format);
  });
}

bool is_cloud_file(const std::filesystem::path& file) {
  const std::string extension = lower_case(file.extension().string());
  if (extension == ".pcd" || extension == ".ply" || extension == ".bin") return true;
  if (extension != ".npy") return false;
  const npy::Array array = within_memory(file, [&] { return npy::read(file); });
  const std::size_t planes = array.shape.empty() ? 0 : array.shape.back();
  return (array.shape.size() == 2 || array.shape.size() == 3) && (planes == 3 || planes == 4);
}

}  // namespace fathom
