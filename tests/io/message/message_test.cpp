// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "io/message/cdr.hpp"
#include "io/message/geometry.hpp"
#include "io/message/sensors.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

using nlohmann::json;

std::span<const std::byte> span_of(const std::string& bytes) { return std::as_bytes(std::span(bytes)); }

/// Messages with their values and bytes, as another program wrote them.
const json& answers() {
  static const json kAnswers = [] {
    std::ifstream in(FATHOM_SOURCE_DIR "/tests/io/message/answers.json");
    return json::parse(in);
  }();
  return kAnswers;
}

std::string bytes_of(const json& answer) {
  const std::string hex = answer["bytes"];
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return bytes;
}

/// Reads a message as JSON, by the names of its definition: the tests' own words for each field.
json named(const msg::Time& m) { return {{"sec", m.sec}, {"nsec", m.nanosec}}; }
json named(const msg::Header& m) { return {{"stamp", named(m.stamp)}, {"frame_id", m.frame_id}}; }
template <class T>
json xyz(const T& m) {
  return {{"x", m.x}, {"y", m.y}, {"z", m.z}};
}
json named(const msg::Quaternion& m) { return {{"x", m.x}, {"y", m.y}, {"z", m.z}, {"w", m.w}}; }
json named(const msg::Pose& m) { return {{"position", xyz(m.position)}, {"orientation", named(m.orientation)}}; }
json named(const msg::PoseWithCovariance& m) { return {{"pose", named(m.pose)}, {"covariance", m.covariance}}; }
json named(std::span<const std::byte> data) {
  json list = json::array();
  for (const std::byte byte : data) list.push_back(static_cast<int>(byte));
  return list;
}
json named(const msg::LaserScan& m) {
  return {{"header", named(m.header)},
          {"angle_min", m.angle_min},
          {"angle_max", m.angle_max},
          {"angle_increment", m.angle_increment},
          {"time_increment", m.time_increment},
          {"scan_time", m.scan_time},
          {"range_min", m.range_min},
          {"range_max", m.range_max},
          {"ranges", m.ranges},
          {"intensities", m.intensities}};
}
json named(const msg::PointCloud2& m) {
  json fields = json::array();
  for (const auto& f : m.point_fields) {
    fields.push_back({{"name", f.name}, {"offset", f.offset}, {"datatype", f.datatype}, {"count", f.count}});
  }
  return {
      {"header", named(m.header)},      {"height", m.height},         {"width", m.width},       {"fields", fields},
      {"is_bigendian", m.is_bigendian}, {"point_step", m.point_step}, {"row_step", m.row_step}, {"data", named(m.data)},
      {"is_dense", m.is_dense}};
}
json named(const msg::Image& m) {
  return {{"header", named(m.header)}, {"height", m.height}, {"width", m.width},
          {"encoding", m.encoding},    {"step", m.step},     {"is_bigendian", m.is_bigendian},
          {"data", named(m.data)}};
}
json named(const msg::CameraInfo& m) {
  const json roi = {{"x_offset", m.roi.x_offset},
                    {"y_offset", m.roi.y_offset},
                    {"height", m.roi.height},
                    {"width", m.roi.width},
                    {"do_rectify", m.roi.do_rectify}};
  return {{"header", named(m.header)},
          {"height", m.height},
          {"width", m.width},
          {"d", m.d},
          {"k", m.k},
          {"r", m.r},
          {"p", m.p},
          {"roi", roi},
          {"binning_x", m.binning_x},
          {"binning_y", m.binning_y},
          {"distortion_model", m.distortion_model}};
}
json named(const msg::TFMessage& m) {
  json list = json::array();
  for (const auto& t : m.transforms) {
    list.push_back(
        {{"header", named(t.header)},
         {"child_frame_id", t.child_frame_id},
         {"transform", {{"translation", xyz(t.transform.translation)}, {"rotation", named(t.transform.rotation)}}}});
  }
  return {{"transforms", list}};
}
json named(const msg::Odometry& m) {
  return {{"header", named(m.header)},
          {"child_frame_id", m.child_frame_id},
          {"pose", named(m.pose)},
          {"twist",
           {{"twist", {{"linear", xyz(m.twist.twist.linear)}, {"angular", xyz(m.twist.twist.angular)}}},
            {"covariance", m.twist.covariance}}}};
}
json named(const msg::OccupancyGrid& m) {
  return {{"header", named(m.header)},
          {"info",
           {{"map_load_time", named(m.info.map_load_time)},
            {"resolution", m.info.resolution},
            {"width", m.info.width},
            {"height", m.info.height},
            {"origin", named(m.info.origin)}}},
          {"data", m.data}};
}
json named(const msg::PoseWithCovarianceStamped& m) { return {{"header", named(m.header)}, {"pose", named(m.pose)}}; }
json named(const msg::Clock& m) { return {{"clock", named(m.clock)}}; }

