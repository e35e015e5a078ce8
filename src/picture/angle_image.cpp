// SPDX-License-Identifier: MIT
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/pictures.hpp>

#include "picture/image.hpp"
#include "picture/map_drawing.hpp"
#include "picture/map_picture.hpp"
#include "picture/painter.hpp"

namespace fathom {

namespace {

constexpr double kMinExtentDeg = 1.0;

/// Angles of a ray as a plane seen from the sensor: x to the right, against azimuth, y up; degrees.
struct SeenAt {
  double x_deg, y_deg;

  SeenAt(float azimuth_rad, float elevation_rad)
      : x_deg(-azimuth_rad / kRadPerDeg), y_deg(elevation_rad / kRadPerDeg) {}
  [[nodiscard]] bool is_finite() const { return std::isfinite(x_deg) && std::isfinite(y_deg); }
};

}  // namespace

void write_angle_image(const std::filesystem::path& file, const Frame& frame, ColorBy color, double scale_m,
                       const PictureLegend& legend) {
  if (frame.returns() > 1) return write_angle_image(file, frame.of_return(0), color, scale_m, legend);
  const Painter painter(frame, color, scale_m);
  const auto azimuth_rad = frame.azimuth_rad(), elevation_rad = frame.elevation_rad();
  if (frame.size() == 0) {
    throw InputError(
        fmt::format("{}: a frame of {} x {} rays makes no picture", file.string(), frame.rows(), frame.cols()));
  }
  MapExtent extent;
  for (std::size_t ray = 0; ray < frame.size(); ++ray) {
    const SeenAt at(azimuth_rad[ray], elevation_rad[ray]);
    if (at.is_finite()) extent.include(at.x_deg, at.y_deg);
  }
  extent.widen(kMinExtentDeg);
  const MapCanvas canvas = make_canvas(extent, kAnglePixels, 0);
  const std::uint32_t size = point_size(frame.size(), kAnglePixels);
  const auto draw_plane = [&](Image& image, Lettering&) {
    draw_grid(image, canvas);
    for (std::size_t ray = 0; ray < frame.size(); ++ray) {
      const SeenAt at(azimuth_rad[ray], elevation_rad[ray]);
      if (!at.is_finite()) continue;
      image.fill(canvas.view.column(at.x_deg) - (size - 1) / 2, canvas.view.row(at.y_deg) - (size - 1) / 2, size, size,
                 painter.color(ray));
    }
  };
  const MapAxes axes = {"azimuth", "elev.", "deg", -1.0};
  write_png(file, draw_map_picture(canvas, axes, painter, frame, legend, "no return", draw_plane));
}

}  // namespace fathom
