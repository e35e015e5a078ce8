#include "io/map_drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr Rgb kGridColor = {30, 33, 42};
constexpr Rgb kInk = {235, 238, 245};
constexpr Rgb kShadow = {0, 0, 0};
constexpr std::uint32_t kGlyphWidth = 5, kGlyphHeight = 7;
constexpr std::uint32_t kEdge = 12;  // pixels between the scale bar and the border, at weight 1

struct Glyph {
  char letter;
  std::array<std::uint8_t, kGlyphHeight> rows;  ///< 5 bits each, the highest is the left pixel
};

/// All that a length in metres needs.
constexpr std::array<Glyph, 13> kFont = {{{'0', {14, 17, 19, 21, 25, 17, 14}},
                                          {'1', {4, 12, 4, 4, 4, 4, 14}},
                                          {'2', {14, 17, 1, 6, 8, 16, 31}},
                                          {'3', {30, 1, 1, 14, 1, 1, 30}},
                                          {'4', {2, 6, 10, 18, 31, 2, 2}},
                                          {'5', {31, 16, 30, 1, 1, 17, 14}},
                                          {'6', {6, 8, 16, 30, 17, 17, 14}},
                                          {'7', {31, 1, 2, 4, 8, 8, 8}},
                                          {'8', {14, 17, 17, 14, 17, 17, 14}},
                                          {'9', {14, 17, 17, 15, 1, 2, 12}},
                                          {'.', {0, 0, 0, 0, 0, 12, 12}},
                                          {'m', {0, 0, 26, 21, 21, 21, 21}},
                                          {'k', {16, 16, 18, 20, 24, 20, 18}}}};

void fill_box(Image& image, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, Rgb color) {
  for (std::int64_t row = y; row < y + height; ++row) {
    for (std::int64_t column = x; column < x + width; ++column) image.draw(column, row, color);
  }
}

/// Letters that the font lacks stay blank.
void draw_text(Image& image, std::int64_t x, std::int64_t y, std::string_view text, std::uint32_t weight) {
  for (const char letter : text) {
    const auto* const glyph =
        std::find_if(kFont.begin(), kFont.end(), [&](const Glyph& g) { return g.letter == letter; });
    for (std::uint32_t i = 0; glyph != kFont.end() && i < kGlyphWidth * kGlyphHeight; ++i) {
      const std::uint32_t column = i % kGlyphWidth, row = i / kGlyphWidth;
      if (((glyph->rows[row] >> (kGlyphWidth - 1 - column)) & 1U) == 0) continue;
      fill_box(image, x + column * weight, y + row * weight, weight, weight, kInk);
    }
    x += std::int64_t{kGlyphWidth + 1} * weight;
  }
}

std::string length_text(double length_m) {
  return length_m >= 1000.0 ? fmt::format("{:g} km", length_m / 1000.0) : fmt::format("{:g} m", length_m);
}

}  // namespace

void draw_grid(Image& image, const MapView& view, double step_m) {
  const auto has_line = [&](double from_m, double to_m) {
    return std::floor(from_m / step_m) != std::floor(to_m / step_m);
  };
  for (std::uint32_t x = 0; x < image.width; ++x) {
    const double left_m = view.left_m + x * view.m_per_pixel;
    if (has_line(left_m, left_m + view.m_per_pixel)) fill_box(image, x, 0, 1, image.height, kGridColor);
  }
  for (std::uint32_t y = 0; y < image.height; ++y) {
    const double top_m = view.top_m - y * view.m_per_pixel;
    if (has_line(top_m - view.m_per_pixel, top_m)) fill_box(image, 0, y, image.width, 1, kGridColor);
  }
}

void draw_scale_bar(Image& image, const MapView& view, double length_m, std::uint32_t weight) {
  const auto length = static_cast<std::int64_t>(std::lround(length_m / view.m_per_pixel));
  const std::int64_t edge = std::int64_t{kEdge} * weight, tick = std::int64_t{2} * weight;
  const std::int64_t y = std::int64_t{image.height} - edge - weight;
  fill_box(image, edge, y, length, weight, kInk);
  fill_box(image, edge, y - tick, weight, 2 * tick + weight, kInk);
  fill_box(image, edge + length - weight, y - tick, weight, 2 * tick + weight, kInk);
  draw_text(image, edge + length + 3 * tick, y - std::int64_t{kGlyphHeight / 2} * weight, length_text(length_m),
            weight);
}

void draw_sensor(Image& image, const MapView& view, const Vec3& position_m, std::uint32_t weight) {
  const std::int64_t x = view.column(position_m.x), y = view.row(position_m.y), w = weight;
  for (std::int64_t dy = -9 * w; dy <= 9 * w; ++dy) {
    for (std::int64_t dx = -9 * w; dx <= 9 * w; ++dx) {
      const double radius = std::sqrt(static_cast<double>(dx * dx + dy * dy)) / static_cast<double>(w);
      const bool is_ink = radius <= 2.0 || (radius >= 5.5 && radius <= 7.5);
      if (radius <= 9.0) image.draw(x + dx, y + dy, is_ink ? kInk : kShadow);
    }
  }
}

}  // namespace fathom
