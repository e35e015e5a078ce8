// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/numbers.hpp"
#include "core/text.hpp"
#include "report/plot.hpp"

namespace fathom {

namespace {

constexpr double kLeft = 58, kRight = 12, kTop = 10, kBottom = 42;
static_assert(kLeft + kRight == Plot::kMargins);
constexpr Rgb kZero = {247, 247, 247};
constexpr std::uint32_t kCoarse = 320;  // a narrower picture is shown larger, and its pixels stay sharp

std::vector<double> powers_of_ten(const PlotAxis& axis) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::ceil(std::log10(axis.low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(std::min(axis.high, axis.last_tick)) + 1e-9));
  const int step = std::max(1, (last - first + 1) / 6);
  for (int power = first; power <= last; power += step) ticks.push_back(std::pow(10.0, power));
  return ticks;
}

/// Where a value lies on an axis, 0 to 1.
double place_on(const PlotAxis& axis, double value) {
  if (axis.logarithmic) {
    value = std::max(value, axis.low);
    return std::log(value / axis.low) / std::log(axis.high / axis.low);
  }
  return (value - axis.low) / (axis.high - axis.low);
}

/// A tick as SVG text shows it.
std::string tick_text(double value) {
  if (value != 0.0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e5)) {
    const int power = static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9));
    const double digits = value / std::pow(10.0, power);
    const std::string exponent = fmt::format("10<tspan dy=\"-4\" font-size=\"8\">{}</tspan>", power);
    return std::abs(digits - 1.0) < 1e-6 ? exponent : fmt::format("{:.3g}·{}", digits, exponent);
  }
  return fmt::format("{:.6g}", value);
}

}  // namespace

PlotAxis decades_below(double top, std::string label) {
  const double high = 1.5 * std::max(top, 1e-12);
  return {.low = 1e-5 * high, .high = high, .label = std::move(label), .logarithmic = true};
}

LengthUnit length_unit(double largest_m) {
  return largest_m < 1.0 ? LengthUnit{.per_m = 1e3, .symbol = "mm"} : LengthUnit{.per_m = 1.0, .symbol = "m"};
}

std::vector<double> tick_values(const PlotAxis& axis) {
  if (axis.logarithmic) return powers_of_ten(axis);
  const double rough = (axis.high - axis.low) / 5.0;
  const double unit = std::pow(10.0, std::floor(std::log10(rough)));
  const double digits = rough / unit;
  const double step = unit * (digits < 1.5 ? 1 : digits < 3.5 ? 2 : digits < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const double last = std::min(axis.high, axis.last_tick);
  for (double k = std::ceil(std::max(axis.low, axis.first_tick) / step - 1e-9); k * step <= last + 1e-9 * step; ++k) {
    ticks.push_back(k == 0.0 ? 0.0 : k * step);
  }
  return ticks;
}

std::string escape_html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "&lt;";
    } else if (c == '&') {
      safe += "&amp;";
    } else if (c == '"') {
      safe += "&quot;";
    } else {
      safe += c;
    }
  }
  return safe;
}

Plot::Plot(std::string_view title, PlotAxis x, PlotAxis y, double width, double height)
    : title_(title), x_(std::move(x)), y_(std::move(y)), width_(width), height_(height) {}

double Plot::px(double x) const { return kLeft + std::clamp(place_on(x_, x), 0.0, 1.0) * (width_ - kLeft - kRight); }

double Plot::py(double y) const {
  return height_ - kBottom - std::clamp(place_on(y_, y), 0.0, 1.0) * (height_ - kTop - kBottom);
}

void Plot::fill_steps(std::span<const double> edges, std::span<const double> low, std::span<const double> high,
                      std::string_view css_class) {
  std::string path;
  const auto add = [&](double x, double y) {
    fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px(x), py(y));
  };
  for (std::size_t i = 0; i < high.size(); ++i) add(edges[i], high[i]), add(edges[i + 1], high[i]);
  for (std::size_t i = high.size(); i-- > 0;) {
    const double from = low.empty() ? y_.low : low[i];
    add(edges[i + 1], from), add(edges[i], from);
  }
  fmt::format_to(std::back_inserter(body_), "<path class=\"{}\" d=\"{}Z\"/>\n", css_class, path);
}

