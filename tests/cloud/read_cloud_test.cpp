// SPDX-License-Identifier: MIT
// Clouds that others wrote: the same points come out of every format, and what is cut short is refused.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cloud/read_cloud.hpp"
#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom {
namespace {

using test::contains;
using test::message_of;

struct CloudPoint {
  float x, y, z;
  std::uint16_t ring;
  double time_s;
  bool operator==(const CloudPoint&) const = default;
};

CloudPoint any_point() {
  const auto coordinate = [] { return static_cast<float>(*rc::gen::inRange(-1'000'000, 1'000'001)) / 1024.0F; };
  return {coordinate(), coordinate(), coordinate(), *rc::gen::arbitrary<std::uint16_t>(),
          static_cast<double>(*rc::gen::inRange(0, 1 << 30)) / 7.0};
}

template <class T>
void append(std::string& bytes, T value, bool is_bigendian) {
  std::array<char, sizeof(T)> raw;
  std::memcpy(raw.data(), &value, sizeof(T));
  if (is_bigendian) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

std::string binary(const std::vector<CloudPoint>& points, bool is_bigendian) {
  std::string bytes;
  for (const CloudPoint& p : points) {
    for (const float v : {p.x, p.y, p.z}) append(bytes, v, is_bigendian);
    append(bytes, p.ring, is_bigendian), append(bytes, p.time_s, is_bigendian);
  }
  return bytes;
}

std::string ascii(const std::vector<CloudPoint>& points) {
  std::string lines;
  for (const CloudPoint& p : points) lines += fmt::format("{} {} {} {} {}\n", p.x, p.y, p.z, p.ring, p.time_s);
  return lines;
}

std::string pcd(const std::vector<CloudPoint>& points, bool is_text) {
  return fmt::format(
             "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z ring time\nSIZE 4 4 4 2 8\nTYPE F F F U F\nCOUNT 1 1 1 1 1\n"
             "WIDTH {0}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {0}\nDATA {1}\n",
             points.size(), is_text ? "ascii" : "binary") +
         (is_text ? ascii(points) : binary(points, false));
}

std::string ply(const std::vector<CloudPoint>& points, const std::string& format) {
  return fmt::format(
             "ply\nformat {} 1.0\nelement vertex {}\nproperty float x\nproperty float y\nproperty float z\n"
             "property ushort ring\nproperty double time\nend_header\n",
             format, points.size()) +
         (format == "ascii" ? ascii(points) : binary(points, format == "binary_big_endian"));
}

/// The points of a message, by the names, offsets and types that it says.
std::vector<CloudPoint> points_of(const msg::PointCloud2& cloud) {
  const auto value = [&](std::size_t i, const char* name, std::uint8_t datatype, auto& to) {
    for (const msg::PointField& field : cloud.point_fields) {
      if (field.name != name) continue;
      EXPECT_EQ(field.datatype, datatype) << name;
      std::array<std::byte, sizeof(to)> raw;
      std::memcpy(raw.data(), cloud.data.data() + i * cloud.point_step + field.offset, sizeof(to));
      if (cloud.is_bigendian) std::reverse(raw.begin(), raw.end());
      std::memcpy(&to, raw.data(), sizeof(to));
      return;
    }
    ADD_FAILURE() << "no field " << name;
  };
  std::vector<CloudPoint> points(std::size_t{cloud.height} * cloud.width);
  for (std::size_t i = 0; i < points.size(); ++i) {
    value(i, "x", 7, points[i].x), value(i, "y", 7, points[i].y), value(i, "z", 7, points[i].z);
    value(i, "ring", 4, points[i].ring), value(i, "time", 8, points[i].time_s);
  }
  return points;
}

RC_GTEST_PROP(ReadCloud, PointsAreTheSameInEveryFormat, ()) {
  const test::TemporaryFolder folder;
  std::vector<CloudPoint> points(*rc::gen::inRange<std::size_t>(0, 20));
  for (CloudPoint& point : points) point = any_point();
  for (const std::string& bytes : {pcd(points, false), pcd(points, true), ply(points, "ascii"),
                                   ply(points, "binary_little_endian"), ply(points, "binary_big_endian")}) {
    const CloudMessage cloud = read_cloud(folder.write("a.cloud", bytes));
    RC_ASSERT(points_of(cloud.message) == points);
  }
}

TEST(ReadCloud, LessThanAnnouncedIsRefused) {
  const test::TemporaryFolder folder;
  const std::vector<CloudPoint> points(3, CloudPoint{1, 2, 3, 4, 5});
  for (const std::string& bytes : {pcd(points, false), pcd(points, true), ply(points, "ascii"),
                                   ply(points, "binary_little_endian"), ply(points, "binary_big_endian")}) {
    for (std::size_t size = 0; size + 1 < bytes.size(); ++size) {  // the last line of text needs no end
      const auto file = folder.write("a.cloud", bytes.substr(0, size));
      EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_cloud(file)); }), "a.cloud")) << size;
    }
  }
}

