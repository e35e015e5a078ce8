// SPDX-License-Identifier: MIT
#include "beam/way_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fathom/base/error.hpp>
#include <fathom/beam/expected_ranges.hpp>
#include <fathom/math/trigonometry.hpp>

#include "base/median.hpp"

namespace fathom {

Pose pose_from_planar(const PlanarPose& pose, double z_m) {
  return {{pose.x_m, pose.y_m, z_m}, from_roll_pitch_yaw(0, 0, pose.yaw_rad)};
}

RayFan planar_fan(std::span<const double> azimuth_rad) {
  RayFan fan;
  for (const double azimuth : azimuth_rad) {
    fan.x.push_back(static_cast<float>(math::cos(azimuth)));
    fan.y.push_back(static_cast<float>(math::sin(azimuth)));
    fan.z.push_back(0.0F);
  }
  return fan;
}

RayFan subsample(const RayFan& fan, std::size_t step) {
  if (step == 0) throw InputError("ray_step = 0 is not at least 1");
  RayFan kept;
  for (std::size_t i = 0; i < fan.size(); i += step) {
    kept.x.push_back(fan.x[i]);
    kept.y.push_back(fan.y[i]);
    kept.z.push_back(fan.z[i]);
  }
  return kept;
}

namespace {

constexpr std::uint32_t kCellBits = 6;
constexpr std::uint32_t kCellsAcross = 1U << kCellBits;
constexpr std::size_t kFewPoses = 512;  // which take less time than their cells

/// Cells across the values of one axis.
class Axis {
 public:
  void add(double value) { low_ = std::min(low_, value), high_ = std::max(high_, value); }
  [[nodiscard]] std::uint32_t cell(double value) const {
    const double share = high_ > low_ ? (value - low_) / (high_ - low_) : 0.0;
    return std::min(static_cast<std::uint32_t>(share * kCellsAcross), kCellsAcross - 1);
  }

 private:
  double low_ = 1e300, high_ = -1e300;
};

/// The bits of a cell's number, a gap after each.
constexpr std::uint32_t spread(std::uint32_t cell) {
  std::uint32_t bits = 0;
  for (std::uint32_t b = 0; b < kCellBits; ++b) bits |= (cell >> b & 1U) << 2 * b;
  return bits;
}

}  // namespace

std::span<const std::uint32_t> PlaceOrder::sort(std::span<const Pose> poses) {
  static_assert(kCells == std::size_t{kCellsAcross} * kCellsAcross);
  const std::span<std::uint32_t> order = std::span(order_).first(poses.size());
  if (poses.size() < kFewPoses) {
    std::iota(order.begin(), order.end(), 0U);
    return order;
  }
  Axis x, y;
  for (const Pose& pose : poses) x.add(pose.translation_m.x), y.add(pose.translation_m.y);
  std::fill(first_.begin(), first_.end(), 0U);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Vec3& at = poses[i].translation_m;
    cells_[i] = static_cast<std::uint16_t>(spread(x.cell(at.x)) | spread(y.cell(at.y)) << 1U);
    ++first_[cells_[i] + 1U];
  }
  for (std::size_t c = 0; c < kCells; ++c) first_[c + 1] += first_[c];
  for (std::size_t i = 0; i < poses.size(); ++i) order[first_[cells_[i]]++] = static_cast<std::uint32_t>(i);
  return order;
}

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
