// SPDX-License-Identifier: MIT
#include "io/log/grey_image.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <png.h>

#include <fathom/core/error.hpp>

#include "core/text/files.hpp"
#include "core/text/gzip_text.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPngSignature = 8;
constexpr std::size_t kChunkFrame = 12;  // length and type before the data, check sum behind

/// Calls visit(type, whole chunk) for the chunks of a PNG until it returns true. The last chunk may be cut short.
template <class Visit>
bool any_chunk(std::string_view bytes, Visit visit) {
  for (std::size_t at = kPngSignature; bytes.size() >= at + kChunkFrame;) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8U | static_cast<std::uint8_t>(bytes[at + i]);
    if (visit(bytes.substr(at + 4, 4), bytes.substr(at, kChunkFrame + length))) return true;
    at += kChunkFrame + length;
  }
  return false;
}

/// Whether the PNG has its end chunk: libpng needs only all pixels.
bool png_has_end(std::string_view bytes) {
  return any_chunk(bytes, [](std::string_view type, std::string_view) { return type == "IEND"; });
}

/// The PNG with only the chunks that hold pixels: libpng then applies neither gamma nor colour profiles.
std::string png_levels_only(std::string_view bytes) {
  constexpr std::array<std::string_view, 4> kOfPixels = {"IHDR", "PLTE", "IDAT", "IEND"};
  std::string kept(bytes.substr(0, kPngSignature));
  any_chunk(bytes, [&](std::string_view type, std::string_view chunk) {
    if (std::find(kOfPixels.begin(), kOfPixels.end(), type) != kOfPixels.end()) kept += chunk;
    return false;
  });
  return kept;
}

/// The pixels of a PNG that outlives it, by libpng's simple interface.
class PngPixels {
 public:
  PngPixels(const std::filesystem::path& file, std::string_view bytes) : file_(file) {
    png_.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&png_, bytes.data(), bytes.size()) == 0) fail_image(file_, png_.message);
  }
  ~PngPixels() { png_image_free(&png_); }
  PngPixels(const PngPixels&) = delete;
  PngPixels& operator=(const PngPixels&) = delete;

  [[nodiscard]] bool has(png_uint_32 flag) const { return (png_.format & flag) != 0; }
  /// An image of this size without values. Throws InputError for a side that is too long.
  [[nodiscard]] GreyImage make_image() const {
    check_image_sides(file_, png_.width, png_.height);
    GreyImage image;
    image.cols = png_.width, image.rows = png_.height;
    return image;
  }
  void read(png_uint_32 format, void* pixels) {
    png_.format = format;
    if (png_image_finish_read(&png_, nullptr, pixels, 0, nullptr) == 0) fail_image(file_, png_.message);
  }

 private:
  const std::filesystem::path& file_;
  png_image png_ = {};
};

}  // namespace

GreyImage read_png_levels(const std::filesystem::path& file, std::string_view bytes, std::string_view wanted) {
  if (!png_has_end(bytes)) fail_image(file, "cut short: the PNG has no end (IEND)");
  const std::string levels = png_levels_only(bytes);
  PngPixels png(file, levels);
  if (png.has(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA | PNG_FORMAT_FLAG_COLORMAP)) {
    fail_image(file, fmt::format("has colours or transparency; {}", wanted));
  }
  GreyImage image = png.make_image();
  image.value.resize(std::size_t{image.rows} * image.cols);
  if (png.has(PNG_FORMAT_FLAG_LINEAR)) {
    image.white = 65535;
    png.read(PNG_FORMAT_LINEAR_Y, image.value.data());
    return image;
  }
  image.white = 255;
  std::vector<png_byte> shallow(image.value.size());
  png.read(PNG_FORMAT_GRAY, shallow.data());
  std::copy(shallow.begin(), shallow.end(), image.value.begin());
  return image;
}

namespace {

/// Reads the header of Netpbm and the data of P2: numbers between blanks and comments.
class PgmText {
 public:
  PgmText(const std::filesystem::path& file, std::string_view bytes) : file_(file), bytes_(bytes) {}

