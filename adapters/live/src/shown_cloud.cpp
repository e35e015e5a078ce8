// SPDX-License-Identifier: MIT
#include "live/shown_cloud.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/frame/reason.hpp>

#include "core/text/formats.hpp"
#include "io/cloud/point_value.hpp"
#include "io/message/message_type.hpp"
#include "live/frame_messages.hpp"

namespace fathom {

namespace {

using CloudJson = nlohmann::ordered_json;
// Types of sensor_msgs/msg/PointField.
constexpr std::uint8_t kByteType = 2, kUintType = 6, kFloatType = 7;

/// Reads one value of points, by its name and type; little endian.
template <class T>
class ValueOf {
 public:
  ValueOf(const msg::PointCloud2& cloud, std::string_view name, std::uint8_t datatype) : cloud_(cloud) {
    if (cloud.is_bigendian) return;
    for (const msg::PointField& field : cloud.point_fields) {
      if (field.name == name && field.datatype == datatype && field.count > 0) offset_ = field.offset;
    }
  }
  explicit operator bool() const { return offset_.has_value(); }
  T operator()(std::size_t row, std::size_t col) const {
    T value;
    std::memcpy(&value, cloud_.data.data() + row * cloud_.row_step + col * cloud_.point_step + *offset_, sizeof(T));
    return value;
  }

 private:
  const msg::PointCloud2& cloud_;
  std::optional<std::size_t> offset_;
};

template <class F>
void for_each_point(const msg::PointCloud2& cloud, F f) {
  for (std::size_t row = 0; row < cloud.height; ++row) {
    for (std::size_t col = 0; col < cloud.width; ++col) f(row, col);
  }
}

/// One of x, y and z where it is a float32 or float64.
std::optional<PointValue> axis_of(const msg::PointCloud2& cloud, std::string_view name) {
  const auto value = find_value(cloud, name);
  return value && value->is_real() ? value : std::nullopt;
}

double far_origin_of(const msg::PointCloud2& cloud, std::string_view name) {
  constexpr double kStepM = 64.0, kInfinity = std::numeric_limits<double>::infinity();
  const std::optional<PointValue> axis = axis_of(cloud, name);
  if (!axis) return 0.0;
  double low = kInfinity, high = -kInfinity;
  for_each_point(cloud, [&](std::size_t row, std::size_t col) {
    const double value = axis->of(cloud.data.data() + row * cloud.row_step + col * cloud.point_step);
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  });
  const double middle = 0.5 * (low + high);
  return std::abs(middle) > kFarCloudM ? kStepM * std::round(middle / kStepM) : 0.0;
}

CloudJson reasons_of(const msg::PointCloud2& cloud) {
  CloudJson json = CloudJson::object();
  const ValueOf<std::uint8_t> reason(cloud, "reason", kByteType);
  if (!reason) return json;
  std::vector<std::uint64_t> counts(kReasonNames.size());
  for_each_point(cloud, [&](std::size_t row, std::size_t col) {
    if (reason(row, col) < counts.size()) ++counts[reason(row, col)];
  });
  for (std::size_t r = 0; r < counts.size(); ++r) json[std::string(kReasonNames[r])] = counts[r];
  return json;
}

CloudJson errors_of(const msg::PointCloud2& cloud) {
  const ValueOf<float> clean(cloud, "clean_range", kFloatType), x(cloud, "x", kFloatType), y(cloud, "y", kFloatType),
      z(cloud, "z", kFloatType);
  if (!clean || !x || !y || !z) return {};
  std::vector<float> errors;
  for_each_point(cloud, [&](std::size_t row, std::size_t col) {
    const float error = std::hypot(x(row, col), y(row, col), z(row, col)) - clean(row, col);
    if (std::isfinite(error)) errors.push_back(error);
  });
  const ErrorHistogram histogram = make_error_histogram(std::move(errors));
  return {{"edges_m", histogram.edges_m}, {"counts", histogram.counts}, {"density_per_m", nullptr}};
}

}  // namespace

void name_for_page(msg::PointCloud2& cloud) {
  for (msg::PointField& field : cloud.point_fields) {
    if (field.name == "entity_id") field.name = "entity";
  }
}

Vec3 far_origin(const msg::PointCloud2& cloud) {
  return {far_origin_of(cloud, "x"), far_origin_of(cloud, "y"), far_origin_of(cloud, "z")};
}

void subtract(const Vec3& origin_m, CloudMessage& cloud) {
  const std::array<std::pair<std::string_view, double>, 3> axes = {
      {{"x", origin_m.x}, {"y", origin_m.y}, {"z", origin_m.z}}};
  for (const auto& [name, from_m] : axes) {
    const std::optional<PointValue> axis = axis_of(cloud.message, name);
    if (from_m == 0.0 || !axis) continue;
    for_each_point(cloud.message, [&, from_m = from_m](std::size_t row, std::size_t col) {
      std::byte* point = cloud.points.get() + row * cloud.message.row_step + col * cloud.message.point_step;
      axis->put(axis->of(point) - from_m, point);
    });
  }
}

std::string cloud_statistics(const msg::PointCloud2& cloud, std::uint32_t frame, double stamp_s,
                             bool is_in_sensor_frame) {
  const CloudJson json = {{"frame", frame},
                          {"stamp_s", stamp_s},
                          {"rays", std::uint64_t{cloud.height} * cloud.width},
                          {"reasons", reasons_of(cloud)},
                          {"errors", is_in_sensor_frame ? errors_of(cloud) : CloudJson()}};
  return json.dump();
}

LiveTopic cdr_topic(std::string name, const MessageType& type, bool keeps) {
  return {std::move(name), "cdr", std::string(type.name), schema_text(type), "ros2msg", keeps};
}

LiveTopic points_topic(const std::string& sensor) {
  return cdr_topic("/" + sensor + "/points", msg::PointCloud2::kType);
}

LiveTopic statistics_topic(const std::string& sensor) {
  return {"/" + sensor + "/statistics", "json", "fathom/statistics", R"({"type":"object"})", "jsonschema"};
}

CloudJson sensor_state(const std::string& name, std::uint32_t rows, std::uint32_t cols, const std::string& frame_id) {
  return {{"name", name}, {"kind", "cloud"},        {"rows", rows},
          {"cols", cols}, {"max_range_m", nullptr}, {"frame_id", frame_id}};
}

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
  /// [rows, cols] or, for points, [rows, cols, 3]. A first axis for several returns is merged with the rows.
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
  Channels channels(folder, frame);
  std::vector<ChannelPoint> points = positions(channels);
  CloudMessage cloud;
  msg::PointCloud2& message = cloud.message;
  message.point_fields = {{"x", 0, kFloatType, 1}, {"y", 4, kFloatType, 1}, {"z", 8, kFloatType, 1}};
  if (const auto clean = channels.find("clean_range")) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].clean_range_m = static_cast<float>(clean->at(i));
    message.point_fields.push_back({"clean_range", offsetof(ChannelPoint, clean_range_m), kFloatType, 1});
  }
  if (const auto entity = channels.find("entity_id")) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].entity = static_cast<std::uint32_t>(entity->at(i));
    message.point_fields.push_back({"entity", offsetof(ChannelPoint, entity), kUintType, 1});
  }
  if (const auto reason = channels.find("reason")) {
    for (std::size_t i = 0; i < points.size(); ++i) points[i].reason = static_cast<std::uint8_t>(reason->at(i));
    message.point_fields.push_back({"reason", offsetof(ChannelPoint, reason), kByteType, 1});
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
