// SPDX-License-Identifier: MIT
#pragma once
// How large pictures become, before there is a frame to draw: at most, as a key may have all its lines.

#include <cstdint>

#include <fathom/files/pictures.hpp>

namespace fathom {

/// Pixels.
struct PictureSize {
  std::uint64_t width = 0, height = 0;
};

/// Of write_range_image.
PictureSize range_image_size(std::uint32_t rows, std::uint32_t cols, ColorBy color, bool with_legend);
/// Of write_angle_image.
PictureSize angle_image_size(ColorBy color, bool with_legend);
/// Of write_birds_eye_view.
PictureSize birds_eye_size(std::uint32_t pixels, ColorBy color, bool with_legend);
/// Of write_reason_picture.
PictureSize reason_picture_size(std::uint32_t rows, std::uint32_t cols, bool with_legend);
/// Of write_label_picture.
PictureSize label_picture_size(std::uint32_t rows, std::uint32_t cols, bool with_legend);
/// Of write_camera_sheet.
PictureSize camera_sheet_size(std::uint32_t rows, std::uint32_t cols);

/// Of a PNG file of that size, at most: nothing in it is compressed.
std::uint64_t png_bytes_at_most(const PictureSize& size, std::uint32_t bytes_per_pixel);

}  // namespace fathom
