// SPDX-License-Identifier: MIT
// Clouds that others wrote: the same points come out of every format, and what is cut short is refused.

#include <fmt/format.h>

#include "io/cloud/read_cloud.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

using std::string_literals::operator""s;

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
  const TemporaryFolder folder;
  std::vector<CloudPoint> points(*rc::gen::inRange<std::size_t>(0, 20));
  for (CloudPoint& point : points) point = any_point();
  for (const std::string& bytes : {pcd(points, false), pcd(points, true), ply(points, "ascii"),
                                   ply(points, "binary_little_endian"), ply(points, "binary_big_endian")}) {
    const CloudFile file = read_cloud_file(folder.write("a.cloud", bytes));
    RC_ASSERT(points_of(file.cloud.message) == points);
    const std::filesystem::path again = folder / "b.cloud";
    write_cloud(again, file.cloud.message, file.format);
    RC_ASSERT(points_of(read_cloud(again).message) == points);
  }
}

TEST(ReadCloud, LessThanAnnouncedIsRefused) {
  const TemporaryFolder folder;
  const std::vector<CloudPoint> points(3, CloudPoint{1, 2, 3, 4, 5});
  for (const std::string& bytes : {pcd(points, false), pcd(points, true), ply(points, "ascii"),
                                   ply(points, "binary_little_endian"), ply(points, "binary_big_endian")}) {
    for (std::size_t size = 0; size + 1 < bytes.size(); ++size) {  // the last line of text needs no end
      const auto file = folder.write("a.cloud", bytes.substr(0, size));
      EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_cloud(file)); }), "a.cloud")) << size;
    }
  }
}

std::string refusal(const TemporaryFolder& folder, const std::string& bytes) {
  return message_of<InputError>([&] { static_cast<void>(read_cloud(folder.write("a.pcd", bytes))); });
}

std::string pcd_of(const std::string& fields, const std::string& sizes, const std::string& types,
                   const std::string& counts, const std::string& shape, const std::string& data) {
  return "VERSION 0.7\nFIELDS " + fields + "\nSIZE " + sizes + "\nTYPE " + types + "\nCOUNT " + counts + "\n" + shape +
         "\nDATA " + data;
}

TEST(ReadCloud, WhatIsWrongIsTold) {
  const TemporaryFolder folder;
  const std::string good = pcd_of("x y z", "4 4 4", "F F F", "1 1 1", "WIDTH 1\nHEIGHT 1\nPOINTS 1", "ascii\n1 2 3\n");
  EXPECT_EQ(input_error([&] { static_cast<void>(read_cloud(folder.write("a.pcd", good))); }), "");
  const std::vector<std::array<std::string, 3>> slips = {
      {"2 3", "2 three", "a.pcd:10: value 3 of a point, z, is not there or no number of its type"},
      {"y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1", "y\nSIZE 4 4\nTYPE F F\nCOUNT 1 1", "its points have no value z"},
      {"SIZE 4 4 4", "SIZE 4 4", "names other numbers of FIELDS, SIZE, TYPE and COUNT"},
      {"SIZE 4 4 4", "SIZE 4 3 4", "a.pcd:3: SIZE = 3 of the field y is not 1, 2, 4 or 8"},
      {"TYPE F F F", "TYPE F F X", "a.pcd:4: TYPE = X of the field z is not F, I or U"},
      {"COUNT 1 1 1", "COUNT 0 0 0", "a.pcd:5: COUNT = 0 of the field x is not in [1, 65536]"},
      {"COUNT 1 1 1", "COUNT 0 1 1", "a.pcd:5: COUNT = 0 of the field x is not in [1, 65536]"},
      // A header of a few lines must not ask for gigabytes.
      {"COUNT 1 1 1", "COUNT 60000 60000 1", "a.pcd:5: COUNT = 60000 of the field y is not in [1, 5536]"},
      {"1\nHEIGHT 1\nPOINTS 1", "3\nHEIGHT 2\nPOINTS 7", "has no WIDTH and HEIGHT whose product is POINTS"},
      {"WIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii", "WIDTH 4000000000\nHEIGHT 4000000000\nDATA binary",
       "4000000000 x 4000000000 points are more than 4 GiB"},
      {"DATA ascii", "DATA packed", "a.pcd:9: DATA packed is not ascii, binary or binary_compressed"},
      {good, "solid words\n", "a.pcd: the PCD header has no line DATA"}};
  for (const auto& [from, to, message] : slips) {
    std::string bad = good;
    bad.replace(bad.find(from), from.size(), to);
    EXPECT_TRUE(contains(refusal(folder, bad), message)) << from << " -> " << to;
  }
  EXPECT_TRUE(contains(message_of<InputError>([&] { read_cloud(folder.write("a.txt", "solid words\n")); }),
                       "a.txt: is no cloud: neither PCD, PLY"));
}

