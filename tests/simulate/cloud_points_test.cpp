// SPDX-License-Identifier: MIT
// Points of a cloud for calibration: the bytes are read as the message lays them out.

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "message/message.hpp"
#include "message/point_cloud2.hpp"
#include "simulate/cloud_points.hpp"
#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom {
namespace {

/// Rows of 2 points, 4 spare bytes behind each row.
CloudPoints read_points(const test::TemporaryFolder& folder, bool is_bigendian, std::uint32_t count = 1) {
  std::vector<std::uint32_t> words;
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 6; ++i) words.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(6 * row + i)));
    words.push_back(0);
  }
  if (is_bigendian) {
    for (std::uint32_t& word : words) word = __builtin_bswap32(word);
  }
  msg::PointCloud2 cloud;
  cloud.height = 2, cloud.width = 2, cloud.point_step = 12, cloud.row_step = 28;
  cloud.is_bigendian = is_bigendian;
  cloud.point_fields = {{"x", count == 0 ? 12U : 0U, 7, count}, {"y", 4, 7, 1}, {"z", 8, 7, 1}};
  cloud.data = std::as_bytes(std::span(words));
  const std::string bytes = write_message(cloud);
  return read_cloud_points(folder.write("a.cdr", bytes));
}

TEST(CloudPoints, RowsMayBePaddedAndBytesOfEitherOrder) {
  const test::TemporaryFolder folder;
  for (const bool is_bigendian : {false, true}) {
    const CloudPoints points = read_points(folder, is_bigendian);
    ASSERT_EQ(points.at_m.size(), 4U);
    EXPECT_EQ(points.at_m[1], (Vec3{3, 4, 5}));
    EXPECT_EQ(points.at_m[2], (Vec3{6, 7, 8}));
    EXPECT_EQ(points.at_m[3], (Vec3{9, 10, 11}));
  }
}

TEST(CloudPoints, ACoordinateOfNoValueIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_TRUE(test::contains(test::message_of<InputError>([&] { read_points(folder, false, 0); }),
                             "a.cdr: its x is no float32 or float64"));
}

}  // namespace
}  // namespace fathom
