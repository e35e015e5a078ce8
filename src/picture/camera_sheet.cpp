// SPDX-License-Identifier: MIT
// Pictures of a depth camera's frame: reasons with their legend, and the sheet of four.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/pictures.hpp>

#include "base/text.hpp"
#include "picture/image.hpp"
#include "picture/legend.hpp"
#include "picture/lettering.hpp"
#include "picture/painter.hpp"
#include "picture/palette.hpp"
#include "picture/sheet_layout.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kMaxSheetSide = 100000;

void check_size(const std::filesystem::path& file, const Frame& frame) {
  if (frame.size() > 0 && frame.rows() <= kMaxSheetSide && frame.cols() <= kMaxSheetSide) return;
  throw InputError(fmt::format("{}: a frame of {} x {} rays makes no picture, the limits are 1 and {} on a side",
                               file.string(), frame.rows(), frame.cols(), kMaxSheetSide));
}

struct Panel {
  std::string_view title;
  std::function<Rgb(std::size_t)> color;  ///< of a ray
};

void draw_panel(Image& image, Lettering& letters, const SheetLayout& layout, std::uint32_t k, const Frame& frame,
                const Panel& panel) {
  letters.draw(image, layout.left(k), layout.top(k) - letters.line_height(), panel.title, kInk);
  for (std::uint32_t v = 0; v < frame.rows(); ++v) {
    for (std::uint32_t u = 0; u < frame.cols(); ++u) {
      image.at(layout.left(k) + u, layout.top(k) + v) = panel.color(std::size_t{v} * frame.cols() + u);
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

void write_reason_picture(const std::filesystem::path& file, const Frame& frame, bool with_legend) {
  if (frame.returns() > 1) return write_reason_picture(file, frame.of_return(0), with_legend);
  check_size(file, frame);
  const std::span<const Reason> reason = frame.reason();
  Image image = picture_with_legend(frame.cols(), frame.rows(), with_legend,
                                    [&](const Lettering&, std::uint32_t) { return reason_key(frame); });
  for (std::size_t i = 0; i < frame.size(); ++i) {
    image.at(static_cast<std::uint32_t>(i % frame.cols()), static_cast<std::uint32_t>(i / frame.cols())) =
        reason_color(reason[i]);
  }
  write_png(file, image);
}

void write_camera_sheet(const std::filesystem::path& file, const Frame& frame, double scale_m) {
  if (frame.returns() > 1) return write_camera_sheet(file, frame.of_return(0), scale_m);
  check_size(file, frame);
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
  Image image(layout.width(), layout.bottom() + bars + legend_height(letters, reasons, layout.width()), kBackground);
  for (std::uint32_t k = 0; k < panels.size(); ++k) draw_panel(image, letters, layout, k, frame, panels[k]);
  draw_legend(image, letters, depth_bar, layout.left(0) - layout.gap, layout.bottom(), bar_width);
  draw_legend(image, letters, energies, layout.left(1) - layout.gap, layout.bottom(), bar_width);
  draw_legend(image, letters, reasons, 0, layout.bottom() + bars, layout.width());
  write_png(file, image);
}

}  // namespace fathom
