// SPDX-License-Identifier: MIT
#include "log/map_image.hpp"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <png.h>

#include <fathom/base/error.hpp>

#include "log/pgm_image.hpp"
#include "log/png_chunks.hpp"
#include "text/gzip_text.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostPngBytes = 0xffffffffU;  // that libpng's simple interface reads

GreyImage read_png(const std::filesystem::path& file, std::string_view bytes) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) fail_image(file, png.message);
  GreyImage image;
  image.cols = png.width;
  image.rows = png.height;
  const bool has_alpha = (png.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  // Of colours the stored bytes; a grey format would weigh them by brightness. Grey of 16 bits is read as colours are,
  // too, so that one conversion to 8 bits holds for both.
  const bool is_grey = (png.format & (PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_LINEAR)) == 0;
  png.format = is_grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  if (has_alpha) png.format |= PNG_FORMAT_FLAG_ALPHA;
  const std::size_t colours = is_grey ? 1 : 3, step = colours + (has_alpha ? 1 : 0);
  const std::size_t count = std::size_t{image.rows} * image.cols;
  const bool too_large = image.cols > kMostMapSide || image.rows > kMostMapSide || count * step > kMostPngBytes;
  if (too_large) png_image_free(&png);
  check_image_sides(file, image.cols, image.rows);
  if (too_large) fail_image(file, "colours with transparency take 4 GiB or more; save it as grey");
  std::vector<std::uint8_t> pixels(count * step);
  if (png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr) == 0) {
    png_image_free(&png);
    fail_image(file, png.message);
  }
  if (!png_has_end(bytes)) fail_image(file, "cut short: the PNG has no end (IEND)");
  image.white = static_cast<std::uint16_t>(255 * colours);
  image.value.reserve(count);
  if (has_alpha) image.alpha.reserve(count);
  for (std::size_t i = 0; i < pixels.size(); i += step) {
    const int sum = is_grey ? pixels[i] : pixels[i] + pixels[i + 1] + pixels[i + 2];
    image.value.push_back(static_cast<std::uint16_t>(sum));
    if (has_alpha) image.alpha.push_back(pixels[i + colours]);
  }
  return image;
}

}  // namespace

void fail_image(const std::filesystem::path& file, const std::string& what) {
  throw InputError(fmt::format("{}: {}", file.string(), what));
}

void check_image_sides(const std::filesystem::path& file, std::uint64_t cols, std::uint64_t rows) {
  if (cols == 0 || rows == 0 || cols > kMostMapSide || rows > kMostMapSide) {
    fail_image(file, fmt::format("{} x {} pixels: a side is not in [1, {}]", cols, rows, kMostMapSide));
  }
}

GreyImage read_grey_image(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  if (bytes.starts_with("P5") || bytes.starts_with("P2")) return read_pgm(file, bytes);
  if (bytes.starts_with("\x89PNG")) return read_png(file, bytes);
  if (bytes.starts_with(kGzipMagic))
    fail_image(file, "is compressed (gzip); unpack it: an image is PGM (P2, P5) or PNG");
  fail_image(file, "is neither PGM (P2, P5) nor PNG");
}

}  // namespace fathom
