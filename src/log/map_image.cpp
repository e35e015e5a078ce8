// SPDX-License-Identifier: MIT
#include "log/map_image.hpp"

#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <png.h>

#include <fathom/base/error.hpp>

#include "text/gzip_text.hpp"
#include "text/read_file.hpp"
#include "text/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kMostSide = 32768;
constexpr std::size_t kMostPngBytes = 0xffffffffU;  // that libpng's simple interface reads

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw InputError(fmt::format("{}: {}", file.string(), what));
}

void check_sides(const std::filesystem::path& file, std::uint64_t cols, std::uint64_t rows) {
  if (cols == 0 || rows == 0 || cols > kMostSide || rows > kMostSide) {
    fail(file, fmt::format("{} x {} pixels: a side is not in [1, {}]", cols, rows, kMostSide));
  }
}

/// Netpbm header and P2 data: numbers between blanks and comments.
class PgmText {
 public:
  PgmText(const std::filesystem::path& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  std::uint32_t number(std::string_view what) {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && std::isdigit(static_cast<unsigned char>(bytes_[at_])) != 0) ++at_;
    const auto value = parse_number<std::uint32_t>(bytes_.substr(begin, at_ - begin));
    if (!value) fail(file_, fmt::format("cut short or not a PGM image: no {} at byte {}", what, begin));
    return *value;
  }
  std::string_view data() { return bytes_.substr(std::min(at_ + 1, bytes_.size())); }
  void skip_magic() { at_ = 2; }
  /// Whether nothing but blanks and comments is left.
  bool at_end() {
    skip_blanks();
    return at_ == bytes_.size();
  }

 private:
  void skip_blanks() {
    while (at_ < bytes_.size()) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n') ++at_;
      } else if (std::isspace(static_cast<unsigned char>(bytes_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  const std::filesystem::path& file_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

GreyImage read_pgm(const std::filesystem::path& file, std::string_view bytes) {
  const bool binary = bytes[1] == '5';
  PgmText text(file, bytes);
  text.skip_magic();
  GreyImage image;
  image.cols = text.number("width");
  image.rows = text.number("height");
  const std::uint32_t most = text.number("largest value");
  check_sides(file, image.cols, image.rows);
  if (most == 0 || most > 65535) fail(file, fmt::format("largest value {} is not in [1, 65535]", most));
  const std::size_t pixels = std::size_t{image.rows} * image.cols;
  const std::size_t depth = most > 255 ? 2 : 1;
  const std::string_view data = text.data();
  // Text has at least two bytes a pixel ("0 "), except for the last. Binary data must have exactly the right size: any
  // byte, even a line end, looks like a pixel, and a wrong width would shear the map.
  const std::size_t needed = binary ? pixels * depth : 2 * pixels - 1;
  if (data.size() < needed || (binary && data.size() != needed)) {
    fail(file, fmt::format("{} x {} pixels need {} bytes, {} are there", image.cols, image.rows, needed, data.size()));
  }
  image.white = static_cast<std::uint16_t>(most);
  image.value.reserve(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    std::uint32_t value = 0;
    if (!binary) {
      value = text.number("pixel");
    } else {
      for (std::size_t b = 0; b < depth; ++b) value = value << 8U | static_cast<std::uint8_t>(data[i * depth + b]);
    }
    if (value > most) fail(file, fmt::format("pixel {} = {} is above the largest value {}", i, value, most));
    image.value.push_back(static_cast<std::uint16_t>(value));
  }
  if (!binary && !text.at_end()) fail(file, fmt::format("more follows after {} x {} pixels", image.cols, image.rows));
  return image;
}

/// Whether the chunks of a PNG go on to the one that ends it; libpng is content with all pixels.
bool has_end(std::string_view bytes) {
  constexpr std::size_t kSignature = 8, kFrame = 12;  // length and type before the data, check sum behind
  for (std::size_t at = kSignature; bytes.size() >= at + kFrame;) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8U | static_cast<std::uint8_t>(bytes[at + i]);
    if (bytes.substr(at + 4, 4) == "IEND") return true;
    at += kFrame + length;
  }
  return false;
}

GreyImage read_png(const std::filesystem::path& file, std::string_view bytes) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) fail(file, png.message);
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
  const bool too_large = image.cols > kMostSide || image.rows > kMostSide || count * step > kMostPngBytes;
  if (too_large) png_image_free(&png);
  check_sides(file, image.cols, image.rows);
  if (too_large) fail(file, "colours with transparency take 4 GiB or more; save it as grey");
  std::vector<std::uint8_t> pixels(count * step);
  if (png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr) == 0) {
    png_image_free(&png);
    fail(file, png.message);
  }
  if (!has_end(bytes)) fail(file, "cut short: the PNG has no end (IEND)");
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

GreyImage read_grey_image(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  if (bytes.starts_with("P5") || bytes.starts_with("P2")) return read_pgm(file, bytes);
  if (bytes.starts_with("\x89PNG")) return read_png(file, bytes);
  if (bytes.starts_with(kGzipMagic)) fail(file, "is compressed (gzip); unpack it: an image is PGM (P2, P5) or PNG");
  fail(file, "is neither PGM (P2, P5) nor PNG");
}

}  // namespace fathom
