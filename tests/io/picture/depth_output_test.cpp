// SPDX-License-Identifier: MIT
// Files of depth cameras, read back with libpng and by hand.

#include <png.h>

#include <fathom/files/clouds.hpp>
#include <fathom/files/pictures.hpp>

#include "core/text/formats.hpp"
#include "frame/frame_writer.hpp"
#include "io/cloud/arrays.hpp"
#include "support/expect.hpp"

namespace fathom::test::depth_output_test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

/// 2 x 3: a hit, a hit, a shadow; a miss, a hit, a loss of energy.
Frame make_frame() {
  Frame frame({Channel::kDepth, Channel::kCleanDepth, Channel::kReason, Channel::kEnergy});
  FrameWriter(frame).resize(2, 3);
  const float depth[] = {1.0F, 2.5004F, kNan, kNan, 65.0F, kNan}, clean[] = {1, 2.5F, 3, kInf, 65, 4};
  const float energy[] = {1, 0.5F, 0.4F, kNan, 0.9F, 0.01F};
  const Reason reason[] = {Reason::kHit,  Reason::kHit, Reason::kHiddenLeft,
                           Reason::kMiss, Reason::kHit, Reason::kLowEnergy};
  std::copy_n(depth, 6, FrameWriter(frame).floats(Channel::kDepth));
  std::copy_n(clean, 6, FrameWriter(frame).floats(Channel::kCleanDepth));
  std::copy_n(energy, 6, FrameWriter(frame).floats(Channel::kEnergy));
  std::copy_n(reason, 6, FrameWriter(frame).reason());
  return frame;
}

struct Picture {
  std::uint32_t width = 0, height = 0;
  bool sixteen = false;
  std::vector<std::uint16_t> levels;
};

/// Reads the raw samples, without any change of gamma.
Picture read_png(const std::filesystem::path& file) {
  std::FILE* in = std::fopen(file.c_str(), "rb");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, in);
  png_read_png(png, info, PNG_TRANSFORM_SWAP_ENDIAN, nullptr);
  Picture p;
  p.width = png_get_image_width(png, info), p.height = png_get_image_height(png, info);
  p.sixteen = png_get_bit_depth(png, info) == 16 && png_get_color_type(png, info) == PNG_COLOR_TYPE_GRAY;
  png_bytepp rows = png_get_rows(png, info);
  for (std::uint32_t y = 0; y < p.height && p.sixteen; ++y) {
    const auto* row = reinterpret_cast<const std::uint16_t*>(rows[y]);
    p.levels.insert(p.levels.end(), row, row + p.width);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  std::fclose(in);
  return p;
}

using DepthPng = InFolder;

TEST_F(DepthPng, HoldsMillimetresInSixteenBits) {
  write_depth_png(folder / "d.png", make_frame(), Channel::kDepth);
  const Picture p = read_png(folder / "d.png");
  EXPECT_TRUE(p.sixteen);
  EXPECT_EQ(p.width, 3U);
  EXPECT_EQ(p.levels, (std::vector<std::uint16_t>{1000, 2500, 0, 0, 65000, 0}));
}

TEST_F(DepthPng, ScaleAndLostValueAreChosen) {
  write_depth_png(folder / "d.png", make_frame(), Channel::kDepth, {LostValue::kInf}, 100.0);
  EXPECT_EQ(read_png(folder / "d.png").levels, (std::vector<std::uint16_t>{100, 250, 65535, 65535, 6500, 65535}));
  write_depth_png(folder / "e.png", make_frame(), Channel::kCleanDepth, {LostValue::kMax, 100.0F}, 100.0);
  EXPECT_EQ(read_png(folder / "e.png").levels, (std::vector<std::uint16_t>{100, 250, 300, 10000, 6500, 400}));
}

