// SPDX-License-Identifier: MIT
#include "simulate/plain_windows.hpp"

#include <algorithm>
#include <cmath>

#include <fathom/math/trigonometry.hpp>

#include "calibrate/turned_surface.hpp"
#include "simulate/shown_surface.hpp"

namespace fathom {

namespace {

constexpr double kSameNormal = 1e-4;  // rad

/// What the nominal rays of a frame meet.
class MetPlanes {
 public:
  MetPlanes(const TurnedRays& rays, const Frame& truth) : rays_(rays), truth_(truth) {}

  /// Whether two rays meet the same plane, of the same material.
  [[nodiscard]] bool are_one(std::size_t i, std::size_t j) const {
    const TurnedSurface surface = at(i);
    const Vector64 turn = cross(surface.normal, at(j).normal);
    if (dot(turn, turn) > kSameNormal * kSameNormal) return false;
    const auto hit = hit_of(rays_, j, surface, RayTurner(), false);
    return hit && shows(surface, *hit, range_m(j), double{truth_.energy()[j]});
  }
  /// Between two rays, rad.
  [[nodiscard]] double angle(std::size_t i, std::size_t j) const {
    const Vector64 across = cross(direction(i), direction(j));
    return std::sqrt(dot(across, across));
  }

 private:
  [[nodiscard]] double range_m(std::size_t i) const { return double{truth_.clean_range_m()[i]}; }
  [[nodiscard]] TurnedSurface at(std::size_t i) const {
    TurnedSurface surface = own_surface(rays_, i, range_m(i));
    surface.energy = double{truth_.energy()[i]} / std::max(1e-6, math::cos(double{truth_.incidence_rad()[i]}));
    return surface;
  }
  [[nodiscard]] Vector64 direction(std::size_t i) const {
    return {double{rays_.direction_x[i]}, double{rays_.direction_y[i]}, double{rays_.direction_z[i]}};
  }

  const TurnedRays& rays_;
  const Frame& truth_;
};

/// A rectangle of pixels; it may reach beyond the image.
struct Surroundings {
  std::int64_t top, left, bottom, right;  // the last two not in it
};

}  // namespace

void PlainWindows::find(const PatternShape& shape, const TurnedRays& rays, const Frame& truth,
                        const std::vector<std::uint8_t>& usable) {
  const MetPlanes planes(rays, truth);
  const std::size_t rows = shape.rows, cols = shape.cols, stride = cols + 1;
  const auto is_break = [&](std::size_t i, std::size_t j) { return usable[j] == 0 || !planes.are_one(i, j); };
  breaks_.assign((rows + 1) * stride, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols; ++col) {
      const std::size_t i = row * cols + col, at = row * stride + col;
      const bool breaks =
          usable[i] == 0 || (col + 1 < cols && is_break(i, i + 1)) || (row + 1 < rows && is_break(i, i + cols));
      breaks_[at + stride + 1] = breaks_[at + stride] + breaks_[at + 1] - breaks_[at] + (breaks ? 1 : 0);
    }
  }
  // How many pixels lie within the reach, by how far the next ones of the row and the column are.
  const auto margin = [&](std::size_t i, std::size_t next) {
    const double angle = planes.angle(i, next);
    return static_cast<std::int64_t>(radius_px_ + std::ceil(std::min(reach_rad_ / angle, 1e6)));
  };
  is_plain_.assign(rows * cols, 0);
  for (std::size_t row = 0; row + 1 < rows; ++row) {
    for (std::size_t col = 0; col + 1 < cols; ++col) {
      const std::size_t i = row * cols + col;
      if (usable[i] == 0) continue;
      const std::int64_t down = margin(i, i + cols), across = margin(i, i + 1);
      const auto r = static_cast<std::int64_t>(row), c = static_cast<std::int64_t>(col);
      const Surroundings s = {r - down, c - across, r + down + 1, c + across + 1};
      if (s.top < 0 || s.left < 0 || s.bottom > static_cast<std::int64_t>(rows) ||
          s.right > static_cast<std::int64_t>(cols)) {
        continue;
      }
      const auto sum = [&](std::int64_t row_end, std::int64_t col_end) {
        return breaks_[static_cast<std::size_t>(row_end) * stride + static_cast<std::size_t>(col_end)];
      };
      const std::uint32_t inside =
          sum(s.bottom, s.right) - sum(s.top, s.right) - sum(s.bottom, s.left) + sum(s.top, s.left);
      is_plain_[i] = inside == 0 ? 1 : 0;
    }
  }
}

}  // namespace fathom
