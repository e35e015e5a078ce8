// SPDX-License-Identifier: MIT
#include "cloud/cloud_message.hpp"

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

}  // namespace

msg::PointCloud2 cloud_message(const PackedCloud& cloud, double stamp_s, std::string_view frame_id) {
  msg::PointCloud2 message;
  message.header = {msg::time_of(stamp_s), std::string(frame_id)};
  message.height = cloud.height;
  message.width = cloud.width;
  for (const PointField& field : cloud.layout.fields) {
    message.point_fields.push_back({std::string(field.name), field.offset, datatype(field.type), 1});
  }
  message.point_step = cloud.layout.step;
  message.row_step = cloud.layout.step * cloud.width;
  message.data = cloud.bytes();
  message.is_dense = cloud.is_dense;
  return message;
}

}  // namespace fathom
