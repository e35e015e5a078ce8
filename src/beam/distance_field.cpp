// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/likelihood_field.hpp>
#include <fathom/math/trigonometry.hpp>

namespace fathom {

namespace {

/// The lower envelope of parabolas with their feet at the columns of a row.
class Envelope {
 public:
  explicit Envelope(std::size_t cols) : foot_(cols), from_(cols + 1) {}

  /// `height` [cols]: squared distances along the columns, `far` where there is none. Writes the least of
  /// height[q] + (c - q)^2 over q, or `far` where that is less.
  void lower(const std::vector<std::uint32_t>& height, std::uint32_t far, std::uint32_t* out) {
    std::size_t count = 0;
    for (std::size_t q = 0; q < height.size(); ++q) {
      if (height[q] < far) count = add(height, q, count);
    }
    std::size_t k = 0;
    for (std::size_t c = 0; c < height.size(); ++c) {
      if (count == 0) {
        out[c] = far;
        continue;
      }
      while (k + 1 < count && from_[k + 1] < static_cast<double>(c)) ++k;
      const std::uint64_t apart = c > foot_[k] ? c - foot_[k] : foot_[k] - c;
      out[c] = static_cast<std::uint32_t>(std::min<std::uint64_t>(far, height[foot_[k]] + apart * apart));
    }
  }

 private:
  std::size_t add(const std::vector<std::uint32_t>& height, std::size_t q, std::size_t count) {
    double from = -std::numeric_limits<double>::infinity();
    for (; count > 0; --count) {
      const auto a = static_cast<double>(foot_[count - 1]), b = static_cast<double>(q);
      from = (height[q] + b * b - height[foot_[count - 1]] - a * a) / (2.0 * (b - a));
      if (from > from_[count - 1]) break;
      from = -std::numeric_limits<double>::infinity();
    }
    foot_[count] = q;
    from_[count] = from;
    return count + 1;
  }

  std::vector<std::size_t> foot_;
  std::vector<double> from_;  // where a parabola becomes the lowest
};

/// Writes into `squared` [cols] how far the nearest occupied cell of the same column is, for one row after the other.
class ColumnDistances {
 public:
  ColumnDistances(const GridMap& map, std::uint32_t most) : map_(map), most_(most) {
    above_.assign(std::size_t{map.rows} * map.cols, static_cast<std::uint16_t>(most));
    for (std::uint32_t r = map.rows; r-- > 0;) {
      for (std::uint32_t c = 0; c < map.cols; ++c) {
        const std::size_t at = std::size_t{r} * map.cols + c;
        const std::uint32_t next = r + 1 < map.rows ? std::min(most, std::uint32_t{above_[at + map.cols]} + 1) : most;
        above_[at] = static_cast<std::uint16_t>(map.cells[at] == Cell::kOccupied ? 0 : next);
      }
    }
    below_.assign(map.cols, most);
  }
  /// Rows must come in order.
  void row(std::uint32_t r, std::uint32_t far, std::vector<std::uint32_t>& squared) {
    for (std::uint32_t c = 0; c < map_.cols; ++c) {
      const std::size_t at = std::size_t{r} * map_.cols + c;
      below_[c] = map_.cells[at] == Cell::kOccupied ? 0 : std::min(most_, below_[c] + 1);
      const std::uint32_t nearer = std::min(below_[c], std::uint32_t{above_[at]});
      squared[c] = std::min(far, nearer * nearer);
    }
  }

 private:
  const GridMap& map_;
  std::uint32_t most_;
  std::vector<std::uint16_t> above_;  // [rows, cols]
  std::vector<std::uint32_t> below_;  // [cols]
};

}  // namespace

DistanceField::DistanceField(const GridMap& map, double max_distance_m)
    : resolution_m_(map.resolution_m), max_distance_m_(max_distance_m), rows_(map.rows), cols_(map.cols) {
  validate(map);
  const double cells = max_distance_m / map.resolution_m;
  if (!(max_distance_m > 0.0 && cells <= kMostCells)) {
    throw InputError(Setting{"max_distance_m"},
                     fmt::format(" = {} is not above 0 and at most {:g} m, {} cells of the map", max_distance_m,
                                 kMostCells * map.resolution_m, kMostCells));
  }
  far_ = static_cast<std::uint32_t>(std::ceil(cells * cells));
  const auto [sine, cosine] = math::sincos(map.world_from_map.yaw_rad);
  sin_ = sine, cos_ = cosine, x_m_ = map.world_from_map.x_m, y_m_ = map.world_from_map.y_m;
  std::vector<std::uint32_t> level(std::size_t{rows_} * cols_);
  const auto most = static_cast<std::uint32_t>(std::ceil(cells)) + 1;
  ColumnDistances columns(map, most);
  Envelope envelope(cols_);
  std::vector<std::uint32_t> squared(cols_);
  for (std::uint32_t r = 0; r < rows_; ++r) {
    columns.row(r, far_, squared);
    envelope.lower(squared, far_, level.data() + std::size_t{r} * cols_);
  }
  level_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(level));
}

CellLookup cell_lookup(Localizer localizer) {
  return localizer == Localizer::kBeluga ? CellLookup::kContaining : CellLookup::kRounded;
}

DistanceField DistanceField::looked_up(CellLookup lookup) const {
  DistanceField field = *this;
  field.rounding_ = lookup == CellLookup::kRounded ? 0.5 : 0.0;
  return field;
}

std::uint32_t DistanceField::level_at(double x_m, double y_m) const {
  const double dx = x_m - x_m_, dy = y_m - y_m_;
  const double col = std::floor((cos_ * dx + sin_ * dy) / resolution_m_ + rounding_);
  const double row = std::floor((cos_ * dy - sin_ * dx) / resolution_m_ + rounding_);
  if (!(col >= 0.0 && row >= 0.0 && col < cols_ && row < rows_)) return far_;
  return (*level_)[static_cast<std::size_t>(row) * cols_ + static_cast<std::size_t>(col)];
}

double DistanceField::distance_m(std::uint32_t level) const {
  if (level >= far_) return max_distance_m_;
  return std::min(max_distance_m_, std::sqrt(static_cast<double>(level)) * resolution_m_);
}

}  // namespace fathom
