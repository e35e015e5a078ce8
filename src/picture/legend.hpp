// SPDX-License-Identifier: MIT
#pragma once
// The legend below a picture, which explains its colours: a bar of colours with numbers, or a key of swatches.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fathom/files/pictures.hpp>
#include <fathom/frame/frame.hpp>

#include "picture/image.hpp"
#include "picture/lettering.hpp"
#include "picture/painter.hpp"

namespace fathom {

struct ColorBar {
  std::string title;                 ///< quantity and unit
  std::string note;                  ///< what fixes the range
  double low = 0.0, high = 1.0;      ///< values of the first and last colour
  bool is_open = false;              ///< what lies beyond `high` has the last colour too
  std::function<Rgb(double)> color;  ///< of 0 to 1, along the bar
  std::string lost = {};             ///< what the colour of lost rays means here; empty: nothing
};

struct KeyEntry {
  Rgb color;
  std::string name, value;
  bool is_there = true;  ///< else it is drawn faintly
};

/// Entries in columns, line by line.
struct Key {
  std::string title, note;
  std::vector<KeyEntry> entries;
  std::string lost = {};  ///< as of a bar
};

using Legend = std::variant<ColorBar, Key>;

/// The key of entities has no more lines; the entities with the fewest returns are left out.
inline constexpr std::uint32_t kEntityLines = 4;
/// As many classes as datasets have, Cityscapes 34 and SemanticKITTI 28, shall all be in the key.
inline constexpr std::uint32_t kLabelLines = 12;

/// Pixels that stay free around a legend, within its width and height.
std::uint32_t legend_pad(const Lettering& letters);
/// Pictures with a legend are at least so wide, so that its texts have room.
std::uint32_t legend_width(const Lettering& letters);
std::uint32_t legend_height(const Lettering& letters, const Legend& legend, std::uint32_t width);
void draw_legend(Image& image, Lettering& letters, const Legend& legend, std::int64_t x, std::int64_t top,
                 std::uint32_t width);

/// A picture of `width` x `height` pixels that are still to be drawn, at the top left, and the legend below them if it
/// is shown. `make`: the legend for a picture of the width that it is called with.
Image picture_with_legend(std::uint32_t width, std::uint32_t height, bool is_shown,
                          const std::function<Legend(const Lettering& letters, std::uint32_t width)>& make);

/// Columns that a key has in a legend of that width.
std::uint32_t key_columns(const Lettering& letters, std::uint32_t width);

/// The bar of ranges, or the key of entities or reasons, for a legend of that width. `lost`: of lost rays, if they are
/// in the picture.
Legend make_legend(const Painter& painter, const Frame& frame, const PictureLegend& options, std::string_view lost,
                   const Lettering& letters, std::uint32_t width);
Key reason_key(const Frame& frame);
/// A bar of the colours of ranges. `counted`: what an automatic scale covers 99 % of.
ColorBar range_bar(std::string title, const RangeScale& scale, std::string_view counted);

/// 0 to 1 as "12.3 %"; what is neither none nor all does not look so.
std::string percentage(std::uint64_t part, std::uint64_t whole);

/// Whole multiples of 1, 2 or 5 times a power of ten from `low` to `high`, at most `most` + 2 of them; none where the
/// limits are not finite, or too near to each other.
std::vector<double> round_values(double low, double high, std::uint32_t most);

}  // namespace fathom
