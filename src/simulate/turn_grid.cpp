// SPDX-License-Identifier: MIT
#include "simulate/turn_grid.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/math/trigonometry.hpp>

namespace fathom {

namespace {

constexpr double kWholeTurnRad = 2.0 * std::numbers::pi;
constexpr double kSameAzimuthRad = 1e-5, kMostSame = 0.01;
constexpr double kLowStep = 0.1;  // quantile of what neighbours of a row are apart, most of which are a step
constexpr int kStepRounds = 8, kMostStepsOn = 3;
constexpr double kStepOff = 0.3;                       // of a step, of what tells it
constexpr double kBesideSteps = 1.5;                   // to the point of another row that one is laid over
constexpr double kApartSteps = 0.35;                   // between columns, at least
constexpr double kWidestSteps = 0.6;                   // a column
constexpr double kFaultSteps = 0.25, kFarSteps = 8.0;  // a gap is of whole steps, to that; a wider one of any size
constexpr double kLeastOnGrid = 0.9;                   // of the points
constexpr double kFewSteps = 20.0, kCellRad = 0.01;    // a step of which is not told

double in_turn(double azimuth_rad) {
  return azimuth_rad - kWholeTurnRad * std::floor((azimuth_rad + std::numbers::pi) / kWholeTurnRad);
}

class TurnFinder {
 public:
  TurnFinder(std::span<const TurnPoint> points, std::span<const double> nominal_rad)
      : points_(points), nominal_rad_(nominal_rad), of_row_(nominal_rad.size()) {
    for (const TurnPoint& p : points) of_row_[p.row].push_back(p.azimuth_rad);
    for (std::vector<double>& row : of_row_) std::sort(row.begin(), row.end());
    grid_.row_offset_rad.assign(of_row_.size(), 0.0), grid_.column.resize(points.size());
  }

  TurnGrid find() {
    find_step();
    find_offsets();
    if (!points_.empty()) find_columns();
    if (!grid_.is_regular) take_cells();
    return std::move(grid_);
  }

 private:
  /// What neighbours of a row are apart, sorted, without those at one azimuth.
  std::vector<double> apart() const {
    std::vector<double> apart;
    std::size_t same = 0;
    for (const std::vector<double>& row : of_row_) {
      for (std::size_t i = 1; i < row.size(); ++i) {
        const double off = row[i] - row[i - 1];
        same += off < kSameAzimuthRad ? 1 : 0;
        if (off >= kSameAzimuthRad) apart.push_back(off);
      }
    }
    if (static_cast<double>(same) > kMostSame * static_cast<double>(points_.size())) {
      throw InputError(fmt::format(
          "{} of {} points have another one of their ring at their azimuth: several returns of a ray are not taken",
          same, points_.size()));
    }
    std::sort(apart.begin(), apart.end());
    return apart;
  }

  void find_step() {
    const std::vector<double> off = apart();
    const auto count = static_cast<double>(off.size());
    grid_.step_rad = cell_rad_ = kCellRad;
    if (count < kFewSteps) return;
    double step = off[static_cast<std::size_t>(kLowStep * count)];
    for (int round = 0; round < kStepRounds; ++round) {
      double sum = 0.0, steps = 0.0;
      for (const double d : off) {
        const double n = std::round(d / step);
        if (n < 1.0 || n > kMostStepsOn || std::abs(d / step - n) > kStepOff) continue;
        sum += d, steps += n;
      }
      if (steps > 0.0) step = sum / steps;
    }
    grid_.step_rad = step, cell_rad_ = std::max(step, off[off.size() / 2]);
  }

