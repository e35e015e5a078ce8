// SPDX-License-Identifier: MIT
#include "trace/grid/walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fathom/core/f64.hpp>

namespace fathom {

namespace {

/// kStopHit, kStopMiss, or the code of a rectangle of this one cell.
std::uint16_t stop_code(Cell cell, UnknownCells unknown) {
  constexpr std::uint16_t kPass = 0x0101;
  if (cell == Cell::kOccupied) return kStopHit;
  if (cell == Cell::kFree || unknown == UnknownCells::kFree) return kPass;
  return unknown == UnknownCells::kOccupied ? kStopHit : kStopMiss;
}

/// The quality of a rectangle: the sum over eight directions of the root of the way to its exit. The root, because a
/// jump of twice the length saves less than half of the other jumps.
class Reach {
 public:
  /// For the rectangles in a map of this size.
  Reach(std::uint32_t cols, std::uint32_t rows)
      : stride_(std::min<std::size_t>(rows, kMostSide) + 1),
        table_((std::min<std::size_t>(cols, kMostSide) + 1) * stride_) {
    constexpr int kDirections = 8;
    constexpr double kStep = std::numbers::pi / 2 / kDirections;
    for (int k = 0; k < kDirections; ++k) {
      const math::SinCos64 d = math::sincos((k + 0.5) * kStep);
      for (std::size_t at = 0; at < table_.size(); ++at) {
        const std::size_t across = at / stride_, up = at % stride_;
        const double exit = std::min(static_cast<double>(across) / d.cos, static_cast<double>(up) / d.sin);
        table_[at] += static_cast<float>(std::sqrt(exit));
      }
    }
  }
  [[nodiscard]] float operator()(int across, int up) const {
    return table_[static_cast<std::size_t>(across) * stride_ + static_cast<std::size_t>(up)];
  }

 private:
  std::size_t stride_;
  std::vector<float> table_;
};

/// The rectangles of a plane whose cells hold stop_code(). Candidates are the rectangles of the neighbours ahead,
/// longer by this cell and cut to the empty cells ahead, and these cells alone. The best candidate takes a few steps
/// per cell and is nearly optimal (3.58 jumps instead of 3.57 on a real map).
class RectanglePlane {
 public:
  RectanglePlane(SkipField& field, std::size_t plane, const Reach& reach)
      : field_(field), codes_(field.codes.data() + plane * field.plane_cells), reach_(reach), run_up_(field.cols) {}

  void grow() {
    for (auto y = static_cast<std::int32_t>(field_.rows) - 1; y >= 0; --y) {
      int run_across = 0;
      for (auto x = static_cast<std::int32_t>(field_.cols) - 1; x >= 0; --x) {
        int& run_up = run_up_[static_cast<std::size_t>(x)];
        std::uint16_t* cell = codes_ + field_.cell(x, y);
        const bool is_stop = across_of(*cell) == 0;
        run_across = is_stop ? 0 : std::min(run_across + 1, kMostSide);
        run_up = is_stop ? 0 : std::min(run_up + 1, kMostSide);
        if (!is_stop) *cell = best_of(cell[1], cell[field_.stride], run_across, run_up);
      }
    }
  }

 private:
  /// From the neighbours along the row and along the column; run_across and run_up: empty cells ahead.
  [[nodiscard]] std::uint16_t best_of(std::uint16_t along_row, std::uint16_t along_column, int run_across,
                                      int run_up) const {
    int across = run_across, up = 1;
    float most = reach_(across, up);
    const auto consider = [&](int other_across, int other_up) {
      const float reach = reach_(other_across, other_up);
      if (!(reach > most)) return;
      most = reach, across = other_across, up = other_up;
    };
    consider(1, run_up);
    if (run_across > 1) consider(std::min(across_of(along_row) + 1, kMostSide), std::min(up_of(along_row), run_up));
    if (run_up > 1) {
      consider(std::min(across_of(along_column), run_across), std::min(up_of(along_column) + 1, kMostSide));
    }
    return static_cast<std::uint16_t>(across | up << 8);
  }

  SkipField& field_;
  std::uint16_t* codes_;
  const Reach& reach_;
  std::vector<int> run_up_;  // of each column, in the last row
};

}  // namespace

SkipField make_skip_field(const GridMap& map, UnknownCells unknown) {
  SkipField field;
  field.rows = map.rows;
  field.cols = map.cols;
  field.stride = map.cols + 2;
  field.plane_cells = std::size_t{map.rows + 2} * field.stride;
  field.codes.assign(4 * field.plane_cells + 1, kStopMiss);
  const Reach reach(map.cols, map.rows);
  for (std::size_t plane = 0; plane < 4; ++plane) {
    for (std::uint32_t y = 0; y < map.rows; ++y) {
      for (std::uint32_t x = 0; x < map.cols; ++x) {
        const std::int32_t at =
            field.cell(static_cast<std::int32_t>(x), static_cast<std::int32_t>(y), (plane & 1) != 0, (plane & 2) != 0);
        field.codes[static_cast<std::size_t>(at)] = stop_code(map.cells[std::size_t{y} * map.cols + x], unknown);
      }
    }
    RectanglePlane(field, plane, reach).grow();
  }
  return field;
}

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
  // Mirrored like planes, so that the ray runs towards larger x and y; i and j count cells from the first one.
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
