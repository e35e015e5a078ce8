// SPDX-License-Identifier: MIT
// Pictures of a depth camera's frame, pixel by pixel, in the colours that docs/output-formats.md lists.

#include <fathom/core/ids.hpp>
#include <fathom/files/pictures.hpp>

#include "io/picture/frames.hpp"
#include "io/picture/painter.hpp"
#include "io/picture/png_reader.hpp"

namespace fathom::test::camera_pictures_test {
namespace {

constexpr Pixel kBackground = {14, 16, 22}, kLost = {34, 36, 46};

/// Colours written as "78c878 22242e".
template <std::size_t N>
std::array<Pixel, N> colors(const std::string& text) {
  std::array<Pixel, N> pixels = {};
  for (std::size_t i = 0; i < 3 * N; ++i) {
    pixels[i / 3][i % 3] =
        static_cast<std::uint8_t>(std::stoul(text.substr(7 * (i / 3) + 2 * (i % 3), 2), nullptr, 16));
  }
  return pixels;
}

/// In the order of the reasons.
const std::array<Pixel, kReasonNames.size()> kReasonColors = colors<kReasonNames.size()>(
    "78c878 22242e f0e442 0072b2 e69f00 56b4e9 009e73 3c5a6e 9467bd cc79a7 d55e00 6e6e6e b2182b ffb6c1 7fffd4 "
    "8b5a2b 4a3e5c 820082 b4dcff");

/// The colours of depths 0, 1, ... 16 m on a scale of 16 m.
const std::array<Pixel, 17> kDepthColors = colors<17>(
    "940c00 af1a06 d4370f f45c17 ff831e ffaa24 f1cc2c d0e637 a6f748 7afe60 52fa7e 35eca1 27d5c6 27b6e6 3492f8 "
    "446bef 4a43ba");

constexpr std::uint32_t kRows = 3, kCols = 96;

std::size_t clean_depth_of(std::size_t i) { return 1 + i % 16; }
std::size_t noisy_depth_of(std::size_t i) { return 1 + (i + 5) % 16; }
Reason reason_of(std::size_t i) { return static_cast<Reason>(i % kReasonNames.size()); }
/// Energies are whole 255ths.
std::uint8_t level_of(std::size_t i) { return static_cast<std::uint8_t>(7 * i % 256); }

/// Every reason, and in each channel something else.
Frame make_frame() {
  Frame frame({Channel::kDepth, Channel::kCleanDepth, Channel::kReason, Channel::kEnergy});
  FrameWriter(frame).resize(kRows, kCols);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const bool hit = reason_of(i) == Reason::kHit, miss = reason_of(i) == Reason::kMiss;
    FrameWriter(frame).reason()[i] = reason_of(i);
    FrameWriter(frame).floats(Channel::kCleanDepth)[i] = miss ? INFINITY : static_cast<float>(clean_depth_of(i));
    FrameWriter(frame).floats(Channel::kDepth)[i] = hit ? static_cast<float>(noisy_depth_of(i)) : test::kNan;
    FrameWriter(frame).floats(Channel::kEnergy)[i] = miss ? test::kNan : static_cast<float>(level_of(i)) / 255.0F;
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

/// Expects one swatch of 9 x 9 pixels for every reason, from the line `top` on, and a different text beside each.
void expect_legend(const Picture& picture, std::uint32_t top) {
  constexpr std::uint32_t kSide = 9;
  std::set<std::set<std::pair<std::uint32_t, std::uint32_t>>> texts;
  for (std::size_t r = 0; r < kReasonColors.size(); ++r) {
    const auto is_swatch = [&](std::uint32_t left, std::uint32_t y) {
      for (std::uint32_t k = 0; k < kSide * kSide; ++k) {
        if (picture.at(left + k % kSide, y + k / kSide) != kReasonColors[r]) return false;
      }
      return true;
    };
    std::size_t swatches = 0;
    for (std::uint32_t y = top; y + kSide <= picture.height; ++y) {
      for (std::uint32_t x = 0; x + kSide <= picture.width; ++x) {
        if (!is_swatch(x, y)) continue;
        ++swatches;
        const auto text = drawn_in(picture, x + kSide + 1, y, std::min(170U, picture.width - x - kSide - 1), kSide);
        EXPECT_GT(text.size(), 50U) << kReasonNames[r];
        EXPECT_TRUE(texts.insert(text).second) << kReasonNames[r] << " has the text of another";
      }
    }
    // On a sheet the bars show the colour of a miss too.
    EXPECT_GE(swatches, 1U) << kReasonNames[r];
    EXPECT_LE(swatches, r == 1 ? 3U : 1U) << kReasonNames[r];
  }
}

/// Letters are at least 13 pixels, and a legend 29 of these wide.
constexpr std::uint32_t kLetter = 13, kNarrowest = 29 * kLetter, kPad = 9, kLine = 19;

using ReasonPicture = InFolder;

TEST_F(ReasonPicture, HasTheColoursOfItsLegend) {
  write_reason_picture(folder / "r.png", make_frame());
  const Picture picture = test::read_png(folder / "r.png");
  ASSERT_EQ(picture.width, kNarrowest);
  for (std::uint32_t y = 0; y < kRows; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) {
      const std::size_t i = std::size_t{y} * kCols + x;
      const Pixel expected = x < kCols ? kReasonColors[static_cast<std::size_t>(reason_of(i))] : kBackground;
      ASSERT_EQ(picture.at(x, y), expected) << x << ", " << y;
    }
  }
  expect_legend(picture, kRows);
}

TEST_F(ReasonPicture, SaysWhichShareOfTheRaysEndedSo) {
  Frame frame = make_frame();
  write_reason_picture(folder / "a.png", frame);
  FrameWriter(frame).reason()[0] = Reason::kMasked;  // one hit less, one masked more
  write_reason_picture(folder / "b.png", frame);
  const Picture a = test::read_png(folder / "a.png"), b = test::read_png(folder / "b.png");
  std::set<std::uint32_t> changed;  // lines of the legend, which has two columns
  for (std::uint32_t y = kRows; y < a.height; ++y) {
    for (std::uint32_t x = 0; x < a.width; ++x) {
      if (a.at(x, y) != b.at(x, y)) changed.insert((y - kRows - kPad) / kLine);
    }
  }
  EXPECT_EQ(changed, (std::set<std::uint32_t>{1, 12})) << "below the title, a line for each";
}

TEST_F(ReasonPicture, GoesWithoutALegend) {
  write_reason_picture(folder / "r.png", make_frame(), false);
  const Picture picture = test::read_png(folder / "r.png");
  EXPECT_EQ(picture.width, kCols);
  EXPECT_EQ(picture.height, kRows);
  EXPECT_EQ(picture.at(kCols - 1, 0), kReasonColors[static_cast<std::size_t>(reason_of(kCols - 1))]);
}

TEST(CameraSheet, HoldsCleanNoisyReasonsAndEnergyInThisOrder) {
  const TemporaryFolder folder;
  write_camera_sheet(folder / "s.png", make_frame(), 16.0);
  const Picture picture = test::read_png(folder / "s.png");
  constexpr std::uint32_t kCell = kNarrowest - 2 * kPad, kStepX = kCell + kPad, kStepY = kLine + kRows + kPad;
  ASSERT_EQ(picture.width, 2 * kStepX + kPad);
  const auto left_of = [](std::uint32_t k) { return kPad + k % 2 * kStepX; };
  const auto top_of = [](std::uint32_t k) { return kPad + kLine + k / 2 * kStepY; };
  const auto panel = [&](std::uint32_t k, std::size_t i) {
    return picture.at(left_of(k) + static_cast<std::uint32_t>(i % kCols),
                      top_of(k) + static_cast<std::uint32_t>(i / kCols));
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
    const auto title = drawn_in(picture, left_of(k), top_of(k) - kLine, kCols, kLine);
    EXPECT_GT(title.size(), 50U);
    titles.insert(title);
  }
  EXPECT_EQ(titles.size(), 4U);
  const std::uint32_t bars = top_of(2) + kRows + kPad;
  expect_legend(picture, bars);
  // The bars run from the first to the last colour below their panels, a line below their titles.
  const std::uint32_t bar_y = bars + kPad + kLine + 4;
  EXPECT_EQ(picture.at(left_of(0), bar_y), kDepthColors.front());
  EXPECT_EQ(picture.at(left_of(0) + kCell - 1, bar_y), kDepthColors.back());
  EXPECT_EQ(picture.at(left_of(1), bar_y), (Pixel{0, 0, 0}));
  EXPECT_EQ(picture.at(left_of(1) + kCell - 1, bar_y), (Pixel{255, 255, 255}));
}

TEST(CameraSheet, TakesARoundScaleUnlessOneIsGiven) {
  const TemporaryFolder folder;
  write_camera_sheet(folder / "auto.png", make_frame());
  write_camera_sheet(folder / "given.png", make_frame(), 20.0);  // covers the 16 m of the frame
  const Picture automatic = test::read_png(folder / "auto.png"), given = test::read_png(folder / "given.png");
  const std::uint32_t bars = 2 * (kPad + kLine + kRows);
  for (std::uint32_t y = 0; y < bars; ++y) {
    for (std::uint32_t x = 0; x < given.width; ++x) ASSERT_EQ(automatic.at(x, y), given.at(x, y)) << x << ", " << y;
  }
  EXPECT_NE(automatic.pixels, given.pixels) << "the legend says who chose it";
}

}  // namespace
}  // namespace fathom::test::camera_pictures_test

