// SPDX-License-Identifier: MIT
// Scans and depth images as points, against the closed forms.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>

#include "live/written/scan_cloud.hpp"
#include "live/written/shown_cloud.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::contains;
using test::message_of;

std::vector<std::array<float, 3>> places_of(const CloudMessage& cloud) {
  std::vector<std::array<float, 3>> places(std::size_t{cloud.message.height} * cloud.message.width);
  EXPECT_EQ(cloud.message.data.size(), places.size() * sizeof(places[0]));
  std::memcpy(places.data(), cloud.message.data.data(), cloud.message.data.size());
  return places;
}

TEST(ScanCloud, RangesLieAlongTheirAngles) {
  msg::LaserScan scan;
  scan.header.frame_id = "laser";
  scan.angle_min = -0.5F * std::numbers::pi_v<float>;
  scan.angle_increment = 0.5F * std::numbers::pi_v<float>;
  scan.ranges = {2.0F, 3.0F, 4.0F, INFINITY, NAN};
  const CloudMessage cloud = cloud_of_scan(scan);
  EXPECT_EQ(cloud.message.header.frame_id, "laser");
  const auto places = places_of(cloud);
  ASSERT_EQ(places.size(), 5U);
  const std::array<std::array<float, 2>, 3> expected = {{{0, -2}, {3, 0}, {0, 4}}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(places[i][0], expected[i][0], 1e-6F);
    EXPECT_NEAR(places[i][1], expected[i][1], 1e-6F);
    EXPECT_EQ(places[i][2], 0.0F);
  }
  for (std::size_t i = 3; i < 5; ++i) {
    for (const float v : places[i]) EXPECT_TRUE(std::isnan(v));
  }
}

struct DepthCase {
  std::string bytes;
  msg::Image image;
  msg::CameraInfo camera;
};

/// Depths of 2 x 3 pixels, the second of them lost.
DepthCase depth_case(bool is_float, bool is_bigendian) {
  DepthCase c;
  for (int i = 0; i < 6; ++i) {
    std::string pixel;
    if (is_float) {
      const float z = i == 1 ? NAN : 1.0F + 0.5F * static_cast<float>(i);
      pixel.assign(reinterpret_cast<const char*>(&z), sizeof(z));
    } else {
      const auto z = static_cast<std::uint16_t>(i == 1 ? 0 : 1000 + 500 * i);
      pixel.assign(reinterpret_cast<const char*>(&z), sizeof(z));
    }
    if (is_bigendian) pixel.assign(pixel.rbegin(), pixel.rend());
    c.bytes += pixel;
    if (i == 2) c.bytes += "padding.";
  }
  c.bytes += "padding.";
  c.image.height = 2, c.image.width = 3;
  c.image.encoding = is_float ? "32FC1" : "16UC1";
  c.image.is_bigendian = is_bigendian ? 1 : 0;
  c.image.step = static_cast<std::uint32_t>(c.bytes.size() / 2);
  c.camera.k = {2, 0, 1, 0, 4, 0.5, 0, 0, 1};
  return c;
}

TEST(ScanCloud, DepthsLieAlongTheirPixels) {
  for (const bool is_float : {false, true}) {
    for (const bool is_bigendian : {false, true}) {
      DepthCase c = depth_case(is_float, is_bigendian);
      c.image.data = std::as_bytes(std::span(c.bytes));
      const auto places = places_of(cloud_of_depth(c.image, c.camera));
      ASSERT_EQ(places.size(), 6U);
      for (std::size_t i = 0; i < 6; ++i) {
        if (i == 1) {
          for (const float v : places[i]) EXPECT_TRUE(std::isnan(v));
          continue;
        }
        const float z = 1.0F + 0.5F * static_cast<float>(i);
        EXPECT_NEAR(places[i][0], (static_cast<float>(i % 3) - 1.0F) / 2.0F * z, 1e-5F);
        EXPECT_NEAR(places[i][1], (static_cast<float>(i / 3) - 0.5F) / 4.0F * z, 1e-5F);
        EXPECT_NEAR(places[i][2], z, 1e-6F);
      }
    }
  }
}

