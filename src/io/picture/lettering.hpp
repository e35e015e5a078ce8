// SPDX-License-Identifier: MIT
#pragma once
// Text in pictures, drawn by FreeType: smooth and not hinted, so that letters have the same shapes in every size.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/picture/painter.hpp"

namespace fathom {

/// Letters of one size. Caches glyphs: make one per picture. Texts are UTF-8. Invalid bytes and control characters
/// become U+FFFD, and characters that the font lacks an empty box.
class Lettering {
 public:
  /// `size_px`: of the font; the height of a capital is 0.73 of it.
  explicit Lettering(std::uint32_t size_px);
  ~Lettering();
  Lettering(const Lettering&) = delete;
  Lettering& operator=(const Lettering&) = delete;

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// The distance of lines of text.
  [[nodiscard]] std::uint32_t line_height() const { return size_ + (2 * size_ + 4) / 5; }
  /// In pixels, rounded up. Stops at `enough` pixels.
  [[nodiscard]] std::uint32_t width(std::string_view text, std::uint32_t enough = 1U << 20U);
  /// The text, or its beginning and an ellipsis if it is wider than `width`.
  [[nodiscard]] std::string cut(std::string_view text, std::uint32_t width);
  /// A line of text from `x` to the right, its capitals in the middle between `top` and `top` + line_height().
  void draw(Image& image, std::int64_t x, std::int64_t top, std::string_view text, Rgb color);

 private:
  struct Font;

  std::uint32_t size_;
  std::unique_ptr<Font> font_;
};

/// A size of letters for a picture, readable if it is shown smaller: a 60th of the width or a ninth of the height, 13
/// to 300 pixels.
std::uint32_t letter_size(std::uint32_t width, std::uint32_t height);

/// The font of all pictures, DejaVu Sans, as a TrueType file in the library: letters do not depend on the computer.
std::span<const std::byte> font_file();

}  // namespace fathom
