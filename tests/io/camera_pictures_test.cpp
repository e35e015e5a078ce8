// Pictures of a depth camera's frame, pixel by pixel, in the colours that docs/output-formats.md lists.

#include <fathom/depth_output.hpp>

#include <array>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "io/frames.hpp"
#include "io/png_reader.hpp"
#include "io/temporary_folder.hpp"

namespace fathom {
namespace {

using test::Picture;
using test::Pixel;
using test::TemporaryFolder;

constexpr Pixel kBackground = {14, 16, 22}, kLost = {34, 36, 46};

/// In the order of the reasons.
constexpr std::array<Pixel, kReasonNames.size()> kReasonColors = {{{120, 200, 120},
                                                                   {34, 36, 46},
                                                                   {240, 228, 66},
                                                                   {0, 114, 178},
                                                                   {230, 159, 0},
                                                                   {86, 180, 233},
                                                                   {0, 158, 115},
                                                                   {60, 90, 110},
                                                                   {148, 103, 189},
                                                                   {204, 121, 167},
                                                                   {213, 94, 0},
                                                                   {110, 110, 110},
                                                                   {178, 24, 43}}};

/// The colours of depths 0, 1, ... 16 m on a scale of 16 m.
constexpr std::array<Pixel, 17> kDepthColors = {{{148, 12, 0},
                                                 {175, 26, 6},
                                                 {212, 55, 15},
                                                 {244, 92, 23},
                                                 {255, 131, 30},
                                                 {255, 170, 36},
                                                 {241, 204, 44},
                                                 {208, 230, 55},
                                                 {166, 247, 72},
                                                 {122, 254, 96},
                                                 {82, 250, 126},
                                                 {53, 236, 161},
                                                 {39, 213, 198},
                                                 {39, 182, 230},
                                                 {52, 146, 248},
                                                 {68, 107, 239},
                                                 {74, 67, 186}}};

constexpr std::uint32_t kRows = 3, kCols = 96;

std::size_t clean_depth_of(std::size_t i) { return 1 + i % 16; }
std::size_t noisy_depth_of(std::size_t i) { return 1 + (i + 5) % 16; }
Reason reason_of(std::size_t i) { return static_cast<Reason>(i % kReasonNames.size()); }
/// Energies are whole 255ths.
std::uint8_t level_of(std::size_t i) { return static_cast<std::uint8_t>(7 * i % 256); }

/// Every reason, and in each channel something else.
Frame make_frame() {
  Frame frame({Channel::kDepth, Channel::kCleanDepth, Channel::kReason, Channel::kEnergy});
  frame.resize(kRows, kCols);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const bool hit = reason_of(i) == Reason::kHit, miss = reason_of(i) == Reason::kMiss;
    frame.reason_data()[i] = reason_of(i);
    frame.float_data(Channel::kCleanDepth)[i] = miss ? INFINITY : static_cast<float>(clean_depth_of(i));
    frame.float_data(Channel::kDepth)[i] = hit ? static_cast<float>(noisy_depth_of(i)) : test::kNan;
    frame.float_data(Channel::kEnergy)[i] = miss ? test::kNan : static_cast<float>(level_of(i)) / 255.0F;
  }
  return frame;
}

/// The pixels of a rectangle that are drawn, as positions from its corner.
std::set<std::pair<std::uint32_t, std::uint32_t>> drawn_in(const Picture& picture, std::uint32_t left,
                                                           std::uint32_t top, std::uint32_t width,
                                                           std::uint32_t height) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> drawn;
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      if (picture.at(left + x, top + y) != kBackground) drawn.emplace(x, y);
    }
  }
  return drawn;
}

