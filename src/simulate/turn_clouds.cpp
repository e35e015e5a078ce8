// SPDX-License-Identifier: MIT
#include "simulate/turn_clouds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <fathom/math/trigonometry.hpp>

#include "base/with_prefix.hpp"
#include "simulate/cloud_points.hpp"
#include "simulate/turn_grid.hpp"

namespace fathom {

namespace {

/// A cloud and its grid.
struct Turn {
  std::vector<TurnPoint> points;
  TurnGrid grid;
};

class TurnFrames {
 public:
  TurnFrames(std::vector<Turn> turns, const WallSensor& lidar, const RingRows& rows)
      : turns_(std::move(turns)), rows_(rows), out_{.sensor = lidar, .measured_m = {}} {
    std::size_t cols = 2, regular = 0;
    for (const Turn& turn : turns_) {
      cols = std::max(cols, turn.grid.azimuth_rad.size()), regular += turn.grid.is_regular ? 1 : 0;
    }
    widen(static_cast<std::uint32_t>(cols));
    of_.knows_losses = 2 * regular >= turns_.size();
    out_.measured_m.assign(turns_.size() * out_.sensor.rays(), std::numeric_limits<float>::quiet_NaN());
    out_.left_out.assign(out_.measured_m.size(), 0);
    of_.azimuth_rad.assign(out_.measured_m.size(), 0.0F), of_.elevation_rad.assign(out_.measured_m.size(), 0.0F);
    of_.why_not.resize(turns_.size());
  }

  WallFrames make() {
    for (std::size_t f = 0; f < turns_.size(); ++f) {
      const TurnGrid& grid = turns_[f].grid;
      of_.cols.push_back(static_cast<std::uint32_t>(std::max<std::size_t>(1, grid.azimuth_rad.size())));
      const bool is_left_out = of_.knows_losses && !grid.is_regular && !turns_[f].points.empty();
      if (is_left_out) of_.why_not[f] = "its azimuths lie on no regular grid";
      put_nominal(f);
      put_points(f);
      if (of_.knows_losses) leave_out_lone(f);
    }
    out_.turns = std::make_shared<const WallTurns>(std::move(of_));
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t ray(std::size_t f, std::size_t row, std::size_t col) const {
    return f * out_.sensor.rays() + row * out_.sensor.cols + col;
  }

  /// As many columns as the turn with the most has, which is not that of the sensor.
  void widen(std::uint32_t cols) {
    const std::uint32_t before = out_.sensor.cols;
    const WallLidar nominal = *out_.sensor.lidar;
    WallLidar& lidar = *out_.sensor.lidar;
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
    const TurnGrid& grid = turns_[f].grid;
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
    const Turn& turn = turns_[f];
    for (std::size_t k = 0; k < turn.points.size(); ++k) {
      const TurnPoint& p = turn.points[k];
      if (!turn.grid.column[k]) continue;
      const std::size_t i = ray(f, p.row, *turn.grid.column[k]);
      out_.measured_m[i] = static_cast<float>(p.range_m);
      of_.azimuth_rad[i] = static_cast<float>(p.azimuth_rad);
      of_.elevation_rad[i] = static_cast<float>(p.elevation_rad);
    }
  }

  /// That a column was fired, another row has to say than the one that is counted, lest less seems to be lost.
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

  std::vector<Turn> turns_;
  const RingRows& rows_;
  WallFrames out_;
  WallTurns of_;
};

}  // namespace

WallFrames read_turn_clouds(std::span<const FrameFile> files, const WallSensor& lidar, const RingRows& rows) {
  std::vector<double> offsets;  // of the first column
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Vec3& d = lidar.lidar->direction[row * lidar.cols];
    offsets.push_back(math::atan2(d.y, d.x));
  }
  std::vector<Turn> turns;
  for (const FrameFile& one : files) {
    Turn turn{.points = rows.points_of(read_cloud_points(one.file), one.file), .grid = {}};
    turn.grid = with_prefix(one.file.string(), [&] { return find_turn_grid(turn.points, offsets); });
    turns.push_back(std::move(turn));
  }
  WallFrames frames = TurnFrames(std::move(turns), lidar, rows).make();
  for (const FrameFile& one : files) frames.names.push_back(one.file.string());
  return frames;
}

}  // namespace fathom
