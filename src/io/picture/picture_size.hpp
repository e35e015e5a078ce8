// SPDX-License-Identifier: MIT
#pragma once
// Layout and largest size of pictures, before there is a frame.

#include <algorithm>
#include <cstdint>

#include <fathom/files/pictures.hpp>

#include "io/picture/legend.hpp"
#include "io/picture/lettering.hpp"

namespace fathom {

/// Pixels.
struct PictureSize {
  std::uint64_t width = 0, height = 0;
};

/// The size of write_range_image.
PictureSize range_image_size(std::uint32_t rows, std::uint32_t cols, ColorBy color, bool with_legend);
/// The size of write_angle_image.
PictureSize angle_image_size(ColorBy color, bool with_legend);
/// The size of write_birds_eye_view.
PictureSize birds_eye_size(std::uint32_t pixels, ColorBy color, bool with_legend);
/// The size of write_reason_picture.
PictureSize reason_picture_size(std::uint32_t rows, std::uint32_t cols, bool with_legend);
/// The size of write_label_picture.
PictureSize label_picture_size(std::uint32_t rows, std::uint32_t cols, bool with_legend);
/// The size of write_camera_sheet.
PictureSize camera_sheet_size(std::uint32_t rows, std::uint32_t cols);

/// The largest PNG file of that size: without compression.
std::uint64_t png_bytes_at_most(const PictureSize& size, std::uint32_t bytes_per_pixel);

/// The pixels of a range image: ray r, counted along rows, has column r mod `width` and line r / `width`, and is
/// repeated in height.
struct PatternGrid {
  std::uint32_t width = 0, lines = 0, repeat = 1;
};

/// Folds a single long row, and repeats the lines of a frame of few rows.
inline PatternGrid ray_grid(std::uint32_t rows, std::uint32_t cols) {
  constexpr std::uint32_t kFoldAbove = 4096;  // rays of a single row
  constexpr std::uint32_t kFoldWidth = 2048;
  constexpr std::uint32_t kThinRatio = 8;     // width : height of a readable picture
  constexpr std::uint32_t kThinHeight = 256;  // most height with repeated rows
  if (rows == 1 && cols > kFoldAbove) return {kFoldWidth, cols / kFoldWidth + (cols % kFoldWidth != 0 ? 1 : 0), 1};
  if (rows == 0) return {cols, 0, 1};
  return {cols, rows, std::max(1U, std::min(cols / kThinRatio, kThinHeight) / rows)};
}

/// The sheet of a depth camera: two lines of two panels with titles. A cell is as wide as a frame or a legend. Pixels.
struct SheetLayout {
  std::uint32_t gap, cell, line, step_y;

  SheetLayout(std::uint32_t rows, std::uint32_t cols, const Lettering& letters)
      : gap(legend_pad(letters)),
        cell(std::max(cols, legend_width(letters) - 2 * gap)),
        line(letters.line_height()),
        step_y(line + rows + gap) {}
  [[nodiscard]] std::uint32_t width() const { return 2 * cell + 3 * gap; }
  [[nodiscard]] std::uint32_t left(std::uint32_t panel) const { return gap + panel % 2 * (cell + gap); }
  [[nodiscard]] std::uint32_t top(std::uint32_t panel) const { return gap + line + panel / 2 * step_y; }
  [[nodiscard]] std::uint32_t bottom() const { return gap + 2 * step_y; }
  [[nodiscard]] std::uint32_t bar_width() const { return cell + 2 * gap; }  ///< of the legend below a cell
};

}  // namespace fathom
