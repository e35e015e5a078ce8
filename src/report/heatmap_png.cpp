// SPDX-License-Identifier: MIT
// The picture of a heatmap: the map from above, in its own frame, with the likelihood over its free cells.

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/score.hpp>

#include "picture/legend.hpp"
#include "picture/lettering.hpp"
#include "picture/map_drawing.hpp"
#include "picture/painter.hpp"
#include "report/figures.hpp"

namespace fathom {

namespace {

constexpr Rgb kUnknown = {14, 16, 22}, kFree = {30, 33, 43}, kWall = {214, 220, 230};
constexpr Rgb kTruth = {255, 255, 255}, kBest = {64, 224, 255}, kScan = {92, 236, 150};
constexpr std::uint32_t kFine = 2;   // the picture is drawn so much larger and then averaged, for smooth edges
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
    high_ = *std::max_element(values.begin(), values.end());
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

/// The part of the map that is known, with a margin, in metres in its frame.
struct Box {
  double left, bottom, right, top;
};

Box known_part(const GridMap& map) {
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
  const auto metres = [&](double cells) { return cells * map.resolution_m; };
  return {metres(left - margin), metres(bottom - margin), metres(right + margin), metres(top + margin)};
}

class Picture {
 public:
  Picture(const Heatmap& heatmap, const GridMap& map, const HeatmapPicture& options)
      : heatmap_(heatmap), map_(map), options_(options), heat_(heatmap, map), box_(known_part(map)) {
    const double longer = std::max(box_.right - box_.left, box_.top - box_.bottom);
    m_per_pixel_ = longer / options.pixels;
    width_ = pixels(box_.right - box_.left);
    height_ = pixels(box_.top - box_.bottom);
    unit_ = std::max(1U, (options.pixels + 400) / 800);
  }

  Image draw() const {
    Image fine(width_ * kFine, height_ * kFine, kUnknown);
    paint_cells(fine);
    const double dot = 1.1 * unit_;
    for (const Vec3& hit : options_.scan_hits_world) paint_disc(fine, position_of(hit.x, hit.y), dot, kScan);
    if (options_.truth) paint_pose(fine, *options_.truth, kTruth, 7.0 * unit_);
    paint_pose(fine, heatmap_.refined, kBest, 4.0 * unit_);
    Lettering letters(letter_size(options_.pixels, options_.pixels));
    const std::uint32_t width = std::max(width_, legend_width(letters));
    const Legend legend = bar();
    const std::uint32_t foot_top = height_ + legend_height(letters, legend, width);
    Image image(width, foot_top + 2 * letters.line_height(), kUnknown);
    average(fine, image);
    draw_legend(image, letters, legend, 0, height_, width);
    paint_foot(image, letters, foot_top);
    return image;
  }

 private:
  [[nodiscard]] std::uint32_t pixels(double length_m) const {
    return std::max(1U, static_cast<std::uint32_t>(std::lround(length_m / m_per_pixel_)));
  }

  /// World to pixels of the fine picture.
  [[nodiscard]] Point position_of(double x_m, double y_m) const {
    const Point p = into_frame(map_.world_from_map, x_m, y_m);
    return {(p.x - box_.left) / m_per_pixel_ * kFine, (box_.top - p.y) / m_per_pixel_ * kFine};
  }

  [[nodiscard]] Cell cell_at(double x_m, double y_m) const {
    const double c = std::floor(x_m / map_.resolution_m), r = std::floor(y_m / map_.resolution_m);
    if (!(c >= 0 && r >= 0 && c < map_.cols && r < map_.rows)) return Cell::kUnknown;
    return map_.cells[static_cast<std::size_t>(r) * map_.cols + static_cast<std::size_t>(c)];
  }

  void paint_cells(Image& fine) const {
    for (std::uint32_t y = 0; y < fine.height; ++y) {
      for (std::uint32_t x = 0; x < fine.width; ++x) {
        const double x_m = box_.left + (x + 0.5) / kFine * m_per_pixel_;
        const double y_m = box_.top - (y + 0.5) / kFine * m_per_pixel_;
        const Cell cell = cell_at(x_m, y_m);
        if (cell == Cell::kUnknown) continue;
        const double value = cell == Cell::kFree ? heat_.at(x_m, y_m) : 0.0;
        fine.at(x, y) = cell == Cell::kOccupied ? kWall : std::isfinite(value) ? heat_.color(value) : kFree;
      }
    }
  }

