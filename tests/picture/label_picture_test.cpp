// SPDX-License-Identifier: MIT
// Pictures of labels, pixel by pixel.

#include <vector>

#include <gtest/gtest.h>
#include <png.h>

#include <fathom/base/ids.hpp>
#include <fathom/files/pictures.hpp>

#include "base/frame_writer.hpp"
#include "picture/palette.hpp"
#include "picture/png_reader.hpp"
#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"

namespace fathom::label_picture_test {
namespace {

using test::Picture;
using test::Pixel;
using test::TemporaryFolder;

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

TEST(LabelPicture, HasTheColoursOfTheTable) {
  const TemporaryFolder folder;
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

TEST(LabelPicture, ShowsAnIdThatTheTableDoesNotHave) {
  const TemporaryFolder folder;
  write_label_picture(folder / "a.png", make_frame(3, 80), {}, false);
  EXPECT_EQ(test::read_png(folder / "a.png").at(1, 0), entity_color(300));
}

TEST(LabelPicture, OfManyLabelsIsAsHighForEveryFrame) {
  const TemporaryFolder folder;
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

TEST(LabelPicture, NeedsRays) {
  const TemporaryFolder folder;
  const Frame empty = make_frame(0, 4);
  EXPECT_TRUE(test::contains(test::input_error([&] { write_label_picture(folder / "a.png", empty, {}); }),
                             "a frame of 0 x 4 rays makes no picture"));
  EXPECT_TRUE(test::contains(test::input_error([&] { write_label_ids(folder / "a.png", empty); }), "0 x 4 rays"));
  EXPECT_TRUE(test::contains(test::input_error([&] { write_label_ids(folder / "a.png", Frame()); }), "0 x 0 rays"));
}

}  // namespace
}  // namespace fathom::label_picture_test
