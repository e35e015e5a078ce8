// SPDX-License-Identifier: MIT
#include "grid/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fathom {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double result(std::uint16_t code, double t, double t_max) { return code == kStopHit && t < t_max ? t : t_max; }

}  // namespace

double walk_cells(const SkipField& field, const GridPose& pose, double dx, double dy, double t_max) {
  if (!pose.inside) return t_max;
  std::int32_t x = pose.cell_x, y = pose.cell_y;
  double t = 0.0;
  for (;;) {
    const std::uint16_t code = field.codes[static_cast<std::size_t>(field.cell(x, y))];
    if (across_of(code) == 0 || t >= t_max) return result(code, t, t_max);
    const double tx = dx > 0.0 ? (x + 1 - pose.x) / dx : dx < 0.0 ? (x - pose.x) / dx : kNever;
    const double ty = dy > 0.0 ? (y + 1 - pose.y) / dy : dy < 0.0 ? (y - pose.y) / dy : kNever;
    t = std::min(tx, ty);
    if (tx < ty) {
      x += dx > 0.0 ? 1 : -1;
    } else {
      y += dy > 0.0 ? 1 : -1;
    }
  }
}

double walk_rectangles(const SkipField& field, const GridPose& pose, double dx, double dy, double t_max) {
  if (!pose.inside) return t_max;
  // Mirrored, as planes are, so that the ray runs towards larger x and y; i and j count cells from the first one.
  const bool flip_x = dx < 0.0, flip_y = dy < 0.0;
  const double fx = pose.x - pose.cell_x, fy = pose.y - pose.cell_y;
  const double px = flip_x ? 1.0 - fx : fx, py = flip_y ? 1.0 - fy : fy;
  const double ax = std::abs(dx), ay = std::abs(dy);
  const std::uint16_t* origin = field.codes.data() + field.cell(pose.cell_x, pose.cell_y, flip_x, flip_y);
  std::int64_t i = 0, j = 0;
  double t = 0.0;
  for (;;) {
    const std::uint16_t code = origin[i + j * std::int64_t{field.stride}];
    const std::int64_t across = across_of(code), up = up_of(code);
    if (across == 0 || t >= t_max) return result(code, t, t_max);
    const double tx = ax > 0.0 ? (static_cast<double>(i + across) - px) / ax : kNever;
    const double ty = ay > 0.0 ? (static_cast<double>(j + up) - py) / ay : kNever;
    t = std::min(tx, ty);
    if (t >= t_max) return t_max;
    if (tx < ty) {
      i += across;
      j = std::clamp(static_cast<std::int64_t>(py + t * ay), j, j + up - 1);
    } else {
      j += up;
      i = std::clamp(static_cast<std::int64_t>(px + t * ax), i, i + across - 1);
    }
  }
}

}  // namespace fathom
