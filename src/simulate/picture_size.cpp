#include "simulate/picture_size.hpp"

#include <algorithm>

#include <fathom/reason.hpp>

#include "io/legend.hpp"
#include "io/lettering.hpp"

namespace fathom {

namespace {

// As the writers in src/io have them.
constexpr std::uint32_t kAnglePixels = 1024;
constexpr std::uint32_t kFoldAbove = 4096, kFoldWidth = 2048;
constexpr std::uint32_t kThinRatio = 8, kThinHeight = 256;
constexpr std::uint32_t kEntityLines = 4;
constexpr std::uint32_t kCoordinateInLetters = 10;  // "-1234567.8" and its gaps

struct PictureSize {
  std::uint64_t width = 0, height = 0;
};

Legend legend_of(ColorBy color, const Lettering& letters, std::uint32_t width) {
  if (color == ColorBy::kRange) return ColorBar{};
  Key key;
  key.entries.resize(color == ColorBy::kReason ? kReasonNames.size() : kEntityLines * key_columns(letters, width));
  return key;
}

PictureSize with_legend(std::uint32_t width, std::uint32_t height, bool is_shown, ColorBy color) {
  if (!is_shown) return {width, height};
  const Lettering letters(letter_size(width, height));
  const std::uint32_t wide = std::max(width, legend_width(letters));
  return {wide, std::uint64_t{height} + legend_height(letters, legend_of(color, letters, wide), wide)};
}

PictureSize range_image_size(const SensorOutput& output, std::uint32_t rows, std::uint32_t cols) {
  if (rows == 1 && cols > kFoldAbove) {
    return with_legend(kFoldWidth, (cols + kFoldWidth - 1) / kFoldWidth, output.legend, output.color);
  }
  const std::uint32_t repeat = std::max(1U, std::min(cols / kThinRatio, kThinHeight) / rows);
  return with_legend(cols, rows * repeat, output.legend, output.color);
}

/// A plane of the largest size, with coordinates beside and below it.
PictureSize map_size(const SensorOutput& output, std::uint32_t pixels) {
  if (!output.legend) return {pixels, pixels};
  const Lettering letters(letter_size(pixels, pixels));
  const std::uint32_t width = std::max(pixels + kCoordinateInLetters * letters.size(), legend_width(letters));
  const std::uint32_t below = letters.line_height() + letters.size() / 2;
  // The fewest columns that a narrow plane leaves make the highest key.
  const std::uint32_t narrow = legend_width(letters);
  return {width, std::uint64_t{pixels} + below +
                     legend_height(letters, legend_of(output.color, letters, narrow), narrow)};
}

PictureSize sheet_size(std::uint32_t rows, std::uint32_t cols) {
  const Lettering letters(letter_size(2 * cols, 2 * rows));
  const std::uint32_t gap = legend_pad(letters), cell = std::max(cols, legend_width(letters) - 2 * gap);
  const std::uint32_t width = 2 * cell + 3 * gap;
  return {width, gap + 2 * (std::uint64_t{letters.line_height()} + rows + gap) +
                     legend_height(letters, ColorBar{}, cell + 2 * gap) +
                     legend_height(letters, legend_of(ColorBy::kReason, letters, width), width)};
}

PictureSize picture_size(const SensorOutput& output, std::uint32_t rows, std::uint32_t cols, bool by_angle) {
  switch (output.kind) {
    case OutputKind::kBirdsEyeView:
      return map_size(output, output.pixels);
    case OutputKind::kReasonPicture:
      return with_legend(cols, rows, output.legend, ColorBy::kReason);
    case OutputKind::kCameraSheet:
      return sheet_size(rows, cols);
    case OutputKind::kDepthPng:
      return {cols, rows};
    default:
      return by_angle ? map_size(output, kAnglePixels) : range_image_size(output, rows, cols);
  }
}

}  // namespace

std::uint64_t picture_bytes_at_most(const SensorOutput& output, std::uint32_t rows, std::uint32_t cols,
                                    bool by_angle) {
  constexpr std::uint64_t kHeader = 1024, kPartsIn = 256;  // bytes around every so many, of zlib and of PNG's chunks
  const PictureSize size = picture_size(output, rows, cols, by_angle);
  const std::uint64_t bytes_per_pixel = output.kind == OutputKind::kDepthPng ? 2 : 3;
  const std::uint64_t plain = size.height * (1 + bytes_per_pixel * size.width);
  return kHeader + plain + plain / kPartsIn;
}

}  // namespace fathom
