// SPDX-License-Identifier: MIT
#pragma once

#include <png.h>

#include "support/expect.hpp"

namespace fathom::test {

using Pixel = std::array<std::uint8_t, 3>;

struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<Pixel> pixels;

  [[nodiscard]] Pixel at(std::uint32_t x, std::uint32_t y) const { return pixels.at(std::size_t{y} * width + x); }
};

inline Picture read_png(const std::filesystem::path& file) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, file.c_str()) == 0) throw std::runtime_error(png.message);
  if (png.format != PNG_FORMAT_RGB) throw std::runtime_error("not 8-bit RGB");
  Picture picture{png.width, png.height, std::vector<Pixel>(std::size_t{png.width} * png.height)};
  if (png_image_finish_read(&png, nullptr, picture.pixels.data(), 0, nullptr) == 0)
    throw std::runtime_error(png.message);
  return picture;
}

}  // namespace fathom::test