namespace fathom::test::label_picture_test {

// Pictures of labels, pixel by pixel.

namespace {

constexpr Pixel kMiss = {34, 36, 46}, kUnlabelled = {150, 150, 150};
const std::vector<Label> kLabels = {{"floor", 7, {{128, 64, 128}}}, {"chair", 300, {}}, {"table", 2, {}}};

/// Rays that meet floor, chair, something without a label and nothing, by turns.
Frame make_frame(std::uint32_t rows, std::uint32_t cols) {
  Frame frame({Channel::kLabel, Channel::kEntityId});
  FrameWriter(frame).resize(rows, cols);
  constexpr std::uint32_t kIds[] = {7, 300, 0, 0};
  for (std::size_t i = 0; i < frame.size(); ++i) {
    FrameWriter(frame).label()[i] = kIds[i % 4];
    FrameWriter(frame).entity_id()[i] = i % 4 == 3 ? index(kNoEntity) : static_cast<std::uint32_t>(i % 4);
  }
  return frame;
}

std::size_t pixels_below(const Picture& picture, std::uint32_t top, Pixel color) {
  std::size_t count = 0;
  for (std::uint32_t y = top; y < picture.height; ++y) {
    for (std::uint32_t x = 0; x < picture.width; ++x) count += picture.at(x, y) == color ? 1 : 0;
  }
  return count;
}

using LabelPicture = InFolder;

TEST_F(LabelPicture, HasTheColoursOfTheTable) {
  const Frame frame = make_frame(5, 90);
  write_label_picture(folder / "a.png", frame, kLabels);
  const Picture picture = test::read_png(folder / "a.png");
  const Pixel colors[] = {{128, 64, 128}, color_of(kLabels[1]), kUnlabelled, kMiss};
  EXPECT_EQ(colors[1], entity_color(300));
  for (std::uint32_t i = 0; i < frame.size(); ++i) ASSERT_EQ(picture.at(i % 90, i / 90), colors[i % 4]) << i;
  for (const Pixel color : {colors[0], colors[1], color_of(kLabels[2]), kUnlabelled, kMiss}) {
    EXPECT_GE(pixels_below(picture, 5, color), 81U) << "a swatch in the legend, of labels that are not seen, too";
  }
  write_label_picture(folder / "b.png", frame, kLabels, false);
  const Picture plain = test::read_png(folder / "b.png");
  EXPECT_EQ(plain.width, 90U);
  EXPECT_EQ(plain.height, 5U);
}

TEST_F(LabelPicture, ShowsAnIdThatTheTableDoesNotHave) {
  write_label_picture(folder / "a.png", make_frame(3, 80), {}, false);
  EXPECT_EQ(test::read_png(folder / "a.png").at(1, 0), entity_color(300));
}

TEST_F(LabelPicture, OfManyLabelsIsAsHighForEveryFrame) {
  std::vector<Label> labels;
  for (std::uint32_t id = 1; id <= 100; ++id) labels.push_back({"label " + std::to_string(id), id, {}});
  std::vector<std::uint32_t> heights;
  for (const std::uint32_t different : {1U, 100U}) {
    Frame frame({Channel::kLabel, Channel::kEntityId});
    FrameWriter(frame).resize(40, 60);
    for (std::uint32_t i = 0; i < frame.size(); ++i) {
      FrameWriter(frame).label()[i] = 1 + i % different;
      FrameWriter(frame).entity_id()[i] = 0;
    }
    write_label_picture(folder / "a.png", frame, labels);
    heights.push_back(test::read_png(folder / "a.png").height);
  }
  EXPECT_EQ(heights[0], heights[1]);
}

TEST(LabelIds, AreThemselvesIn16Bits) {
  const TemporaryFolder folder;
  Frame frame = make_frame(3, 4);
  FrameWriter(frame).label()[0] = kMostLabelId;
  write_label_ids(folder / "a.png", frame);
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&png, (folder / "a.png").c_str()), 0) << png.message;
  ASSERT_EQ(png.format, static_cast<png_uint_32>(PNG_FORMAT_LINEAR_Y));
  std::vector<std::uint16_t> levels(std::size_t{png.width} * png.height);
  ASSERT_NE(png_image_finish_read(&png, nullptr, levels.data(), 0, nullptr), 0) << png.message;
  ASSERT_EQ(levels.size(), frame.size());
  for (std::size_t i = 0; i < levels.size(); ++i) EXPECT_EQ(levels[i], frame.label()[i]);
}

TEST_F(LabelPicture, NeedsRays) {
  const Frame empty = make_frame(0, 4);
  EXPECT_TRUE(test::contains(input_error([&] { write_label_picture(folder / "a.png", empty, {}); }),
                             "a frame of 0 x 4 rays makes no picture"));
  EXPECT_TRUE(test::contains(input_error([&] { write_label_ids(folder / "a.png", empty); }), "0 x 4 rays"));
  EXPECT_TRUE(test::contains(input_error([&] { write_label_ids(folder / "a.png", Frame()); }), "0 x 0 rays"));
}

}  // namespace
}  // namespace fathom::test::label_picture_test