template <class Message>
class MessageTest : public testing::Test {
 protected:
  static std::vector<json> own_answers() {
    std::string name(Message::kType.name);
    name.erase(name.find("/msg/"), 4);
    std::vector<json> own;
    for (const json& answer : answers()["messages"]) {
      if (answer["type"] == name) own.push_back(answer);
    }
    return own;
  }
};

using AllMessages = testing::Types<msg::PointCloud2, msg::LaserScan, msg::Image, msg::CameraInfo, msg::TFMessage,
                                   msg::Odometry, msg::OccupancyGrid, msg::PoseWithCovarianceStamped, msg::Clock>;
TYPED_TEST_SUITE(MessageTest, AllMessages);

TYPED_TEST(MessageTest, ReadsWhatAnotherProgramWrote) {
  TypeParam message;  // used again and again: nothing of the one before may stay
  const auto all = this->own_answers();
  ASSERT_EQ(all.size(), 6U);
  for (const json& answer : all) {
    const std::string bytes = bytes_of(answer);
    read_message(span_of(bytes), message);
    EXPECT_EQ(named(message), answer["value"]);
  }
}

TYPED_TEST(MessageTest, WritesTheBytesThatAnotherProgramWrote) {
  for (const json& answer : this->own_answers()) {
    const std::string bytes = bytes_of(answer);
    TypeParam message;
    read_message(span_of(bytes), message);
    EXPECT_EQ(write_message(message), bytes);
  }
}

TYPED_TEST(MessageTest, RefusesEveryCut) {
  for (const json& answer : this->own_answers()) {
    const std::string bytes = bytes_of(answer);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const std::vector<std::byte> cut(span_of(bytes).begin(),
                                       span_of(bytes).begin() + static_cast<std::ptrdiff_t>(size));
      TypeParam message;  // ASan sees whatever reads beyond
      EXPECT_THROW(read_message(cut, message), InputError) << size << " of " << bytes.size();
    }
  }
}

TYPED_TEST(MessageTest, AnyChangedByteIsReadOrRefusedInOneLine) {
  const auto all = this->own_answers();
  EXPECT_TRUE(rc::check("changed bytes", [&all] {
    std::string bytes = bytes_of(*rc::gen::elementOf(all));
    for (int i = 0; i < 3; ++i) bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] = *rc::gen::arbitrary<char>();
    TypeParam message;
    try {
      read_message(span_of(bytes), message);
    } catch (const InputError& error) {
      RC_ASSERT(std::string(error.what()).find('\n') == std::string::npos);
      RC_ASSERT(std::string(error.what()).rfind(TypeParam::kType.name, 0) == 0U);
    }
  }));
}

template <class Message>
std::string refusal(std::string bytes) {
  Message message;
  return input_error([&] { read_message(span_of(bytes), message); });
}

