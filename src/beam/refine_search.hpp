// SPDX-License-Identifier: MIT
#pragma once
// The likeliest pose of one scan under a normal prior.

#include <span>
#include <vector>

#include <Eigen/Core>

#include <fathom/beam/refine.hpp>
#include <fathom/beam/score.hpp>

#include "beam/moving_ranges.hpp"

namespace fathom {

/// x (m), y (m) and yaw (rad) of a pose in the frame of another one.
using PlanarNumbers = Eigen::Vector3d;
using PlanarMatrix = Eigen::Matrix3d;

/// pose * d.
PlanarPose moved_by(const PlanarPose& pose, const PlanarNumbers& d);

/// Looks for poses of scans of a log, whose rays all count. Used from one thread at a time; what it is made from must
/// outlive it.
class PoseSearch {
 public:
  PoseSearch(const ScanLog& log, const ExpectedRanges& expected, const BeamParameters& parameters,
             const BeamSensor& sensor, const PosePrior& prior, Isa isa);

  /// The greatest value of log-likelihood and prior about `mean`, from the better of `start` and `mean` on. Compass
  /// search with the Newton step of the differences at its points: first so many deviations of the prior apart, then
  /// ever nearer, down to a fraction of sigma.
  PlanarNumbers find(std::size_t scan, const PlanarNumbers& mean, const PlanarNumbers& start, double first_step);

  /// Of the log-likelihood alone, its second derivatives with the sign turned, by differences over half a cell.
  PlanarMatrix information(std::size_t scan, const PlanarNumbers& at);

 private:
  struct Place {
    PlanarNumbers d;
    double value = 0.0;
  };
  /// The values at the middle and its neighbours, which say slope and curvature.
  struct Neighbours;

  void follow(std::size_t scan);
  void log_likelihoods(std::span<const PlanarNumbers> at, std::span<double> out);
  [[nodiscard]] double log_prior(const PlanarNumbers& d) const;
  double value_at(const PlanarNumbers& d);
  Neighbours look_around(const PlanarNumbers& middle, double value, const PlanarNumbers& step, bool with_prior);
  bool improve(Place& place, double step);

  const ScanLog& log_;
  PlanarNumbers stddev_;
  double sigma_m_, half_cell_m_;
  BeamSensor sensor_;
  MovingRanges moving_;
  ScanScorer scorer_;
  PlanarPose logged_;
  std::span<const float> readings_;
  PlanarNumbers mean_ = PlanarNumbers::Zero();
  std::vector<Pose> poses_;
};

}  // namespace fathom
