// SPDX-License-Identifier: MIT
#pragma once
// The legend below a picture: a bar of colours with numbers, or a key of swatches.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fathom/files/pictures.hpp>
#include <fathom/frame/frame.hpp>

#include "io/picture/lettering.hpp"
#include "io/picture/painter.hpp"

namespace fathom {

struct ColorBar {
  std::string title;                 ///< quantity and unit
  std::string note;                  ///< the origin of the range
  double low = 0.0, high = 1.0;      ///< values of the first and last colour
  bool is_open = false;              ///< values above `high` have the last colour too
  std::function<Rgb(double)> color;  ///< of 0 to 1, along the bar
  std::string lost = {};             ///< the meaning of the colour of lost rays; empty if unused
};

struct KeyEntry {
  Rgb color;
  std::string name, value;
  bool is_there = true;  ///< if false it is drawn faintly
};

/// Entries in columns, line by line.
struct Key {
  std::string title, note;
  std::vector<KeyEntry> entries;
  std::string lost = {};  ///< as of a bar
};

using Legend = std::variant<ColorBar, Key>;

/// Most lines of the key of entities; it omits entities with the fewest returns.
inline constexpr std::uint32_t kEntityLines = 4;
/// Most lines of the key of labels: enough for the classes of Cityscapes (34) and SemanticKITTI (28).
inline constexpr std::uint32_t kLabelLines = 12;

/// Free pixels around a legend, within its width and height.
std::uint32_t legend_pad(const Lettering& letters);
/// The least width of a picture with a legend.
std::uint32_t legend_width(const Lettering& letters);
std::uint32_t legend_height(const Lettering& letters, const Legend& legend, std::uint32_t width);
void draw_legend(Image& image, Lettering& letters, const Legend& legend, std::int64_t x, std::int64_t top,
                 std::uint32_t width);

/// An empty area of `width` x `height` pixels at the top left, and the legend below if it is shown. `make(letters,
/// width)`: the legend for a picture of that width.
Image picture_with_legend(std::uint32_t width, std::uint32_t height, bool is_shown, Theme theme,
                          const std::function<Legend(const Lettering& letters, std::uint32_t width)>& make);

/// Columns of a key in a legend of that width.
std::uint32_t key_columns(const Lettering& letters, std::uint32_t width);

/// The bar of ranges, or the key of entities or reasons, for a legend of that width. `lost`: the name of lost rays;
/// empty if they are not in the picture.
Legend make_legend(const Painter& painter, const Frame& frame, const PictureLegend& options, std::string_view lost,
                   const Lettering& letters, std::uint32_t width);
Key reason_key(const Frame& frame);
/// A bar of the colours of ranges. An automatic scale covers 95 % of the `counted`.
ColorBar range_bar(std::string title, const RangeScale& scale, std::string_view counted);

/// A share as "12.3 %"; only shares of 0 and 1 are "0 %" and "100 %".
std::string percentage(std::uint64_t part, std::uint64_t whole);

/// Multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most `most` + 2; empty if the limits are not
/// finite or too near to each other.
std::vector<double> round_values(double low, double high, std::uint32_t most);

}  // namespace fathom
