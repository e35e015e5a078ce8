// SPDX-License-Identifier: MIT
// The picture of a heatmap: the map from above, in its own frame, with the likelihood over its free cells.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/fit/score.hpp>

#include "fit/report/figures.hpp"
#include "io/picture/legend.hpp"
#include "io/picture/lettering.hpp"
#include "io/picture/map_drawing.hpp"
#include "io/picture/painter.hpp"

namespace fathom {

namespace {

struct HeatmapColors {
  Rgb free, wall, truth, best, scan;
};
constexpr HeatmapColors kOnDark = {.free = {30, 33, 43},
                                   .wall = {214, 220, 230},
                                   .truth = {255, 255, 255},
                                   .best = {64, 224, 255},
                                   .scan = {92, 236, 150}};
constexpr HeatmapColors kOnLight = {
    .free = {233, 237, 242}, .wall = {52, 61, 72}, .truth = {0, 0, 0}, .best = {0, 110, 190}, .scan = {0, 130, 70}};

constexpr double kShownShare = 0.5;  // this share of the positions, the least likely, has the lowest colour

/// Inferno (S. van der Walt and N. Smith, 2015, CC0) at even steps, without its black end.
constexpr std::array<Rgb, 9> kInferno = {{{27, 12, 65},
                                          {66, 10, 104},
                                          {106, 23, 110},
                                          {147, 38, 103},
                                          {188, 55, 84},
                                          {221, 81, 58},
                                          {243, 120, 25},
                                          {252, 165, 10},
                                          {250, 240, 130}}};

/// u = 0: the lowest colour shown, 1: that of the best position. The root spreads the many poor positions.
Rgb heat_color(double u) {
  const double at = std::sqrt(std::clamp(u, 0.0, 1.0)) * (kInferno.size() - 1);
  const std::size_t low = std::min(static_cast<std::size_t>(at), kInferno.size() - 2);
  return mix(kInferno[low], kInferno[low + 1], at - static_cast<double>(low));
}

struct Point {
  double x = 0.0, y = 0.0;
};

/// World to the frame of a map or grid.
Point into_frame(const PlanarPose& world_from_frame, double x, double y) {
  const double c = std::cos(world_from_frame.yaw_rad), s = std::sin(world_from_frame.yaw_rad);
  const double dx = x - world_from_frame.x_m, dy = y - world_from_frame.y_m;
  return {c * dx + s * dy, c * dy - s * dx};
}

/// Log-likelihood per ray between the positions of the grid; NaN far from any.
class Heat {
 public:
  Heat(const Heatmap& heatmap, const GridMap& map)
      : heatmap_(heatmap), rays_(std::max(1.0, static_cast<double>(heatmap.rays))) {
    const PlanarPose& grid = heatmap.grid.world_from_grid;
    origin_ = into_frame(map.world_from_map, grid.x_m, grid.y_m);
    std::vector<double> values;
    for (const double value : heatmap.log_likelihood) {
      if (std::isfinite(value)) values.push_back(value / rays_);
    }
    if (values.empty()) return;
    high_ = std::ranges::max(values);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(kShownShare * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    low_ = std::min(*at, high_ - 1e-9);
  }

  /// Coordinates in the frame of the map.
  [[nodiscard]] double at(double x_m, double y_m) const {
    const double col = (x_m - origin_.x) / heatmap_.grid.spacing_m, row = (y_m - origin_.y) / heatmap_.grid.spacing_m;
    double sum = 0.0, weights = 0.0;
    for (int dr = 0; dr < 2; ++dr) {
      for (int dc = 0; dc < 2; ++dc) {
        const double r = std::floor(row) + dr, c = std::floor(col) + dc;
        if (!(r >= 0 && c >= 0 && r < heatmap_.grid.rows && c < heatmap_.grid.cols)) continue;
        const double value =
            heatmap_.log_likelihood[static_cast<std::size_t>(r) * heatmap_.grid.cols + static_cast<std::size_t>(c)];
        const double weight = (1.0 - std::abs(row - r)) * (1.0 - std::abs(col - c));
        if (!std::isfinite(value)) continue;
        sum += weight * std::max(value / rays_, low_);
        weights += weight;
      }
    }
    return weights > 1e-3 ? sum / weights : std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] Rgb color(double value) const { return heat_color((value - low_) / (high_ - low_)); }
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  const Heatmap& heatmap_;
  double rays_, low_ = 0.0, high_ = 1.0;
  Point origin_;
};

/// The known part of a map, with a margin, in the frame of the map.
MapExtent known_part(const GridMap& map) {
  std::uint32_t left = map.cols, right = 0, bottom = map.rows, top = 0;
  for (std::uint32_t r = 0; r < map.rows; ++r) {
    for (std::uint32_t c = 0; c < map.cols; ++c) {
      if (map.cells[std::size_t{r} * map.cols + c] == Cell::kUnknown) continue;
      left = std::min(left, c), right = std::max(right, c + 1);
      bottom = std::min(bottom, r), top = std::max(top, r + 1);
    }
  }
  if (left >= right) left = bottom = 0, right = map.cols, top = map.rows;
  const double margin = 0.03 * std::max(right - left, top - bottom) + 1.0;
  MapExtent extent;
  extent.include((left - margin) * map.resolution_m, (bottom - margin) * map.resolution_m);
  extent.include((right + margin) * map.resolution_m, (top + margin) * map.resolution_m);
  return extent;
}

MapCanvas canvas_of(const GridMap& map, std::uint32_t pixels) {
  const MapExtent box = known_part(map);
  const double wide_m = box.max_x - box.min_x, high_m = box.max_y - box.min_y;
  const double m_per_pixel = std::max(wide_m, high_m) / pixels;
  const auto in_pixels = [m_per_pixel](double length_m) {
    return std::max(1U, static_cast<std::uint32_t>(std::lround(length_m / m_per_pixel)));
  };
  return {.width = in_pixels(wide_m),
          .height = in_pixels(high_m),
          .weight = std::max(1U, (pixels + 800) / 1600),
          .view = {box.min_x, box.max_y, m_per_pixel}};
}

class Picture {
 public:
  Picture(const Heatmap& heatmap, const GridMap& map, const Heatmap::Picture& options)
      : heatmap_(heatmap),
        map_(map),
        options_(options),
        colors_(options.theme == Theme::kDark ? kOnDark : kOnLight),
        heat_(heatmap, map),
        canvas_(canvas_of(map, options.pixels)) {}

