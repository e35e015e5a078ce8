// SPDX-License-Identifier: MIT
#include "nodes/publish.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "status.hpp"
#include "world.hpp"

namespace rgl {

namespace {

/// sensor_msgs/msg/PointField's number of a type.
std::uint8_t point_datatype(char type, std::size_t size) {
  constexpr std::uint8_t kInt8 = 1, kUint8 = 2, kInt16 = 3, kUint16 = 4, kInt32 = 5, kUint32 = 6, kFloat32 = 7,
                         kFloat64 = 8;
  const bool is_signed = type == 'I';
  if (type == 'F') return size == 8 ? kFloat64 : kFloat32;
  if (size == 1) return is_signed ? kInt8 : kUint8;
  if (size == 2) return is_signed ? kInt16 : kUint16;
  return is_signed ? kInt32 : kUint32;
}

/// The parts of packed points by name; paddings have none.
struct CloudLayout {
  std::vector<std::string> names;
  std::vector<fathom_topic_field> fields;  ///< whose names are set by layout_of()
};

CloudLayout layout_of(const std::vector<rgl_field_t>& fields) {
  CloudLayout layout;
  std::size_t offset = 0;
  for (const rgl_field_t field : fields) {
    const FieldInfo& info = info_of(field);
    const std::size_t first = layout.names.size();
    for (std::string_view rest = is_padding(field) ? "" : info.parts; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      layout.names.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const std::size_t parts = layout.names.size() - first;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t size = info.size / parts;
      layout.fields.push_back(
          {nullptr, static_cast<std::uint32_t>(offset + k * size), point_datatype(info.type, size)});
    }
    offset += info.size;
  }
  for (std::size_t i = 0; i < layout.fields.size(); ++i) layout.fields[i].name = layout.names[i].c_str();
  return layout;
}

std::uint64_t system_time_ns() {
  return static_cast<std::uint64_t>(
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

}  // namespace

void PublishNode::bind() {
  PointsNode::bind();
  format_ = dynamic_cast<const FormatNode*>(&input());
}

void PublishNode::validate(const World& world) {
  PointsNode::validate(world);
  if (format_ == nullptr) fail(RGL_INVALID_PIPELINE, fmt::format("{} requires a FormatPointsNode before it", name()));
}

void PublishNode::prepare(World& world) { stamp_ns_ = world.now().value_or(system_time_ns()); }

void PublishNode::run(const RunContext&) {
  const std::size_t points = count(), step = packed_size();
  if (points * step > std::numeric_limits<std::uint32_t>::max()) {
    fail(RGL_ROS2_ERROR, fmt::format("ROS 2 error: {} points of {} bytes exceed 4 GiB", points, step));
  }
  packed_.resize(points * step);
  input().copy(RGL_FIELD_DYNAMIC_FORMAT, packed_.data());
  const CloudLayout layout = layout_of(format_->fields());
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  fathom_topic_cloud cloud = {};
  cloud.frame_id = frame_id_.c_str();
  cloud.sec = static_cast<std::int32_t>(stamp_ns_ / kSecondNs);
  cloud.nanosec = static_cast<std::uint32_t>(stamp_ns_ % kSecondNs);
  cloud.points = static_cast<std::uint32_t>(points), cloud.point_step = static_cast<std::uint32_t>(step);
  cloud.fields = layout.fields.data(), cloud.field_count = layout.fields.size();
  cloud.data = packed_.data();
  cloud.is_dense = is_dense() ? 1 : 0;
  topic_->publish(cloud);
}

}  // namespace rgl
