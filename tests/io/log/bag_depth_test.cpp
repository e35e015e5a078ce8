// SPDX-License-Identifier: MIT
// Depth images out of bags: every encoding gives the depths that went in, and what is damaged is refused by name.

#include "io/log/bag_depth.hpp"

#include <png.h>

#include "io/bag/mcap_writer.hpp"
#include "io/message/cdr.hpp"
#include "io/message/sensors.hpp"
#include "support/expect.hpp"

namespace fathom::test {
namespace {

constexpr std::uint32_t kDepthRows = 2, kDepthCols = 3;
const std::vector<std::uint16_t> kDepthLevels = {0, 500, 1000, 2000, 40000, 65535};

std::string depth_png(const std::vector<std::uint16_t>& levels, std::uint32_t rows, std::uint32_t cols) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = cols, png.height = rows, png.format = PNG_FORMAT_LINEAR_Y;
  png_alloc_size_t size = 0;
  EXPECT_NE(png_image_write_to_memory(&png, nullptr, &size, 0, levels.data(), 0, nullptr), 0);
  std::string bytes(size, '\0');
  EXPECT_NE(png_image_write_to_memory(&png, bytes.data(), &size, 0, levels.data(), 0, nullptr), 0);
  bytes.resize(size);
  return bytes;
}

std::string depth_config(float a, float b) {
  std::string text(12, '\0');
  std::memcpy(text.data() + 4, &a, sizeof(a));
  std::memcpy(text.data() + 8, &b, sizeof(b));
  return text;
}

class BagDepthTest : public testing::Test {
 protected:
  void put(const std::string& topic, const std::string& encoding, const std::string& data, bool is_bigendian = false) {
    msg::Image image;
    image.height = kDepthRows, image.width = kDepthCols, image.encoding = encoding;
    image.is_bigendian = is_bigendian ? 1 : 0;
    image.step = static_cast<std::uint32_t>(data.size()) / kDepthRows;
    image.data = std::as_bytes(std::span(data));
    put(topic, msg::Image::kType, write_message(image));
  }
  void put_compressed(const std::string& topic, const std::string& format, const std::string& data) {
    msg::CompressedImage image;
    image.format = format, image.data = std::as_bytes(std::span(data));
    put(topic, msg::CompressedImage::kType, write_message(image));
  }
  void put(const std::string& topic, const MessageType& type, const std::string& bytes) {
    writer_.write(writer_.add_topic(topic, type), time_ns_++, bytes);
  }
  std::vector<BagDepth> read(const std::string& topics = "") {
    if (!committed_) writer_.commit();
    committed_ = true;
    std::vector<BagDepth> found;
    BagDepths(file_, topics).for_each([&](const BagDepth& depth) {
      found.push_back(depth);
      return true;
    });
    return found;
  }
  std::string refusal(const std::string& topics = "") {
    const std::string text = input_error([&] { static_cast<void>(read(topics)); });
    EXPECT_EQ(text.find(file_.string() + ": "), 0U) << text;
    EXPECT_EQ(text.find(file_.string(), 1), std::string::npos) << text << ": names the file once";
    return text;
  }

  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_ / "a.mcap";
  McapWriter writer_{file_};
  std::uint64_t time_ns_ = 0;
  bool committed_ = false;
};

std::string bytes_of_levels(bool is_bigendian, const std::string& padding = "") {
  std::string bytes;
  for (std::size_t i = 0; i < kDepthLevels.size(); ++i) {
    const char low = static_cast<char>(kDepthLevels[i] & 0xff), high = static_cast<char>(kDepthLevels[i] >> 8);
    bytes += is_bigendian ? std::string{high, low} : std::string{low, high};
    if (i % kDepthCols == kDepthCols - 1) bytes += padding;
  }
  return bytes;
}

TEST_F(BagDepthTest, ReadsLevelsOfEveryEncoding) {
  put("/a", "16UC1", bytes_of_levels(false));
  put("/a", "mono16", bytes_of_levels(false, "pad"));
  put("/a", "16UC1", bytes_of_levels(true), true);
  const std::string png = depth_config(0, 0) + depth_png(kDepthLevels, kDepthRows, kDepthCols);
  put_compressed("/b", "16UC1; compressedDepth png", png);
  put_compressed("/b", "16UC1; compressedDepth", png);
  put_compressed("/b", "mono16; compressedDepth png", png);
  for (const char* topic : {"/a", "/b"}) {
    const std::vector<BagDepth> found = read(topic);
    ASSERT_EQ(found.size(), 3U);
    for (const BagDepth& depth : found) {
      EXPECT_TRUE(depth.has_levels);
      EXPECT_EQ(depth.rows, kDepthRows);
      EXPECT_EQ(depth.cols, kDepthCols);
      EXPECT_EQ(depth.level, kDepthLevels) << depth.place;
    }
    EXPECT_EQ(found[2].place, std::string(topic) + ": image 2");
  }
}

TEST_F(BagDepthTest, ReadsMetres) {
  const std::vector<float> metres = {0.5F, std::nanf(""), 2.0F, -1.0F, 0.0F, 7.25F};
  put("/a", "32FC1", {reinterpret_cast<const char*>(metres.data()), metres.size() * sizeof(float)});
  const std::vector<BagDepth> found = read();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].has_levels);
  ASSERT_EQ(found[0].depth_m.size(), metres.size());
  EXPECT_EQ(std::memcmp(found[0].depth_m.data(), metres.data(), metres.size() * sizeof(float)), 0);
}