void Plot::draw_steps(std::span<const double> edges, std::span<const double> high, std::string_view css_class) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < high.size(); ++i) {
    x.insert(x.end(), {edges[i], edges[i + 1]});
    y.insert(y.end(), {high[i], high[i]});
  }
  draw_line(x, y, css_class);
}

void Plot::draw_line(std::span<const double> x, std::span<const double> y, std::string_view css_class) {
  std::string points;
  for (std::size_t i = 0; i < x.size(); ++i) {
    fmt::format_to(std::back_inserter(points), "{:.1f},{:.1f} ", px(x[i]), py(y[i]));
  }
  fmt::format_to(std::back_inserter(body_), "<polyline class=\"{}\" points=\"{}\"/>\n", css_class, points);
}

void Plot::draw_vertical(double x, std::string_view css_class) {
  fmt::format_to(std::back_inserter(body_),
                 "<line class=\"{0}\" x1=\"{1:.1f}\" x2=\"{1:.1f}\" y1=\"{2}\" y2=\"{3}\"/>\n", css_class, px(x), kTop,
                 height_ - kBottom);
}

void Plot::draw_horizontal(double y, std::string_view css_class) {
  fmt::format_to(std::back_inserter(body_),
                 "<line class=\"{0}\" x1=\"{1}\" x2=\"{2}\" y1=\"{3:.1f}\" y2=\"{3:.1f}\"/>\n", css_class, kLeft,
                 width_ - kRight, py(y));
}

void Plot::write(double x, double y, std::string_view text, std::string_view anchor) {
  fmt::format_to(std::back_inserter(body_), "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", px(x),
                 py(y), anchor, escape_html(text));
}

std::string Plot::axes() const {
  const double floor = height_ - kBottom;
  std::string text;
  const auto out = std::back_inserter(text);
  for (const double tick : tick_values(y_)) {
    fmt::format_to(out, "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft,
                   width_ - kRight, py(tick), py(tick));
    fmt::format_to(out, "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6, py(tick) + 4,
                   tick_text(tick));
  }
  for (const double tick : tick_values(x_)) {
    fmt::format_to(out, "<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/>", px(tick), floor,
                   floor + 4);
    fmt::format_to(out, "<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", px(tick), floor + 16,
                   tick_text(tick));
  }
  fmt::format_to(out, "<text class=\"label\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                 (kLeft + width_ - kRight) / 2, height_ - 6, escape_html(x_.label));
  fmt::format_to(out,
                 "<text class=\"label\" transform=\"translate(12 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}"
                 "</text>\n",
                 (kTop + floor) / 2, escape_html(y_.label));
  return text;
}

std::string Plot::svg() const {
  const double floor = height_ - kBottom;
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}{}"
      "<line class=\"axis\" x1=\"{}\" x2=\"{}\" y1=\"{}\" y2=\"{}\"/>\n</svg>\n",
      width_, height_, escape_html(title_), axes(), body_, kLeft, width_ - kRight, floor, floor);
}

std::string css(Rgb c) { return fmt::format("rgb({},{},{})", c[0], c[1], c[2]); }

std::string embedded_picture(const Image& image, std::string_view title) {
  return fmt::format(
      "<img class=\"pixels{}\" width=\"{}\" height=\"{}\" alt=\"{}\" src=\"data:image/png;base64,{}\">\n",
      image.width < kCoarse ? " coarse" : "", image.width, image.height, title, base64(png_bytes(image)));
}

Rgb mix(Rgb a, Rgb b, double part) {
  Rgb color{};
  for (std::size_t i = 0; i < 3; ++i) color[i] = static_cast<std::uint8_t>(std::lround(a[i] + part * (b[i] - a[i])));
  return color;
}

Rgb signed_color(double u) { return mix(kZero, u < 0.0 ? kLowColor : kHighColor, std::min(1.0, std::abs(u))); }

double residual_scale(std::span<const float> residual) {
  std::vector<double> sizes;
  for (const float value : residual) {
    if (!std::isnan(value)) sizes.push_back(std::abs(double{value}));
  }
  return sizes.empty() ? 0.0 : 3.0 * 1.4826 * median(sizes);  // a normal's deviation by the median of its sizes
}

}  // namespace fathom
