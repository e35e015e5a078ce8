// SPDX-License-Identifier: MIT
#pragma once
// Pictures in a plane, such as the world from above: where points lie, grid with coordinates, scale bar, sensor mark.

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <fathom/base/geometry.hpp>

#include "picture/image.hpp"
#include "picture/lettering.hpp"

namespace fathom {

/// Where points of the plane lie in a picture: x to the right, y up. Lengths are in metres, or degrees.
struct MapView {
  double left_m = 0.0;  ///< x of the left edge of column 0
  double top_m = 0.0;   ///< y of the upper edge of row 0
  double m_per_pixel = 1.0;

  [[nodiscard]] std::int64_t column(double x_m) const { return pixel((x_m - left_m) / m_per_pixel); }
  [[nodiscard]] std::int64_t row(double y_m) const { return pixel((top_m - y_m) / m_per_pixel); }

 private:
  /// Far outside the picture there is no need to be exact, only defined.
  static std::int64_t pixel(double p) {
    return p > -1e9 && p < 1e9 ? static_cast<std::int64_t>(std::floor(p)) : std::int64_t{-1000000000};
  }
};

/// A box around points.
struct MapExtent {
  double min_x = std::numeric_limits<double>::infinity(), max_x = -min_x, min_y = min_x, max_y = -min_x;

  void include(double x, double y);
  /// So that a single point does not fill the picture, and none at all makes one.
  void widen(double least);
};

/// The plane in a picture: the upper left part of it.
struct MapCanvas {
  std::uint32_t width = 0, height = 0;
  std::uint32_t weight = 1;  ///< of strokes, pixels
  double step_m = 1.0;       ///< between grid lines
  MapView view;
};

/// The longer side gets `pixels` pixels; `foot` of them at the bottom, for each pixel of weight, stay free.
MapCanvas make_canvas(const MapExtent& extent, std::uint32_t pixels, std::uint32_t foot);

/// Side of the square that a point becomes: few points are drawn larger.
std::uint32_t point_size(std::size_t points, std::uint32_t pixels);

/// Faint lines at whole multiples of the step.
void draw_grid(Image& image, const MapCanvas& canvas);
/// A bar of `length_m` with its left end and middle line at (x, y), and its length beside it. Returns where that ends.
std::int64_t draw_scale_bar(Image& image, Lettering& letters, std::int64_t x, std::int64_t y, double length_m,
                            double m_per_pixel, std::uint32_t weight);
/// The same at the lower left of a plane, a grid step long.
void draw_scale_bar(Image& image, Lettering& letters, const MapCanvas& canvas);
/// A white ring with a dot, and with a stroke towards the heading.
void draw_sensor(Image& image, const MapCanvas& canvas, double x_m, double y_m,
                 const std::optional<double>& heading_rad);

/// The kind of a plane's coordinates.
struct MapAxes {
  std::string x_name, y_name, unit;
  double x_sign = 1.0;  ///< -1 where numbers grow to the left
};

/// The coordinates of the grid lines, to the right of the plane and below it.
class MapCoordinates {
 public:
  MapCoordinates(const MapCanvas& canvas, Lettering& letters, const MapAxes& axes);

  [[nodiscard]] std::uint32_t right() const { return right_; }  ///< pixels that they take there
  [[nodiscard]] std::uint32_t below() const { return letters_.line_height() + gap(); }
  /// Clears what is around the plane and writes them there.
  void draw(Image& image) const;

 private:
  [[nodiscard]] std::uint32_t gap() const { return letters_.size() / 2; }
  [[nodiscard]] std::string text(double value) const;
  void draw_below(Image& image) const;
  void draw_right(Image& image) const;

  const MapCanvas& canvas_;
  Lettering& letters_;
  const MapAxes& axes_;
  std::uint32_t right_ = 0;
};

}  // namespace fathom
