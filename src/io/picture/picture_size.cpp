// SPDX-License-Identifier: MIT
#include "io/picture/picture_size.hpp"

#include <algorithm>

#include <fathom/frame/reason.hpp>

#include "io/picture/legend.hpp"
#include "io/picture/lettering.hpp"
#include "io/picture/map_drawing.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kCoordinateInLetters = 10;  // "-1234567.8" and its gaps

Legend largest_legend(ColorBy color, const Lettering& letters, std::uint32_t width) {
  if (color == ColorBy::kRange) return ColorBar{};
  Key key;
  key.entries.resize(color == ColorBy::kReason ? kReasonNames.size() : kEntityLines * key_columns(letters, width));
  return key;
}

PictureSize size_with_legend(std::uint32_t width, std::uint32_t height, bool is_shown, ColorBy color) {
  if (!is_shown) return {width, height};
  const Lettering letters(letter_size(width, height));
  const std::uint32_t wide = std::max(width, legend_width(letters));
  return {wide, std::uint64_t{height} + legend_height(letters, largest_legend(color, letters, wide), wide)};
}

/// A plane of the largest size, with coordinates beside and below it.
PictureSize map_size(std::uint32_t pixels, ColorBy color, bool with_legend) {
  if (!with_legend) return {pixels, pixels};
  const Lettering letters(letter_size(pixels, pixels));
  const std::uint32_t width = std::max(pixels + kCoordinateInLetters * letters.size(), legend_width(letters));
  const std::uint32_t below = letters.line_height() + letters.size() / 2;
  // A narrow plane has the fewest columns, and so the highest key.
  const std::uint32_t narrow = legend_width(letters);
  return {width,
          std::uint64_t{pixels} + below + legend_height(letters, largest_legend(color, letters, narrow), narrow)};
}

}  // namespace

PictureSize range_image_size(std::uint32_t rows, std::uint32_t cols, ColorBy color, bool with_legend) {
  const PatternGrid grid = ray_grid(rows, cols);
  return size_with_legend(grid.width, grid.lines * grid.repeat, with_legend, color);
}

PictureSize angle_image_size(ColorBy color, bool with_legend) { return map_size(kAnglePixels, color, with_legend); }

PictureSize birds_eye_size(std::uint32_t pixels, ColorBy color, bool with_legend) {
  return map_size(pixels, color, with_legend);
}

PictureSize reason_picture_size(std::uint32_t rows, std::uint32_t cols, bool with_legend) {
  return size_with_legend(cols, rows, with_legend, ColorBy::kReason);
}

PictureSize label_picture_size(std::uint32_t rows, std::uint32_t cols, bool with_legend) {
  if (!with_legend) return {cols, rows};
  const Lettering letters(letter_size(cols, rows));
  const std::uint32_t wide = std::max(cols, legend_width(letters));
  Key key;
  key.entries.resize(std::size_t{kLabelLines} * key_columns(letters, wide));
  return {wide, std::uint64_t{rows} + legend_height(letters, key, wide)};
}

PictureSize camera_sheet_size(std::uint32_t rows, std::uint32_t cols) {
  const Lettering letters(letter_size(2 * cols, 2 * rows));
  const SheetLayout layout(rows, cols, letters);
  const Legend reasons = largest_legend(ColorBy::kReason, letters, layout.width());
  return {layout.width(), std::uint64_t{layout.bottom()} + legend_height(letters, ColorBar{}, layout.bar_width()) +
                              legend_height(letters, reasons, layout.width())};
}

std::uint64_t png_bytes_at_most(const PictureSize& size, std::uint32_t bytes_per_pixel) {
  constexpr std::uint64_t kHeader = 1024, kPartsIn = 256;  // overhead of zlib and of PNG's chunks, one byte in 256
  const std::uint64_t plain = size.height * (1 + bytes_per_pixel * size.width);
  return kHeader + plain + plain / kPartsIn;
}

}  // namespace fathom
