// SPDX-License-Identifier: MIT
#include "bench/naive_beam.hpp"

#include <cmath>
#include <cstdint>

namespace fathom::bench {

double naive_cast(const GridMap& map, double x, double y, double dx, double dy, double limit) {
  auto cx = static_cast<std::int64_t>(std::floor(x)), cy = static_cast<std::int64_t>(std::floor(y));
  const double delta_x = dx != 0 ? std::abs(1 / dx) : INFINITY, delta_y = dy != 0 ? std::abs(1 / dy) : INFINITY;
  const int step_x = dx > 0 ? 1 : -1, step_y = dy > 0 ? 1 : -1;
  double next_x = dx != 0 ? (dx > 0 ? std::floor(x) + 1 - x : x - std::floor(x)) * delta_x : INFINITY;
  double next_y = dy != 0 ? (dy > 0 ? std::floor(y) + 1 - y : y - std::floor(y)) * delta_y : INFINITY;
  for (double t = 0; t < limit;) {
    if (cx < 0 || cy < 0 || cx >= map.cols || cy >= map.rows) return limit;
    if (map.cells[static_cast<std::size_t>(cy) * map.cols + static_cast<std::size_t>(cx)] == Cell::kOccupied) return t;
    if (next_x < next_y) {
      t = next_x, next_x += delta_x, cx += step_x;
    } else {
      t = next_y, next_y += delta_y, cy += step_y;
    }
  }
  return limit;
}

double naive_log_density(const BeamParameters& p, double limit_m, double z, double z_star) {
  if (z >= limit_m) return std::log(p.w_max);
  const double s = p.sigma_hit_m, l = p.lambda_short_per_m, root = std::sqrt(2.0), d = (z - z_star) / s;
  const double mass = 0.5 * (std::erf((limit_m - z_star) / s / root) + std::erf(z_star / s / root));
  double f = p.w_hit * std::exp(-0.5 * d * d) / (s * std::sqrt(2 * 3.14159265358979323846)) / mass + p.w_rand / limit_m;
  if (z <= z_star) f += p.w_short * l * std::exp(-l * z) / (1 - std::exp(-l * z_star));
  return std::log(f);
}

}  // namespace fathom::bench
