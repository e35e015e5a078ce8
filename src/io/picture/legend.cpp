// SPDX-License-Identifier: MIT
#include "io/picture/legend.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/ids.hpp>
#include <fathom/files/pictures.hpp>

#include "io/picture/painter.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kWidthInLetters = 29;   // of a legend, at least
constexpr std::uint32_t kColumnInLetters = 17;  // of a key
constexpr std::uint32_t kLongestBar = 100;      // in letters

std::uint32_t bar_of(const Lettering& letters) { return letters.size() * 3 / 4; }
std::uint32_t tick_of(const Lettering& letters) { return std::max(3U, letters.size() / 4); }
std::uint32_t room_of(const Lettering& letters, std::uint32_t width) {
  return width - std::min(width, 2 * legend_pad(letters));
}

/// A filled square as high as a capital, with a thin edge around dark colours. Returns its width.
std::uint32_t draw_swatch(Image& image, const Lettering& letters, std::int64_t x, std::int64_t top, Rgb color) {
  const std::uint32_t side = letters.size() * 3 / 4;
  const std::int64_t y = top + (letters.line_height() - side) / 2;
  image.fill(x - 1, y - 1, side + 2, side + 2, image.palette.faint_ink);
  image.fill(x, y, side, side, image.shown(color));
  return side + letters.size() / 2;
}

/// Title, note, and the swatch of lost rays at the right end if there is room.
void draw_head(Image& image, Lettering& letters, std::int64_t x, std::int64_t top, std::uint32_t width,
               std::string_view title, std::string_view note, std::string_view lost) {
  const std::uint32_t title_width = letters.width(title, width) + letters.size();
  letters.draw(image, x, top, letters.cut(title, width), image.palette.ink);
  if (title_width >= width) return;
  const std::string shown = letters.cut(note, width - title_width);
  letters.draw(image, x + title_width, top, shown, image.palette.soft_ink);
  if (lost.empty()) return;
  const std::uint32_t lost_width = letters.width(lost) + letters.size() * 5 / 4;
  if (title_width + letters.width(shown) + letters.size() + lost_width > width) return;
  const std::int64_t at = x + width - lost_width;
  letters.draw(image, at + draw_swatch(image, letters, at, top, image.palette.lost), top, lost, image.palette.soft_ink);
}

std::string end_text(double value) { return fmt::format("{:.4g}", value == 0.0 ? 0.0 : value); }

/// Numbers below a bar: both ends, and round values between them if there is room.
void draw_ticks(Image& image, Lettering& letters, const ColorBar& bar, std::int64_t x, std::int64_t top,
                std::uint32_t width) {
  const std::uint32_t gap = letters.size();
  const std::int64_t text_top = top + tick_of(letters);
  const std::string first = end_text(bar.low), last = (bar.is_open ? "\u2265 " : "") + end_text(bar.high);
  const std::int64_t last_x = x + width - letters.width(last);
  letters.draw(image, x, text_top, first, image.palette.ink);
  letters.draw(image, last_x, text_top, last, image.palette.ink);
  const auto stroke = std::max(1U, letters.size() / 13);
  image.fill(x, top, stroke, tick_of(letters), image.palette.soft_ink);
  image.fill(x + width - stroke, top, stroke, tick_of(letters), image.palette.soft_ink);
  std::int64_t free_x = x + letters.width(first) + gap;
  for (const double value : round_values(bar.low, bar.high, std::min(12U, width / (6 * letters.size()) + 1))) {
    const auto at = x + static_cast<std::int64_t>((value - bar.low) / (bar.high - bar.low) * (width - stroke));
    const std::string text = end_text(value);
    const std::uint32_t text_width = letters.width(text);
    const std::int64_t left = at - text_width / 2;
    if (left < free_x || left + text_width + gap > last_x) continue;
    image.fill(at, top, stroke, tick_of(letters), image.palette.soft_ink);
    letters.draw(image, left, text_top, text, image.palette.ink);
    free_x = left + text_width + gap;
  }
}

