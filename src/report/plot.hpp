// SPDX-License-Identifier: MIT
#pragma once
// Plots as SVG text. Colours and strokes are left to CSS classes of the page.

#include <span>
#include <string>
#include <string_view>

#include "report/plot_axis.hpp"

namespace fathom {

/// "<", "&" and '"' made harmless.
std::string escape_html(std::string_view text);

class Plot {
 public:
  static constexpr double kMargins = 70;  ///< left and right of the axis, CSS pixels

  /// `title` is read out where the picture cannot be seen. Sizes in CSS pixels.
  Plot(std::string_view title, PlotAxis x, PlotAxis y, double width = 520, double height = 300);

  /// Filled steps: bin i spans [edges[i], edges[i + 1]] from low[i] to high[i]. edges [n + 1], low and high [n].
  void fill_steps(std::span<const double> edges, std::span<const double> low, std::span<const double> high,
                  std::string_view css_class);
  /// The upper border of such steps.
  void draw_steps(std::span<const double> edges, std::span<const double> high, std::string_view css_class);
  /// Values below the axis are drawn on it.
  void draw_line(std::span<const double> x, std::span<const double> y, std::string_view css_class);
  void draw_vertical(double x, std::string_view css_class);
  void draw_horizontal(double y, std::string_view css_class);
  /// `anchor`: start, middle or end.
  void write(double x, double y, std::string_view text, std::string_view anchor = "start");

  [[nodiscard]] std::string svg() const;

 private:
  [[nodiscard]] double px(double x) const;
  [[nodiscard]] double py(double y) const;
  [[nodiscard]] std::string axes() const;

  std::string title_;
  PlotAxis x_, y_;
  double width_, height_;
  std::string body_;
};

}  // namespace fathom
