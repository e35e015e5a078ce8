// SPDX-License-Identifier: MIT
#include "io/picture/map_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/f64.hpp>
#include <fathom/core/geometry.hpp>

#include "io/picture/legend.hpp"
#include "io/picture/painter.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kEdge = 12;  // pixels between the scale bar and the border, at weight 1
constexpr double kGridCells = 8.0;   // along the longer side, about

std::string length_text(double length_m) {
  return length_m >= 1000.0 ? fmt::format("{:g} km", length_m / 1000.0) : fmt::format("{:g} m", length_m);
}

/// The coverage of a pixel by a shape whose border is `depth` pixels away, positive inside.
std::uint8_t cover(double depth) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(depth + 0.5, 0.0, 1.0)));
}

/// The grid lines of an axis that runs over `pixels` pixels from `low`.
std::vector<double> grid_values(double low, double m_per_pixel, std::uint32_t pixels, double step_m) {
  const double high = low + m_per_pixel * pixels;  // no longer in the picture
  const double last = std::nextafter(high, -std::numeric_limits<double>::infinity());
  return multiples(step_m, std::ceil(low / step_m), last, 8 * static_cast<std::uint32_t>(kGridCells));
}

}  // namespace

void MapExtent::include(double x, double y) {
  min_x = std::min(min_x, x), max_x = std::max(max_x, x);
  min_y = std::min(min_y, y), max_y = std::max(max_y, y);
}

void MapExtent::widen(double least) {
  if (!(min_x <= max_x)) min_x = max_x = min_y = max_y = 0.0;
  const double pad_x = std::max(0.0, least - (max_x - min_x)) / 2, pad_y = std::max(0.0, least - (max_y - min_y)) / 2;
  min_x -= pad_x, max_x += pad_x, min_y -= pad_y, max_y += pad_y;
}

MapCanvas make_canvas(const MapExtent& extent, std::uint32_t pixels, std::uint32_t foot) {
  MapCanvas canvas;
  canvas.weight = std::max(1U, pixels / 512);
  foot = std::min(foot * canvas.weight, pixels / 4);
  const std::uint32_t margin = pixels / 48;
  const double size_x = extent.max_x - extent.min_x, size_y = extent.max_y - extent.min_y;
  const double m_per_pixel = std::max(size_x / (pixels - 2 * margin), size_y / (pixels - 2 * margin - foot));
  const auto to_pixels = [&](double size, std::uint32_t border) {
    const auto inner = static_cast<std::uint32_t>(std::ceil(size / m_per_pixel));
    return std::clamp(inner + border, pixels / 3, pixels);  // room for the scale bar in a narrow picture
  };
  canvas.width = to_pixels(size_x, 2 * margin), canvas.height = to_pixels(size_y, 2 * margin + foot);
  const double middle_x = (extent.min_x + extent.max_x) / 2, middle_y = (extent.min_y + extent.max_y) / 2;
  canvas.view = {middle_x - m_per_pixel * canvas.width / 2, middle_y + m_per_pixel * (canvas.height - foot) / 2,
                 m_per_pixel};
  canvas.step_m = round_length(m_per_pixel * std::max(canvas.width, canvas.height) / kGridCells / 2);
  return canvas;
}

std::uint32_t point_size(std::size_t points, std::uint32_t pixels) {
  const double share = static_cast<double>(points) / (static_cast<double>(pixels) * pixels);
  return share < 0.02 ? 3 : share < 0.15 ? 2 : 1;
}

void draw_grid(Image& image, const MapCanvas& canvas) {
  const MapView& view = canvas.view;
  const auto has_line = [&](double from_m, double to_m) {
    return std::floor(from_m / canvas.step_m) != std::floor(to_m / canvas.step_m);
  };
  for (std::uint32_t x = 0; x < canvas.width; ++x) {
    const double left_m = view.left_m + x * view.m_per_pixel;
    if (has_line(left_m, left_m + view.m_per_pixel)) image.fill(x, 0, 1, canvas.height, image.palette.grid);
  }
  for (std::uint32_t y = 0; y < canvas.height; ++y) {
    const double top_m = view.top_m - y * view.m_per_pixel;
    if (has_line(top_m - view.m_per_pixel, top_m)) image.fill(0, y, canvas.width, 1, image.palette.grid);
  }
}

std::int64_t draw_scale_bar(Image& image, Lettering& letters, std::int64_t x, std::int64_t y, double length_m,
                            double m_per_pixel, std::uint32_t weight) {
  const auto length = static_cast<std::int64_t>(std::lround(length_m / m_per_pixel));
  const std::int64_t w = weight, tick = 2 * w;
  image.fill(x, y, length, w, image.palette.ink);
  image.fill(x, y - tick, w, 2 * tick + w, image.palette.ink);
  image.fill(x + length - w, y - tick, w, 2 * tick + w, image.palette.ink);
  const std::string text = length_text(length_m);
  const std::int64_t text_x = x + length + letters.size() / 2;
  letters.draw(image, text_x, y + w / 2 - letters.line_height() / 2, text, image.palette.ink);
  return text_x + letters.width(text);
}

void draw_scale_bar(Image& image, Lettering& letters, const MapCanvas& canvas) {
  const std::int64_t edge = std::int64_t{kEdge} * canvas.weight;
  draw_scale_bar(image, letters, edge, canvas.height - edge - canvas.weight, canvas.step_m, canvas.view.m_per_pixel,
                 canvas.weight);
}