// One of the defects seen elsewhere (docs and tests/render/known_defects_test.cpp have the others): a lost pixel has
// the value of its policy in every kind of file, and the picture has 16 bits.
TEST(KnownDefects, AShadowedPixelAsMinus2Point58Or257Point6InAn8BitImage) {
  const TemporaryFolder folder;
  write_depth_png(folder / "d.png", make_frame(), Channel::kDepth);
  const Picture p = read_png(folder / "d.png");
  EXPECT_TRUE(p.sixteen);
  EXPECT_EQ(p.levels[2], 0U);  // the shadowed pixel
  EXPECT_EQ(replace_lost(make_frame(), Channel::kDepth, {LostValue::kZero})[2], 0.0F);
  // What sixteen bits cannot hold is refused, not bent into another value.
  EXPECT_THROW(write_depth_png(folder / "e.png", make_frame(), Channel::kDepth, {LostValue::kMinusOne}), InputError);
}

TEST_F(DepthPng, WhatIsOffTheScaleMayCountAsLost) {
  Frame frame = make_frame();
  FrameWriter(frame).floats(Channel::kDepth)[0] = -0.5F;
  EXPECT_THROW(write_depth_png(folder / "d.png", frame, Channel::kDepth), InputError);
  write_depth_png(folder / "d.png", frame, Channel::kDepth, {LostValue::kMax, 50.0F}, 1200.0, OffScale::kLost);
  EXPECT_EQ(read_png(folder / "d.png").levels, (std::vector<std::uint16_t>{60000, 3000, 60000, 60000, 60000, 60000}));
}

TEST_F(DepthPng, WhatSixteenBitsCannotHoldIsRefused) {
  EXPECT_THROW(write_depth_png(folder / "d.png", make_frame(), Channel::kDepth, {LostValue::kMinusOne}), InputError);
  EXPECT_THROW(write_depth_png(folder / "d.png", make_frame(), Channel::kDepth, {LostValue::kNan}), InputError);
  EXPECT_THROW(write_depth_png(folder / "d.png", make_frame(), Channel::kDepth, {LostValue::kMax, 0}), InputError);
  EXPECT_THROW(write_depth_png(folder / "d.png", make_frame(), Channel::kDepth, {LostValue::kZero}, 1100.0),
               InputError);
  EXPECT_THROW(write_depth_png(folder / "d.png", make_frame(), Channel::kDepth, {LostValue::kZero}, 0.0), InputError);
  EXPECT_THROW(write_depth_png(folder / "d.png", make_frame(), Channel::kRange), InputError);  // not in the frame
  EXPECT_EQ(folder.count(), 0);
}

TEST(LostPixels, EveryPolicyAndNothingElseChanges) {
  const Frame frame = make_frame();
  const std::pair<LostValue, float> cases[] = {
      {LostValue::kZero, 0.0F}, {LostValue::kInf, kInf}, {LostValue::kMax, 10.0F}, {LostValue::kMinusOne, -1.0F}};
  for (const auto& [value, expected] : cases) {
    EXPECT_EQ(replace_lost(frame, Channel::kDepth, {value, 10.0F}),
              (std::vector<float>{1.0F, 2.5004F, expected, expected, 65.0F, expected}));
  }
  const std::vector<float> with_nan = replace_lost(frame, Channel::kDepth, {});
  EXPECT_TRUE(std::isnan(with_nan[2]) && std::isnan(with_nan[3]) && with_nan[0] == 1.0F);
  EXPECT_THROW(replace_lost(frame, Channel::kDepth, {LostValue::kMax, kNan}), InputError);
  const TemporaryFolder folder;
  write_npy(folder / "d.npy", frame, Channel::kDepth, LostPolicy{LostValue::kMinusOne});
  const npy::Array array = npy::read(folder / "d.npy");
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(array.at(2), -1.0);
}

TEST(Pictures, SheetAndReasonsAreWritten) {
  const TemporaryFolder folder;
  write_reason_picture(folder / "r.png", make_frame());
  write_camera_sheet(folder / "s.png", make_frame());
  EXPECT_GT(read_png(folder / "r.png").height, 2U + 12U);
  EXPECT_GE(read_png(folder / "s.png").width, 4U * 3U);
  EXPECT_THROW(write_camera_sheet(folder / "t.png", Frame(ChannelSet{Channel::kDepth})), InputError);
  EXPECT_THROW(write_camera_sheet(folder / "t.png", make_frame(), std::nan("")), InputError);
}

}  // namespace
}  // namespace fathom::test::depth_output_test
