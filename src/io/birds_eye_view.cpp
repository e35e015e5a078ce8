#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <fathom/error.hpp>
#include <fathom/output.hpp>

#include "io/image.hpp"
#include "io/map_drawing.hpp"
#include "io/painter.hpp"
#include "io/palette.hpp"

namespace fathom {

namespace {

constexpr std::uint32_t kMinPixels = 64, kMaxPixels = 16384;
constexpr double kMinExtentM = 1.0;  // so that a single point does not fill the picture
constexpr double kGridCells = 8.0;   // about so many along the longer side

struct Extent {
  double min_x = std::numeric_limits<double>::infinity(), max_x = -min_x, min_y = min_x, max_y = -min_x;

  void include(double x, double y) {
    min_x = std::min(min_x, x), max_x = std::max(max_x, x);
    min_y = std::min(min_y, y), max_y = std::max(max_y, y);
  }
  void widen() {
    if (!(min_x <= max_x)) min_x = max_x = min_y = max_y = 0.0;
    const double pad_x = std::max(0.0, kMinExtentM - (max_x - min_x)) / 2;
    const double pad_y = std::max(0.0, kMinExtentM - (max_y - min_y)) / 2;
    min_x -= pad_x, max_x += pad_x, min_y -= pad_y, max_y += pad_y;
  }
};

/// The rays whose points are drawn.
std::vector<std::uint32_t> rays_shown(const PointSpan& hit, double max_range_m, const std::optional<Vec3>& sensor) {
  std::vector<std::uint32_t> rays;
  const bool is_clipped = max_range_m > 0.0 && sensor.has_value();
  for (std::size_t i = 0; i < hit.x.size(); ++i) {
    if (!(std::isfinite(hit.x[i]) && std::isfinite(hit.y[i]) && std::isfinite(hit.z[i]))) continue;
    if (is_clipped && norm(Vec3{hit.x[i], hit.y[i], hit.z[i]} - *sensor) > max_range_m) continue;
    rays.push_back(static_cast<std::uint32_t>(i));
  }
  return rays;
}

/// The empty picture: size, place in the world, thickness of strokes.
struct Canvas {
  std::uint32_t width = 0, height = 0, weight = 1;
  MapView view;
};

Canvas make_canvas(const Extent& extent, std::uint32_t pixels) {
  Canvas canvas;
  canvas.weight = std::max(1U, pixels / 512);
  const std::uint32_t margin = pixels / 48, foot = std::min(28 * canvas.weight, pixels / 4);  // foot: the scale bar
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
  return canvas;
}

/// Side of the square that a point becomes: few points are drawn larger.
std::uint32_t point_size(std::size_t points, std::uint32_t pixels) {
  const double share = static_cast<double>(points) / (static_cast<double>(pixels) * pixels);
  return share < 0.02 ? 3 : share < 0.15 ? 2 : 1;
}

/// Draws points as squares; the highest wins, and of equally high ones the first ray.
void draw_points(Image& image, const MapView& view, const PointSpan& hit, std::span<const std::uint32_t> rays,
                 const Painter& painter, std::uint32_t size) {
  std::vector<float> height_m(image.pixels.size(), -std::numeric_limits<float>::infinity());
  for (const std::uint32_t ray : rays) {
    const std::int64_t left = view.column(hit.x[ray]) - (size - 1) / 2, top = view.row(hit.y[ray]) - (size - 1) / 2;
    const Rgb color = painter.color(ray);
    for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min<std::int64_t>(top + size, image.height); ++y) {
      for (std::int64_t x = std::max<std::int64_t>(left, 0); x < std::min<std::int64_t>(left + size, image.width);
           ++x) {
        const auto at = static_cast<std::size_t>(y) * image.width + static_cast<std::size_t>(x);
        if (!(hit.z[ray] > height_m[at])) continue;
        height_m[at] = hit.z[ray], image.pixels[at] = color;
      }
    }
  }
}

}  // namespace

void write_birds_eye_view(const std::filesystem::path& file, const Frame& frame, ColorBy color, double max_range_m,
                          std::uint32_t pixels, const std::optional<Vec3>& sensor_position_m) {
  if (!(pixels >= kMinPixels && pixels <= kMaxPixels)) {
    throw InputError(fmt::format("{}: pixels = {} is not in [{}, {}]", file.string(), pixels, kMinPixels, kMaxPixels));
  }
  const Painter painter(frame, color, max_range_m);
  const PointSpan hit = frame.hit_world_m();
  const std::vector<std::uint32_t> rays = rays_shown(hit, max_range_m, sensor_position_m);
  Extent extent;
  for (const std::uint32_t ray : rays) extent.include(hit.x[ray], hit.y[ray]);
  if (sensor_position_m) extent.include(sensor_position_m->x, sensor_position_m->y);
  extent.widen();
  const Canvas canvas = make_canvas(extent, pixels);
  const double step_m = round_length(canvas.view.m_per_pixel * std::max(canvas.width, canvas.height) / kGridCells / 2);

  Image image(canvas.width, canvas.height, kBackground);
  draw_grid(image, canvas.view, step_m);
  draw_points(image, canvas.view, hit, rays, painter, point_size(rays.size(), pixels));
  if (sensor_position_m) draw_sensor(image, canvas.view, *sensor_position_m, canvas.weight);
  draw_scale_bar(image, canvas.view, step_m, canvas.weight);
  write_png(file, image);
}

}  // namespace fathom
