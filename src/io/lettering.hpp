#pragma once
// Letters in pictures: capitals, digits and a few signs, three by five dots.

#include <cstdint>
#include <string_view>

#include "io/image.hpp"

namespace fathom {

/// Height of a line of text and width of a letter, gaps included, in pixels.
inline constexpr std::uint32_t kLetterScale = 2, kLineHeight = 7 * kLetterScale, kLetterWidth = 4 * kLetterScale;

/// Writes `text` with its upper left corner at (x, y), dots of `scale` pixels; small letters become capitals, unknown
/// signs blanks.
void draw_text(Image& image, std::uint32_t x, std::uint32_t y, std::string_view text, Rgb color,
               std::uint32_t scale = kLetterScale);

}  // namespace fathom