/// A packer as plain as can be: the longest match among the last bytes, else one plain byte.
std::string pack_lzf(const std::string& bytes) {
  std::string packed;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t length = 0, back = 0;
    for (std::size_t far = 1; far <= std::min<std::size_t>(at, 8192); ++far) {
      std::size_t same = 0;
      while (same < 264 && at + same < bytes.size() && bytes[at + same] == bytes[at + same - far]) ++same;
      if (same > length) length = same, back = far;
    }
    if (length < 3) {
      packed.push_back('\0'), packed.push_back(bytes[at++]);
      continue;
    }
    const std::size_t code = std::min<std::size_t>(length - 2, 7);
    packed.push_back(static_cast<char>(code << 5U | (back - 1) >> 8U));
    if (code == 7) packed.push_back(static_cast<char>(length - 9));
    packed.push_back(static_cast<char>((back - 1) & 255U));
    at += length;
  }
  return packed;
}

std::string packed_body(const std::string& packed, std::size_t size) {
  std::string body;
  append(body, static_cast<std::uint32_t>(packed.size()), false), append(body, static_cast<std::uint32_t>(size), false);
  return body + packed;
}

/// The points, one field behind the other.
std::string packed_pcd(const std::vector<CloudPoint>& points) {
  std::string fields;
  for (const CloudPoint& p : points) append(fields, p.x, false);
  for (const CloudPoint& p : points) append(fields, p.y, false);
  for (const CloudPoint& p : points) append(fields, p.z, false);
  for (const CloudPoint& p : points) append(fields, p.ring, false);
  for (const CloudPoint& p : points) append(fields, p.time_s, false);
  std::string bytes = pcd(points, false);
  bytes.resize(bytes.find("DATA"));
  return bytes + "DATA binary_compressed\n" + packed_body(pack_lzf(fields), fields.size());
}

RC_GTEST_PROP(ReadCloud, PackedPointsAreThoseThatWerePacked, ()) {
  const TemporaryFolder folder;
  std::vector<CloudPoint> points(*rc::gen::inRange<std::size_t>(0, 200));
  const std::size_t kinds = *rc::gen::inRange<std::size_t>(1, 50);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = i < kinds ? any_point() : points[i % kinds];
  const std::string bytes = packed_pcd(points);
  RC_ASSERT(points_of(read_cloud(folder.write("a.pcd", bytes)).message) == points);
  const auto size = *rc::gen::inRange<std::size_t>(0, bytes.size());
  RC_ASSERT(contains(refusal(folder, bytes.substr(0, size)), "a.pcd"));
}