  std::uint32_t number(std::string_view what) {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && std::isdigit(static_cast<unsigned char>(bytes_[at_])) != 0) ++at_;
    const auto value = parse_number<std::uint32_t>(bytes_.substr(begin, at_ - begin));
    if (!value) fail_image(file_, fmt::format("cut short or not a PGM image: no {} at byte {}", what, begin));
    return *value;
  }
  /// The bytes behind the header and its last blank. If the header ends in CR LF, there is one more byte than the
  /// pixels need.
  std::string_view data(std::size_t needed) {
    const std::string_view rest = bytes_.substr(std::min(at_, bytes_.size()));
    return rest.substr(
        std::min<std::size_t>(rest.size(), rest.starts_with("\r\n") && rest.size() > needed + 1 ? 2 : 1));
  }
  void skip_magic() { at_ = 2; }
  /// The number of bytes left, after skipping blanks and comments.
  std::size_t left() {
    skip_blanks();
    return bytes_.size() - at_;
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

/// Other readers ignore surplus bytes. Many of them suggest that the header has a wrong size.
void note_surplus(const std::filesystem::path& file, std::size_t bytes, std::size_t bytes_a_row, GreyImage& image) {
  if (bytes == 0) return;
  image.notes.push_back(fmt::format("{}: the {} x {} pixels end {} byte{} before the file does{}", file.string(),
                                    image.cols, image.rows, bytes, bytes == 1 ? "" : "s",
                                    bytes >= bytes_a_row ? "; are width and height right?" : ""));
}

GreyImage read_pgm(const std::filesystem::path& file, std::string_view bytes) {
  const bool binary = bytes[1] == '5';
  PgmText text(file, bytes);
  text.skip_magic();
  GreyImage image;
  image.cols = text.number("width");
  image.rows = text.number("height");
  const std::uint32_t most = text.number("largest value");
  check_image_sides(file, image.cols, image.rows);
  if (most == 0 || most > 65535) fail_image(file, fmt::format("largest value {} is not in [1, 65535]", most));
  const std::size_t pixels = std::size_t{image.rows} * image.cols;
  const std::size_t depth = most > 255 ? 2 : 1;
  // In text, all pixels but the last take at least two bytes ("0 ").
  const std::size_t needed = binary ? pixels * depth : 2 * pixels - 1;
  const std::string_view data = text.data(needed);
  if (data.size() < needed) {
    fail_image(file,
               fmt::format("{} x {} pixels need {} bytes, {} are there", image.cols, image.rows, needed, data.size()));
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
    if (value > most) fail_image(file, fmt::format("pixel {} = {} is above the largest value {}", i, value, most));
    image.value.push_back(static_cast<std::uint16_t>(value));
  }
  if (binary) note_surplus(file, data.size() - needed, image.cols * depth, image);
  if (!binary) note_surplus(file, text.left(), std::size_t{2} * image.cols, image);
  return image;
}

constexpr std::size_t kMostPngBytes = 0xffffffffU;  // limit of libpng's simple interface

GreyImage read_png(const std::filesystem::path& file, std::string_view bytes) {
  PngPixels png(file, bytes);
  // Colours are read as stored: a grey format would weigh them by brightness. Grey of 16 bits is read as colours, too,
  // so that both get the same conversion to 8 bits.
  const bool has_alpha = png.has(PNG_FORMAT_FLAG_ALPHA),
             is_grey = !png.has(PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_LINEAR);
  const std::size_t colours = is_grey ? 1 : 3, step = colours + (has_alpha ? 1 : 0);
  GreyImage image = png.make_image();
  const std::size_t count = std::size_t{image.rows} * image.cols;
  if (count * step > kMostPngBytes) fail_image(file, "colours with transparency take 4 GiB or more; save it as grey");
  std::vector<std::uint8_t> pixels(count * step);
  png.read((is_grey ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB) | (has_alpha ? PNG_FORMAT_FLAG_ALPHA : 0U), pixels.data());
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

GreyImage read_image(const std::filesystem::path& file, PngReader read_png) {
  const std::string bytes = read_file(file);
  if (bytes.starts_with("P5") || bytes.starts_with("P2")) return read_pgm(file, bytes);
  if (bytes.starts_with("\x89PNG")) return read_png(file, bytes);
  if (bytes.starts_with(kGzipMagic))
    fail_image(file, "is compressed (gzip); unpack it: an image is PGM (P2, P5) or PNG");
  fail_image(file, "is neither PGM (P2, P5) nor PNG");
}

GreyImage read_grey_image(const std::filesystem::path& file) { return read_image(file, read_png); }

}  // namespace fathom