TEST(ReadMessageTest, NamesWhatIsWrong) {
  const std::string clock = write_message(msg::Clock{{1, 2}});
  EXPECT_EQ(refusal<msg::Clock>(std::string("\0\0", 2) + clock.substr(2)),
            "rosgraph_msgs/msg/Clock: the message begins with 00 00; only 00 01, little-endian plain CDR, is read");
  EXPECT_EQ(refusal<msg::Clock>("abc"),
            "rosgraph_msgs/msg/Clock: 3 bytes are no message, which begins with a header of 4");
  EXPECT_EQ(refusal<msg::Clock>(clock.substr(0, 10)),
            "rosgraph_msgs/msg/Clock: byte 8: 4 bytes are missing, 2 are left");
  EXPECT_EQ(refusal<msg::Clock>(clock + std::string(8, '\0')),
            "rosgraph_msgs/msg/Clock: the message ends at byte 12, but has 20 bytes");
  EXPECT_EQ(refusal<msg::Clock>(clock + std::string(7, '\0')), "");
  EXPECT_EQ(refusal<msg::TFMessage>(std::string("\0\1\0\0\xff\xff\xff\xff", 8)),
            "tf2_msgs/msg/TFMessage: byte 8: 4294967295 elements of at least 72 bytes each, but 0 bytes are left");
}

TEST(ReadMessageTest, RefusesWhatReachesBeyondItsData) {
  const std::string data(24, 'x');
  msg::PointCloud2 cloud;
  cloud.width = 2, cloud.point_step = 12, cloud.row_step = 24, cloud.data = span_of(data);
  cloud.point_fields = {{"z", 8, 7, 1}};
  EXPECT_EQ(refusal<msg::PointCloud2>(write_message(cloud)), "");
  cloud.point_fields[0].offset = 9;
  EXPECT_TRUE(contains(refusal<msg::PointCloud2>(write_message(cloud)), "field 'z' reaches beyond the 12 bytes"));
  cloud.point_fields[0] = {"z", 4, 8, 0xffffffff};
  EXPECT_TRUE(contains(refusal<msg::PointCloud2>(write_message(cloud)), "field 'z' reaches beyond"));
  cloud.point_fields[0] = {"z", 4, 9, 1};
  EXPECT_TRUE(contains(refusal<msg::PointCloud2>(write_message(cloud)), "datatype 9 is not in [1, 8]"));
  cloud.point_fields.clear(), cloud.height = 2;
  EXPECT_TRUE(contains(refusal<msg::PointCloud2>(write_message(cloud)), "do not fit into 24 bytes"));

  msg::Image image;
  image.height = 2, image.width = 3, image.step = 12, image.encoding = "32FC1", image.data = span_of(data);
  EXPECT_EQ(refusal<msg::Image>(write_message(image)), "");
  image.width = 4;
  EXPECT_TRUE(contains(refusal<msg::Image>(write_message(image)), "2 rows of 4 pixels '32FC1', step 12"));

  image.encoding = "mono16", image.width = 6;
  EXPECT_EQ(refusal<msg::Image>(write_message(image)), "");
  image.width = 7;
  EXPECT_TRUE(contains(refusal<msg::Image>(write_message(image)), "2 rows of 7 pixels 'mono16', step 12"));

  msg::OccupancyGrid grid;
  grid.info.width = 2, grid.info.height = 3, grid.data.resize(5);
  EXPECT_TRUE(contains(refusal<msg::OccupancyGrid>(write_message(grid)), "5 values for 2 x 3 cells"));
}

TEST(TimeTest, RoundsSecondsDownAndCarriesNanoseconds) {
  EXPECT_EQ(msg::time_of(-0.25).sec, -1);
  EXPECT_EQ(msg::time_of(-0.25).nanosec, 750'000'000U);
  EXPECT_EQ(msg::time_of(1.9999999999).sec, 2);
  EXPECT_EQ(msg::time_of(1.9999999999).nanosec, 0U);
  EXPECT_EQ(msg::nanoseconds({3, 5}), 3'000'000'005ULL);
  EXPECT_EQ(msg::nanoseconds({-1, 5}), 0ULL);
  EXPECT_THROW(msg::time_of(3e9), InputError);
}

}  // namespace