  Image draw() const {
    Lettering letters(letter_size(options_.pixels, options_.pixels));
    const std::uint32_t width = std::max(canvas_.width, legend_width(letters));
    const Legend legend = bar();
    const std::uint32_t foot_top = canvas_.height + legend_height(letters, legend, width);
    Image image(width, foot_top + 2 * letters.line_height(), options_.theme);
    paint_cells(image);
    for (const Vec3& hit : options_.scan_hits_world) paint_hit(image, hit);
    if (options_.truth) paint_pose(image, *options_.truth, 2 * canvas_.weight, colors_.truth);
    paint_pose(image, heatmap_.refined, canvas_.weight, colors_.best);
    // Marks may reach over the border of the map.
    image.fill(canvas_.width, 0, image.width, image.height, image.palette.background);
    image.fill(0, canvas_.height, image.width, image.height, image.palette.background);
    draw_legend(image, letters, legend, 0, canvas_.height, width);
    paint_foot(image, letters, foot_top);
    return image;
  }

 private:
  [[nodiscard]] Cell cell_at(double x_m, double y_m) const {
    const double c = std::floor(x_m / map_.resolution_m), r = std::floor(y_m / map_.resolution_m);
    if (!(c >= 0 && r >= 0 && c < map_.cols && r < map_.rows)) return Cell::kUnknown;
    return map_.cells[static_cast<std::size_t>(r) * map_.cols + static_cast<std::size_t>(c)];
  }

  void paint_cells(Image& image) const {
    for (std::uint32_t y = 0; y < canvas_.height; ++y) {
      for (std::uint32_t x = 0; x < canvas_.width; ++x) {
        const double x_m = canvas_.view.left_m + (x + 0.5) * canvas_.view.m_per_pixel;
        const double y_m = canvas_.view.top_m - (y + 0.5) * canvas_.view.m_per_pixel;
        const Cell cell = cell_at(x_m, y_m);
        if (cell == Cell::kUnknown) continue;
        const double value = cell == Cell::kFree ? heat_.at(x_m, y_m) : 0.0;
        image.at(x, y) = cell == Cell::kOccupied ? colors_.wall
                         : std::isfinite(value)  ? heat_.color(value)
                                                 : colors_.free;
      }
    }
  }

