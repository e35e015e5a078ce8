// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>

#include "core/errors.hpp"
#include "fit/frames/cloud_frames.hpp"

namespace fathom {

namespace {

constexpr double kRevolutionRad = 2.0 * std::numbers::pi;
constexpr double kSameAzimuthRad = 1e-5, kMostSame = 0.01;
constexpr double kLowStep = 0.1;  // quantile of the distances between neighbours of a row; most are one step
constexpr int kStepRounds = 8, kMostStepsOn = 3;
constexpr double kStepOff = 0.3;                       // of a step: largest error of a distance that counts
constexpr double kBesideSteps = 1.5;                   // to the nearest point of the fullest row
constexpr double kApartSteps = 0.35;                   // between columns, at least
constexpr double kWidestSteps = 0.6;                   // a column
constexpr double kFaultSteps = 0.25, kFarSteps = 8.0;  // gaps up to kFarSteps are whole steps, within kFaultSteps
constexpr double kLeastOnGrid = 0.9;                   // of the points
constexpr double kFewSteps = 20.0, kCellRad = 0.01;    // fewer distances do not determine the step

double wrapped(double azimuth_rad) {
  return azimuth_rad - kRevolutionRad * std::floor((azimuth_rad + std::numbers::pi) / kRevolutionRad);
}

class GridFinder {
 public:
  GridFinder(std::span<const RevolutionPoint> points, std::span<const double> nominal_rad)
      : points_(points), nominal_rad_(nominal_rad), of_row_(nominal_rad.size()) {
    for (const RevolutionPoint& p : points) of_row_[p.row].push_back(p.azimuth_rad);
    for (std::vector<double>& row : of_row_) std::ranges::sort(row);
    grid_.row_offset_rad.assign(of_row_.size(), 0.0), grid_.column.resize(points.size());
  }

  RevolutionGrid find() {
    find_step();
    find_offsets();
    if (!points_.empty()) find_columns();
    if (!grid_.is_regular) take_cells();
    return std::move(grid_);
  }

 private:
  /// The distances between neighbours of a row, sorted, without neighbours at one azimuth.
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
    std::ranges::sort(apart);
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

  /// Averages, as phases of a step, the azimuths between points and the nearest points of the fullest row.
  void find_offsets() {
    const auto fullest = std::ranges::max_element(of_row_, {}, [](const auto& row) { return row.size(); });
    const auto first = static_cast<std::size_t>(fullest - of_row_.begin());
    for (std::size_t row = 0; row < of_row_.size(); ++row) {
      double cosines = 0.0, sines = 0.0;
      for (const double azimuth : of_row_[row]) {
        const auto above = std::lower_bound(fullest->begin(), fullest->end(), azimuth);
        double off = above != fullest->end() ? azimuth - *above : -kRevolutionRad;
        if (above != fullest->begin() && azimuth - *(above - 1) < -off) off = azimuth - *(above - 1);
        if (std::abs(off) > kBesideSteps * grid_.step_rad) continue;
        const math::SinCos64 phase = math::sincos(kRevolutionRad * off / grid_.step_rad);
        cosines += phase.cos, sines += phase.sin;
      }
      if (cosines != 0.0 || sines != 0.0) {
        const double nominal = wrapped(nominal_rad_[row] - nominal_rad_[first]);
        double& offset = grid_.row_offset_rad[row];
        offset = math::atan2(sines, cosines) / kRevolutionRad * grid_.step_rad;
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
    bool is_whole = true;  ///< a single firing
  };

  /// Points in the order of their columns, starting between two columns.
  std::vector<std::pair<double, std::size_t>> in_order() const {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      order.emplace_back(wrapped(points_[i].azimuth_rad - grid_.row_offset_rad[points_[i].row]), i);
    }
    std::ranges::sort(order);
    std::size_t first = 0;
    const double wide = kApartSteps * grid_.step_rad;
    if (order.front().first + kRevolutionRad - order.back().first <= wide) {
      while (first + 1 < order.size() && order[first + 1].first - order[first].first <= wide) ++first;
      ++first;
    }
    for (std::size_t i = 0; i < first; ++i) order[i].first += kRevolutionRad;
    std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(first), order.end());
    return order;
  }

