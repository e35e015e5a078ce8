// SPDX-License-Identifier: MIT
// Depths in CompressedImage: the head that compressed_depth_image_transport writes, and refusals of others.

#include "message/compressed_image.hpp"

#include <cstring>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <fathom/base/error.hpp>

#include "message/message.hpp"
#include "support/error_text.hpp"

namespace fathom {
namespace {

using test::contains;

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
  return test::input_error([&] { static_cast<void>(image.depth()); });
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
}  // namespace fathom
