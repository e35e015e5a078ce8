// SPDX-License-Identifier: MIT
#include "beam/refine_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "fit/covariance.hpp"

namespace fathom {

namespace {

constexpr std::size_t kNeighbours = 18;  // 6 along axes, 12 along diagonals of two axes
constexpr double kShrink = 3.0;
constexpr double kFinestSigmas = 0.02;  // the Newton step finds what lies between points
constexpr double kLeastStep = 1e-4;     // in deviations of the prior
constexpr double kLeastRise = 1e-5;     // nats: scores of single precision tell no less
constexpr double kFarthestNewton = 2.0;
constexpr int kMostMoves = 12;  // of one step: 1.5 times as far as the prior goes
constexpr double kUsualLeverM = 5.0;

}  // namespace

PlanarPose moved_by(const PlanarPose& pose, const PlanarNumbers& d) {
  const double cos = std::cos(pose.yaw_rad), sin = std::sin(pose.yaw_rad);
  return {pose.x_m + cos * d[0] - sin * d[1], pose.y_m + sin * d[0] + cos * d[1], pose.yaw_rad + d[2]};
}

struct PoseSearch::Neighbours {
  std::array<PlanarNumbers, kNeighbours> at;
  std::array<double, kNeighbours> value;
  PlanarNumbers slope;       ///< per step
  PlanarMatrix information;  ///< per step squared
};

PoseSearch::PoseSearch(const ScanLog& log, const ExpectedRanges& expected, const BeamParameters& parameters,
                       const BeamSensor& sensor, const PosePrior& prior, Isa isa)
    : log_(log),
      stddev_{prior.stddev_m, prior.stddev_m, prior.stddev_rad},
      sigma_m_(parameters.sigma_hit_m),
      half_cell_m_(expected.cell_m() / 2.0),
      sensor_(sensor),
      moving_(expected, 1),
      scorer_(parameters, sensor, moving_, planar_fan(log.azimuth_rad), {.compute = {.threads = 1, .isa = isa}}) {}

void PoseSearch::follow(std::size_t scan) {
  moving_.follow(log_.offsets(scan));
  logged_ = log_.pose[scan];
  readings_ = log_.scan(scan);
}

void PoseSearch::log_likelihoods(std::span<const PlanarNumbers> at, std::span<double> out) {
  poses_.clear();
  for (const PlanarNumbers& d : at) poses_.push_back(pose_from_planar(moved_by(logged_, d)));
  scorer_.score(poses_, readings_, out);
}

double PoseSearch::log_prior(const PlanarNumbers& d) const {
  return -0.5 * (d - mean_).cwiseQuotient(stddev_).squaredNorm();
}

double PoseSearch::value_at(const PlanarNumbers& d) {
  double value = 0.0;
  log_likelihoods({&d, 1}, {&value, 1});
  return value + log_prior(d);
}

PoseSearch::Neighbours PoseSearch::look_around(const PlanarNumbers& middle, double value, const PlanarNumbers& step,
                                               bool with_prior) {
  Neighbours n;
  std::size_t count = 0;
  const auto add = [&](std::size_t i, double a, std::size_t j, double b) {
    PlanarNumbers& d = n.at[count++];
    d = middle;
    d[i] += a * step[i], d[j] += b * step[j];
  };
  for (std::size_t i = 0; i < 3; ++i) add(i, 1, i, 0), add(i, -1, i, 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    add(i, 1, j, 1), add(i, 1, j, -1), add(i, -1, j, 1), add(i, -1, j, -1);
  }
  log_likelihoods(n.at, n.value);
  if (with_prior) {
    for (std::size_t k = 0; k < kNeighbours; ++k) n.value[k] += log_prior(n.at[k]);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const double up = n.value[2 * i], down = n.value[2 * i + 1];
    const double* corner = n.value.data() + 6 + 4 * i;
    n.slope[i] = (up - down) / 2.0;
    n.information(i, i) = -(up - 2.0 * value + down);
    n.information(i, j) = n.information(j, i) = -(corner[0] - corner[1] - corner[2] + corner[3]) / 4.0;
  }
  return n;
}

/// To the best of the neighbours and the peak that their differences tell, if that is better.
bool PoseSearch::improve(Place& place, double step) {
  const PlanarNumbers steps = step * stddev_;
  const Neighbours n = look_around(place.d, place.value, steps, true);
  const auto best = static_cast<std::size_t>(std::max_element(n.value.begin(), n.value.end()) - n.value.begin());
  Place found = {n.at[best], n.value[best]};
  if (const auto spread = inverse_of(n.information, 0.0)) {
    const PlanarNumbers to = (*spread * n.slope).cwiseMax(-kFarthestNewton).cwiseMin(kFarthestNewton);
    const PlanarNumbers peak = place.d + to.cwiseProduct(steps);
    if (const double value = value_at(peak); value > found.value) found = {peak, value};
  }
  if (!(found.value > place.value + kLeastRise)) return false;
  place = found;
  return true;
}

PlanarNumbers PoseSearch::find(std::size_t scan, const PlanarNumbers& mean, const PlanarNumbers& start,
                               double first_step) {
  follow(scan);
  mean_ = mean;
  if (rays_with_evidence(readings_, sensor_, 1) == 0) return mean;
  Place place = {mean, value_at(mean)};
  if (const double value = value_at(start); value > place.value) place = {start, value};
  const double finest = std::max(kLeastStep, kFinestSigmas * sigma_m_ / stddev_[0]);
  for (double step = first_step; step >= finest; step /= kShrink) {
    for (int move = 0; move < kMostMoves && improve(place, step); ++move) {
    }
  }
  return place.d;
}

PlanarMatrix PoseSearch::information(std::size_t scan, const PlanarNumbers& at) {
  follow(scan);
  double squares = 0.0, count = 0.0;
  for (const float reading : readings_) {
    if (classify(reading, sensor_) == ReadingKind::kRange) squares += double{reading} * reading, count += 1.0;
  }
  const double lever_m = count > 0.0 && squares > 0.0 ? std::sqrt(squares / count) : kUsualLeverM;
  const double step_m = std::max(half_cell_m_, sigma_m_ / 2.0);
  const PlanarNumbers steps = {step_m, step_m, step_m / lever_m};
  double middle = 0.0;
  log_likelihoods({&at, 1}, {&middle, 1});
  return look_around(at, middle, steps, false).information.cwiseQuotient(steps * steps.transpose());
}

}  // namespace fathom
