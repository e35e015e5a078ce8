// SPDX-License-Identifier: MIT
#include "beam/way_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/numbers.hpp"

namespace fathom {

namespace {

constexpr double kLeastStepM = 0.25;    // shorter ones may be jitter of the poses
constexpr double kTurnM = 1.0;          // that 1 rad counts as
constexpr double kMostUsualSteps = 10;  // of a step: beyond lies another log, or a pose that jumped
constexpr double kRounding = 1e-9;      // of blocks

double distance_m(const PlanarPose& a, const PlanarPose& b) { return std::hypot(b.x_m - a.x_m, b.y_m - a.y_m); }

double way_between_m(const PlanarPose& a, const PlanarPose& b) {
  return distance_m(a, b) + kTurnM * std::abs(std::remainder(b.yaw_rad - a.yaw_rad, 2.0 * std::numbers::pi));
}

/// Between scans that are kLeastStepM apart or more, and to the last one.
struct WayStep {
  std::size_t to;
  double length_m;
  bool is_usual;  ///< neither a rest of the way nor a jump
};

std::vector<WayStep> steps_of(std::span<const PlanarPose> poses) {
  std::vector<WayStep> steps;
  std::size_t from = 0;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    // The scans before a jump are of one place: the whole way is that of the jump.
    const bool is_jump = i - 1 > from && way_between_m(poses[i - 1], poses[i]) >= kLeastStepM;
    double step_m = way_between_m(poses[from], poses[i]);
    if (is_jump) steps.push_back({i - 1, 0.0, false}), from = i - 1;
    if (step_m < kLeastStepM && i + 1 < poses.size()) continue;
    const bool is_usual = step_m >= kLeastStepM;
    if (!is_usual && !steps.empty() && !steps.back().is_usual) step_m = 0.0;  // it waited since a jump
    steps.push_back({i, step_m, !is_jump && is_usual}), from = i;
  }
  return steps;
}

void cut_jumps(std::vector<WayStep>& steps) {
  std::vector<double> usual;
  for (const WayStep& step : steps) {
    if (step.is_usual) usual.push_back(step.length_m);
  }
  if (usual.empty()) usual.push_back(kLeastStepM);
  const double most_m = kMostUsualSteps * median(usual);
  for (WayStep& step : steps) step.length_m = std::min(step.length_m, most_m);
}

/// [scans], from 0; even between the ends of a step.
std::vector<double> way_to_each(std::span<const PlanarPose> poses) {
  std::vector<WayStep> steps = steps_of(poses);
  std::vector<double> way(poses.size());
  if (steps.empty()) return way;
  cut_jumps(steps);
  std::size_t from = 0;
  for (const WayStep& step : steps) {
    const double each_m = step.length_m / static_cast<double>(step.to - from), before_m = way[from];
    for (std::size_t i = from + 1; i <= step.to; ++i) way[i] = before_m + each_m * static_cast<double>(i - from);
    from = step.to;
  }
  return way;
}

}  // namespace

bool are_of_one_place(std::span<const PlanarPose> poses) {
  return std::ranges::all_of(poses,
                             [&](const PlanarPose& pose) { return distance_m(poses.front(), pose) < kLeastStepM; });
}

std::vector<std::uint32_t> blocks_of_way(std::span<const PlanarPose> poses, std::size_t most) {
  std::vector<std::uint32_t> block(poses.size());
  if (are_of_one_place(poses)) return block;
  const std::vector<double> way = way_to_each(poses);
  const auto scans = static_cast<double>(poses.size());
  const double all_m = way.back() * scans / (scans - 1.0);  // the last scan stands for as much as the others
  const double blocks =
      std::clamp(std::floor(all_m / kLeastStepM + kRounding), 1.0, static_cast<double>(std::max<std::size_t>(1, most)));
  double last = 0.0;
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const double at = std::min(blocks - 1.0, std::floor(way[i] / all_m * blocks + kRounding));
    block[i] = block[i - 1] + (at > last ? 1 : 0);
    last = at;
  }
  return block;
}

}  // namespace fathom