void draw_sensor(Image& image, const MapCanvas& canvas, double x_m, double y_m,
                 const std::optional<double>& heading_rad, Rgb color) {
  const std::int64_t x = canvas.view.column(x_m), y = canvas.view.row(y_m);
  const double w = canvas.weight, begin = 7.0 * w, end = 20.0 * w;
  const math::SinCos64 heading = math::sincos(heading_rad.value_or(0.0));
  const auto reach = static_cast<std::int64_t>(end + 4 * w);
  for (std::int64_t dy = -reach; dy <= reach; ++dy) {
    for (std::int64_t dx = -reach; dx <= reach; ++dx) {
      const double radius = std::sqrt(static_cast<double>(dx * dx + dy * dy));
      const double along =
          std::clamp(static_cast<double>(dx) * heading.cos - static_cast<double>(dy) * heading.sin, begin, end);
      const double from_stroke =
          norm({static_cast<double>(dx) - along * heading.cos, static_cast<double>(dy) + along * heading.sin, 0});
      const double stroke = heading_rad ? w - from_stroke : -1.0;
      const double ring = std::min(7.5 * w - radius, radius - 5.5 * w);
      image.blend(x + dx, y + dy, image.palette.shadow,
                  cover(std::max(9.0 * w - radius, heading_rad ? 2.5 * w - from_stroke : -1.0)));
      image.blend(x + dx, y + dy, color, cover(std::max({2.0 * w - radius, ring, stroke})));
    }
  }
}

MapCoordinates::MapCoordinates(const MapCanvas& canvas, Lettering& letters, const MapAxes& axes)
    : canvas_(canvas), letters_(letters), axes_(axes) {
  const MapView& view = canvas.view;
  right_ = std::max(letters_.width(axes.unit), letters_.width(axes.y_name));
  for (const double y :
       grid_values(view.top_m - view.m_per_pixel * canvas.height, view.m_per_pixel, canvas.height, canvas.step_m)) {
    right_ = std::max(right_, letters_.width(text(y)));
  }
  right_ += 2 * gap();
}

std::string MapCoordinates::text(double value) const {
  if (std::abs(value) < 0.5 * canvas_.step_m) return "0";
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(canvas_.step_m) + 1e-9)));
  return std::abs(value) < 1e9 ? fmt::format("{:.{}f}", value, std::min(decimals, 9)) : fmt::format("{:.4g}", value);
}

void MapCoordinates::draw(Image& image) const {
  image.fill(canvas_.width, 0, image.width, image.height, image.palette.background);
  image.fill(0, canvas_.height, image.width, image.height, image.palette.background);
  draw_below(image);
  draw_right(image);
  letters_.draw(image, canvas_.width + gap(), canvas_.height + gap() / 2, axes_.unit, image.palette.soft_ink);
}

void MapCoordinates::draw_below(Image& image) const {
  letters_.draw(image, gap(), canvas_.height + gap() / 2, axes_.x_name, image.palette.soft_ink);
  std::int64_t free_x = gap() + letters_.width(axes_.x_name) + letters_.size();
  for (const double x : grid_values(canvas_.view.left_m, canvas_.view.m_per_pixel, canvas_.width, canvas_.step_m)) {
    const std::string label = text(axes_.x_sign * x);
    const std::int64_t width = letters_.width(label), left = canvas_.view.column(x) - width / 2;
    if (left < free_x || left + width > canvas_.width) continue;
    letters_.draw(image, left, canvas_.height + gap() / 2, label, image.palette.soft_ink);
    free_x = left + width + letters_.size();
  }
}

void MapCoordinates::draw_right(Image& image) const {
  const MapView& view = canvas_.view;
  letters_.draw(image, canvas_.width + gap(), gap() / 2, axes_.y_name, image.palette.soft_ink);
  const std::int64_t highest = gap() / 2 + letters_.line_height();
  std::int64_t free_y = canvas_.height;
  for (const double y :
       grid_values(view.top_m - view.m_per_pixel * canvas_.height, view.m_per_pixel, canvas_.height, canvas_.step_m)) {
    const std::int64_t top = view.row(y) - letters_.line_height() / 2;
    if (top + letters_.line_height() > free_y || top < highest) continue;
    letters_.draw(image, canvas_.width + gap(), top, text(y), image.palette.soft_ink);
    free_y = top;
  }
}

Image draw_map_picture(const MapCanvas& canvas, const MapAxes& axes, const Painter& painter, const Frame& frame,
                       const PictureLegend& options, std::string_view lost,
                       const std::function<void(Image& image, Lettering& letters)>& draw_plane) {
  Lettering letters(letter_size(std::max(canvas.width, canvas.height), std::max(canvas.width, canvas.height)));
  if (!options.is_shown) {
    Image plane(canvas.width, canvas.height, options.theme);
    draw_plane(plane, letters);
    return plane;
  }
  const MapCoordinates coordinates(canvas, letters, axes);
  const std::uint32_t width = std::max(canvas.width + coordinates.right(), legend_width(letters));
  const std::uint32_t legend_top = canvas.height + coordinates.below();
  const Legend legend = make_legend(painter, frame, options, lost, letters, width);
  Image image(width, legend_top + legend_height(letters, legend, width), options.theme);
  draw_plane(image, letters);
  coordinates.draw(image);
  draw_legend(image, letters, legend, 0, legend_top, width);
  return image;
}

}  // namespace fathom
