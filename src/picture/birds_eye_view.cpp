// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/math/trigonometry.hpp>

#include "picture/image.hpp"
#include "picture/map_drawing.hpp"
#include "picture/map_picture.hpp"
#include "picture/painter.hpp"
#include "picture/palette.hpp"

namespace fathom {

namespace {

constexpr double kMinExtentM = 1.0;
constexpr std::uint32_t kFoot = 28;  // pixels below the points for the scale bar, at weight 1

/// The rays whose points are drawn.
std::vector<std::uint32_t> rays_shown(const PointSpan& hit, double max_range_m, const std::optional<Pose>& sensor) {
  std::vector<std::uint32_t> rays;
  const bool is_clipped = max_range_m > 0.0 && sensor.has_value();
  for (std::size_t i = 0; i < hit.x.size(); ++i) {
    if (!(std::isfinite(hit.x[i]) && std::isfinite(hit.y[i]) && std::isfinite(hit.z[i]))) continue;
    if (is_clipped && norm(Vec3{hit.x[i], hit.y[i], hit.z[i]} - sensor->translation_m) > max_range_m) continue;
    rays.push_back(static_cast<std::uint32_t>(i));
  }
  return rays;
}

/// Draws points as squares; the highest wins, and of equally high ones the first ray.
void draw_points(Image& image, const MapCanvas& canvas, const PointSpan& hit, std::span<const std::uint32_t> rays,
                 const Painter& painter, std::uint32_t size) {
  std::vector<float> height_m(std::size_t{canvas.width} * canvas.height, -std::numeric_limits<float>::infinity());
  for (const std::uint32_t ray : rays) {
    const std::int64_t left = canvas.view.column(hit.x[ray]) - (size - 1) / 2;
    const std::int64_t top = canvas.view.row(hit.y[ray]) - (size - 1) / 2;
    const std::int64_t right = std::min<std::int64_t>(left + size, canvas.width);
    const std::int64_t low = std::min<std::int64_t>(top + size, canvas.height);
    const Rgb color = painter.color(ray);
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

/// Which way the sensor looks from above; nothing when it looks straight up or down.
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
  const PointSpan hit = frame.hit_world_m();
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
      draw_sensor(image, canvas, at_m.x, at_m.y, heading_of(*world_from_sensor));
    }
    draw_scale_bar(image, letters, canvas);
  };
  write_png(file, draw_map_picture(canvas, {"x", "y", "m"}, painter, frame, legend, "", draw_plane));
}

}  // namespace fathom
