#include "io/map_image.hpp"

#include <png.h>

#include <cctype>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/error.hpp>

#include "io/read_file.hpp"
#include "io/text_lines.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kMostSide = 32768;

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
  // At least two bytes a pixel in text ("0 "), but for the last. Binary data have to be of the size exactly: no byte
  // can be told from a pixel, a line end neither, and a wrong width would shear the map.
  const std::size_t needed = binary ? pixels * depth : 2 * pixels - 1;
  if (data.size() < needed || (binary && data.size() != needed)) {
    fail(file, fmt::format("{} x {} pixels need {} bytes, {} are there", image.cols, image.rows, needed, data.size()));
  }
  image.value.reserve(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    std::uint32_t value = 0;
    if (!binary) {
      value = text.number("pixel");
    } else {
      for (std::size_t b = 0; b < depth; ++b) value = value << 8U | static_cast<std::uint8_t>(data[i * depth + b]);
    }
    if (value > most) fail(file, fmt::format("pixel {} = {} is above the largest value {}", i, value, most));
    image.value.push_back(static_cast<float>(value) / static_cast<float>(most));
  }
  if (!binary && !text.at_end()) fail(file, fmt::format("more follows after {} x {} pixels", image.cols, image.rows));
  return image;
}

GreyImage read_png(const std::filesystem::path& file, std::string_view bytes) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) fail(file, png.message);
  GreyImage image;
  image.cols = png.width;
  image.rows = png.height;
  const bool has_alpha = (png.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  // RGBA keeps the stored bytes; a grey format would weigh the colours by brightness.
  png.format = PNG_FORMAT_RGBA;
  if (image.cols > kMostSide || image.rows > kMostSide) png_image_free(&png);
  check_sides(file, image.cols, image.rows);
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr) == 0) {
    png_image_free(&png);
    fail(file, png.message);
  }
  for (std::size_t i = 0; i < pixels.size(); i += 4) {
    image.value.push_back(static_cast<float>(pixels[i] + pixels[i + 1] + pixels[i + 2]) / 765.0F);
    if (has_alpha) image.alpha.push_back(static_cast<float>(pixels[i + 3]) / 255.0F);
  }
  return image;
}

}  // namespace

GreyImage read_grey_image(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  if (bytes.starts_with("P5") || bytes.starts_with("P2")) return read_pgm(file, bytes);
  if (bytes.starts_with("\x89PNG")) return read_png(file, bytes);
  fail(file, "is neither PGM (P2, P5) nor PNG");
}

}  // namespace fathom
