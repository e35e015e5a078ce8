// SPDX-License-Identifier: MIT
#pragma once
// Text in pictures, drawn by FreeType: smooth, not hinted, so that letters have the same shapes in every size.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "picture/image.hpp"

namespace fathom {

/// Letters of one size. Keeps the glyphs that it has drawn: make one per picture. Texts are UTF-8; what is not valid,
/// or a control character, is drawn as U+FFFD, a character that the font lacks as an empty box.
class Lettering {
 public:
  /// `size_px`: of the font; a capital is 0.73 of that high.
  explicit Lettering(std::uint32_t size_px);
  ~Lettering();
  Lettering(const Lettering&) = delete;
  Lettering& operator=(const Lettering&) = delete;

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// From one line of text to the next.
  [[nodiscard]] std::uint32_t line_height() const { return size_ + (2 * size_ + 4) / 5; }
  /// In pixels, rounded up. Reads no further than to `enough` pixels.
  [[nodiscard]] std::uint32_t width(std::string_view text, std::uint32_t enough = 1U << 20U);
  /// The text, or its beginning and an ellipsis where the whole is wider than `width`.
  [[nodiscard]] std::string cut(std::string_view text, std::uint32_t width);
  /// A line of text from `x` to the right, its capitals in the middle between `top` and `top` + line_height().
  void draw(Image& image, std::int64_t x, std::int64_t top, std::string_view text, Rgb color);

 private:
  struct Font;

  std::uint32_t size_;
  std::unique_ptr<Font> font_;
};

/// The size of letters that can be read in a picture of that size, also where the picture is shown smaller, and do not
/// outweigh it: a 60th of the width or a ninth of the height, 13 to 300 pixels.
std::uint32_t letter_size(std::uint32_t width, std::uint32_t height);

}  // namespace fathom
