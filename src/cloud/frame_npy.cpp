// SPDX-License-Identifier: MIT
#include <array>
#include <vector>

#include <fathom/files/arrays.hpp>

#include "text/npy.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

void write_array(const std::filesystem::path& file, npy::Type type, std::span<const std::size_t> shape,
                 std::span<const std::byte> bytes) {
  WholeFile out(file);
  out.write(npy::header(type, shape));
  out.write(bytes);
  out.commit();
}

/// The three planes as one array [rows, cols, 3].
std::vector<std::array<float, 3>> interleave(const PointSpan& points) {
  std::vector<std::array<float, 3>> xyz(points.x.size());
  for (std::size_t i = 0; i < xyz.size(); ++i) xyz[i] = {points.x[i], points.y[i], points.z[i]};
  return xyz;
}

}  // namespace

void write_npy(const std::filesystem::path& file, const Frame& frame, Channel channel) {
  const std::array<std::size_t, 3> shape = {frame.rows(), frame.cols(), 3};
  const auto plane = std::span(shape).first(2);
  switch (channel) {
    case Channel::kEntityId:
      return write_array(file, npy::Type::kUint32, plane, std::as_bytes(frame.entity_id()));
    case Channel::kTriangleId:
      return write_array(file, npy::Type::kUint32, plane, std::as_bytes(frame.triangle_id()));
    case Channel::kRing:
      return write_array(file, npy::Type::kUint16, plane, std::as_bytes(frame.ring()));
    case Channel::kReason:
      return write_array(file, npy::Type::kUint8, plane, std::as_bytes(frame.reason()));
    case Channel::kHitWorld:
    case Channel::kHitSensor:
    case Channel::kNormal:
    case Channel::kCleanHit: {
      const auto xyz = interleave(frame.points(channel));
      return write_array(file, npy::Type::kFloat32, shape, std::as_bytes(std::span(xyz)));
    }
    default:
      return write_array(file, npy::Type::kFloat32, plane, std::as_bytes(frame.floats(channel)));
  }
}

}  // namespace fathom