TEST(ReadCloud, PointsThatLibLzfPackedAreRead) {
  const TemporaryFolder folder;
  // By liblzf 3.6, the packer that PCL has: x = i / 2, y = 2, z = 1.25 and -1.25 in turn.
  const std::string packed =
      "\x01\0\0\x60\0\x03\x3f\0\0\x80\x20\x03\0\xc0\x20\x03\x04\0\x40\0\0\x20\x20\x03"
      "\0\x40\x20\x03\0\x60\x20\x03\0\x80\x20\x03\0\x90\x20\x03\0\xa0\x20\x03\0\xb0\x20\x03"
      "\0\xc0\x20\x03\0\xd0\x20\x03\0\xe0\x20\x03\0\xf0\x20\x03\x04\0\x41\0\0\x08\x20\x03"
      "\0\x10\x20\x03\0\x18\x20\x03\0\x20\x20\x03\0\x28\x20\x03\0\x30\x20\x03\0\x38\x20\x03"
      "\x40\x4f\xe0\x53\x03\0\xa0\x20\xb3\x01\xa0\xbf\x20\x03\xe0\x4a\x07\x01\xa0\xbf"s;
  const CloudMessage cloud = read_cloud(folder.write(
      "a.pcd", pcd_of("x y z", "4 4 4", "F F F", "1 1 1", "WIDTH 24\nHEIGHT 1\nPOINTS 24", "binary_compressed\n") +
                   packed_body(packed, 288)));
  std::array<float, 72> values;
  ASSERT_EQ(cloud.message.data.size(), sizeof(values));
  std::memcpy(values.data(), cloud.message.data.data(), sizeof(values));
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(values[3 * i], 0.5F * static_cast<float>(i));
    EXPECT_EQ(values[3 * i + 1], 2.0F);
    EXPECT_EQ(values[3 * i + 2], i % 2 == 0 ? 1.25F : -1.25F);
  }
}

TEST(ReadCloud, PaddingMayBeLeftOutOfPackedFields) {
  const TemporaryFolder folder;
  const std::string header =
      pcd_of("x _ y z", "4 1 4 4", "F U F F", "1 4 1 1", "WIDTH 1\nHEIGHT 1\nPOINTS 1", "binary_compressed\n");
  for (const bool has_padding : {false, true}) {
    std::string fields;
    append(fields, 1.0F, false);
    if (has_padding) append(fields, 9.0F, false);
    append(fields, 2.0F, false), append(fields, 3.0F, false);
    const CloudMessage cloud = read_cloud(folder.write("a.pcd", header + packed_body(pack_lzf(fields), fields.size())));
    float y = 0;
    std::memcpy(&y, cloud.message.data.data() + 8, sizeof(y));
    EXPECT_EQ(cloud.message.point_step, 16U);
    EXPECT_EQ(y, 2.0F);
  }
}

TEST(ReadCloud, PackedBytesThatLieAreRefused) {
  const TemporaryFolder folder;
  const std::string header =
      pcd_of("x y z", "4 4 4", "F F F", "1 1 1", "WIDTH 1\nHEIGHT 1\nPOINTS 1", "binary_compressed\n");
  const std::string plain = "\x0b" + std::string(12, '\1');
  const auto told = [&](const std::string& body) { return refusal(folder, header + body); };
  EXPECT_TRUE(contains(told("1234567"), "the two sizes of the packed points are not there"));
  EXPECT_TRUE(contains(told(packed_body(plain, 12).substr(0, 20)), "13 packed bytes are announced, and 12 are there"));
  EXPECT_TRUE(contains(told(packed_body(plain, 13)), "they end after 12 bytes"));
  EXPECT_TRUE(contains(told(packed_body(plain, 11)), "they make more bytes"));
  EXPECT_TRUE(contains(told(packed_body("\x0b" + std::string(4, '\1'), 12)), "they end within a step"));
  EXPECT_TRUE(contains(told(packed_body("\xe0"s, 12)), "they end within a step"));
  EXPECT_TRUE(contains(told(packed_body("\0\1\x20\1"s, 12)), "refers to what lies before the first byte"));
  EXPECT_TRUE(contains(told(packed_body("\0\1\xe0\xff\0"s, 12)), "they make more bytes"));
  EXPECT_TRUE(contains(told(packed_body("\0\1"s, 0xffffffffU)), "2 packed bytes cannot make 4294967295"));
  EXPECT_TRUE(contains(told(packed_body("\x0a" + std::string(11, '\1'), 11)),
                       "1 points of 12 bytes are announced, and 11 bytes are there"));
}

