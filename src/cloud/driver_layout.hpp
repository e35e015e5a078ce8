// SPDX-License-Identifier: MIT
#pragma once
// Points as the ROS drivers of the makers publish them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fathom/files/clouds.hpp>
#include <fathom/frame/frame.hpp>

namespace fathom {

/// What the points of a message are made of.
struct DriverSource {
  const Frame& frame;
  PointSpan at;                         ///< x y z of every ray
  std::int64_t stamp_ns;                ///< of the message
  std::span<const std::uint32_t> rays;  ///< those that become points
};

/// A field of every point.
struct DriverField {
  std::string_view name;
  std::uint32_t offset;    ///< bytes from the start of the point
  std::uint8_t datatype;   ///< as sensor_msgs/msg/PointField has it
  std::string_view value;  ///< for the page
  /// Writes the field of all points: the first is at `to`, the next `step` bytes further. Throws InputError for a value
  /// that does not fit into the type.
  void (*write)(const DriverSource& source, std::byte* to, std::size_t step);
};

struct DriverLayout {
  std::uint32_t step;   ///< bytes of a point; those that no field covers are 0
  ChannelSet channels;  ///< besides the points
  std::span<const DriverField> fields;
};

/// Of any layout but CloudLayout::kFields.
const DriverLayout& driver_layout(CloudLayout layout);

}  // namespace fathom
