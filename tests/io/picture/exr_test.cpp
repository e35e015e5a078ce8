// SPDX-License-Identifier: MIT
// Depth images of OpenEXR: files made by hand are read, damaged ones refused in one line.

#include <fathom/files/pictures.hpp>

#include "frame/frame_writer.hpp"
#include "io/picture/float_image.hpp"
#include "support/expect.hpp"
#include "support/exr_bytes.hpp"

namespace fathom::test::test::exr_test {
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
  Frame frame({Channel::kDepth});
  FrameWriter(frame).resize(40, 50);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    FrameWriter(frame).floats(Channel::kDepth)[i] = i % 7 == 0 ? std::numeric_limits<float>::quiet_NaN() : 0.001F * i;
  }
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
  const std::string whole = image({{"Z"}}, bytes_of_line(kLine));
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

#else

TEST_F(Exr, IsNamedWhereItIsLeftOut) {
  EXPECT_TRUE(contains(refusal("v/1"), "a.exr: this build of fathom has no OpenEXR: install libopenexr-dev"));
}

#endif

}  // namespace
}  // namespace fathom::test::test::exr_test
