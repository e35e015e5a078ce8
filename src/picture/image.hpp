// SPDX-License-Identifier: MIT
#pragma once
// Pictures in memory, and PNG files of them.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace fathom {

using Rgb = std::array<std::uint8_t, 3>;

/// [height, width], row-major, top row first.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<Rgb> pixels;

  Image(std::uint32_t width_px, std::uint32_t height_px, Rgb color)
      : width(width_px), height(height_px), pixels(std::size_t{width_px} * height_px, color) {}

  [[nodiscard]] Rgb& at(std::uint32_t x, std::uint32_t y) { return pixels[std::size_t{y} * width + x]; }
  /// Sets a pixel; outside the picture nothing happens.
  void draw(std::int64_t x, std::int64_t y, Rgb color) {
    if (x >= 0 && y >= 0 && x < width && y < height)
      at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) = color;
  }
  /// Mixes `color` into a pixel, 255: all of it; outside the picture nothing happens.
  void blend(std::int64_t x, std::int64_t y, Rgb color, std::uint8_t coverage) {
    if (x < 0 || y < 0 || x >= width || y >= height || coverage == 0) return;
    Rgb& pixel = at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    for (std::size_t i = 0; i < 3; ++i) {
      pixel[i] = static_cast<std::uint8_t>((pixel[i] * (255 - coverage) + color[i] * coverage + 127) / 255);
    }
  }
  /// Fills a rectangle, as far as it lies in the picture.
  void fill(std::int64_t x, std::int64_t y, std::int64_t wide, std::int64_t high, Rgb color) {
    const std::int64_t right = std::min<std::int64_t>(x + wide, width), low = std::min<std::int64_t>(y + high, height);
    for (std::int64_t row = std::max<std::int64_t>(y, 0); row < low; ++row) {
      for (std::int64_t column = std::max<std::int64_t>(x, 0); column < right; ++column) draw(column, row, color);
    }
  }
};

/// Writes 8-bit RGB. Throws SystemError when the system refuses.
void write_png(const std::filesystem::path& file, const Image& image);
/// The bytes of such a file.
std::string png_bytes(const Image& image);
/// Writes 16-bit grey, values as they are, [height, width]. Throws as write_png does.
void write_grey16_png(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height,
                      std::span<const std::uint16_t> levels);

}  // namespace fathom
