// SPDX-License-Identifier: MIT
#include "report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace fathom {

namespace {

constexpr double kLeft = 58, kRight = 12, kTop = 10, kBottom = 42;
static_assert(kLeft + kRight == Plot::kMargins);

}  // namespace

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
  for (std::size_t i = low.size(); i-- > 0;) add(edges[i + 1], low[i]), add(edges[i], low[i]);
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

}  // namespace fathom