/// From the line `top` on there is a swatch of 10 x 10 pixels for every reason, and a text of its own beside each.
void expect_legend(const Picture& picture, std::uint32_t top) {
  std::set<std::set<std::pair<std::uint32_t, std::uint32_t>>> texts;
  for (std::size_t r = 0; r < kReasonColors.size(); ++r) {
    const auto is_swatch = [&](std::uint32_t left, std::uint32_t y) {
      for (std::uint32_t k = 0; k < 100; ++k) {
        if (picture.at(left + k % 10, y + k / 10) != kReasonColors[r]) return false;
      }
      return true;
    };
    std::size_t swatches = 0;
    for (std::uint32_t y = top; y + 10 <= picture.height; ++y) {
      for (std::uint32_t x = 0; x + 10 <= picture.width; ++x) {
        if (!is_swatch(x, y)) continue;
        ++swatches;
        const auto text = drawn_in(picture, x + 10, y, std::min(200U, picture.width - x - 10), 10);
        EXPECT_GT(text.size(), 50U) << kReasonNames[r];
        EXPECT_TRUE(texts.insert(text).second) << kReasonNames[r] << " has the text of another";
      }
    }
    EXPECT_EQ(swatches, 1U) << kReasonNames[r];
  }
}

TEST(ReasonPicture, HasTheColoursOfItsLegend) {
  const TemporaryFolder folder;
  write_reason_picture(folder / "r.png", make_frame());
  const Picture picture = test::read_png(folder / "r.png");
  ASSERT_EQ(picture.width, 220U);
  for (std::uint32_t y = 0; y < kRows; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      const std::size_t i = std::size_t{y} * kCols + x;
      const Pixel expected = x < kCols ? kReasonColors[static_cast<std::size_t>(reason_of(i))] : kBackground;
      ASSERT_EQ(picture.at(x, y), expected) << x << ", " << y;
    }
  }
  expect_legend(picture, kRows);
}

TEST(ReasonPicture, SaysHowManyRaysEndedSo) {
  const TemporaryFolder folder;
  Frame frame = make_frame();
  write_reason_picture(folder / "a.png", frame);
  frame.reason_data()[0] = Reason::kMasked;  // one hit less, one masked more
  write_reason_picture(folder / "b.png", frame);
  const Picture a = test::read_png(folder / "a.png"), b = test::read_png(folder / "b.png");
  std::set<std::uint32_t> changed;  // lines of the legend, by the row of pixels
  for (std::uint32_t y = kRows; y < a.height; ++y) {
    for (std::uint32_t x = 0; x < a.width; ++x) {
      if (a.at(x, y) != b.at(x, y)) changed.insert((y - kRows - 6) / 14);
    }
  }
  EXPECT_EQ(changed, (std::set<std::uint32_t>{0, 11}));
}

TEST(CameraSheet, HoldsCleanNoisyReasonsAndEnergyInThisOrder) {
  const TemporaryFolder folder;
  write_camera_sheet(folder / "s.png", make_frame(), 16.0);
  const Picture picture = test::read_png(folder / "s.png");
  constexpr std::uint32_t kGap = 6, kTop = 20;
  ASSERT_EQ(picture.width, 4 * (kCols + kGap) + kGap);
  const auto panel = [&](std::uint32_t k, std::size_t i) {
    return picture.at(kGap + k * (kCols + kGap) + static_cast<std::uint32_t>(i % kCols),
                      kTop + static_cast<std::uint32_t>(i / kCols));
  };
  for (std::size_t i = 0; i < std::size_t{kRows} * kCols; ++i) {
    const bool hit = reason_of(i) == Reason::kHit, miss = reason_of(i) == Reason::kMiss;
    const std::uint8_t level = level_of(i);
    ASSERT_EQ(panel(0, i), miss ? kLost : kDepthColors[clean_depth_of(i)]) << i;
    ASSERT_EQ(panel(1, i), hit ? kDepthColors[noisy_depth_of(i)] : kLost) << i;
    ASSERT_EQ(panel(2, i), kReasonColors[static_cast<std::size_t>(reason_of(i))]) << i;
    ASSERT_EQ(panel(3, i), miss ? kLost : (Pixel{level, level, level})) << i;
  }
  std::set<std::set<std::pair<std::uint32_t, std::uint32_t>>> titles;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const auto title = drawn_in(picture, kGap + k * (kCols + kGap), 0, kCols, kTop);
    EXPECT_GT(title.size(), 50U);
    titles.insert(title);
  }
  EXPECT_EQ(titles.size(), 4U);
  expect_legend(picture, kTop + kRows);
}

}  // namespace
}  // namespace fathom
