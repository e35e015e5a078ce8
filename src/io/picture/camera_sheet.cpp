// SPDX-License-Identifier: MIT
// Pictures of depth cameras: labels, reasons, and the sheet of four panels.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/ids.hpp>
#include <fathom/files/pictures.hpp>

#include "core/text.hpp"
#include "io/picture/legend.hpp"
#include "io/picture/lettering.hpp"
#include "io/picture/painter.hpp"
#include "io/picture/picture_size.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kMaxPictureSide = 100000;

void check_sides(const std::filesystem::path& file, const Frame& frame) {
  if (frame.size() > 0 && frame.rows() <= kMaxPictureSide && frame.cols() <= kMaxPictureSide) return;
  throw InputError(fmt::format("{}: a frame of {} x {} rays makes no picture, the limits are 1 and {} on a side",
                               file.string(), frame.rows(), frame.cols(), kMaxPictureSide));
}

/// The colours of rays by label, with colours for surfaces without a label and for misses.
class LabelColors {
 public:
  LabelColors(const Frame& frame, std::span<const Label> labels) : id_(frame.label()), entity_(frame.entity_id()) {
    for (const Label& label : labels) shown_.emplace(label.id, Shown{label.name, color_of(label)});
    shown_.emplace(0, Shown{"no label", kUnknownColor});
    for (std::size_t i = 0; i < frame.size(); ++i) {
      if (is_miss(i)) continue;
      const auto found = shown_.try_emplace(id_[i]).first;
      // A frame of another scene may have an unknown id.
      if (found->second.name.empty()) found->second = {fmt::format("id {}", id_[i]), entity_color(id_[i])};
      ++found->second.rays;
    }
  }

  [[nodiscard]] Rgb color(std::size_t ray) const {
    return is_miss(ray) ? kLostColor : shown_.find(id_[ray])->second.color;
  }

  /// The classes of the scene by descending share of rays; all frames of a run get the same number of lines.
  [[nodiscard]] Key key(std::uint32_t columns) const {
    std::vector<const Shown*> sorted;
    for (const auto& [id, shown] : shown_) sorted.push_back(&shown);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Shown* a, const Shown* b) { return a->rays > b->rays; });
    const std::size_t lines = std::clamp<std::size_t>((sorted.size() + columns - 1) / columns, 1, kLabelLines);
    const std::size_t count = std::min(sorted.size(), lines * columns);
    Key key;
    key.title = "labels";
    key.note = count < sorted.size() ? fmt::format("the largest {} of {}, by share of the rays", count, sorted.size())
                                     : "by share of the rays";
    for (std::size_t k = 0; k < count; ++k) {
      const Shown& shown = *sorted[k];
      key.entries.push_back({shown.color, shown.name, percentage(shown.rays, id_.size()), shown.rays > 0});
    }
    key.entries.resize(lines * columns);
    key.lost = "miss";
    return key;
  }

 private:
  struct Shown {
    std::string name;
    Rgb color = kUnknownColor;
    std::uint64_t rays = 0;
  };

  [[nodiscard]] bool is_miss(std::size_t ray) const { return entity_[ray] == index(kNoEntity); }

  std::span<const std::uint32_t> id_, entity_;
  std::map<std::uint32_t, Shown> shown_;  // [id]
};

}  // namespace

std::array<std::uint8_t, 3> color_of(const Label& label) { return label.color.value_or(entity_color(label.id)); }

void write_label_picture(const std::filesystem::path& file, const Frame& frame, std::span<const Label> labels,
                         bool with_legend, Theme theme) {
  if (frame.returns() > 1) return write_label_picture(file, frame.of_return(0), labels, with_legend, theme);
  check_sides(file, frame);
  const LabelColors colors(frame, labels);
  Image image = picture_with_legend(
      frame.cols(), frame.rows(), with_legend, theme,
      [&](const Lettering& letters, std::uint32_t width) { return colors.key(key_columns(letters, width)); });
  for (std::size_t i = 0; i < frame.size(); ++i) {
    image.at(static_cast<std::uint32_t>(i % frame.cols()), static_cast<std::uint32_t>(i / frame.cols())) =
        image.shown(colors.color(i));
  }
  write_png(file, image);
}

void write_label_ids(const std::filesystem::path& file, const Frame& frame) {
  if (frame.returns() > 1) return write_label_ids(file, frame.of_return(0));
  check_sides(file, frame);
  const std::span<const std::uint32_t> id = frame.label();
  std::vector<std::uint16_t> levels(id.size());
  std::transform(id.begin(), id.end(), levels.begin(), [](std::uint32_t v) { return static_cast<std::uint16_t>(v); });
  write_grey16_png(file, frame.cols(), frame.rows(), levels);
}