  /// Sizes in pixels of the finished picture.
  static void paint_disc(Image& fine, Point at, double radius, Rgb color) {
    const double r = radius * kFine;
    for (auto y = static_cast<std::int64_t>(at.y - r) - 1; y <= static_cast<std::int64_t>(at.y + r) + 1; ++y) {
      for (auto x = static_cast<std::int64_t>(at.x - r) - 1; x <= static_cast<std::int64_t>(at.x + r) + 1; ++x) {
        const double dx = static_cast<double>(x) + 0.5 - at.x, dy = static_cast<double>(y) + 0.5 - at.y;
        if (dx * dx + dy * dy <= r * r) fine.draw(x, y, color);
      }
    }
  }

  static void paint_ring(Image& fine, Point at, double radius, double stroke, Rgb color) {
    const double outer = radius * kFine, inner = (radius - stroke) * kFine;
    const auto reach = static_cast<std::int64_t>(outer) + 1;
    for (std::int64_t dy = -reach; dy <= reach; ++dy) {
      for (std::int64_t dx = -reach; dx <= reach; ++dx) {
        const double d = std::sqrt(static_cast<double>(dx * dx + dy * dy));
        if (d > outer || d < inner) continue;
        fine.draw(static_cast<std::int64_t>(at.x) + dx, static_cast<std::int64_t>(at.y) + dy, color);
      }
    }
  }

  /// A ring with a stroke towards the heading, both on a dark rim.
  void paint_pose(Image& fine, const PlanarPose& pose, Rgb color, double radius) const {
    const Point at = position_of(pose.x_m, pose.y_m);
    const double heading = pose.yaw_rad - map_.world_from_map.yaw_rad, stroke = std::max(1.5, 0.22 * radius);
    for (const bool rim : {true, false}) {
      const double extra = rim ? 0.8 * unit_ : 0.0;
      const Rgb ink = rim ? kUnknown : color;
      paint_ring(fine, at, radius + extra, stroke + 2 * extra, ink);
      for (double d = radius; d <= 2.4 * radius; d += 0.25) {
        paint_disc(fine, {at.x + std::cos(heading) * d * kFine, at.y - std::sin(heading) * d * kFine},
                   stroke / 2 + extra, ink);
      }
    }
  }

  static void average(const Image& fine, Image& image) {
    for (std::uint32_t y = 0; y < fine.height / kFine; ++y) {
      for (std::uint32_t x = 0; x < fine.width / kFine; ++x) {
        std::array<unsigned, 3> sum = {};
        for (std::uint32_t i = 0; i < kFine * kFine; ++i) {
          const Rgb& p = fine.pixels[std::size_t{y * kFine + i / kFine} * fine.width + x * kFine + i % kFine];
          for (std::size_t k = 0; k < 3; ++k) sum[k] += p[k];
        }
        for (std::size_t k = 0; k < 3; ++k) {
          image.at(x, y)[k] = static_cast<std::uint8_t>((sum[k] + kFine * kFine / 2) / (kFine * kFine));
        }
      }
    }
  }

  [[nodiscard]] ColorBar bar() const {
    ColorBar bar;
    bar.title = "log-likelihood per ray";
    bar.note = "of each position at its best heading; the less likely half is darkest";
    bar.low = std::round(heat_.low() * 100) / 100, bar.high = std::round(heat_.high() * 100) / 100;
    bar.color = heat_color;
    return bar;
  }

  /// The scale, and what the marks are.
  void paint_foot(Image& image, Lettering& letters, std::uint32_t top) const {
    const std::uint32_t edge = letters.size() * 3 / 4;
    const double length_m = round_length(letters.size() * 5 * m_per_pixel_);
    std::int64_t x =
        draw_scale_bar(image, letters, edge, top + letters.line_height() / 2, length_m, m_per_pixel_, unit_);
    const auto say = [&](const std::string& text, Rgb color) {
      x += 3 * std::int64_t{letters.size()} / 2;
      letters.draw(image, x, top, text, color);
      x += letters.width(text);
    };
    const std::string readings = options_.scan_hits_world.empty() ? "" : "\u25CF readings";
    say("\u25CB best pose", kBest);
    if (options_.truth) {
      // A long name leaves room for what follows.
      const std::int64_t taken = x + 3 * std::int64_t{letters.size()} + letters.width(readings);
      const std::int64_t room = std::max<std::int64_t>(0, std::int64_t{image.width} - edge - taken);
      say(letters.cut("\u25CB " + options_.truth_name, static_cast<std::uint32_t>(room)), kTruth);
    }
    if (!readings.empty()) say(readings, kScan);
  }

  const Heatmap& heatmap_;
  const GridMap& map_;
  const HeatmapPicture& options_;
  Heat heat_;
  Box box_;
  double m_per_pixel_ = 1.0;
  std::uint32_t width_ = 1, height_ = 1, unit_ = 1;
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
                   const HeatmapPicture& picture) {
  check_heatmap_name(file);
  validate(map);
  constexpr std::uint32_t kLeast = HeatmapPicture::kLeastPixels, kMost = HeatmapPicture::kMostPixels;
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
