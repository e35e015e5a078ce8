// SPDX-License-Identifier: MIT
#include "io/cloud/cloud_message.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>

#include "io/cloud/point_layout.hpp"

namespace fathom {

namespace {

constexpr std::uint8_t kUint8 = 2, kUint16 = 4, kUint32 = 6, kFloat32 = 7, kFloat64 = 8;
constexpr float kFullScale = 255.0F;  // of the manufacturers' intensities

template <class T, class Value>
void write_each(const DriverSource& source, std::byte* to, std::size_t step, Value value) {
  for (const std::uint32_t ray : source.rays) {
    const T written = value(ray);
    std::memcpy(to, &written, sizeof(T));
    to += step;
  }
}

/// Rounds; 0 for the NaN of a lost return.
template <class T>
T whole(double value, std::string_view field) {
  if (std::isnan(value)) return 0;
  const double rounded = std::round(value);
  if (!(rounded >= 0.0 && rounded <= double{std::numeric_limits<T>::max()})) {
    throw InputError(fmt::format("{} = {} of a point is not in [0, {}], which the driver's field can hold", field,
                                 value, std::numeric_limits<T>::max()));
  }
  return static_cast<T>(rounded);
}

void write_x(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<float>(s, to, step, [&](std::uint32_t ray) { return s.at.x[ray]; });
}
void write_y(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<float>(s, to, step, [&](std::uint32_t ray) { return s.at.y[ray]; });
}
void write_z(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<float>(s, to, step, [&](std::uint32_t ray) { return s.at.z[ray]; });
}
void write_intensity(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<float>(s, to, step, [intensity = s.frame.intensity()](std::uint32_t ray) { return intensity[ray]; });
}
void write_scaled_intensity(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<float>(s, to, step,
                    [intensity = s.frame.intensity()](std::uint32_t ray) { return kFullScale * intensity[ray]; });
}
void write_reflectivity(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<std::uint16_t>(s, to, step, [intensity = s.frame.intensity()](std::uint32_t ray) {
    return whole<std::uint16_t>(double{kFullScale * intensity[ray]}, "reflectivity");
  });
}
void write_ring(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<std::uint16_t>(s, to, step, [ring = s.frame.ring()](std::uint32_t ray) { return ring[ray]; });
}
void write_line(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<std::uint8_t>(s, to, step, [ring = s.frame.ring()](std::uint32_t ray) {
    return whole<std::uint8_t>(double{static_cast<float>(ring[ray])}, "line");
  });
}
void write_seconds(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<float>(s, to, step, [offset = s.frame.time_offset_s()](std::uint32_t ray) { return offset[ray]; });
}
void write_nanoseconds(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<std::uint32_t>(s, to, step, [offset = s.frame.time_offset_s()](std::uint32_t ray) {
    return whole<std::uint32_t>(1e9 * double{offset[ray]}, "t");
  });
}
void write_timestamp(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<double>(s, to, step, [&s, offset = s.frame.time_offset_s()](std::uint32_t ray) {
    return static_cast<double>(s.stamp_ns + std::llround(1e9 * double{offset[ray]}));
  });
}
void write_millimetres(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<std::uint32_t>(s, to, step, [range = s.frame.range_m()](std::uint32_t ray) {
    return whole<std::uint32_t>(1e3 * double{range[ray]}, "range");
  });
}
template <class T>
void write_zero(const DriverSource& s, std::byte* to, std::size_t step) {
  write_each<T>(s, to, step, [](std::uint32_t) { return T{0}; });
}

// Names, types and offsets as in velodyne_pointcloud (PointcloudXYZIRT), ouster-ros (struct Point of os_point.h in the
// layout of PCL) and livox_ros_driver2 (LivoxPointXyzrtlt).

constexpr DriverField kX = {"x", 0, kFloat32, "m", write_x}, kY = {"y", 4, kFloat32, "m", write_y},
                      kZ = {"z", 8, kFloat32, "m", write_z};
constexpr std::string_view kScaledText = "255 times `intensity`";

constexpr std::array<DriverField, 3> kXyzFields = {kX, kY, kZ};
constexpr std::array<DriverField, 4> kXyziFields = {
    kX, kY, kZ, {"intensity", 12, kFloat32, "`intensity`, 0 to 1", write_intensity}};
constexpr std::array<DriverField, 6> kVelodyneFields = {
    kX,
    kY,
    kZ,
    {"intensity", 12, kFloat32, kScaledText, write_scaled_intensity},
    {"ring", 16, kUint16, "scan line", write_ring},
    {"time", 18, kFloat32, "s since the stamp", write_seconds}};
constexpr std::array<DriverField, 9> kOusterFields = {
    kX,
    kY,
    kZ,
    {"intensity", 16, kFloat32, kScaledText, write_scaled_intensity},
    {"t", 20, kUint32, "ns since the stamp", write_nanoseconds},
    {"reflectivity", 24, kUint16, "255 times `intensity`, rounded", write_reflectivity},
    {"ring", 26, kUint16, "scan line", write_ring},
    {"ambient", 28, kUint16, "0: sunlight is not simulated", write_zero<std::uint16_t>},
    {"range", 32, kUint32, "mm, 0 where lost", write_millimetres}};
constexpr std::array<DriverField, 7> kLivoxFields = {
    kX,
    kY,
    kZ,
    {"intensity", 12, kFloat32, kScaledText, write_scaled_intensity},
    {"tag", 16, kUint8, "0: a first return without doubts", write_zero<std::uint8_t>},
    {"line", 17, kUint8, "scan line, at most 255", write_line},
    {"timestamp", 18, kFloat64, "ns, of the stamp's clock", write_timestamp}};

/// In the order of CloudOptions::Layout, from kXyz on.
constexpr std::array<DriverLayout, 5> kDriverLayouts = {{
    {12, {}, kXyzFields},
    {16, {Channel::kIntensity}, kXyziFields},
    {22, {Channel::kIntensity, Channel::kRing, Channel::kTimeOffset}, kVelodyneFields},
    {48, {Channel::kIntensity, Channel::kRing, Channel::kTimeOffset, Channel::kRange}, kOusterFields},
    {26, {Channel::kIntensity, Channel::kRing, Channel::kTimeOffset}, kLivoxFields},
}};

}  // namespace

const DriverLayout& driver_layout(CloudOptions::Layout layout) {
  return kDriverLayouts.at(static_cast<std::size_t>(layout) - static_cast<std::size_t>(CloudOptions::Layout::kXyz));
}

namespace {

/// The datatype of sensor_msgs/msg/PointField.
std::uint8_t datatype(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return 2;
    case ElementType::kUint16:
      return 4;
    case ElementType::kUint32:
      return 6;
    case ElementType::kFloat32:
      break;
  }
  return 7;
}

void add_fields_asked_for(CloudMessage& cloud, const Frame& frame, const CloudOptions& options) {
  PackedCloud packed = pack_cloud(frame, options);
  for (const PointField& field : packed.layout.fields) {
    cloud.message.point_fields.push_back({std::string(field.name), field.offset, datatype(field.type), 1});
  }
  cloud.message.width = packed.width;
  cloud.message.point_step = packed.layout.step;
  cloud.points = std::move(packed.data);
}

void add_fields_of_driver(CloudMessage& cloud, const Frame& frame, const CloudOptions& options) {
  const DriverLayout& layout = driver_layout(options.layout);
  const std::vector<std::uint32_t> rays = rays_kept(frame, options);
  cloud.points = std::make_unique<std::byte[]>(rays.size() * layout.step);
  const msg::Time& stamp = cloud.message.header.stamp;
  const DriverSource source = {frame, frame.points(position_channel(options)),
                               std::int64_t{stamp.sec} * 1'000'000'000 + stamp.nanosec, rays};
  for (const DriverField& field : layout.fields) {
    cloud.message.point_fields.push_back({std::string(field.name), field.offset, field.datatype, 1});
    field.write(source, cloud.points.get() + field.offset, layout.step);
  }
  cloud.message.width = options.keep_misses ? frame.cols() : static_cast<std::uint32_t>(rays.size());
  cloud.message.point_step = layout.step;
}

}  // namespace

CloudMessage cloud_message(const Frame& frame, std::string_view frame_id, const CloudOptions& options) {
  CloudMessage cloud;
  msg::PointCloud2& message = cloud.message;
  message.header = {msg::time_of(frame.stamp_s()), std::string(frame_id)};
  message.height = options.keep_misses ? frame.returns() * frame.rows() : 1;
  message.is_dense = !options.keep_misses;
  try {
    if (options.layout == CloudOptions::Layout::kFields) {
      add_fields_asked_for(cloud, frame, options);
    } else {
      add_fields_of_driver(cloud, frame, options);
    }
  } catch (const std::bad_alloc&) {
    throw SystemError(fmt::format("a cloud of {} points does not fit in memory", frame.size()));
  }
  const std::uint64_t bytes = std::uint64_t{message.width} * message.height * message.point_step;
  if (bytes > 0xffffffffULL) {
    throw InputError(fmt::format("{} bytes of points, the limit of a PointCloud2 message is 4294967295", bytes));
  }
  message.row_step = message.point_step * message.width;
  message.data = {cloud.points.get(), bytes};
  return cloud;
}

ChannelSet cloud_channels(const CloudOptions& options) {
  const ChannelSet position = {position_channel(options)};
  if (options.layout == CloudOptions::Layout::kFields) return options.fields | position;
  return driver_layout(options.layout).channels | position;
}

std::uint32_t point_bytes(const CloudOptions& options, ChannelSet present, std::uint32_t returns) {
  if (options.layout == CloudOptions::Layout::kFields) return make_point_layout(options, present, returns).step;
  return driver_layout(options.layout).step;
}

}  // namespace fathom
