// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/files/pictures.hpp>

#include "io/picture/legend.hpp"
#include "io/picture/map_drawing.hpp"
#include "io/picture/painter.hpp"
#include "io/picture/picture_size.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kMaxSide = 1000000;  // limit of libpng

PatternGrid grid_of(const Frame& frame, const std::filesystem::path& file) {
  const PatternGrid grid = ray_grid(frame.rows(), frame.cols());
  if (frame.size() == 0 || grid.width > kMaxSide || grid.lines > kMaxSide) {
    throw InputError(fmt::format("{}: a frame of {} x {} rays makes no picture, the limits are 1 and {} on a side",
                                 file.string(), frame.rows(), frame.cols(), kMaxSide));
  }
  return grid;
}

std::uint32_t wrapped(std::int64_t x, std::uint32_t width) {
  const std::int64_t rest = x % width;
  return static_cast<std::uint32_t>(rest < 0 ? rest + width : rest);
}

}  // namespace

void write_range_image(const std::filesystem::path& file, const Frame& frame, ColorBy color, double scale_m,
                       std::span<const std::int32_t> shifts, const PictureLegend& legend) {
  if (frame.returns() > 1) return write_range_image(file, frame.of_return(0), color, scale_m, shifts, legend);
  if (!shifts.empty() && shifts.size() != frame.rows()) {
    throw InputError(fmt::format("{}: {} shifts for {} rows", file.string(), shifts.size(), frame.rows()));
  }
  const Painter painter(frame, color, scale_m);
  const PatternGrid grid = grid_of(frame, file);
  Image image = picture_with_legend(grid.width, grid.lines * grid.repeat, legend.is_shown, legend.theme,
                                    [&](const Lettering& letters, std::uint32_t width) {
                                      return make_legend(painter, frame, legend, "no return", letters, width);
                                    });
  for (std::size_t ray = 0; ray < frame.size(); ++ray) {
    const auto x = static_cast<std::uint32_t>(ray % grid.width), line = static_cast<std::uint32_t>(ray / grid.width);
    const std::int64_t shift = shifts.empty() ? 0 : shifts[ray / frame.cols()];
    image.at(wrapped(x + shift, grid.width), line * grid.repeat) = image.shown(painter.color(ray));
  }
  for (std::uint32_t line = 0; line < grid.lines; ++line) {
    const Rgb* first = &image.at(0, line * grid.repeat);
    for (std::uint32_t k = 1; k < grid.repeat; ++k)
      std::copy_n(first, grid.width, &image.at(0, line * grid.repeat + k));
  }
  write_png(file, image);
}

namespace {

constexpr double kMinExtentDeg = 1.0;

/// Angles of a ray as seen from the sensor, in degrees: x to the right (against azimuth), y up.
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
                 image.shown(painter.color(ray)));
    }
  };
  const MapAxes axes = {"azimuth", "elev.", "deg", -1.0};
  write_png(file, draw_map_picture(canvas, axes, painter, frame, legend, "no return", draw_plane));
}

namespace {

constexpr double kMinExtentM = 1.0;
constexpr std::uint32_t kFoot = 28;  // pixels for the scale bar, at weight 1

/// The rays with drawn points.
std::vector<std::uint32_t> rays_shown(const Frame::Points& hit, double max_range_m, const std::optional<Pose>& sensor) {
  std::vector<std::uint32_t> rays;
  const bool is_clipped = max_range_m > 0.0 && sensor.has_value();
  for (std::size_t i = 0; i < hit.x.size(); ++i) {
    if (!(std::isfinite(hit.x[i]) && std::isfinite(hit.y[i]) && std::isfinite(hit.z[i]))) continue;
    if (is_clipped && norm(Vec3{hit.x[i], hit.y[i], hit.z[i]} - sensor->translation_m) > max_range_m) continue;
    rays.push_back(static_cast<std::uint32_t>(i));
  }
  return rays;
}

/// Draws points as squares. The highest is visible, among equal ones the first ray.
void draw_points(Image& image, const MapCanvas& canvas, const Frame::Points& hit, std::span<const std::uint32_t> rays,
                 const Painter& painter, std::uint32_t size) {
  std::vector<float> height_m(std::size_t{canvas.width} * canvas.height, -std::numeric_limits<float>::infinity());
  for (const std::uint32_t ray : rays) {
    const std::int64_t left = canvas.view.column(hit.x[ray]) - (size - 1) / 2;
    const std::int64_t top = canvas.view.row(hit.y[ray]) - (size - 1) / 2;
    const std::int64_t right = std::min<std::int64_t>(left + size, canvas.width);
    const std::int64_t low = std::min<std::int64_t>(top + size, canvas.height);
    const Rgb color = image.shown(painter.color(ray));
    for (std::int64_t y = std::max<std::int64_t>(top, 0); y < low; ++y) {
      for (std::int64_t x = std::max<std::int64_t>(left, 0); x < right; ++x) {
        float& highest_m = height_m[static_cast<std::size_t>(y * canvas.width + x)];
        if (!(hit.z[ray] > highest_m)) continue;
        highest_m = hit.z[ray];
        image.draw(x, y, color);
      }
    }
  }
}

/// The heading of the sensor from above; empty if it looks straight up or down.
std::optional<double> heading_of(const Pose& world_from_sensor) {
  const Vec3 forward = rotate(world_from_sensor.rotation, {1, 0, 0});
  if (!(norm({forward.x, forward.y, 0}) > 1e-3)) return std::nullopt;
  return math::atan2(forward.y, forward.x);
}

}  // namespace

void write_birds_eye_view(const std::filesystem::path& file, const Frame& frame, ColorBy color, double max_range_m,
                          std::uint32_t pixels, const std::optional<Pose>& world_from_sensor,
                          const PictureLegend& legend) {
  if (!(pixels >= kLeastViewPixels && pixels <= kMostViewPixels)) {
    throw InputError(
        fmt::format("{}: pixels = {} is not in [{}, {}]", file.string(), pixels, kLeastViewPixels, kMostViewPixels));
  }
  const Painter painter(frame, color, max_range_m);
  const Frame::Points hit = frame.hit_world_m();
  const std::vector<std::uint32_t> rays = rays_shown(hit, max_range_m, world_from_sensor);
  MapExtent extent;
  for (const std::uint32_t ray : rays) extent.include(hit.x[ray], hit.y[ray]);
  if (world_from_sensor) extent.include(world_from_sensor->translation_m.x, world_from_sensor->translation_m.y);
  extent.widen(kMinExtentM);
  const MapCanvas canvas = make_canvas(extent, pixels, kFoot);

  const auto draw_plane = [&](Image& image, Lettering& letters) {
    draw_grid(image, canvas);
    draw_points(image, canvas, hit, rays, painter, point_size(rays.size(), pixels));
    if (world_from_sensor) {
      const Vec3& at_m = world_from_sensor->translation_m;
      draw_sensor(image, canvas, at_m.x, at_m.y, heading_of(*world_from_sensor), image.palette.ink);
    }
    draw_scale_bar(image, letters, canvas);
  };
  write_png(file, draw_map_picture(canvas, {"x", "y", "m"}, painter, frame, legend, "", draw_plane));
}

}  // namespace fathom
