// SPDX-License-Identifier: MIT
// Depth images of OpenEXR: files made by hand are read, damaged ones refused in one line.

#include <fathom/files/pictures.hpp>

#include "frame/frame_writer.hpp"
#include "io/picture/float_image.hpp"
#include "support/expect.hpp"
#include "support/exr_bytes.hpp"

namespace fathom::test::exr_test {
namespace {

const std::vector<float> kLine = {1.0F, 2.5F, 0.0F};
const std::vector<std::uint16_t> kHalfLine = {0x3c00, 0x4100, 0};  // the same

class Exr : public testing::Test {
 protected:
  [[nodiscard]] FloatImage read(const std::string& bytes) const { return read_exr(folder_.write("a.exr", bytes)); }
  [[nodiscard]] std::string refusal(const std::string& bytes) const {
    return message_of<InputError>([&] { (void)read(bytes); });
  }
  TemporaryFolder folder_;
};

#ifdef FATHOM_OPENEXR

std::string image(std::vector<ExrChannel> channels, const std::string& line) {
  return ExrBytes{.cols = 3, .rows = 2, .channels = std::move(channels), .line = line}.made();
}

/// Some depths are NaN.
Frame depths(std::uint32_t rows, std::uint32_t cols) {
  Frame frame({Channel::kDepth});
  FrameWriter(frame).resize(rows, cols);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    FrameWriter(frame).floats(Channel::kDepth)[i] = i % 7 == 0 ? std::numeric_limits<float>::quiet_NaN() : 0.001F * i;
  }
  return frame;
}

/// An image that write_exr() has made, in blocks of ZIP.
std::string zipped(std::uint32_t rows, std::uint32_t cols) {
  const TemporaryFolder folder;
  write_exr(folder / "zip.exr", depths(rows, cols), Channel::kDepth, "Y");
  return bytes_of(folder / "zip.exr");
}

template <class T>
T value_at(const std::string& bytes, std::size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof(T));
  return value;
}

template <class T>
std::string with_value(std::string bytes, std::size_t place, T value) {
  std::memcpy(bytes.data() + place, &value, sizeof(T));
  return bytes;
}

TEST_F(Exr, FloatsAndHalvesAreDepths) {
  const std::string floats = bytes_of_line(kLine), halves = bytes_of_line(kHalfLine);
  const struct {
    std::string bytes, channel;
  } cases[] = {{image({{"Z"}}, floats), "Z"},
               {image({{"Y", 1}}, halves), "Y"},
               {image({{"R"}}, floats), "R"},
               {image({{"B"}, {"G"}, {"R"}}, floats + floats + floats), "R"},
               {image({{"A", 0}, {"R", 1}, {"Z"}}, std::string(12, 'x') + std::string(6, 'x') + floats), "Z"}};
  for (const auto& [bytes, channel] : cases) {
    const FloatImage found = read(bytes);
    EXPECT_EQ(found.channel, channel);
    EXPECT_EQ(found.rows, 2U);
    EXPECT_EQ(found.cols, 3U);
    EXPECT_EQ(found.value, (std::vector<float>{1, 2.5F, 0, 1, 2.5F, 0})) << channel;
  }
}

TEST_F(Exr, WritesWhatItReads) {
  const Frame frame = depths(40, 50);
  write_exr(folder_ / "b.exr", frame, Channel::kDepth, "Y");
  const FloatImage found = read_exr(folder_ / "b.exr");
  EXPECT_EQ(found.channel, "Y");
  ASSERT_EQ(found.value.size(), frame.size());
  EXPECT_EQ(std::memcmp(found.value.data(), frame.floats(Channel::kDepth).data(), frame.size() * sizeof(float)), 0);
  const std::string once = bytes_of(folder_ / "b.exr");
  write_exr(folder_ / "b.exr", frame, Channel::kDepth, "Y");
  EXPECT_EQ(bytes_of(folder_ / "b.exr"), once);
  EXPECT_THROW(write_exr(folder_ / "no/b.exr", frame, Channel::kDepth), SystemError);
}