  /// By the mean direction of where in a step points lie beside those of the fullest row.
  void find_offsets() {
    const auto fullest = std::max_element(of_row_.begin(), of_row_.end(),
                                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const auto first = static_cast<std::size_t>(fullest - of_row_.begin());
    for (std::size_t row = 0; row < of_row_.size(); ++row) {
      double cosines = 0.0, sines = 0.0;
      for (const double azimuth : of_row_[row]) {
        const auto above = std::lower_bound(fullest->begin(), fullest->end(), azimuth);
        double off = above != fullest->end() ? azimuth - *above : -kWholeTurnRad;
        if (above != fullest->begin() && azimuth - *(above - 1) < -off) off = azimuth - *(above - 1);
        if (std::abs(off) > kBesideSteps * grid_.step_rad) continue;
        const math::SinCos64 phase = math::sincos(kWholeTurnRad * off / grid_.step_rad);
        cosines += phase.cos, sines += phase.sin;
      }
      if (cosines != 0.0 || sines != 0.0) {
        const double nominal = in_turn(nominal_rad_[row] - nominal_rad_[first]);
        double& offset = grid_.row_offset_rad[row];
        offset = math::atan2(sines, cosines) / kWholeTurnRad * grid_.step_rad;
        if (std::abs(nominal) < grid_.step_rad) {
          offset += grid_.step_rad * std::round((nominal - offset) / grid_.step_rad);
        }
      }
    }
  }

  /// Points of a column.
  struct Firing {
    double azimuth_rad = 0.0;
    std::vector<std::size_t> points;
    bool is_whole = true;  ///< it is one firing, by itself
  };

  /// Points in the order of their columns, which begin between two.
  std::vector<std::pair<double, std::size_t>> in_order() const {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      order.emplace_back(in_turn(points_[i].azimuth_rad - grid_.row_offset_rad[points_[i].row]), i);
    }
    std::sort(order.begin(), order.end());
    std::size_t first = 0;
    const double wide = kApartSteps * grid_.step_rad;
    if (order.front().first + kWholeTurnRad - order.back().first <= wide) {
      while (first + 1 < order.size() && order[first + 1].first - order[first].first <= wide) ++first;
      ++first;
    }
    for (std::size_t i = 0; i < first; ++i) order[i].first += kWholeTurnRad;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
    return order;
  }

  std::vector<Firing> firings() const {
    std::vector<Firing> all;
    double first = 0.0, last = 0.0;
    std::vector<std::size_t> seen(of_row_.size(), points_.size());  // the last column with the row
    for (const auto& [azimuth, i] : in_order()) {
      if (all.empty() || azimuth - last > kApartSteps * grid_.step_rad) all.emplace_back(), first = azimuth;
      Firing& firing = all.back();
      std::size_t& of_row = seen[points_[i].row];
      if (of_row == all.size() || azimuth - first > kWidestSteps * grid_.step_rad) firing.is_whole = false;
      of_row = all.size(), last = azimuth;
      firing.azimuth_rad += azimuth, firing.points.push_back(i);
    }
    for (Firing& firing : all) firing.azimuth_rad /= static_cast<double>(firing.points.size());
    return all;
  }

  [[nodiscard]] bool is_fault(double gap_rad) const {
    const double steps = gap_rad / grid_.step_rad, whole = std::round(steps);
    return steps < kFarSteps && (whole < 1.0 || std::abs(steps - whole) > kFaultSteps);
  }

  void find_columns() {
    std::vector<Firing> all = firings();
    std::vector<std::uint8_t> is_beside_fault(all.size(), 0);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::size_t next = (k + 1) % all.size();
      const double gap = all[next].azimuth_rad - all[k].azimuth_rad + (next == 0 ? kWholeTurnRad : 0.0);
      if (is_fault(gap)) is_beside_fault[k] = is_beside_fault[next] = 1;
    }
    std::size_t taken = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!all[k].is_whole || is_beside_fault[k] != 0) continue;
      for (const std::size_t i : all[k].points) {
        grid_.column[i] = static_cast<std::uint32_t>(grid_.azimuth_rad.size());
      }
      grid_.azimuth_rad.push_back(all[k].azimuth_rad), taken += all[k].points.size();
    }
    grid_.is_regular = static_cast<double>(taken) >= kLeastOnGrid * static_cast<double>(points_.size());
  }

  void take_cells() {
    grid_.azimuth_rad.clear();
    std::fill(grid_.row_offset_rad.begin(), grid_.row_offset_rad.end(), 0.0);
    std::vector<std::size_t> order(points_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return points_[a].azimuth_rad < points_[b].azimuth_rad; });
    std::vector<std::uint32_t> next(of_row_.size(), 0);
    std::uint32_t cols = 0;
    for (const std::size_t i : order) {
      const double place = (in_turn(points_[i].azimuth_rad) + std::numbers::pi) / cell_rad_;
      const std::uint32_t cell = std::max(next[points_[i].row], static_cast<std::uint32_t>(std::max(0.0, place)));
      grid_.column[i] = cell, next[points_[i].row] = cell + 1, cols = std::max(cols, cell + 1);
    }
    for (std::uint32_t k = 0; k < cols; ++k) {
      grid_.azimuth_rad.push_back((k + 0.5) * cell_rad_ - std::numbers::pi);
    }
  }

  std::span<const TurnPoint> points_;
  std::span<const double> nominal_rad_;
  std::vector<std::vector<double>> of_row_;  ///< azimuths, rising
  TurnGrid grid_;
  double cell_rad_ = 0.0;  ///< where there is no grid
};

}  // namespace

TurnGrid find_turn_grid(std::span<const TurnPoint> points, std::span<const double> row_offset_rad) {
  return TurnFinder(points, row_offset_rad).find();
}

}  // namespace fathom
