// SPDX-License-Identifier: MIT
#pragma once
// Plots as SVG text, whose colours and strokes are left to CSS classes of the page, and pictures as PNG within HTML.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/picture/painter.hpp"

namespace fathom {

struct PlotAxis {
  double low = 0.0, high = 1.0;
  std::string label = {};
  bool logarithmic = false;  ///< low > 0 then
  double last_tick = high;   ///< no ticks beyond
  double first_tick = low;   ///< and none before
};

/// The axis of a logarithmic picture whose largest value is `top`, five decades deep.
PlotAxis decades_below(double top, std::string label);

/// Whole multiples of 1, 2 or 5 times a power of ten within the axis, about five; powers of ten on a logarithmic one.
std::vector<double> tick_values(const PlotAxis& axis);

/// The unit of shown lengths: millimetres, or metres from one metre on.
struct LengthUnit {
  double per_m;
  const char* symbol;
};
LengthUnit length_unit(double largest_m);

/// "<", "&" and '"' made harmless.
std::string escape_html(std::string_view text);

class Plot {
 public:
  static constexpr double kWidth = 520;   ///< unless another one is given, CSS pixels
  static constexpr double kMargins = 70;  ///< left and right of the axis

  /// `title` is read out where the picture cannot be seen. Sizes in CSS pixels.
  Plot(std::string_view title, PlotAxis x, PlotAxis y, double width = kWidth, double height = 300);

  /// Filled steps: bin i spans [edges[i], edges[i + 1]] from low[i] to high[i]. edges [n + 1], high [n], and low [n] or
  /// empty: from the axis.
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

inline constexpr Rgb kLowColor = {33, 102, 172}, kHighColor = {178, 24, 43};  ///< of signed_color()

/// A colour as CSS has it.
std::string css(Rgb c);

/// Of class "pixels". `title` is read out where the picture cannot be seen.
std::string embedded_picture(const Image& image, std::string_view title);

/// `part` of the way from `a` to `b`.
Rgb mix(Rgb a, Rgb b, double part);
/// u in [-1, 1]: blue, white, red.
Rgb signed_color(double u);

/// Three deviations of most values, whatever single patches do; 0 without values. NaN are passed over.
double residual_scale(std::span<const float> residual);

}  // namespace fathom
