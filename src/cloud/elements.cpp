// SPDX-License-Identifier: MIT
#include "cloud/elements.hpp"

namespace fathom {

std::span<const std::byte> elements_of(const Frame& frame, Channel channel) {
  switch (channel) {
    case Channel::kEntityId:
      return std::as_bytes(frame.entity_id());
    case Channel::kTriangleId:
      return std::as_bytes(frame.triangle_id());
    case Channel::kLabel:
      return std::as_bytes(frame.label());
    case Channel::kRing:
      return std::as_bytes(frame.ring());
    case Channel::kReason:
      return std::as_bytes(frame.reason());
    default:
      return std::as_bytes(frame.floats(channel));
  }
}

std::vector<std::size_t> shape_of(const Frame& frame, Channel channel) {
  std::vector<std::size_t> shape;
  if (frame.returns() > 1) shape.push_back(frame.returns());
  shape.push_back(frame.rows()), shape.push_back(frame.cols());
  if (channel_info(channel).planes == 3) shape.push_back(3);
  return shape;
}

npy::Type npy_type(ElementType type) {
  switch (type) {
    case ElementType::kUint8:
      return npy::Type::kUint8;
    case ElementType::kUint16:
      return npy::Type::kUint16;
    case ElementType::kUint32:
      return npy::Type::kUint32;
    case ElementType::kFloat32:
      break;
  }
  return npy::Type::kFloat32;
}

}  // namespace fathom
