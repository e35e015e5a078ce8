// SPDX-License-Identifier: MIT
#pragma once
// Clouds as sensor_msgs/msg/PointCloud2: of files, bags and topics alike.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fathom/files/clouds.hpp>

#include "message/point_cloud2.hpp"

namespace fathom {

/// A message with the memory of its points, which it shows.
struct CloudMessage {
  msg::PointCloud2 message;
  std::unique_ptr<std::byte[]> points;
};

/// The points of a frame. Throws InputError for a stamp that ROS 2 has no time for, a channel that the frame lacks, a
/// value that a driver's field cannot hold, and more than 4 GiB of points; SystemError when memory is short.
CloudMessage cloud_message(const Frame& frame, std::string_view frame_id, const CloudOptions& options);

/// Channels that the points of a cloud are made of.
ChannelSet cloud_channels(const CloudOptions& options);

/// Bytes of a point of a frame with these channels and returns.
std::uint32_t point_bytes(const CloudOptions& options, ChannelSet present, std::uint32_t returns);

}  // namespace fathom