  void paint_hit(Image& image, const Vec3& hit) const {
    const Point at = into_frame(map_.world_from_map, hit.x, hit.y);
    const std::int64_t side = 4 * std::int64_t{canvas_.weight};
    image.fill(canvas_.view.column(at.x) - side / 2, canvas_.view.row(at.y) - side / 2, side, side, colors_.scan);
  }

  void paint_pose(Image& image, const PlanarPose& pose, std::uint32_t weight, Rgb color) const {
    MapCanvas canvas = canvas_;
    canvas.weight = weight;
    const Point at = into_frame(map_.world_from_map, pose.x_m, pose.y_m);
    draw_sensor(image, canvas, at.x, at.y, pose.yaw_rad - map_.world_from_map.yaw_rad, color);
  }

  [[nodiscard]] ColorBar bar() const {
    ColorBar bar;
    bar.title = "log-likelihood per ray";
    bar.note = "of each position at its best heading; the less likely half is darkest";
    bar.low = std::round(heat_.low() * 100) / 100, bar.high = std::round(heat_.high() * 100) / 100;
    bar.color = heat_color;
    return bar;
  }

  /// The scale, and the meaning of the marks.
  void paint_foot(Image& image, Lettering& letters, std::uint32_t top) const {
    const std::uint32_t edge = letters.size() * 3 / 4;
    const double m_per_pixel = canvas_.view.m_per_pixel;
    std::int64_t x = draw_scale_bar(image, letters, edge, top + letters.line_height() / 2,
                                    round_length(letters.size() * 5 * m_per_pixel), m_per_pixel, 2 * canvas_.weight);
    const auto say = [&](const std::string& text, Rgb color) {
      x += 3 * std::int64_t{letters.size()} / 2;
      letters.draw(image, x, top, text, color);
      x += letters.width(text);
    };
    const std::string readings = options_.scan_hits_world.empty() ? "" : "\u25CF readings";
    say("\u25CB best pose", colors_.best);
    if (options_.truth) {
      // A long name leaves room for the text after it.
      const std::int64_t taken = x + 3 * std::int64_t{letters.size()} + letters.width(readings);
      const std::int64_t room = std::max<std::int64_t>(0, std::int64_t{image.width} - edge - taken);
      say(letters.cut("\u25CB " + options_.truth_name, static_cast<std::uint32_t>(room)), colors_.truth);
    }
    if (!readings.empty()) say(readings, colors_.scan);
  }

  const Heatmap& heatmap_;
  const GridMap& map_;
  const Heatmap::Picture& options_;
  const HeatmapColors& colors_;
  Heat heat_;
  MapCanvas canvas_;
};

}  // namespace

void check_heatmap_name(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".png") return;
  throw InputError(fmt::format("{}: the picture is a PNG; name it .png", file.string()));
}

void write_heatmap(const std::filesystem::path& file, const Heatmap& heatmap, const GridMap& map,
                   const Heatmap::Picture& picture) {
  check_heatmap_name(file);
  validate(map);
  constexpr std::uint32_t kLeast = Heatmap::Picture::kLeastPixels, kMost = Heatmap::Picture::kMostPixels;
  if (!(picture.pixels >= kLeast && picture.pixels <= kMost)) {
    throw InputError(fmt::format("{}: pixels = {} is not in [{}, {}]", file.string(), picture.pixels, kLeast, kMost));
  }
  if (heatmap.log_likelihood.size() != std::size_t{heatmap.grid.rows} * heatmap.grid.cols) {
    throw InputError(fmt::format("{}: {} values for {} x {} positions", file.string(), heatmap.log_likelihood.size(),
                                 heatmap.grid.rows, heatmap.grid.cols));
  }
  write_png(file, Picture(heatmap, map, picture).draw());
}

}  // namespace fathom