// Depths in CompressedImage: the head that compressed_depth_image_transport writes, and refusals of others.

namespace {

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string config(std::int32_t format, float a, float b) { return raw(format) + raw(a) + raw(b); }

/// The first chunk of a grey PNG of 16 bits with 3 x 2 pixels.
const std::string kPngHead("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\3\0\0\0\2\x10\0\0\0\0", 29);

msg::CompressedImage compressed(const std::string& format, const std::string& data) {
  msg::CompressedImage image;
  image.format = format;
  image.data = std::as_bytes(std::span(data));
  return image;
}

std::string refused(const std::string& format, const std::string& data) {
  const std::string bytes = write_message(compressed(format, data));
  msg::CompressedImage image;
  read_message(std::as_bytes(std::span(bytes)), image);  // takes every picture
  return input_error([&] { static_cast<void>(image.depth()); });
}

TEST(CompressedImageTest, ReadsTheHeadsOfDepths) {
  const std::string data = config(0, 12.5F, -3.25F) + kPngHead;
  for (const char* format : {"16UC1; compressedDepth png", "16UC1; compressedDepth", "mono16; compressedDepth png"}) {
    const auto depth = compressed(format, data).depth();
    ASSERT_TRUE(depth) << format;
    EXPECT_FALSE(depth->is_inverse);
    EXPECT_EQ(depth->rows, 2U);
    EXPECT_EQ(depth->cols, 3U);
    EXPECT_EQ(depth->png.size(), kPngHead.size());
  }
  const auto inverse = compressed("32FC1; compressedDepth png", data).depth();
  ASSERT_TRUE(inverse);
  EXPECT_TRUE(inverse->is_inverse);
  EXPECT_EQ(inverse->a, 12.5F);
  EXPECT_EQ(inverse->b, -3.25F);
}

TEST(CompressedImageTest, LeavesOtherPicturesAlone) {
  EXPECT_FALSE(compressed("rgb8; jpeg compressed bgr8", "anything").depth());
  EXPECT_FALSE(compressed("png", "").depth());
  EXPECT_EQ(refused("jpeg", "anything"), "");
}

TEST(CompressedImageTest, RefusesWhatIsDamagedInOneLine) {
  const std::string png = "16UC1; compressedDepth png", sound = config(0, 0, 0) + kPngHead;
  EXPECT_EQ(refused(png, sound), "");
  EXPECT_TRUE(contains(refused("16UC1; compressedDepth rvl", sound), "RVL are not read, only as PNG"));
  EXPECT_TRUE(contains(refused("8UC1; compressedDepth png", sound), "of depths 16UC1, mono16 and 32FC1 are read"));
  EXPECT_TRUE(contains(refused(png, sound.substr(0, 11)), "11 bytes of depths, and their configuration alone has 12"));
  EXPECT_TRUE(contains(refused(png, sound.substr(0, 40)), "no PNG follows the 12 bytes"));
  EXPECT_TRUE(contains(refused(png, config(7, 0, 0) + kPngHead), "names the format 7"));
  std::string other = sound;
  other[12 + 24] = 8;
  EXPECT_TRUE(contains(refused(png, other), "the PNG has 8 bits and colour type 0; depths are grey, of 16 bits"));
  std::string bomb = sound;
  bomb[12 + 16] = bomb[12 + 20] = 0x7f;
  EXPECT_TRUE(contains(refused(png, bomb), "a PNG of 29 bytes cannot hold 2130706435 x 2130706434 pixels"));
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::string metres = "32FC1; compressedDepth png";
  for (const float bad : {0.0F, -1.0F, nan, inf}) {
    EXPECT_TRUE(contains(refused(metres, config(0, bad, 1) + kPngHead), "not a finite pair"));
  }
  for (const float bad : {nan, inf}) {
    EXPECT_TRUE(contains(refused(metres, config(0, 1, bad) + kPngHead), "not a finite pair"));
  }
}

}  // namespace
}  // namespace fathom::test
