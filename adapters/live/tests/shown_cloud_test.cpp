// SPDX-License-Identifier: MIT
// Clouds in files, as the live page gets them.

#include "live/shown_cloud.hpp"

#include "support/expect.hpp"

namespace fathom::test {
namespace {

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
}  // namespace fathom::test
