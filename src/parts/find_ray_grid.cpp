// SPDX-License-Identifier: MIT
#include "parts/find_ray_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "cast/tile.hpp"
#include "parts/ray_layout.hpp"

namespace fathom {

namespace {

/// The longest row that is looked for.
constexpr std::uint32_t kLongestRow = 8192;

class Directions {
 public:
  explicit Directions(std::span<const Matrix34> rays) : rays_(rays) {}

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(rays_.size()); }
  [[nodiscard]] double angle_between(std::uint32_t a, std::uint32_t b) const {
    const Vec3 x = at(a), y = at(b);
    return std::atan2(norm(cross(x, y)), dot(x, y));
  }
  /// Median angle between rays `step` apart, over a sample of the list.
  [[nodiscard]] double typical_step_rad(std::uint32_t step) const {
    constexpr std::uint32_t kSamples = 64;
    std::vector<double> angles;
    // Scattered by the golden ratio: rays at even distances might all lie in one column.
    constexpr std::uint64_t kGolden = 0x9e3779b1U;
    for (std::uint64_t i = 0; i < kSamples; ++i) {
      const auto ray = static_cast<std::uint32_t>(i * kGolden % (size() - step));
      const double angle = angle_between(ray, ray + step);
      angles.push_back(std::isnan(angle) ? std::numbers::pi : angle);
    }
    std::nth_element(angles.begin(), angles.begin() + kSamples / 2, angles.end());
    return angles[kSamples / 2];
  }

 private:
  [[nodiscard]] Vec3 at(std::uint32_t i) const {
    const Matrix34& m = rays_[i];
    return {m[0][2], m[1][2], m[2][2]};
  }

  std::span<const Matrix34> rays_;
};

/// Index of the ray nearest to the first one after the list has left it and come back; 0: it does not come back. It has
/// left after three steps, and is back at half of its greatest distance; the search ends three steps behind the
/// nearest.
std::uint32_t find_return(const Directions& rays, double step_rad) {
  double farthest = 0.0, nearest = std::numeric_limits<double>::infinity();
  std::uint32_t found = 0;
  for (std::uint32_t i = 1; i < std::min(rays.size(), kLongestRow + 4); ++i) {
    const double angle = rays.angle_between(0, i);
    farthest = std::max(farthest, angle);
    const bool back = found != 0 || (farthest > 3.0 * step_rad && angle < 0.5 * farthest);
    if (!back) continue;
    if (angle < nearest) nearest = angle, found = i;
    if (angle > nearest + 3.0 * step_rad) break;
  }
  return found;
}

/// The length near `row` at which rays are nearest to the rays below them. `row` alone may be off by some rays: a full
/// turn also comes back to the first ray's neighbours in its own row.
std::uint32_t settle_row(const Directions& rays, std::uint32_t row) {
  std::uint32_t best = row;
  double best_rad = std::numeric_limits<double>::infinity();
  for (std::uint32_t r = row - 2; r <= row + 2 && r < rays.size(); ++r) {
    const double angle = rays.typical_step_rad(r);
    if (angle < best_rad) best_rad = angle, best = r;
  }
  return best;
}

}  // namespace

RayGrid find_grid(std::span<const Matrix34> sensor_from_ray) {
  const Directions rays(sensor_from_ray);
  if (rays.size() < 2 * kPacketRays) return {};
  const double step_rad = rays.typical_step_rad(1);
  const std::uint32_t near_row = step_rad > 0.0 ? find_return(rays, step_rad) : 0;
  if (near_row < kPacketRays / 2) return {};
  const std::uint32_t row = settle_row(rays, near_row);
  if (rays.size() < 2 * row) return {};
  const RaySteps steps = {step_rad, rays.typical_step_rad(row), rays.size() / row};
  const RayRectangle packet = choose_packet(steps);
  const bool near = steps.rows >= 4 && 3.0 * steps.row_rad <= 0.5 * kCoherentRad;
  if (!near) return {row, packet.rows};
  std::uint32_t rows = std::max(choose_tile(steps, packet).rows, 4U);
  while (rows > 4 && (rows * row > kLongestBand || steps.rows % rows != 0)) rows /= 2;
  return {row, rows};
}

}  // namespace fathom
