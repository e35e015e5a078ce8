#include "io/lettering.hpp"

namespace fathom {

namespace {

/// Five rows of three dots, an octal digit each.
std::string_view glyph(char c) {
  static constexpr std::string_view kLetters[26] = {"25755", "65656", "34443", "65556", "74647", "74644", "34553",
                                                    "55755", "72227", "11152", "55655", "44447", "57755", "65555",
                                                    "25552", "65644", "25563", "65655", "34216", "72222", "55557",
                                                    "55552", "55775", "55255", "55222", "71247"};
  static constexpr std::string_view kDigits[10] = {"75557", "26227", "61247", "61216", "55711",
                                                   "74616", "34757", "71244", "75757", "75716"};
  if (c >= 'a' && c <= 'z') return kLetters[c - 'a'];
  if (c >= 'A' && c <= 'Z') return kLetters[c - 'A'];
  if (c >= '0' && c <= '9') return kDigits[c - '0'];
  if (c == '_') return "00007";
  if (c == '.') return "00002";
  if (c == '-') return "00700";
  return "00000";
}

}  // namespace

void draw_text(Image& image, std::uint32_t x, std::uint32_t y, std::string_view text, Rgb color, std::uint32_t scale) {
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::string_view dots = glyph(text[k]);
    for (std::uint32_t row = 0; row < 5 * scale; ++row) {
      for (std::uint32_t col = 0; col < 3 * scale; ++col) {
        const int bits = dots[row / scale] - '0';
        if ((bits >> (2 - col / scale) & 1) == 0) continue;
        image.draw(std::int64_t{x} + static_cast<std::int64_t>(k) * 4 * scale + col, std::int64_t{y} + row, color);
      }
    }
  }
}

}  // namespace fathom
