// SPDX-License-Identifier: MIT
#include "live/written/channel_cloud.hpp"

#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "text/npy.hpp"

namespace fathom {

namespace {

struct ChannelPoint {
  float x, y, z, clean_range_m;
  std::uint32_t entity;
  std::uint32_t reason;  // its first byte
};

class Channels {
 public:
  Channels(const std::filesystem::path& folder, std::uint32_t frame) : folder_(folder), frame_(frame) {}

  [[nodiscard]] bool has(std::string_view name) const {
    std::error_code error;
    return std::filesystem::exists(file(name), error);
  }
  /// [rows, cols] or, of points, [rows, cols, 3]; several returns in front of these count as rows.
  [[nodiscard]] npy::Array read(std::string_view name, bool is_points = false) {
    npy::Array array = npy::read(file(name));
    const std::size_t wanted = is_points ? 3 : 2;
    if (array.shape.size() == wanted + 1) {
      array.shape[1] *= array.shape[0];
      array.shape.erase(array.shape.begin());
    }
    if (array.shape.size() != wanted || (is_points && array.shape[2] != 3)) {
      throw InputError(fmt::format("{}: is no array [rows, cols{}]", file(name).string(), is_points ? ", 3" : ""));
    }
    if (shape_.empty()) shape_.assign(array.shape.begin(), array.shape.begin() + 2);
    if (array.shape[0] != shape_[0] || array.shape[1] != shape_[1]) {
      throw InputError(fmt::format("{}: [{}, {}] is another shape than that of the other channels, [{}, {}]",
                                   file(name).string(), array.shape[0], array.shape[1], shape_[0], shape_[1]));
    }
    return array;
  }
  [[nodiscard]] std::optional<npy::Array> find(std::string_view name) {
    if (!has(name)) return {};
    return read(name);
  }
  [[nodiscard]] std::size_t rows() const { return shape_.at(0); }
  [[nodiscard]] std::size_t cols() const { return shape_.at(1); }

 private:
  [[nodiscard]] std::filesystem::path file(std::string_view name) const {
    return folder_ / fmt::format("{}_{:06}.npy", name, frame_);
  }

  std::filesystem::path folder_;
  std::uint32_t frame_;
  std::vector<std::size_t> shape_;
};

std::vector<ChannelPoint> positions(Channels& channels) {
  std::vector<ChannelPoint> points;
  for (const char* name : {"hit_sensor", "hit_world"}) {
    if (!channels.has(name)) continue;
    const npy::Array array = channels.read(name, true);
    points.resize(channels.rows() * channels.cols());
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].x = static_cast<float>(array.at(3 * i));
      points[i].y = static_cast<float>(array.at(3 * i + 1));
      points[i].z = static_cast<float>(array.at(3 * i + 2));
    }
    return points;
  }
  const npy::Array range = channels.read("range"), azimuth = channels.read("azimuth");
  const std::optional<npy::Array> elevation = channels.find("elevation");
  points.resize(channels.rows() * channels.cols());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double up = elevation ? elevation->at(i) : 0.0;
    points[i].x = static_cast<float>(range.at(i) * std::cos(up) * std::cos(azimuth.at(i)));
    points[i].y = static_cast<float>(range.at(i) * std::cos(up) * std::sin(azimuth.at(i)));
    points[i].z = static_cast<float>(range.at(i) * std::sin(up));
  }
  return points;
}

}  // namespace

CloudMessage cloud_of_channels(const std::filesystem::path& folder, std::uint32_t frame) {
  constexpr std::uint8_t kUint8 = 2, kUint32 = 6, kFloat32 = 7;  // of sensor_msgs/msg/PointField
  Channels channels(folder, frame);
  std::vector<ChannelPoint> points = positions(channels);
  CloudMessage cloud;
  msg::PointCloud2& message = cloud.message;
  message.point_fields = {{"x", 0, kFloat32, 1}, {"y", 4, kFloat32, 1}, {"z", 8, kFloat32, 1}};
  if (const auto clean = channels.find("clean_range")) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].clean_range_m = static_cast<float>(clean->at(i));
    message.point_fields.push_back({"clean_range", offsetof(ChannelPoint, clean_range_m), kFloat32, 1});
  }
  if (const auto entity = channels.find("entity_id")) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].entity = static_cast<std::uint32_t>(entity->at(i));
    message.point_fields.push_back({"entity", offsetof(ChannelPoint, entity), kUint32, 1});
  }
  if (const auto reason = channels.find("reason")) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].reason = static_cast<std::uint8_t>(reason->at(i));
    message.point_fields.push_back({"reason", offsetof(ChannelPoint, reason), kUint8, 1});
  }
  message.height = static_cast<std::uint32_t>(channels.rows());
  message.width = static_cast<std::uint32_t>(channels.cols());
  message.point_step = sizeof(ChannelPoint);
  message.row_step = message.point_step * message.width;
  message.is_dense = false;
  const std::size_t bytes = points.size() * sizeof(ChannelPoint);
  cloud.points = std::make_unique<std::byte[]>(bytes);
  std::memcpy(cloud.points.get(), points.data(), bytes);
  message.data = {cloud.points.get(), bytes};
  return cloud;
}

}  // namespace fathom
