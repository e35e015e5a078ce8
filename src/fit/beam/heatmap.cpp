// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/core/field.hpp>
#include <fathom/fit/score.hpp>

#include "fit/beam/scans.hpp"

namespace fathom {

namespace {

constexpr std::size_t kPosesAtOnce = 16384;
constexpr std::size_t kPeaks = 64;      // of the grid, from which the search for the best pose climbs
constexpr double kFinest = 1.0 / 64.0;  // of the grid's spacing: where it ends, unless cells of the map are smaller
constexpr int kMostClimbs = 40;         // and as many more as finer steps take
constexpr double kTurnRad = 2.0 * std::numbers::pi;

/// Grid coordinates of the wanted positions, row by row.
std::vector<std::size_t> wanted_positions(const PositionGrid& grid) {
  if (grid.wanted.size() != std::size_t{grid.rows} * grid.cols) {
    throw InputError(fmt::format("heatmap: {} marks for {} x {} positions", grid.wanted.size(), grid.rows, grid.cols));
  }
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < grid.wanted.size(); ++i) {
    if (grid.wanted[i] != 0) positions.push_back(i);
  }
  if (positions.empty()) throw InputError("heatmap: no position to score");
  return positions;
}

PlanarPose planar_position(const PositionGrid& grid, std::size_t at) {
  return grid.position(static_cast<std::uint32_t>(at / grid.cols), static_cast<std::uint32_t>(at % grid.cols));
}

Heatmap empty_heatmap(const PositionGrid& grid) {
  Heatmap map;
  map.grid = grid;
  map.log_likelihood.assign(grid.wanted.size(), std::numeric_limits<double>::quiet_NaN());
  map.yaw_rad.assign(grid.wanted.size(), std::numeric_limits<float>::quiet_NaN());
  map.best_log_likelihood = -std::numeric_limits<double>::infinity();
  return map;
}

void add_headings(PlanarPose pose, std::size_t headings, std::vector<PlanarPose>& poses) {
  for (std::size_t h = 0; h < headings; ++h) {
    pose.yaw_rad = static_cast<double>(h) * kTurnRad / static_cast<double>(headings);
    poses.push_back(pose);
  }
}

/// `scores`: of the position `at`, one per heading.
void keep_best_heading(Heatmap& map, std::size_t at, std::span<const double> scores) {
  const auto highest = std::ranges::max_element(scores);
  const double heading = static_cast<double>(highest - scores.begin()) / static_cast<double>(scores.size());
  const double yaw_rad = std::remainder(heading * kTurnRad, kTurnRad);
  map.log_likelihood[at] = *highest;
  map.yaw_rad[at] = static_cast<float>(yaw_rad);
  if (!(*highest > map.best_log_likelihood)) return;
  map.best_log_likelihood = *highest;
  map.best = planar_position(map.grid, at);
  map.best.yaw_rad = yaw_rad;
}

/// The positions that are no worse than any neighbour, the highest first, kPeaks at most.
std::vector<std::size_t> highest_peaks(const Heatmap& map, const std::vector<std::size_t>& positions) {
  const auto value_at = [&](std::int64_t row, std::int64_t col) {
    const bool is_inside = row >= 0 && col >= 0 && row < map.grid.rows && col < map.grid.cols;
    return is_inside ? map.log_likelihood[static_cast<std::size_t>(row * map.grid.cols + col)] : std::nan("");
  };
  std::vector<std::size_t> peaks;
  for (const std::size_t at : positions) {
    const auto row = static_cast<std::int64_t>(at / map.grid.cols), col = static_cast<std::int64_t>(at % map.grid.cols);
    bool is_peak = std::isfinite(map.log_likelihood[at]);
    for (int k = 0; k < 9; ++k) is_peak &= !(value_at(row + k / 3 - 1, col + k % 3 - 1) > map.log_likelihood[at]);
    if (is_peak) peaks.push_back(at);
  }
  std::ranges::stable_sort(peaks, std::greater<>(), [&](std::size_t at) { return map.log_likelihood[at]; });
  peaks.resize(std::min(peaks.size(), kPeaks));
  return peaks;
}

/// A search that has come to `pose`; `step` in spacings of the grid.
struct Climber {
  PlanarPose start, pose;
  double log_likelihood, step;
};

/// The pose and its 26 neighbours. The pose itself replaces neighbours that are too far from the start.
void add_neighbours(const Climber& climber, double spacing_m, double spacing_rad, std::vector<PlanarPose>& poses) {
  for (int k = 0; k < 27; ++k) {
    PlanarPose near = climber.pose;
    const int x = k / 9 - 1, y = k / 3 % 3 - 1, yaw = k % 3 - 1;
    near.x_m += x * climber.step * spacing_m;
    near.y_m += y * climber.step * spacing_m;
    near.yaw_rad += yaw * climber.step * spacing_rad;
    const double distance_m = norm(Vec3{near.x_m - climber.start.x_m, near.y_m - climber.start.y_m, 0.0});
    poses.push_back(distance_m <= spacing_m ? near : climber.pose);
  }
}

/// Looks around every peak, goes where it is better, and where it is nowhere better looks nearer.
void refine(Heatmap& map, const std::vector<std::size_t>& positions, std::size_t headings, const PoseScores& score) {
  map.refined = map.best;
  map.refined_log_likelihood = map.best_log_likelihood;
  std::vector<Climber> climbers;
  for (const std::size_t at : highest_peaks(map, positions)) {
    PlanarPose pose = planar_position(map.grid, at);
    pose.yaw_rad = static_cast<double>(map.yaw_rad[at]);
    climbers.push_back({pose, pose, map.log_likelihood[at], 0.5});
  }
  const double spacing_rad = kTurnRad / static_cast<double>(headings);
  const double cells = map.grid.cell_m > 0.0 ? map.grid.cell_m / map.grid.spacing_m : kFinest;
  const double finest = std::min(kFinest, cells);
  const int most_climbs = kMostClimbs + 2 * static_cast<int>(std::ceil(std::log2(kFinest / finest)));
  std::vector<PlanarPose> near;
  std::vector<double> scores;
  for (int step = 0; step < most_climbs && !climbers.empty(); ++step) {
    near.clear();
    for (const Climber& climber : climbers) add_neighbours(climber, map.grid.spacing_m, spacing_rad, near);
    scores.resize(near.size());
    score(near, scores);
    for (std::size_t i = 0; i < climbers.size(); ++i) {
      const auto first = scores.begin() + static_cast<std::ptrdiff_t>(27 * i),
                 best = std::max_element(first, first + 27);
      if (!(*best > climbers[i].log_likelihood)) {
        climbers[i].step /= 2;
        continue;
      }
      climbers[i].log_likelihood = *best;
      climbers[i].pose = near[static_cast<std::size_t>(best - scores.begin())];
      if (!(*best > map.refined_log_likelihood)) continue;
      map.refined_log_likelihood = *best;
      map.refined = climbers[i].pose;
    }
    std::erase_if(climbers, [finest](const Climber& climber) { return climber.step < finest; });
  }
  map.refined.yaw_rad = std::remainder(map.refined.yaw_rad, kTurnRad);
}

}  // namespace

