// SPDX-License-Identifier: MIT
// Points as drivers lay them out: tables and bytes worked out by hand from the drivers' structs.

#include <fmt/format.h>

#include "io/cloud/cloud_message.hpp"
#include "io/message/cdr.hpp"
#include "io/picture/frames.hpp"

namespace fathom::test {
namespace {

constexpr CloudOptions::Layout kAll[] = {CloudOptions::Layout::kXyz, CloudOptions::Layout::kXyzi,
                                         CloudOptions::Layout::kVelodyne, CloudOptions::Layout::kOuster,
                                         CloudOptions::Layout::kLivox};

CloudOptions layout(CloudOptions::Layout which, bool keep_misses = false) {
  CloudOptions options;
  options.layout = which, options.keep_misses = keep_misses;
  return options;
}

/// "x:0:7 ..." with the step at the end.
std::string shape_of(CloudOptions::Layout which) {
  Frame frame(all_channels());
  std::string text;
  const CloudMessage cloud = cloud_message(frame, "lidar", layout(which));
  for (const msg::PointField& f : cloud.message.point_fields) {
    text += fmt::format("{}:{}:{} ", f.name, f.offset, f.datatype);
    EXPECT_EQ(f.count, 1U);
  }
  return text + std::to_string(cloud.message.point_step);
}

TEST(DriverLayout, HasTheFieldsOfTheDrivers) {
  EXPECT_EQ(shape_of(CloudOptions::Layout::kXyz), "x:0:7 y:4:7 z:8:7 12");
  EXPECT_EQ(shape_of(CloudOptions::Layout::kXyzi), "x:0:7 y:4:7 z:8:7 intensity:12:7 16");
  EXPECT_EQ(shape_of(CloudOptions::Layout::kVelodyne), "x:0:7 y:4:7 z:8:7 intensity:12:7 ring:16:4 time:18:7 22");
  EXPECT_EQ(shape_of(CloudOptions::Layout::kOuster),
            "x:0:7 y:4:7 z:8:7 intensity:16:7 t:20:6 reflectivity:24:4 ring:26:4 ambient:28:4 range:32:6 48");
  EXPECT_EQ(shape_of(CloudOptions::Layout::kLivox),
            "x:0:7 y:4:7 z:8:7 intensity:12:7 tag:16:2 line:17:2 timestamp:18:8 26");
}

/// What a driver's program would declare, packed.
#pragma pack(push, 1)
struct VelodynePoint {
  float x, y, z, intensity;
  std::uint16_t ring;
  float time;
};
struct OusterPoint {
  float x, y, z, unused, intensity;
  std::uint32_t t;
  std::uint16_t reflectivity, ring, ambient, padding;
  std::uint32_t range;
  std::uint32_t end[3];
};
struct LivoxPoint {
  float x, y, z, intensity;
  std::uint8_t tag, line;
  double timestamp;
};
#pragma pack(pop)

template <class Point>
Point point_of(const CloudMessage& cloud, std::size_t i) {
  Point point;
  EXPECT_EQ(cloud.message.point_step, sizeof(Point));
  std::memcpy(&point, cloud.message.data.data() + i * sizeof(Point), sizeof(Point));
  return point;
}

/// Two rays, the second lost, 1.25 s after the start.
Frame two_rays() {
  Frame frame({Channel::kHitSensor, Channel::kRing, Channel::kIntensity, Channel::kTimeOffset, Channel::kRange});
  FrameWriter writer(frame);
  writer.resize(1, 2);
  const float points[] = {1.0F, kNan, 2.0F, kNan, -0.5F, kNan};
  std::copy(std::begin(points), std::end(points), writer.floats(Channel::kHitSensor));
  const auto set = [&](Channel channel, float first, float second) {
    writer.floats(channel)[0] = first, writer.floats(channel)[1] = second;
  };
  set(Channel::kIntensity, 0.5F, 0.0F), set(Channel::kTimeOffset, 0.015625F, 0.03125F);
  set(Channel::kRange, 2.2912879F, kNan);
  writer.ring()[0] = 7, writer.ring()[1] = 8;
  writer.set_stamp(0, 1.25);
  return frame;
}

TEST(DriverLayout, HasTheValuesOfTheFrameInTheUnitsOfTheDrivers) {
  const Frame frame = two_rays();
  alignas(16) const auto v =
      point_of<VelodynePoint>(cloud_message(frame, "l", layout(CloudOptions::Layout::kVelodyne)), 0);
  EXPECT_EQ(v.x, 1.0F);
  EXPECT_EQ(v.y, 2.0F);
  EXPECT_EQ(v.z, -0.5F);
  EXPECT_EQ(v.intensity, 127.5F);
  EXPECT_EQ(v.ring, 7);
  EXPECT_EQ(float{v.time}, 0.015625F);

  const CloudMessage ouster = cloud_message(frame, "l", layout(CloudOptions::Layout::kOuster));
  alignas(16) const auto o = point_of<OusterPoint>(ouster, 0);
  EXPECT_EQ(ouster.message.width, 1U);
  EXPECT_EQ(o.z, -0.5F);
  EXPECT_EQ(o.intensity, 127.5F);
  EXPECT_EQ(o.t, 15625000U);
  EXPECT_EQ(o.reflectivity, 128);
  EXPECT_EQ(o.ring, 7);
  EXPECT_EQ(o.ambient, 0);
  EXPECT_EQ(o.range, 2291U);
  EXPECT_EQ(o.unused, 0.0F);
  EXPECT_EQ(o.padding, 0);
  EXPECT_EQ(o.end[0] + o.end[1] + o.end[2], 0U);

  alignas(16) const auto l = point_of<LivoxPoint>(cloud_message(frame, "l", layout(CloudOptions::Layout::kLivox)), 0);
  EXPECT_EQ(l.intensity, 127.5F);
  EXPECT_EQ(l.tag, 0);
  EXPECT_EQ(l.line, 7);
  EXPECT_EQ(double{l.timestamp}, 1265625000.0);
}

TEST(DriverLayout, KeepsLostReturnsInTheirPlaces) {
  const CloudMessage cloud = cloud_message(two_rays(), "l", layout(CloudOptions::Layout::kOuster, true));
  EXPECT_EQ(cloud.message.width, 2U);
  EXPECT_EQ(cloud.message.height, 1U);
  EXPECT_FALSE(cloud.message.is_dense);
  const auto lost = point_of<OusterPoint>(cloud, 1);
  EXPECT_TRUE(std::isnan(lost.x) && std::isnan(lost.z));
  EXPECT_EQ(lost.range, 0U);
  EXPECT_EQ(lost.ring, 8);
  EXPECT_EQ(lost.t, 31250000U);
}

TEST(DriverLayout, RefusesWhatAFieldCannotHold) {
  Frame frame = two_rays();
  FrameWriter(frame).ring()[0] = 256;
  EXPECT_TRUE(contains(message_of<InputError>([&] { cloud_message(frame, "l", layout(CloudOptions::Layout::kLivox)); }),
                       "line = 256 of a point is not in [0, 255]"));
  FrameWriter(frame).floats(Channel::kTimeOffset)[0] = 5.0F;
  EXPECT_TRUE(
      contains(message_of<InputError>([&] { cloud_message(frame, "l", layout(CloudOptions::Layout::kOuster)); }),
               "t = 5000000000 of a point is not in [0, 4294967295]"));
  const Frame bare({Channel::kHitSensor});
  EXPECT_TRUE(contains(message_of<InputError>([&] { cloud_message(bare, "l", layout(CloudOptions::Layout::kXyzi)); }),
                       "'intensity'"));
}

RC_GTEST_PROP(DriverLayout, MessagesReadBackWithThePointsOfAnyLayout, ()) {
  Frame frame = random_frame();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    FrameWriter(frame).ring()[i] = static_cast<std::uint16_t>(i % 256);
    FrameWriter(frame).floats(Channel::kTimeOffset)[i] = 1e-4F * static_cast<float>(i);
    FrameWriter(frame).floats(Channel::kIntensity)[i] = static_cast<float>(i % 9) / 8.0F;
    float& range = FrameWriter(frame).floats(Channel::kRange)[i];
    range = std::abs(range);
  }
  const CloudOptions::Layout which = kAll[*rc::gen::inRange<std::size_t>(0, std::size(kAll))];
  const bool keep = *rc::gen::arbitrary<bool>();
  const CloudMessage cloud = cloud_message(frame, "lidar", layout(which, keep));
  const std::string bytes = write_message(cloud.message);
  msg::PointCloud2 read;
  read_message(std::as_bytes(std::span(bytes)), read);  // checks that all fields lie within the points
  RC_ASSERT(read.height * read.width == (keep ? frame.size() : frame.count_reasons()[0]));
  std::size_t p = 0;
  const Frame::Points at = frame.points(Channel::kHitSensor);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (!keep && std::isnan(at.x[i])) continue;
    float found[3];
    std::memcpy(found, read.data.data() + read.point_step * p++, sizeof found);
    RC_ASSERT(std::memcmp(&found[0], &at.x[i], 4) == 0 && std::memcmp(&found[1], &at.y[i], 4) == 0);
    RC_ASSERT(std::memcmp(&found[2], &at.z[i], 4) == 0);
  }
  RC_ASSERT(read.data.size() == p * read.point_step);
}

