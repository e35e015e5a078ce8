// SPDX-License-Identifier: MIT
#pragma once
// Images of disparities for the tests of matching windows, and their rule in double precision, straight from its
// definition (fathom/noise/matching_window.hpp).

#include <fathom/noise/matching_window.hpp>

#include "support/expect.hpp"

namespace fathom::test {

struct Disparities {
  std::uint32_t rows, cols;
  std::vector<float> px;  // 0: no valid pixel

  [[nodiscard]] WindowImage image() const { return {px.data(), rows, cols}; }
  [[nodiscard]] float at(std::uint32_t row, std::uint32_t col) const { return px[std::size_t{row} * cols + col]; }
};

/// Slanted rectangles, one before the other, with holes.
inline Disparities any_disparities(std::uint32_t rows, std::uint32_t cols, std::uint32_t seed, double holes) {
  std::mt19937 random(seed);
  const auto real = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) * 0x1p-32;
  };
  const auto below = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); };
  Disparities d{rows, cols, std::vector<float>(std::size_t{rows} * cols)};
  const int patches = 1 + static_cast<int>(random() % 6);
  for (int patch = 0; patch < patches; ++patch) {
    const double level = real(3, 60), across = real(-0.4, 0.4), down = real(-0.4, 0.4), bend = real(-0.02, 0.02);
    const std::uint32_t top = patch == 0 ? 0 : below(rows), left = patch == 0 ? 0 : below(cols);
    const std::uint32_t bottom = patch == 0 ? rows : top + 1 + below(rows);
    const std::uint32_t right = patch == 0 ? cols : left + 1 + below(cols);
    for (std::uint32_t v = top; v < std::min(bottom, rows); ++v) {
      for (std::uint32_t u = left; u < std::min(right, cols); ++u) {
        const double x = u, y = v, there = level + across * x + down * y + bend * (x - 10) * (x - 10);
        float& px = d.px[std::size_t{v} * cols + u];
        px = std::max(px, static_cast<float>(std::max(there, 0.0)));
      }
    }
  }
  for (float& px : d.px) px = real(0, 1) < holes ? 0.0F : px;
  return d;
}

/// A pixel by the definition. No value: too close to call, because a step or a share is within rounding of its limit.
struct ExpectedPixel {
  double disparity_px;
  std::uint32_t taken;
  Reason reason;
};

namespace detail {

struct WindowPoint {
  double u, v, d;
  std::uint32_t place;
};

/// Solves the plane through the points at (0, 0): least squares about their centroid, by the pseudo-inverse of the
/// covariance through its eigenvectors. So points on a line need no extra rule.
inline double plane_by_eigenvectors(const std::vector<WindowPoint>& points) {
  const auto n = static_cast<double>(points.size());
  double mu = 0, mv = 0, md = 0;
  for (const WindowPoint& p : points) mu += p.u / n, mv += p.v / n, md += p.d / n;
  double a = 0, b = 0, c = 0, x = 0, y = 0;
  for (const WindowPoint& p : points) {
    const double u = p.u - mu, v = p.v - mv, d = p.d - md;
    a += u * u, b += v * v, c += u * v, x += u * d, y += v * d;
  }
  const double mean = (a + b) / 2, spread = std::hypot((a - b) / 2, c), angle = 0.5 * std::atan2(2 * c, a - b);
  double across = 0, down = 0;
  for (const double sign : {1.0, -1.0}) {
    const double value = mean + sign * spread, turn = sign > 0 ? angle : angle + std::acos(-1.0) / 2;
    if (!(value > 1e-9 * (a + b) && value > 1e-9)) continue;
    const double along = (std::cos(turn) * x + std::sin(turn) * y) / value;
    across += along * std::cos(turn), down += along * std::sin(turn);
  }
  return md - across * mu - down * mv;
}

}  // namespace detail

inline std::optional<ExpectedPixel> expected_pixel(const WindowRule& rule, const Disparities& image, std::uint32_t row,
                                                   std::uint32_t col) {
  using detail::WindowPoint;
  std::vector<WindowPoint> points;
  for (std::int64_t v = -rule.radius_px; v <= rule.radius_px; ++v) {
    for (std::int64_t u = -rule.radius_px; u <= rule.radius_px; ++u) {
      const std::int64_t r = row + v, c = col + u;
      if (r < 0 || c < 0 || r >= image.rows || c >= image.cols) continue;
      const auto place = static_cast<std::uint32_t>(r * image.cols + c);
      const double d = image.px[place];
      if (d > 0) points.push_back({static_cast<double>(u), static_cast<double>(v), d, place});
    }
  }
  std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.d > b.d; });
  const double step = rule.max_step_px, n = static_cast<double>(points.size());
  std::vector<std::vector<WindowPoint>> surfaces;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double gap = i == 0 ? 0 : points[i - 1].d - points[i].d;
    if (std::abs(gap - step) < 1e-5 * (1 + points[i].d)) return std::nullopt;
    if (i == 0 || gap > step) surfaces.emplace_back();
    surfaces.back().push_back(points[i]);
  }
  std::vector<const std::vector<WindowPoint>*> candidates;
  for (const auto& surface : surfaces) {
    const auto count = static_cast<double>(surface.size());
    if (std::abs(count - rule.share * n) < 1e-4 || std::abs(count - rule.sure_share * n) < 1e-4) return std::nullopt;
    if (count > rule.share * n) candidates.push_back(&surface);
  }
  const std::uint32_t own = row * image.cols + col;
  const ExpectedPixel lost = {0, own, Reason::kEdge};
  if (candidates.empty()) return lost;
  double d = detail::plane_by_eigenvectors(*candidates[0]);
  if (static_cast<double>(candidates[0]->size()) < rule.sure_share * n) {
    if (!rule.flying || candidates.size() < 2) return lost;
    d = (d + detail::plane_by_eigenvectors(*candidates[1])) / 2;
  }
  if (std::abs(d) < 1e-3) return std::nullopt;
  if (d < 0) return lost;
  const auto distance = [&](const WindowPoint& p) { return p.u * p.u + p.v * p.v; };
  const WindowPoint nearest =
      *std::min_element(candidates[0]->begin(), candidates[0]->end(), [&](const WindowPoint& a, const WindowPoint& b) {
        return distance(a) != distance(b) ? distance(a) < distance(b) : a.place < b.place;
      });
  return ExpectedPixel{d, nearest.place, Reason::kHit};
}

}  // namespace fathom::test