  std::vector<Firing> firings() const {
    std::vector<Firing> all;
    double first = 0.0, last = 0.0;
    std::vector<std::size_t> seen(of_row_.size(), points_.size());  // [row]: the last column with it
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
      const double gap = all[next].azimuth_rad - all[k].azimuth_rad + (next == 0 ? kRevolutionRad : 0.0);
      if (is_fault(gap)) is_beside_fault[k] = is_beside_fault[next] = 1;
    }
    std::size_t taken = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (!all[k].is_whole || is_beside_fault[k] != 0) continue;
      for (const std::size_t i : all[k].points) grid_.column[i] = static_cast<std::uint32_t>(grid_.azimuth_rad.size());
      grid_.azimuth_rad.push_back(all[k].azimuth_rad), taken += all[k].points.size();
    }
    grid_.is_regular = static_cast<double>(taken) >= kLeastOnGrid * static_cast<double>(points_.size());
  }

  void take_cells() {
    grid_.azimuth_rad.clear();
    std::ranges::fill(grid_.row_offset_rad, 0.0);
    std::vector<std::size_t> order(points_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return points_[i].azimuth_rad; });
    std::vector<std::uint32_t> next(of_row_.size(), 0);
    std::uint32_t cols = 0;
    for (const std::size_t i : order) {
      const double place = (wrapped(points_[i].azimuth_rad) + std::numbers::pi) / cell_rad_;
      const std::uint32_t cell = std::max(next[points_[i].row], static_cast<std::uint32_t>(std::max(0.0, place)));
      grid_.column[i] = cell, next[points_[i].row] = cell + 1, cols = std::max(cols, cell + 1);
    }
    for (std::uint32_t k = 0; k < cols; ++k) grid_.azimuth_rad.push_back((k + 0.5) * cell_rad_ - std::numbers::pi);
  }

  std::span<const RevolutionPoint> points_;
  std::span<const double> nominal_rad_;
  std::vector<std::vector<double>> of_row_;  ///< azimuths, rising
  RevolutionGrid grid_;
  double cell_rad_ = 0.0;  ///< width of columns without a grid
};

}  // namespace

RevolutionGrid find_revolution_grid(std::span<const RevolutionPoint> points, std::span<const double> row_offset_rad) {
  return GridFinder(points, row_offset_rad).find();
}

namespace {

/// A cloud and its grid.
struct Revolution {
  std::vector<RevolutionPoint> points;
  RevolutionGrid grid;
};

class RevolutionFrames {
 public:
  RevolutionFrames(std::vector<Revolution> revolutions, const WallSensor& lidar, const RingRows& rows)
      : revolutions_(std::move(revolutions)), rows_(rows), out_{.sensor = lidar, .measured_m = {}} {
    std::size_t cols = 2, regular = 0;
    for (const Revolution& revolution : revolutions_) {
      cols = std::max(cols, revolution.grid.azimuth_rad.size()), regular += revolution.grid.is_regular ? 1 : 0;
    }
    widen(static_cast<std::uint32_t>(cols));
    of_.knows_losses = 2 * regular >= revolutions_.size();
    out_.measured_m.assign(revolutions_.size() * out_.sensor.rays(), std::numeric_limits<float>::quiet_NaN());
    out_.left_out.assign(out_.measured_m.size(), 0);
    of_.azimuth_rad.assign(out_.measured_m.size(), 0.0F), of_.elevation_rad.assign(out_.measured_m.size(), 0.0F);
    of_.why_not.resize(revolutions_.size());
  }