void draw_bar(Image& image, Lettering& letters, const ColorBar& bar, std::int64_t x, std::int64_t top,
              std::uint32_t width) {
  width = std::min(width, kLongestBar * letters.size());
  draw_head(image, letters, x, top, width, bar.title, bar.note, bar.lost);
  const std::int64_t y = top + letters.line_height();
  for (std::uint32_t i = 0; i < width; ++i) {
    image.fill(x + i, y, 1, bar_of(letters), bar.color(width > 1 ? i / (width - 1.0) : 0.0));
  }
  draw_ticks(image, letters, bar, x, y + bar_of(letters), width);
}

std::uint32_t key_lines(const Key& key, std::uint32_t columns) {
  return static_cast<std::uint32_t>((key.entries.size() + columns - 1) / columns);
}

void draw_key(Image& image, Lettering& letters, const Key& key, std::int64_t x, std::int64_t top, std::uint32_t width,
              std::uint32_t columns) {
  draw_head(image, letters, x, top, width, key.title, key.note, key.lost);
  const std::uint32_t step = width / columns;
  for (std::uint32_t k = 0; k < key.entries.size(); ++k) {
    const KeyEntry& entry = key.entries[k];
    if (entry.name.empty()) continue;
    const std::int64_t left = x + std::int64_t{k % columns} * step;
    const std::int64_t y = top + std::int64_t{letters.line_height()} * (1 + k / columns);
    const std::uint32_t swatch = draw_swatch(image, letters, left, y, entry.color);
    const std::uint32_t value = letters.width(entry.value), room = step - std::min(step, swatch + 2 * letters.size());
    const std::string name = letters.cut(entry.name, room - std::min(room, value + letters.size() / 2));
    letters.draw(image, left + swatch, y, name, entry.is_there ? image.palette.ink : image.palette.faint_ink);
    const std::int64_t value_x = left + swatch + letters.width(name) + letters.size() * 3 / 5;
    letters.draw(image, value_x, y, entry.value, entry.is_there ? image.palette.soft_ink : image.palette.faint_ink);
  }
}

/// The entities of a frame and their numbers of returns, in descending order, then by id.
std::vector<std::pair<std::uint32_t, std::uint64_t>> count_entities(const Frame& frame) {
  const auto range_m = frame.range_m();
  const auto entity = frame.entity_id();
  std::unordered_map<std::uint32_t, std::uint64_t> counts;
  std::uint64_t* last = nullptr;
  std::uint32_t last_id = 0;
  for (std::size_t i = 0; i < entity.size(); ++i) {
    if (range_m[i] != range_m[i]) continue;
    if (last == nullptr || entity[i] != last_id) last_id = entity[i], last = &counts[last_id];
    ++*last;
  }
  std::vector<std::pair<std::uint32_t, std::uint64_t>> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return sorted;
}

/// Fills up lines with empty entries, so that all pictures of a run have the same height.
Key entity_key(const Frame& frame, std::span<const std::string> names, std::uint32_t columns) {
  const auto counts = count_entities(frame);
  std::uint64_t returns = 0;
  for (const auto& [id, count] : counts) returns += count;
  Key key;
  key.title = "entities";
  const std::size_t lines =
      std::clamp<std::size_t>((std::max(names.size(), counts.size()) + columns - 1) / columns, 1, kEntityLines);
  const std::size_t shown = std::min(counts.size(), lines * columns);
  key.note = shown < counts.size() ? fmt::format("the largest {} of {}, by share of the returns", shown, counts.size())
                                   : "by share of the returns";
  for (const auto& [id, count] : std::span(counts).first(shown)) {
    const std::string name = id == index(kNoEntity) ? "no entity"
                             : id < names.size()    ? names[id]
                                                    : fmt::format("id {}", id);
    key.entries.push_back({entity_color(id), name, percentage(count, returns)});
  }
  key.entries.resize(lines * columns);
  return key;
}

}  // namespace

