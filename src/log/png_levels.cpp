// SPDX-License-Identifier: MIT
#include "log/png_levels.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <png.h>

#include "log/png_chunks.hpp"

namespace fathom {

GreyImage read_png_levels(const std::filesystem::path& file, std::string_view bytes, std::string_view wanted) {
  if (!png_has_end(bytes)) fail_image(file, "cut short: the PNG has no end (IEND)");
  const std::string levels = png_levels_only(bytes);
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, levels.data(), levels.size()) == 0) fail_image(file, png.message);
  GreyImage image;
  image.cols = png.width;
  image.rows = png.height;
  const bool deep = (png.format & PNG_FORMAT_FLAG_LINEAR) != 0;
  const bool grey = (png.format & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_COLORMAP)) == 0;
  const bool fits = grey && image.cols <= kMostMapSide && image.rows <= kMostMapSide;
  if (!fits) png_image_free(&png);
  if (!grey) fail_image(file, fmt::format("has colours or transparency; {}", wanted));
  check_image_sides(file, image.cols, image.rows);
  png.format = deep ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY;
  image.white = deep ? 65535 : 255;
  image.value.resize(std::size_t{image.rows} * image.cols);
  std::vector<png_byte> shallow(deep ? 0 : image.value.size());
  void* pixels = deep ? static_cast<void*>(image.value.data()) : static_cast<void*>(shallow.data());
  if (png_image_finish_read(&png, nullptr, pixels, 0, nullptr) == 0) {
    png_image_free(&png);
    fail_image(file, png.message);
  }
  if (!deep) std::copy(shallow.begin(), shallow.end(), image.value.begin());
  return image;
}

}  // namespace fathom