std::string refusal(const test::TemporaryFolder& folder, const std::string& bytes) {
  return message_of<InputError>([&] { static_cast<void>(read_cloud(folder.write("a.pcd", bytes))); });
}

std::string pcd_of(const std::string& fields, const std::string& sizes, const std::string& types,
                   const std::string& counts, const std::string& shape, const std::string& data) {
  return "VERSION 0.7\nFIELDS " + fields + "\nSIZE " + sizes + "\nTYPE " + types + "\nCOUNT " + counts + "\n" + shape +
         "\nDATA " + data;
}

TEST(ReadCloud, WhatIsWrongIsTold) {
  const test::TemporaryFolder folder;
  const std::string ones = "WIDTH 1\nHEIGHT 1\nPOINTS 1";
  EXPECT_TRUE(contains(refusal(folder, pcd_of("x y z", "4 4 4", "F F F", "1 1 1", ones, "ascii\n1 2 three\n")),
                       "a.pcd:10: value 3 of a point, z, is not there or no number of its type"));
  EXPECT_TRUE(contains(refusal(folder, pcd_of("x y", "4 4", "F F", "1 1", ones, "ascii\n1 2\n")),
                       "its points have no value z"));
  EXPECT_TRUE(contains(refusal(folder, pcd_of("x y z", "4 4", "F F F", "1 1 1", ones, "ascii\n1 2 3\n")),
                       "names other numbers of FIELDS, SIZE, TYPE and COUNT"));
  EXPECT_TRUE(contains(refusal(folder, pcd_of("x y z", "4 3 4", "F F F", "1 1 1", ones, "ascii\n1 2 3\n")),
                       "describes the field y as no field can be"));
  // A header of a few lines must not ask for gigabytes.
  EXPECT_TRUE(contains(refusal(folder, pcd_of("x y z", "4 4 4", "F F F", "60000 60000 1", ones, "binary\n")),
                       "describes the field y as no field can be"));
  EXPECT_TRUE(
      contains(refusal(folder, pcd_of("x y z", "4 4 4", "F F F", "1 1 1", "WIDTH 3\nHEIGHT 2\nPOINTS 7", "ascii\n")),
               "has no WIDTH and HEIGHT whose product is POINTS"));
  EXPECT_TRUE(contains(
      refusal(folder, pcd_of("x y z", "4 4 4", "F F F", "1 1 1", "WIDTH 4000000000\nHEIGHT 4000000000", "binary\n")),
      "4000000000 x 4000000000 points are more than 4 GiB"));
  EXPECT_TRUE(contains(refusal(folder, pcd_of("x y z", "4 4 4", "F F F", "1 1 1", ones, "binary_compressed\n")),
                       "DATA binary_compressed is not read, only ascii and binary"));
  EXPECT_TRUE(contains(refusal(folder, "solid words\n"), "a.pcd: is no cloud: neither PCD, PLY"));
}

TEST(ReadCloud, FieldsOfSeveralValuesAndPaddingAreKeptOrSkipped) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("a.pcd", pcd_of("x y z _ normal", "4 4 4 1 4", "F F F U F", "1 1 1 4 3",
                                                 "WIDTH 1\nHEIGHT 1", "ascii\n1 2 3 0 0 0 0 0.5 0.25 0.125\n"));
  const CloudMessage cloud = read_cloud(file);
  ASSERT_EQ(cloud.message.point_fields.size(), 4U);
  EXPECT_EQ(cloud.message.point_step, 28U);
  const msg::PointField& normal = cloud.message.point_fields[3];
  EXPECT_EQ(normal.name, "normal");
  EXPECT_EQ(normal.offset, 16U);
  EXPECT_EQ(normal.count, 3U);
  std::array<float, 3> values;
  std::memcpy(values.data(), cloud.message.data.data() + normal.offset, sizeof(values));
  EXPECT_EQ(values, (std::array<float, 3>{0.5F, 0.25F, 0.125F}));
}

TEST(ReadCloud, ArraysOfNumPyAreClouds) {
  const test::TemporaryFolder folder;
  const auto array = [&](const std::string& shape, std::size_t values) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
    header += std::string(117 - header.size(), ' ') + "\n";
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
    append(bytes, static_cast<std::uint16_t>(header.size()), false);
    bytes += header;
    for (std::size_t i = 0; i < values; ++i) append(bytes, static_cast<double>(i), false);
    return folder.write("a.npy", bytes);
  };
  const CloudMessage cloud = read_cloud(array("(2, 3, 3)", 18));
  EXPECT_EQ(cloud.message.height, 2U);
  EXPECT_EQ(cloud.message.width, 3U);
  double last_z = 0;
  std::memcpy(&last_z, cloud.message.data.data() + 17 * sizeof(double), sizeof(double));
  EXPECT_EQ(last_z, 17.0);
  EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_cloud(array("(3, 4)", 12))); }),
                       "is no array [points, 3] or [rows, cols, 3] of floats"));
}

}  // namespace
}  // namespace fathom