std::uint32_t legend_pad(const Lettering& letters) { return letters.size() * 3 / 4; }

std::uint32_t legend_width(const Lettering& letters) { return kWidthInLetters * letters.size(); }

std::uint32_t key_columns(const Lettering& letters, std::uint32_t width) {
  return std::max(1U, room_of(letters, width) / (kColumnInLetters * letters.size()));
}

std::uint32_t legend_height(const Lettering& letters, const Legend& legend, std::uint32_t width) {
  const std::uint32_t head = letters.line_height() + 2 * legend_pad(letters);
  if (const Key* const key = std::get_if<Key>(&legend)) {
    return head + key_lines(*key, key_columns(letters, width)) * letters.line_height();
  }
  return head + bar_of(letters) + tick_of(letters) + letters.line_height();
}

void draw_legend(Image& image, Lettering& letters, const Legend& legend, std::int64_t x, std::int64_t top,
                 std::uint32_t width) {
  const std::uint32_t pad = legend_pad(letters), room = room_of(letters, width);
  if (const Key* const key = std::get_if<Key>(&legend)) {
    draw_key(image, letters, *key, x + pad, top + pad, room, key_columns(letters, width));
  } else {
    draw_bar(image, letters, std::get<ColorBar>(legend), x + pad, top + pad, room);
  }
}

Image picture_with_legend(std::uint32_t width, std::uint32_t height, bool is_shown, Theme theme,
                          const std::function<Legend(const Lettering& letters, std::uint32_t width)>& make) {
  if (!is_shown) return {width, height, theme};
  Lettering letters(letter_size(width, height));
  const std::uint32_t wide = std::max(width, legend_width(letters));
  const Legend legend = make(letters, wide);
  Image image(wide, height + legend_height(letters, legend, wide), theme);
  draw_legend(image, letters, legend, 0, height, wide);
  return image;
}

ColorBar range_bar(std::string title, const RangeScale& scale, std::string_view counted) {
  ColorBar bar;
  bar.title = std::move(title);
  bar.note = scale.is_automatic ? fmt::format("auto: 95 % of the {}", counted) : "given (max_range_m)";
  bar.high = scale.scale_m;
  bar.is_open = true;
  bar.color = range_color;
  return bar;
}

Key reason_key(const Frame& frame) {
  const auto counts = frame.count_reasons();
  Key key;
  key.title = "reasons";
  key.note = fmt::format("by share of the {} {}", frame.size(), frame.returns() == 1 ? "rays" : "returns");
  for (std::size_t r = 0; r < counts.size(); ++r) {
    key.entries.push_back({reason_color(static_cast<Reason>(r)), std::string(kReasonNames[r]),
                           percentage(counts[r], frame.size()), counts[r] > 0});
  }
  return key;
}

Legend make_legend(const Painter& painter, const Frame& frame, const PictureLegend& options, std::string_view lost,
                   const Lettering& letters, std::uint32_t width) {
  if (painter.color_by() == ColorBy::kReason) return reason_key(frame);
  if (painter.color_by() == ColorBy::kEntity) {
    Key key = entity_key(frame, options.entity_names, key_columns(letters, width));
    key.lost = lost;
    return key;
  }
  ColorBar bar = range_bar("range (m)", painter.scale(), "returns");
  bar.lost = lost;
  return bar;
}

std::string percentage(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  if (part >= whole) return "100 %";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 0.05 ? "< 0.1 %" : percent >= 99.95 ? "> 99.9 %" : fmt::format("{:.1f} %", percent);
}

std::vector<double> round_values(double low, double high, std::uint32_t most) {
  const double step = most > 0 && high > low ? round_length((high - low) / most) : 0.0;
  if (!(step > 0.0 && std::isfinite(step) && std::isfinite(low / step))) return {};
  return multiples(step, std::ceil(low / step - 1e-9), high + 1e-9 * step, most + 2);
}

}  // namespace fathom
