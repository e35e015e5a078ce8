// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <png.h>

#include <fathom/files/height_fields.hpp>

#include "support/error_text.hpp"
#include "support/temporary_folder.hpp"
#include "text/npy.hpp"

namespace fathom {
namespace {

using test::input_error;
using test::TemporaryFolder;

// 3 x 2, the top row first; levels that a conversion by gamma would move.
const std::vector<std::uint16_t> kLevels = {0, 13107, 65535, 1, 40000, 300};

enum class Gamma { kNone, kSrgb, kHalf };

/// By libpng's own low interface, so that the file may say what it likes of gamma.
std::filesystem::path write_deep_png(const TemporaryFolder& folder, Gamma gamma, int colour = PNG_COLOR_TYPE_GRAY) {
  const std::filesystem::path file = folder / "deep.png";
  std::FILE* out = std::fopen(file.c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, out);
  const std::size_t samples = colour == PNG_COLOR_TYPE_GRAY ? 1 : 2;  // grey, or grey with alpha
  png_set_IHDR(png, info, 3, 2, 16, colour, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (gamma == Gamma::kSrgb) png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (gamma == Gamma::kHalf) png_set_gAMA(png, info, 0.5);
  png_write_info(png, info);
  for (std::size_t row = 0; row < 2; ++row) {
    std::vector<png_byte> bytes;
    for (std::size_t i = 0; i < 3 * samples; ++i) {
      const unsigned level = i % samples == 0 ? kLevels[row * 3 + i / samples] : 65535U;
      bytes.push_back(static_cast<png_byte>(level >> 8U));
      bytes.push_back(static_cast<png_byte>(level & 255U));
    }
    png_write_row(png, bytes.data());
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(out);
  return file;
}

const HeightImageOptions kOptions = {.size_x_m = 4, .size_y_m = 2, .elevation_m = 10, .stretch = false, .base_m = 1};

TEST(HeightImage, HasTheStoredLevelsWhateverTheFileSaysOfGamma) {
  const TemporaryFolder folder;
  for (const Gamma gamma : {Gamma::kNone, Gamma::kSrgb, Gamma::kHalf}) {
    const HeightField field = read_height_image(write_deep_png(folder, gamma), kOptions);
    ASSERT_EQ(field.rows, 2U);
    ASSERT_EQ(field.cols, 3U);
    EXPECT_EQ(field.size_x_m, 4);
    EXPECT_EQ(field.size_y_m, 2);
    EXPECT_EQ(field.base_m, 1);
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t pixel = i < 3 ? i + 3 : i - 3;  // the bottom row of the picture first
      EXPECT_FLOAT_EQ(field.heights_m[i], static_cast<float>(10.0 * kLevels[pixel] / 65535)) << i;
    }
  }
}

TEST(HeightImage, OfEightBitsAndOfPgmTakesItsOwnWhite) {
  const TemporaryFolder folder;
  const std::vector<std::uint8_t> levels = {0, 51, 255, 102};
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.width = 2, png.height = 2, png.format = PNG_FORMAT_GRAY;
  png_image_write_to_file(&png, (folder / "flat.png").c_str(), 0, levels.data(), 0, nullptr);
  const std::vector<float> heights = {10, 4, 0, 2};
  EXPECT_EQ(read_height_image(folder / "flat.png", kOptions).heights_m, heights);
  EXPECT_EQ(read_height_image(folder.write("deep.pgm", "P2 2 2 1000 0 200 1000 400"), kOptions).heights_m, heights);
}

TEST(HeightImage, IsStretchedFromItsLowestToItsHighestPixel) {
  const TemporaryFolder folder;
  HeightImageOptions options = kOptions;
  options.stretch = true;
  const auto heights = [&](const char* pgm) {
    return read_height_image(folder.write("a.pgm", pgm), options).heights_m;
  };
  EXPECT_EQ(heights("P2 2 2 255 50 70 60 50"), (std::vector<float>{5, 0, 0, 10}));
  EXPECT_EQ(heights("P2 2 2 255 7 7 7 7"), (std::vector<float>{0, 0, 0, 0})) << "a flat picture";
}

TEST(HeightImage, NamesTheFileAndWhatIsWrong) {
  const TemporaryFolder folder;
  const auto error = [&](const std::filesystem::path& file, const HeightImageOptions& options = kOptions) {
    const std::string text = input_error([&] { read_height_image(file, options); });
    const std::size_t slash = text.rfind('/');
    return slash == std::string::npos ? text : text.substr(slash + 1);
  };
  EXPECT_EQ(error(write_deep_png(folder, Gamma::kNone, PNG_COLOR_TYPE_GRAY_ALPHA)),
            "deep.png: has colours or transparency; heights are a grey picture of 8 or 16 bits");
  const std::string whole = test::bytes_of(write_deep_png(folder, Gamma::kNone));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(error(folder.write("cut.png", whole.substr(0, size))), "") << size;
  }
  EXPECT_EQ(error(folder.write("cut.png", whole.substr(0, whole.size() - 12))),
            "cut.png: cut short: the PNG has no end (IEND)");
  EXPECT_EQ(error(folder.write("no.png", "v 0 0 0")), "no.png: is neither PNG nor PGM (P2, P5)");
  EXPECT_NE(error(folder / "missing.png"), "");
  HeightImageOptions flat = kOptions;
  flat.elevation_m = 0;
  EXPECT_EQ(error(folder / "deep.png", flat), "height_field.elevation_m = 0 is not in (0, 1000000] m");
}

std::filesystem::path write_heights(const TemporaryFolder& folder, std::vector<std::size_t> shape,
                                    const std::vector<double>& values) {
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return folder.write("heights.npy", npy::header(npy::Type::kFloat64, shape) + bytes);
}

TEST(HeightArray, IsReadInItsOwnOrder) {
  const TemporaryFolder folder;
  const HeightField field = read_height_array(write_heights(folder, {2, 3}, {1, 2, 3, -4, 5.5, 6}));
  EXPECT_EQ(field.rows, 2U);
  EXPECT_EQ(field.cols, 3U);
  EXPECT_EQ(field.heights_m, (std::vector<float>{1, 2, 3, -4, 5.5, 6}));
}

TEST(HeightArray, NamesTheFileAndTheElementThatIsWrong) {
  const TemporaryFolder folder;
  const auto error = [&](std::vector<std::size_t> shape, const std::vector<double>& values) {
    const auto file = write_heights(folder, std::move(shape), values);
    return input_error([&] { read_height_array(file); }).substr(folder.path().string().size() + 1);
  };
  EXPECT_EQ(error({4}, {1, 2, 3, 4}), "heights.npy: heights are an array of shape (rows, cols)");
  EXPECT_EQ(error({2, 2}, {1, 2, 3, 1e300}), "heights.npy: height [1, 1] = 1e+300 is not in [-1000000, 1000000] m");
  EXPECT_EQ(error({2, 2}, {1, NAN, 3, 4}), "heights.npy: height [0, 1] = nan is not in [-1000000, 1000000] m");
}

}  // namespace
}  // namespace fathom
