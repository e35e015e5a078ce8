// SPDX-License-Identifier: MIT
// Letters: what is drawn where, in which sizes, and for texts that no one would write.

#include "io/picture/lettering.hpp"

#include "support/expect.hpp"

namespace fathom::test::lettering_test {
namespace {

constexpr Rgb kBlack = {0, 0, 0}, kWhite = {255, 255, 255};

/// The pixels that a text covers more than half, from the corner of an empty picture.
std::set<std::pair<std::uint32_t, std::uint32_t>> ink_of(Lettering& letters, std::string_view text) {
  Image image(600, letters.line_height(), kBlack);
  letters.draw(image, 0, 0, text, kWhite);
  std::set<std::pair<std::uint32_t, std::uint32_t>> ink;
  for (std::uint32_t y = 0; y < image.height; ++y) {
    for (std::uint32_t x = 0; x < image.width; ++x) {
      if (image.at(x, y)[0] > 127) ink.emplace(x, y);
    }
  }
  return ink;
}

TEST(Lettering, TellsSmallLettersFromCapitalsAndEverySignFromEveryOther) {
  Lettering letters(20);
  std::set<std::vector<Rgb>> shapes;
  for (char c = '!'; c <= '~'; ++c) {
    EXPECT_GT(ink_of(letters, std::string(1, c)).size(), 2U) << c;
    Image image(20, letters.line_height(), kBlack);
    letters.draw(image, 0, 0, std::string(1, c), kWhite);
    EXPECT_TRUE(shapes.insert(image.pixels).second) << c << " looks like another";
  }
  EXPECT_TRUE(ink_of(letters, " ").empty());
}

TEST(Lettering, StaysWithinItsLineAndWidth) {
  for (const std::uint32_t size : {13U, 17U, 40U}) {
    Lettering letters(size);
    const std::string text = "Ågypq |Wj_ 0.5 m";
    const std::uint32_t width = letters.width(text);
    Image image(width + 40, 3 * letters.line_height(), kBlack);
    letters.draw(image, 20, letters.line_height(), text, kWhite);
    for (std::uint32_t y = 0; y < image.height; ++y) {
      for (std::uint32_t x = 0; x < image.width; ++x) {
        if (image.at(x, y) == kBlack) continue;
        EXPECT_GE(x, 18U) << size;
        EXPECT_LT(x, 22 + width) << size;
        EXPECT_GE(y, letters.line_height()) << size;
        EXPECT_LT(y, 2 * letters.line_height()) << size;
      }
    }
    // Capitals are 0.73 of the size high, in the middle of the line.
    const auto capital = ink_of(letters, "H");
    std::uint32_t low = 1000, high = 0;
    for (const auto& [x, y] : capital) low = std::min(low, y), high = std::max(high, y);
    EXPECT_NEAR(high - low + 1, 0.73 * size, 1.0);
    EXPECT_NEAR(low + high, letters.line_height() - 1.0, 3.0);
  }
}

TEST(Lettering, GrowsWithItsSizeAndDrawsTheSameEveryTime) {
  Lettering small(13), large(26);
  EXPECT_NEAR(large.width("camera sheet"), 2.0 * small.width("camera sheet"), 2.0);
  Lettering again(13);
  EXPECT_EQ(ink_of(small, "range (m)"), ink_of(again, "range (m)"));
}

TEST(Lettering, CutsWhatIsTooWide) {
  Lettering letters(13);
  EXPECT_EQ(letters.cut("short", 100), "short");
  const std::string cut = letters.cut("a name that is much too long", 60);
  EXPECT_TRUE(cut.starts_with("a na"));
  EXPECT_TRUE(cut.ends_with("\u2026"));
  EXPECT_LE(letters.width(cut), 60U);
  EXPECT_EQ(letters.cut("", 0), "");
  EXPECT_EQ(letters.cut("x", 0), "\u2026");
  const std::string huge(100 << 20, 'x');  // is not read to its end: this would take seconds
  EXPECT_LE(letters.width(letters.cut(huge, 200)), 200U);
}

TEST(Lettering, ReadsUtf8AndMarksWhatIsNone) {
  Lettering letters(16);
  const auto unreadable = ink_of(letters, "\uFFFD");
  EXPECT_FALSE(unreadable.empty());
  EXPECT_NE(ink_of(letters, "\u00E4"), unreadable);
  EXPECT_NE(ink_of(letters, "\u0416"), unreadable) << "Cyrillic";
  for (const char* const bad : {"\x80", "\xFF", "\x1b", "\n", "\x7f", "\xC3", "\xE2\x80", "\xC0", "\xF8"}) {
    EXPECT_EQ(ink_of(letters, std::string(bad).substr(0, 1)), unreadable);
  }
  EXPECT_EQ(ink_of(letters, std::string_view("\0", 1)), unreadable);
  EXPECT_EQ(ink_of(letters, "\u0085"), unreadable);
}

RC_GTEST_PROP(LetteringProperty, DrawsAnyBytesAnywhere, (std::string text, std::int16_t x, std::int16_t y)) {
  Lettering letters(13);
  Image image(50, 20, kBlack);
  letters.draw(image, x, y, text, kWhite);
  RC_ASSERT(letters.width(letters.cut(text, 40)) <= 40U);
}

TEST(Lettering, HasASizeForEveryPicture) {
  EXPECT_EQ(letter_size(1, 1), 13U);
  EXPECT_EQ(letter_size(640, 480), 13U);
  EXPECT_EQ(letter_size(1200, 1200), 20U);
  EXPECT_EQ(letter_size(2048, 128), 14U) << "does not outweigh a thin picture";
  EXPECT_EQ(letter_size(1000000, 1000000), 300U);
}

}  // namespace
}  // namespace fathom::test::lettering_test