namespace {

struct Panel {
  std::string_view title;
  std::function<Rgb(std::size_t)> color;  ///< of a ray
};

void draw_panel(Image& image, Lettering& letters, const SheetLayout& layout, std::uint32_t k, const Frame& frame,
                const Panel& panel) {
  letters.draw(image, layout.left(k), layout.top(k) - letters.line_height(), panel.title, image.palette.ink);
  for (std::uint32_t v = 0; v < frame.rows(); ++v) {
    for (std::uint32_t u = 0; u < frame.cols(); ++u) {
      image.at(layout.left(k) + u, layout.top(k) + v) = image.shown(panel.color(std::size_t{v} * frame.cols() + u));
    }
  }
}

Rgb depth_color(float depth, double scale_m) {
  return std::isfinite(depth) ? range_color(depth / scale_m) : kLostColor;
}

Rgb energy_color(double energy) {
  if (std::isnan(energy)) return kLostColor;
  const auto level = static_cast<std::uint8_t>(std::lround(255 * std::clamp(energy, 0.0, 1.0)));
  return {level, level, level};
}

ColorBar energy_bar() {
  ColorBar bar;
  bar.title = "energy";
  bar.note = "fixed";
  bar.color = energy_color;
  bar.lost = "miss";
  return bar;
}

}  // namespace

void write_reason_picture(const std::filesystem::path& file, const Frame& frame, bool with_legend, Theme theme) {
  if (frame.returns() > 1) return write_reason_picture(file, frame.of_return(0), with_legend, theme);
  check_sides(file, frame);
  const std::span<const Reason> reason = frame.reason();
  Image image = picture_with_legend(frame.cols(), frame.rows(), with_legend, theme,
                                    [&](const Lettering&, std::uint32_t) { return reason_key(frame); });
  for (std::size_t i = 0; i < frame.size(); ++i) {
    image.at(static_cast<std::uint32_t>(i % frame.cols()), static_cast<std::uint32_t>(i / frame.cols())) =
        image.shown(reason_color(reason[i]));
  }
  write_png(file, image);
}

void write_camera_sheet(const std::filesystem::path& file, const Frame& frame, double scale_m, Theme theme) {
  if (frame.returns() > 1) return write_camera_sheet(file, frame.of_return(0), scale_m, theme);
  check_sides(file, frame);
  if (!(scale_m >= 0.0 && scale_m <= kMostColorScaleM)) {
    throw InputError(fmt::format("scale_m = {} is not in [0, {}] m", scale_m, limit_text(kMostColorScaleM)));
  }
  const std::span<const float> clean = frame.clean_depth_m(), noisy = frame.depth_m(), energy = frame.energy();
  const std::span<const Reason> reason = frame.reason();
  const RangeScale scale = range_scale(scale_m, clean);
  const std::array<Panel, 4> panels = {
      {{"clean depth", [&](std::size_t i) { return depth_color(clean[i], scale.scale_m); }},
       {"noisy depth", [&](std::size_t i) { return depth_color(noisy[i], scale.scale_m); }},
       {"reason", [&](std::size_t i) { return reason_color(reason[i]); }},
       {"energy", [&](std::size_t i) { return energy_color(energy[i]); }}}};
  ColorBar depths = range_bar("depth (m)", scale, "clean depths");
  depths.lost = "no depth";
  const Legend depth_bar = depths, energies = energy_bar(), reasons = reason_key(frame);

  Lettering letters(letter_size(2 * frame.cols(), 2 * frame.rows()));
  const SheetLayout layout(frame.rows(), frame.cols(), letters);
  const std::uint32_t bar_width = layout.bar_width(), bars = legend_height(letters, depth_bar, bar_width);
  Image image(layout.width(), layout.bottom() + bars + legend_height(letters, reasons, layout.width()), theme);
  for (std::uint32_t k = 0; k < panels.size(); ++k) draw_panel(image, letters, layout, k, frame, panels[k]);
  draw_legend(image, letters, depth_bar, layout.left(0) - layout.gap, layout.bottom(), bar_width);
  draw_legend(image, letters, energies, layout.left(1) - layout.gap, layout.bottom(), bar_width);
  draw_legend(image, letters, reasons, 0, layout.bottom() + bars, layout.width());
  write_png(file, image);
}

}  // namespace fathom