// As compressed_depth_image_transport quantises with depth_quantization 100 and depth_max 10.
TEST_F(BagDepthTest, ReadsInverseDepths) {
  const float a = 100.0F * 101.0F, b = 1.0F - a / 10.0F;
  const std::vector<float> metres = {0.5F, 1.0F, 2.0F, 4.0F, 8.0F};
  std::vector<std::uint16_t> levels;
  for (const float m : metres) levels.push_back(static_cast<std::uint16_t>(a / m + b));
  levels.push_back(0);
  put_compressed("/depth", "32FC1; compressedDepth png",
                 depth_config(a, b) + depth_png(levels, kDepthRows, kDepthCols));
  const std::vector<BagDepth> found = read();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].has_levels);
  for (std::size_t i = 0; i < metres.size(); ++i) {
    EXPECT_NEAR(found[0].depth_m[i], metres[i], metres[i] * metres[i] / a) << i;  // a level, at this depth
  }
  EXPECT_TRUE(std::isnan(found[0].depth_m.back()));
}

TEST_F(BagDepthTest, NamesTopicsThatItCannotChoose) {
  put("/color", "rgb8", std::string(18, 'x'));
  put("/b", "mono16", bytes_of_levels(false));
  put("/a", "16UC1", bytes_of_levels(false));
  EXPECT_TRUE(contains(refusal(), "has several topics of depth images, choose one of /a, /b"));
  EXPECT_TRUE(contains(refusal("/c*"), "has no depth images on a topic '/c*'"));
  EXPECT_EQ(read("/b").size(), 1U);
}

TEST_F(BagDepthTest, SaysThatTheBagIsTorn) {
  put("/a", "16UC1", bytes_of_levels(false));
  EXPECT_EQ(read().size(), 1U);
  EXPECT_TRUE(BagDepths(file_, "").notes().empty());
  folder_.write("b.mcap", bytes_of(file_).substr(0, 8));  // the magic alone
  const std::vector<std::string> notes = BagDepths(folder_.path(), "").notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(contains(notes[0], "b.mcap: the file ends at byte 8")) << notes[0];
}

TEST_F(BagDepthTest, NamesTheImageThatIsDamaged) {
  const std::string png = depth_png(kDepthLevels, kDepthRows, kDepthCols);
  put_compressed("/cut", "16UC1; compressedDepth", depth_config(0, 0) + png);
  put_compressed("/cut", "16UC1; compressedDepth", depth_config(0, 0) + png.substr(0, png.size() - 20));
  put_compressed("/rvl", "16UC1; compressedDepth rvl", depth_config(0, 0) + png);
  std::string bomb = depth_config(0, 0) + png;
  bomb[12 + 17] = bomb[12 + 21] = 0x40;
  put_compressed("/bomb", "16UC1; compressedDepth", bomb);
  put("/mixed", "16UC1", bytes_of_levels(false));
  put("/mixed", "rgb8", std::string(18, 'x'));
  EXPECT_TRUE(contains(refusal("/cut"), ": /cut: image 1: sensor_msgs/msg/CompressedImage: "));
  EXPECT_TRUE(
      contains(refusal("/rvl"), "/rvl: image 0: sensor_msgs/msg/CompressedImage: '16UC1; compressedDepth rvl'"));
  EXPECT_TRUE(contains(refusal("/bomb"), "cannot hold"));
  EXPECT_TRUE(contains(refusal("/mixed"), "/mixed: image 1: has the encoding 'rgb8', which holds no depths"));
}

}  // namespace
}  // namespace fathom::test