TEST(ReadCloud, HeadersOfOtherWritersAreRead) {
  const TemporaryFolder folder;
  const std::string lines = "DATA ascii\n1 2 3 7\n4 5 6 8\n";
  for (const std::string header :
       {"VERSION .7\nFIELDS x y z i\nSIZE 4 4 4 1\nTYPE f f f u\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nPOINTS 2\n",
        "FIELDS x y z i\nSIZE 4 4 4 1\nTYPE F F F u\nWIDTH 2\nHEIGHT 1\n",
        "# by hand\nCOLUMNS x y z i\nSIZE 4 4 4 1\nTYPE F F F U\nPOINTS 2\n"}) {
    const CloudMessage cloud = read_cloud(folder.write("a.pcd", header + lines));
    EXPECT_EQ(cloud.message.width, 2U) << header;
    EXPECT_EQ(cloud.message.height, 1U) << header;
    float z = 0;
    std::memcpy(&z, cloud.message.data.data() + cloud.message.point_step + 8, sizeof(z));
    EXPECT_EQ(z, 6.0F) << header;
  }
}

TEST(ReadCloud, FloatsOfKittiAndNuScenes) {
  const TemporaryFolder folder;
  const auto bytes_of = [](const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  };
  std::vector<float> kitti, nuscenes;
  for (int i = 0; i < 5; ++i) {
    const auto v = static_cast<float>(i);
    kitti.insert(kitti.end(), {v, 2 * v, -v, 0.25F});
    nuscenes.insert(nuscenes.end(), {v, 2 * v, -v, 7, v});
  }
  const CloudMessage four = read_cloud(folder.write("000000.bin", bytes_of(kitti)));
  EXPECT_EQ(four.message.width * four.message.height, 5U);
  EXPECT_EQ(four.message.point_fields.size(), 4U);
  EXPECT_EQ(std::memcmp(four.points.get(), kitti.data(), kitti.size() * sizeof(float)), 0);
  const CloudMessage five = read_cloud(folder.write("n.pcd.bin", bytes_of(nuscenes)));
  EXPECT_EQ(five.message.width * five.message.height, 5U);
  EXPECT_EQ(five.message.point_fields.at(4).name, "ring");
  const auto refused = [&](const std::string& bytes) {
    return message_of<InputError>([&] { static_cast<void>(read_cloud(folder.write("a.bin", bytes))); });
  };
  EXPECT_TRUE(contains(refused(bytes_of(kitti) + "abc"), "a.bin: 83 bytes are no whole number of points of 4 float32"));
  kitti[9] = 1e9F;
  EXPECT_TRUE(contains(refused(bytes_of(kitti)), "a.bin: point 2: 1000000000 m is not in [-1e6, 1e6]"));
}

TEST(ReadCloud, FieldsOfSeveralValuesAndPaddingAreKeptOrSkipped) {
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  for (const auto& [shape, values] : {std::pair("(2, 3, 3)", 18U), std::pair("(5, 4)", 20U)}) {
    const std::filesystem::path file = array(shape, values), again = folder / "again.npy";
    write_cloud(again, read_cloud(file).message, CloudFileFormat::kNpy);
    EXPECT_EQ(test::bytes_of(again).substr(128), test::bytes_of(file).substr(128)) << shape;
    EXPECT_TRUE(contains(test::bytes_of(again), shape)) << shape;
  }
  EXPECT_TRUE(contains(message_of<InputError>([&] { static_cast<void>(read_cloud(array("(3, 5)", 15))); }),
                       "is no array [points, 3 or 4] or [rows, cols, 3 or 4] of floats"));
}

}  // namespace
}  // namespace fathom::test
