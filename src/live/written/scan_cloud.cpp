// SPDX-License-Identifier: MIT
#include "live/written/scan_cloud.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <fathom/base/error.hpp>

namespace fathom {

namespace {

constexpr float kLostPoint = std::numeric_limits<float>::quiet_NaN();
using Place = std::array<float, 3>;

CloudMessage cloud_of_places(const msg::Header& header, std::uint32_t rows, std::uint32_t cols,
                             const std::vector<Place>& places) {
  constexpr std::uint8_t kFloat32 = 7;  // of sensor_msgs/msg/PointField
  CloudMessage cloud;
  cloud.message.header = header;
  cloud.message.height = rows, cloud.message.width = cols;
  cloud.message.point_fields = {{"x", 0, kFloat32, 1}, {"y", 4, kFloat32, 1}, {"z", 8, kFloat32, 1}};
  cloud.message.point_step = sizeof(Place);
  cloud.message.row_step = cols * cloud.message.point_step;
  cloud.message.is_dense = false;
  const std::size_t bytes = places.size() * sizeof(Place);
  cloud.points = std::make_unique<std::byte[]>(bytes);
  std::memcpy(cloud.points.get(), places.data(), bytes);
  cloud.message.data = {cloud.points.get(), bytes};
  return cloud;
}

template <class Pixel>
Pixel pixel_at(const msg::Image& image, std::size_t row, std::size_t col) {
  std::array<std::byte, sizeof(Pixel)> bytes;
  std::memcpy(bytes.data(), image.data.data() + row * image.step + col * sizeof(Pixel), sizeof(Pixel));
  if (image.is_bigendian != 0) std::reverse(bytes.begin(), bytes.end());
  Pixel pixel;
  std::memcpy(&pixel, bytes.data(), sizeof(Pixel));
  return pixel;
}

float depth_at(const msg::Image& image, std::size_t row, std::size_t col) {
  if (image.encoding == "32FC1") return pixel_at<float>(image, row, col);
  const auto millimetres = pixel_at<std::uint16_t>(image, row, col);
  return millimetres == 0 ? kLostPoint : 0.001F * static_cast<float>(millimetres);
}

}  // namespace

CloudMessage cloud_of_scan(const msg::LaserScan& scan) {
  std::vector<Place> places(scan.ranges.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double angle = scan.angle_min + static_cast<double>(i) * scan.angle_increment;
    const float range = std::isfinite(scan.ranges[i]) ? scan.ranges[i] : kLostPoint;
    places[i] = {range * static_cast<float>(std::cos(angle)), range * static_cast<float>(std::sin(angle)),
                 std::isnan(range) ? kLostPoint : 0.0F};
  }
  return cloud_of_places(scan.header, 1, static_cast<std::uint32_t>(places.size()), places);
}

CloudMessage cloud_of_depth(const msg::Image& image, const msg::CameraInfo& camera) {
  const double fx = camera.k[0], cx = camera.k[2], fy = camera.k[4], cy = camera.k[5];
  if (!(fx > 0.0) || !(fy > 0.0)) throw InputError("the focal lengths of the camera are not above 0");
  const std::size_t size = image.encoding == "32FC1" ? sizeof(float) : sizeof(std::uint16_t);
  if (size == sizeof(std::uint16_t) && image.encoding != "16UC1") {
    throw InputError("an image is not shown: its encoding is neither 32FC1 nor 16UC1");
  }
  if (image.step < image.width * size || image.data.size() < std::uint64_t{image.height} * image.step) {
    throw InputError("a depth image has fewer bytes than its width and height say");
  }
  std::vector<Place> places(std::size_t{image.height} * image.width);
  for (std::size_t row = 0, i = 0; row < image.height; ++row) {
    for (std::size_t col = 0; col < image.width; ++col, ++i) {
      const float z = depth_at(image, row, col);
      const double per_m = std::isfinite(z) ? z : kLostPoint;
      places[i] = {static_cast<float>((static_cast<double>(col) - cx) / fx * per_m),
                   static_cast<float>((static_cast<double>(row) - cy) / fy * per_m), static_cast<float>(per_m)};
    }
  }
  return cloud_of_places(image.header, image.height, image.width, places);
}

}  // namespace fathom
