// SPDX-License-Identifier: MIT
#include "live/frame_messages.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "message/message.hpp"
#include "message/point_cloud2.hpp"

namespace fathom {

namespace {

constexpr std::uint8_t kUint8 = 2, kUint32 = 6, kFloat32 = 7;  // types of sensor_msgs/msg/PointField

/// The header of a cloud [rows, cols] in which every point is a `Point`.
template <class Point>
msg::PointCloud2 cloud_of(std::uint32_t rows, std::uint32_t cols, std::span<const Point> points, std::uint32_t step) {
  msg::PointCloud2 cloud;
  cloud.height = rows, cloud.width = cols;
  cloud.point_step = step, cloud.row_step = step * cols;
  cloud.point_fields = {{"x", 0, kFloat32, 1}, {"y", 4, kFloat32, 1}, {"z", 8, kFloat32, 1}};
  cloud.data = std::as_bytes(points);
  return cloud;
}

#pragma pack(push, 1)
struct LivePoint {
  float x, y, z, clean_range_m;
  std::uint32_t entity;
  std::uint8_t reason;
};
#pragma pack(pop)
static_assert(sizeof(LivePoint) == 21);

}  // namespace

std::string points_message(const Frame& frame, std::string_view frame_id) {
  std::vector<LivePoint> points(frame.rays());  // of return 0: the page finds the ray of a point by its place
  const PointSpan hits = frame.hit_sensor_m();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const float clean = frame.clean_range_m()[i];
    points[i] = {hits.x[i],
                 hits.y[i],
                 hits.z[i],
                 std::isfinite(clean) ? clean : std::numeric_limits<float>::quiet_NaN(),
                 frame.entity_id()[i],
                 static_cast<std::uint8_t>(frame.reason()[i])};
  }
  auto cloud = cloud_of<LivePoint>(frame.rows(), frame.cols(), points, sizeof(LivePoint));
  cloud.header = {msg::time_of(frame.stamp_s()), std::string(frame_id)};
  cloud.point_fields.push_back({"clean_range", offsetof(LivePoint, clean_range_m), kFloat32, 1});
  cloud.point_fields.push_back({"entity", offsetof(LivePoint, entity), kUint32, 1});
  cloud.point_fields.push_back({"reason", offsetof(LivePoint, reason), kUint8, 1});
  cloud.is_dense = false;
  return write_message(cloud);
}

std::string rays_message(const RayPattern& pattern, double stamp_s, std::string_view frame_id) {
  std::vector<std::array<float, 3>> rays(pattern.direction_x.size());
  for (std::size_t i = 0; i < rays.size(); ++i) {
    rays[i] = {pattern.direction_x[i], pattern.direction_y[i], pattern.direction_z[i]};
  }
  auto cloud = cloud_of<std::array<float, 3>>(pattern.rows, pattern.cols, rays, sizeof(rays[0]));
  cloud.header = {msg::time_of(stamp_s), std::string(frame_id)};
  return write_message(cloud);
}

}  // namespace fathom
