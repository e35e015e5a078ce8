// SPDX-License-Identifier: MIT
#pragma once
// Pictures in memory, their PNG files, and the colours of rays. docs/output-formats.md lists the colours.

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fathom/files/pictures.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/frame/reason.hpp>

namespace fathom {

using Rgb = std::array<std::uint8_t, 3>;

/// The colour of a ray without a return, on a dark background.
inline constexpr Rgb kLostColor = {34, 36, 46};
inline constexpr Rgb kUnknownColor = {150, 150, 150};  ///< a return from no entity

/// Colours of a picture that are not data.
struct Palette {
  Rgb background, ink, soft_ink, faint_ink, grid, shadow;
  Rgb lost;  ///< instead of kLostColor
};

inline constexpr Palette kDarkPalette = {.background = {14, 16, 22},
                                         .ink = {235, 238, 245},
                                         .soft_ink = {160, 168, 184},
                                         .faint_ink = {92, 98, 112},
                                         .grid = {36, 40, 50},
                                         .shadow = {0, 0, 0},
                                         .lost = kLostColor};
inline constexpr Palette kLightPalette = {.background = {255, 255, 255},
                                          .ink = {29, 39, 51},
                                          .soft_ink = {84, 98, 112},
                                          .faint_ink = {160, 169, 180},
                                          .grid = {226, 231, 236},
                                          .shadow = {255, 255, 255},
                                          .lost = {221, 225, 231}};

/// [height, width], row-major, top row first.
struct Image {
  std::uint32_t width = 0, height = 0;
  std::vector<Rgb> pixels;
  Palette palette = kDarkPalette;

  Image(std::uint32_t width_px, std::uint32_t height_px, Rgb color)
      : width(width_px), height(height_px), pixels(std::size_t{width_px} * height_px, color) {}
  /// Empty, in the colours of a theme.
  Image(std::uint32_t width_px, std::uint32_t height_px, Theme theme) : Image(width_px, height_px, Rgb{}) {
    if (theme == Theme::kLight) palette = kLightPalette;
    std::fill(pixels.begin(), pixels.end(), palette.background);
  }

  /// The colour of data in this picture.
  [[nodiscard]] Rgb shown(Rgb color) const { return color == kLostColor ? palette.lost : color; }

  [[nodiscard]] Rgb& at(std::uint32_t x, std::uint32_t y) { return pixels[std::size_t{y} * width + x]; }
  /// Sets a pixel, unless it is outside.
  void draw(std::int64_t x, std::int64_t y, Rgb color) {
    if (x >= 0 && y >= 0 && x < width && y < height)
      at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)) = color;
  }
  /// Mixes `color` into a pixel, unless it is outside; 255 replaces the pixel.
  void blend(std::int64_t x, std::int64_t y, Rgb color, std::uint8_t coverage) {
    if (x < 0 || y < 0 || x >= width || y >= height || coverage == 0) return;
    Rgb& pixel = at(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
    for (std::size_t i = 0; i < 3; ++i) {
      pixel[i] = static_cast<std::uint8_t>((pixel[i] * (255 - coverage) + color[i] * coverage + 127) / 255);
    }
  }
  /// Fills the part of a rectangle that lies inside.
  void fill(std::int64_t x, std::int64_t y, std::int64_t wide, std::int64_t high, Rgb color) {
    const std::int64_t right = std::min<std::int64_t>(x + wide, width), low = std::min<std::int64_t>(y + high, height);
    for (std::int64_t row = std::max<std::int64_t>(y, 0); row < low; ++row) {
      for (std::int64_t column = std::max<std::int64_t>(x, 0); column < right; ++column) draw(column, row, color);
    }
  }
};

/// Writes 8-bit RGB. Throws SystemError if the system refuses.
void write_png(const std::filesystem::path& file, const Image& image);
/// The bytes of such a file.
std::string png_bytes(const Image& image);
/// Writes 16-bit grey, [height, width]. Throws as write_png does.
void write_grey16_png(const std::filesystem::path& file, std::uint32_t width, std::uint32_t height,
                      std::span<const std::uint16_t> levels);
/// The levels of write_depth_png(). Throws as it does.
std::vector<std::uint16_t> levels_of(std::span<const float> values, const LostPolicy& policy, double per_m,
                                     OffScale off_scale);

/// u in [0, 1], near to far: dark red, yellow, green, blue. Clamps other values; NaN is the lost colour.
Rgb range_color(double u);
/// Neighbouring ids get distant hues; an id always has the same colour, also on the live page
/// (adapters/live/page/src/view/colours.ts) and in Python.
Rgb entity_color(std::uint32_t entity);
Rgb reason_color(Reason reason);

/// The smallest of 1, 2 or 5 times a power of ten that is at least `value` (> 0), for scale bars.
double round_length(double value);
/// The smallest of 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten that is at least `value` (> 0), for colours.
double round_scale(double value);
/// Multiples of `step` (> 0) for numbers and lines: from `first` times `step` to the value `last`, at most `most`.
/// Omits multiples that rounding makes equal.
std::vector<double> multiples(double step, double first, double last, std::uint32_t most);

/// The range of the last colour, and whether it was chosen automatically.
struct RangeScale {
  double scale_m = 0.0;
  bool is_automatic = false;
};

/// `scale_m`, or for 0 a round number that covers 95 % of the ranges above 0, which is stable over the frames of a run.
/// Throws InputError if it is NaN or negative.
RangeScale range_scale(double scale_m, std::span<const float> range_m);

/// The colours of the rays of a frame. Throws InputError if the frame lacks a channel, or the scale is NaN or negative.
class Painter {
 public:
  Painter(const Frame& frame, ColorBy color, double scale_m);

  [[nodiscard]] Rgb color(std::size_t ray) const;
  [[nodiscard]] ColorBy color_by() const { return color_; }
  [[nodiscard]] const RangeScale& scale() const { return scale_; }

 private:
  ColorBy color_;
  RangeScale scale_;
  std::span<const float> range_m_;
  std::span<const std::uint32_t> entity_;
  std::span<const Reason> reason_;
};

/// The channels that a Painter reads.
ChannelSet painted_channels(ColorBy color);

}  // namespace fathom
