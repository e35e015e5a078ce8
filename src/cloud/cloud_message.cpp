// SPDX-License-Identifier: MIT
#include "cloud/cloud_message.hpp"

#include <new>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "cloud/driver_layout.hpp"
#include "cloud/point_layout.hpp"

namespace fathom {

namespace {

/// As sensor_msgs/msg/PointField has it.
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
    if (options.layout == CloudLayout::kFields) {
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
  if (options.layout == CloudLayout::kFields) return options.fields | position;
  return driver_layout(options.layout).channels | position;
}

std::uint32_t point_bytes(const CloudOptions& options, ChannelSet present, std::uint32_t returns) {
  if (options.layout == CloudLayout::kFields) return make_point_layout(options, present, returns).step;
  return driver_layout(options.layout).step;
}

}  // namespace fathom