/// The page has the table that the code has.
TEST(DriverLayout, IsWhatTheOutputFormatsSay) {
  constexpr const char* kTypes[] = {"", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"};
  std::string table = "| layout | field | type | offset | value |\n|---|---|---|---|---|\n";
  for (const CloudOptions::Layout which : kAll) {
    const DriverLayout& driver = driver_layout(which);
    std::string word =
        fmt::format("`{}`, {} bytes", kChoiceWords<CloudOptions::Layout>[static_cast<std::size_t>(which)], driver.step);
    for (std::size_t k = 0; k < driver.fields.size(); ++k) {
      const DriverField& field = driver.fields[k];
      if (k < 3) {  // the page states once where every layout has x, y and z
        EXPECT_EQ(fmt::format("{} {} {}", field.name, kTypes[field.datatype], field.offset),
                  fmt::format("{} float32 {}", "xyz"[k], 4 * k));
        continue;
      }
      table += fmt::format("| {} | `{}` | {} | {} | {} |\n", word, field.name, kTypes[field.datatype], field.offset,
                           field.value);
      word.clear();
    }
  }
  std::ostringstream page;
  page << std::ifstream(FATHOM_SOURCE_DIR "/docs/output-formats.md").rdbuf();
  EXPECT_TRUE(contains(page.str(), table)) << "docs/output-formats.md should hold\n" << table;
}

}  // namespace
}  // namespace fathom::test