TEST_F(Exr, RefusesOtherImages) {
  const std::string line = bytes_of_line(kLine);
  const auto refused = [&](ExrBytes file, const std::string& part) {
    const std::string text = refusal(file.made());
    EXPECT_TRUE(text.starts_with((folder_ / "a.exr: ").string())) << text;
    EXPECT_TRUE(contains(text, part));
  };
  refused({3, 2, {{"Z", 0}}, line}, "its channel Z has whole numbers; depths are float or half");
  refused({3, 2, {{"depth"}}, line}, "has no channel Z, Y or R");
  refused({4, 2, {{"Z", 2, 2}}, line.substr(4)}, "its channel Z leaves out pixels");
  refused({3, 2, {{"G"}, {"R"}}, line.substr(4) + line.substr(0, 4) + line}, "has colours");
  refused({3, 2, {{"Z"}}, line, 1}, "its data window is not its display window");
  refused({40000, 2, {{"Z"}}, line}, "40000 x 2 pixels: a side is not in [1, 32768]");
  refused({1 << 29, 2, {{"Z"}}, line}, "536870912 x 2 pixels: a side is not in [1, 32768]");
  refused({32768, 32768, {{"Z"}}, ""}, "32768 x 32768 pixels in ");
  refused({3, 2, {{"BY"}, {"RY"}, {"Y"}}, line + line + line}, "has colours");
  refused({3, 2, {{"Z"}}, line, 0, 2 | 0x800}, "is no EXR image that can be read: ");
  EXPECT_TRUE(contains(refusal("v/1"), "a.exr: is no EXR image that can be read: "));
}

/// Each cut, and each byte that is changed, gives an image or one line.
TEST_F(Exr, DamagedFilesAreRefused) {
  for (const std::string& whole : {image({{"Z"}}, bytes_of_line(kLine)), zipped(2, 3)}) {
    for (std::size_t i = 1; i < whole.size(); ++i) {
      const std::string text = refusal(whole.substr(0, i));
      EXPECT_TRUE(text.starts_with((folder_ / "a.exr: ").string())) << i << ": " << text;
      for (const int change : {1, 0x80, 0xff}) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ change);
        EXPECT_EQ(input_error([&] { (void)read(damaged); }).find('\n'), std::string::npos) << i;
      }
    }
  }
}

/// A compressed block begins with its first row and the bytes that follow. A table in front has the places of blocks.
TEST_F(Exr, BlocksThatLieAreRefused) {
  const std::string whole = zipped(50, 40);  // in blocks of 16 rows
  std::size_t table = 0;
  while (value_at<std::uint64_t>(whole, table) != table + 4 * sizeof(std::uint64_t)) ++table;
  const auto first = static_cast<std::size_t>(value_at<std::uint64_t>(whole, table));
  const auto second = value_at<std::uint64_t>(whole, table + 8);
  const auto size = value_at<std::int32_t>(whole, first + 4);
  ASSERT_EQ(first + 8 + static_cast<std::size_t>(size), second);
  EXPECT_EQ(read(whole).rows, 50U);
  for (const std::int32_t lie : {-1, 0, 1, size - 1, size + 1, 2 * size, 1 << 30, INT32_MIN, INT32_MAX}) {
    EXPECT_TRUE(contains(refusal(with_value(whole, first + 4, lie)), "a.exr: is no EXR image that can be read: "))
        << lie;
  }
  for (const std::uint64_t lie :
       {std::uint64_t{1}, std::uint64_t{table}, second, std::uint64_t{whole.size()}, ~std::uint64_t{0} >> 1}) {
    EXPECT_TRUE(contains(refusal(with_value(whole, table, lie)), "a.exr: is ")) << lie;
  }
  EXPECT_TRUE(contains(refusal(with_value(whole, table, std::uint64_t{0})), "a.exr: is incomplete"));
  for (const std::int32_t row : {-1, 16, 50, INT32_MAX}) {
    EXPECT_TRUE(contains(refusal(with_value(whole, first, row)), "a.exr: is no EXR image that can be read: ")) << row;
  }
}

#else

TEST_F(Exr, IsNamedWhereItIsLeftOut) {
  EXPECT_TRUE(contains(refusal("v/1"), "a.exr: this build of fathom has no OpenEXR: install libopenexr-dev"));
}

#endif

}  // namespace
}  // namespace fathom::test::exr_test
