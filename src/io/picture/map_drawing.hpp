// SPDX-License-Identifier: MIT
#pragma once
// Pictures of a plane, such as the world from above: points, a grid with coordinates, a scale bar, the sensor.

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <fathom/core/geometry.hpp>
#include <fathom/files/pictures.hpp>

#include "io/picture/lettering.hpp"
#include "io/picture/painter.hpp"

namespace fathom {

/// Maps the plane to pixels: x to the right, y up. Lengths are in metres, or degrees.
struct MapView {
  double left_m = 0.0;  ///< x of the left edge of column 0
  double top_m = 0.0;   ///< y of the upper edge of row 0
  double m_per_pixel = 1.0;

  [[nodiscard]] std::int64_t column(double x_m) const { return pixel((x_m - left_m) / m_per_pixel); }
  [[nodiscard]] std::int64_t row(double y_m) const { return pixel((top_m - y_m) / m_per_pixel); }

 private:
  /// Far outside the picture any defined value will do.
  static std::int64_t pixel(double p) {
    return p > -1e9 && p < 1e9 ? static_cast<std::int64_t>(std::floor(p)) : std::int64_t{-1000000000};
  }
};

/// A box around points.
struct MapExtent {
  double min_x = std::numeric_limits<double>::infinity(), max_x = -min_x, min_y = min_x, max_y = -min_x;

  void include(double x, double y);
  /// Grows to at least this size, around the origin if there is no point.
  void widen(double least);
};

/// The part of a picture with the plane: the upper left.
struct MapCanvas {
  std::uint32_t width = 0, height = 0;
  std::uint32_t weight = 1;  ///< of strokes, pixels
  double step_m = 1.0;       ///< between grid lines
  MapView view;
};

/// The longer side gets `pixels` pixels; `foot` of them per pixel of weight stay free at the bottom.
MapCanvas make_canvas(const MapExtent& extent, std::uint32_t pixels, std::uint32_t foot);

/// Side of the square of a point: few points are drawn larger.
std::uint32_t point_size(std::size_t points, std::uint32_t pixels);

/// Faint lines at whole multiples of the step.
void draw_grid(Image& image, const MapCanvas& canvas);
/// A bar of `length_m` with its left end and middle line at (x, y), and its length as text. Returns the end of the
/// text.
std::int64_t draw_scale_bar(Image& image, Lettering& letters, std::int64_t x, std::int64_t y, double length_m,
                            double m_per_pixel, std::uint32_t weight);
/// The same at the lower left of a plane, a grid step long.
void draw_scale_bar(Image& image, Lettering& letters, const MapCanvas& canvas);
/// A ring with a dot, and a stroke towards the heading.
void draw_sensor(Image& image, const MapCanvas& canvas, double x_m, double y_m,
                 const std::optional<double>& heading_rad, Rgb color);

/// Names and unit of coordinates.
struct MapAxes {
  std::string x_name, y_name, unit;
  double x_sign = 1.0;  ///< -1 if numbers grow to the left
};

/// The coordinates of the grid lines, to the right of the plane and below it.
class MapCoordinates {
 public:
  MapCoordinates(const MapCanvas& canvas, Lettering& letters, const MapAxes& axes);

  [[nodiscard]] std::uint32_t right() const { return right_; }  ///< their width in pixels
  [[nodiscard]] std::uint32_t below() const { return letters_.line_height() + gap(); }
  /// Clears the area around the plane and writes them there.
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

/// Pixels along the longer side of the plane of write_angle_image.
inline constexpr std::uint32_t kAnglePixels = 1024;

/// A picture of the plane that `draw_plane` draws, alone or with coordinates and legend. `lost` as in make_legend.
Image draw_map_picture(const MapCanvas& canvas, const MapAxes& axes, const Painter& painter, const Frame& frame,
                       const PictureLegend& options, std::string_view lost,
                       const std::function<void(Image& image, Lettering& letters)>& draw_plane);

}  // namespace fathom
