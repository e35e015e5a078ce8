// SPDX-License-Identifier: MIT
#include "log/pgm_image.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

#include "text/text_lines.hpp"

namespace fathom {

namespace {

/// Netpbm header and P2 data: numbers between blanks and comments.
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
  /// The bytes behind the header and its last blank. Where the header ends in CR LF, there is a byte more than the
  /// pixels need.
  std::string_view data(std::size_t needed) {
    const std::string_view rest = bytes_.substr(std::min(at_, bytes_.size()));
    return rest.substr(
        std::min<std::size_t>(rest.size(), rest.starts_with("\r\n") && rest.size() > needed + 1 ? 2 : 1));
  }
  void skip_magic() { at_ = 2; }
  /// The bytes that are left, without blanks and comments at their begin.
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

/// Other readers pass over such bytes; many of them are a sign that the header names a wrong size.
void note_surplus(const std::filesystem::path& file, std::size_t bytes, std::size_t bytes_a_row, GreyImage& image) {
  if (bytes == 0) return;
  image.notes.push_back(fmt::format("{}: the {} x {} pixels end {} byte{} before the file does{}", file.string(),
                                    image.cols, image.rows, bytes, bytes == 1 ? "" : "s",
                                    bytes >= bytes_a_row ? "; are width and height right?" : ""));
}

}  // namespace

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
  // Text has at least two bytes a pixel ("0 "), except for the last.
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

}  // namespace fathom
