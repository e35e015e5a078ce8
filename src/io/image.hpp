#pragma once
// Pictures in memory, and PNG files of them.

#include <array>
#include <cstdint>
#include <filesystem>
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
};

/// Writes 8-bit RGB. Throws SystemError when the system refuses.
void write_png(const std::filesystem::path& file, const Image& image);

}  // namespace fathom