PlanarPose PositionGrid::position(std::uint32_t row, std::uint32_t col) const {
  const double x = col * spacing_m, y = row * spacing_m;
  const auto [s, c] = math::sincos(world_from_grid.yaw_rad);
  return {world_from_grid.x_m + c * x - s * y, world_from_grid.y_m + s * x + c * y, world_from_grid.yaw_rad};
}

PositionGrid free_positions(const GridMap& map, double spacing_m) {
  validate(map);
  check_in_range("heatmap", "spacing_m", spacing_m, PositionGrid::kLeastSpacingM, PositionGrid::kMostSpacingM, "m");
  const auto step = static_cast<std::uint32_t>(std::max(1.0, std::round(spacing_m / map.resolution_m)));
  const std::uint32_t first = step / 2;
  PositionGrid grid;
  grid.rows = map.rows > first ? (map.rows - first - 1) / step + 1 : 0;
  grid.cols = map.cols > first ? (map.cols - first - 1) / step + 1 : 0;
  grid.spacing_m = step * map.resolution_m;
  grid.cell_m = map.resolution_m;
  grid.world_from_grid = map.world_from_map;
  for (std::uint32_t r = 0; r < grid.rows; ++r) {
    for (std::uint32_t c = 0; c < grid.cols; ++c) {
      const std::size_t cell = std::size_t{first + r * step} * map.cols + first + c * step;
      grid.wanted.push_back(map.cells[cell] == Cell::kFree ? 1 : 0);
    }
  }
  // The origin of the grid is the centre of its first cell, in the frame of the map.
  const double shift_m = (first + 0.5) * map.resolution_m;
  const auto [s, c] = math::sincos(map.world_from_map.yaw_rad);
  grid.world_from_grid.x_m += (c - s) * shift_m;
  grid.world_from_grid.y_m += (s + c) * shift_m;
  if (std::ranges::find(grid.wanted, 1) == grid.wanted.end()) {
    throw InputError(fmt::format("heatmap: no free cell {:g} m apart in the map", grid.spacing_m));
  }
  return grid;
}

Heatmap make_heatmap(const PoseScores& score, std::size_t rays, const PositionGrid& grid,
                     const HeatmapOptions& options) {
  check_in_range("heatmap", "headings", static_cast<double>(options.headings), 1,
                 static_cast<double>(HeatmapOptions::kMostHeadings), "1");
  const std::vector<std::size_t> positions = wanted_positions(grid);
  Heatmap map = empty_heatmap(grid);
  map.rays = rays;
  map.best = planar_position(grid, positions.front());

  const std::size_t at_once = std::max<std::size_t>(1, kPosesAtOnce / options.headings);
  std::vector<PlanarPose> poses;
  std::vector<double> scores;
  for (std::size_t begin = 0; begin < positions.size(); begin += at_once) {
    const std::size_t count = std::min(at_once, positions.size() - begin);
    poses.clear();
    for (std::size_t i = 0; i < count; ++i)
      add_headings(planar_position(grid, positions[begin + i]), options.headings, poses);
    scores.resize(poses.size());
    score(poses, scores);
    for (std::size_t i = 0; i < count; ++i) {
      keep_best_heading(map, positions[begin + i], std::span(scores).subspan(i * options.headings, options.headings));
    }
    if (options.on_progress) {
      options.on_progress(static_cast<double>(begin + count) / static_cast<double>(positions.size()));
    }
  }
  refine(map, positions, options.headings, score);
  return map;
}

Heatmap make_heatmap(const BeamParameters& parameters, const BeamSensor& sensor, const ExpectedRanges& expected,
                     const RayFan& rays, std::span<const float> reading_m, const PositionGrid& grid,
                     const HeatmapOptions& options) {
  ScanScorer scorer(parameters, sensor, expected, rays, options.score);
  std::vector<Pose> placed;
  const PoseScores score = [&](std::span<const PlanarPose> poses, std::span<double> scores) {
    placed.clear();
    for (const PlanarPose& pose : poses) placed.push_back(pose.at_height());
    scorer.score(placed, reading_m, scores);
  };
  return make_heatmap(score, rays_with_evidence(reading_m, sensor, options.score.ray_step), grid, options);
}

}  // namespace fathom