TEST(ScanCloud, ImagesThatAreNoDepthAreRefused) {
  DepthCase c = depth_case(true, false);
  c.image.data = std::as_bytes(std::span(c.bytes));
  const auto refusal = [&] {
    return message_of<InputError>([&] { static_cast<void>(cloud_of_depth(c.image, c.camera)); });
  };
  c.image.height = 3;
  EXPECT_TRUE(contains(refusal(), "fewer bytes than its width and height say"));
  c.image.height = 2, c.image.encoding = "rgb8";
  EXPECT_TRUE(contains(refusal(), "neither 32FC1 nor 16UC1"));
  c.image.encoding = "32FC1", c.camera.k[0] = 0;
  EXPECT_TRUE(contains(refusal(), "focal lengths"));
}

TEST(ShownCloud, FieldsWithoutValuesAreNotRead) {
  const std::string bytes(12, '\0');
  msg::PointCloud2 cloud;
  cloud.height = 1, cloud.width = 1, cloud.point_step = 12, cloud.row_step = 12;
  cloud.point_fields = {{"reason", 12, 2, 0}};  // a value of no bytes, after the last of the point
  cloud.data = std::as_bytes(std::span(bytes));
  EXPECT_TRUE(contains(cloud_statistics(cloud, 0, 0, true), R"("reasons":{})"));
}

/// Points (x, y, z) and (x + 0.02 m, y, z), as float64 of either byte order.
CloudMessage far_cloud(const Vec3& at_m, bool is_bigendian) {
  std::vector<double> values = {at_m.x, at_m.y, at_m.z, at_m.x + 0.02, at_m.y, at_m.z};
  CloudMessage cloud;
  cloud.points = std::make_unique<std::byte[]>(48);
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto bytes = std::bit_cast<std::array<std::byte, 8>>(values[i]);
    if (is_bigendian) std::reverse(bytes.begin(), bytes.end());
    std::memcpy(cloud.points.get() + 8 * i, bytes.data(), 8);
  }
  cloud.message.height = 1, cloud.message.width = 2, cloud.message.point_step = 24, cloud.message.row_step = 48;
  cloud.message.is_bigendian = is_bigendian;
  cloud.message.point_fields = {{"x", 0, 8, 1}, {"y", 8, 8, 1}, {"z", 16, 8, 1}};
  cloud.message.data = {cloud.points.get(), 48};
  return cloud;
}

double value_at(const CloudMessage& cloud, std::size_t offset) {
  std::array<std::byte, 8> bytes;
  std::memcpy(bytes.data(), cloud.message.data.data() + offset, 8);
  if (cloud.message.is_bigendian) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<double>(bytes);
}

TEST(ShownCloud, CloudsOfMapProjectionsKeepTheirDigits) {
  for (const bool is_bigendian : {false, true}) {
    CloudMessage cloud = far_cloud({512743.625, -5403547.5, 100}, is_bigendian);
    const Vec3 origin_m = far_origin(cloud.message);
    EXPECT_EQ(origin_m, (Vec3{512768, -5403520, 0}));
    subtract(origin_m, cloud);
    EXPECT_EQ(value_at(cloud, 0), -24.375);
    EXPECT_EQ(value_at(cloud, 8), -27.5);
    EXPECT_EQ(value_at(cloud, 16), 100.0);
    EXPECT_NEAR(float(value_at(cloud, 24)) - float(value_at(cloud, 0)), 0.02, 1e-5) << "as the page draws it";
  }
  EXPECT_EQ(far_origin(far_cloud({16000, -16000, 16000}, false).message), Vec3{});
}

}  // namespace
}  // namespace fathom