  WallFrames make() {
    for (std::size_t f = 0; f < revolutions_.size(); ++f) {
      const RevolutionGrid& grid = revolutions_[f].grid;
      of_.cols.push_back(static_cast<std::uint32_t>(std::max<std::size_t>(1, grid.azimuth_rad.size())));
      const bool is_left_out = of_.knows_losses && !grid.is_regular && !revolutions_[f].points.empty();
      if (is_left_out) of_.why_not[f] = "its azimuths lie on no regular grid";
      put_nominal(f);
      put_points(f);
      if (of_.knows_losses) leave_out_lone(f);
    }
    out_.turns = std::make_shared<const WallFrames::Turns>(std::move(of_));
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t ray(std::size_t f, std::size_t row, std::size_t col) const {
    return f * out_.sensor.rays() + row * out_.sensor.cols + col;
  }

  /// Gives the sensor as many columns as the largest revolution has.
  void widen(std::uint32_t cols) {
    const std::uint32_t before = out_.sensor.cols;
    const WallSensor::Lidar nominal = *out_.sensor.lidar;
    WallSensor::Lidar& lidar = *out_.sensor.lidar;
    lidar.direction.clear(), lidar.origin_m.clear(), lidar.ring.clear();
    for (std::size_t row = 0; row < out_.sensor.rows; ++row) {
      for (std::size_t col = 0; col < cols; ++col) {
        const std::size_t from = row * before + std::min<std::size_t>(col, before - 1);
        lidar.direction.push_back(nominal.direction[from]), lidar.ring.push_back(nominal.ring[from]);
        if (!nominal.origin_m.empty()) lidar.origin_m.push_back(nominal.origin_m[from]);
      }
    }
    out_.sensor.cols = cols, lidar.is_full_turn = true;
  }

  void put_nominal(std::size_t f) {
    const RevolutionGrid& grid = revolutions_[f].grid;
    for (std::size_t row = 0; row < out_.sensor.rows; ++row) {
      for (std::size_t col = 0; col < out_.sensor.cols; ++col) {
        const std::size_t i = ray(f, row, col);
        of_.elevation_rad[i] = static_cast<float>(rows_.elevation_rad(row));
        if (col >= grid.azimuth_rad.size()) continue;
        of_.azimuth_rad[i] = static_cast<float>(grid.azimuth_rad[col] + grid.row_offset_rad[row]);
      }
    }
  }

  void put_points(std::size_t f) {
    const Revolution& revolution = revolutions_[f];
    for (std::size_t k = 0; k < revolution.points.size(); ++k) {
      const RevolutionPoint& p = revolution.points[k];
      if (!revolution.grid.column[k]) continue;
      const std::size_t i = ray(f, p.row, *revolution.grid.column[k]);
      out_.measured_m[i] = static_cast<float>(p.range_m);
      of_.azimuth_rad[i] = static_cast<float>(p.azimuth_rad);
      of_.elevation_rad[i] = static_cast<float>(p.elevation_rad);
    }
  }

  /// Leaves out returns that are alone in their column. Only another row proves that a column was fired; counting the
  /// return itself would make losses look rarer.
  void leave_out_lone(std::size_t f) {
    for (std::size_t col = 0; col < of_.cols[f]; ++col) {
      std::size_t returns = 0, last = 0;
      for (std::size_t row = 0; row < out_.sensor.rows; ++row) {
        const std::size_t i = ray(f, row, col);
        if (!std::isnan(out_.measured_m[i])) ++returns, last = i;
      }
      if (returns == 1) out_.left_out[last] = 1;
    }
  }

  std::vector<Revolution> revolutions_;
  const RingRows& rows_;
  WallFrames out_;
  WallFrames::Turns of_;
};

}  // namespace

WallFrames read_revolution_clouds(std::span<const FrameFile> files, const WallSensor& lidar, const RingRows& rows) {
  std::vector<double> offsets;  // of the first column
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Vec3& d = lidar.lidar->direction[row * lidar.cols];
    offsets.push_back(math::atan2(d.y, d.x));
  }
  std::vector<Revolution> revolutions;
  for (const FrameFile& one : files) {
    Revolution revolution{.points = rows.points_of(read_cloud_points(one.file), one.file), .grid = {}};
    revolution.grid = with_prefix(one.file.string(), [&] { return find_revolution_grid(revolution.points, offsets); });
    revolutions.push_back(std::move(revolution));
  }
  WallFrames frames = RevolutionFrames(std::move(revolutions), lidar, rows).make();
  for (const FrameFile& one : files) frames.names.push_back(one.file.string());
  return frames;
}

}  // namespace fathom
