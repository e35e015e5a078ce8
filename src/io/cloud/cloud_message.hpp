// SPDX-License-Identifier: MIT
#pragma once
// Clouds as sensor_msgs/msg/PointCloud2 for files, bags and topics, in fathom's layout or in that of ROS drivers.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <fathom/files/clouds.hpp>
#include <fathom/frame/frame.hpp>

#include "io/message/sensors.hpp"

namespace fathom {

/// A message with the memory of its points.
struct CloudMessage {
  msg::PointCloud2 message;
  std::unique_ptr<std::byte[]> points;
};

/// The points of a frame. Throws InputError for a stamp outside the times of ROS 2, a missing channel, a value that a
/// driver's field cannot hold, and more than 4 GiB of points; SystemError if memory does not suffice.
CloudMessage cloud_message(const Frame& frame, std::string_view frame_id, const CloudOptions& options);

/// Channels that a cloud needs.
ChannelSet cloud_channels(const CloudOptions& options);

/// Bytes of a point of a frame with these channels and returns.
std::uint32_t point_bytes(const CloudOptions& options, ChannelSet present, std::uint32_t returns);

/// The data for the points of a message.
struct DriverSource {
  const Frame& frame;
  Frame::Points at;                     ///< x y z of every ray
  std::int64_t stamp_ns;                ///< of the message
  std::span<const std::uint32_t> rays;  ///< rays that become points
};

/// A field of every point.
struct DriverField {
  std::string_view name;
  std::uint32_t offset;    ///< bytes from the start of the point
  std::uint8_t datatype;   ///< as sensor_msgs/msg/PointField has it
  std::string_view value;  ///< for documentation
  /// Writes the field of all points: the first to `to`, the next `step` bytes further. Throws InputError if a value
  /// does not fit into the type.
  void (*write)(const DriverSource& source, std::byte* to, std::size_t step);
};

/// Points as the ROS drivers of manufacturers publish them.
struct DriverLayout {
  std::uint32_t step;   ///< bytes of a point; padding is 0
  ChannelSet channels;  ///< besides the points
  std::span<const DriverField> fields;
};

/// For any layout except CloudOptions::Layout::kFields.
const DriverLayout& driver_layout(CloudOptions::Layout layout);

}  // namespace fathom
