// SPDX-License-Identifier: MIT
#pragma once
// Poses and parameters together. Errors of the poses of a log widen the noise that is learned: 5 cm and half a degree
// double sigma_hit. So poses, parameters and, if asked for, the mount of the sensor are improved in turns. Of every
// three neighbouring rays the first chooses the pose, the second the parameters, and the third judges.
//
// The pose of scan i is logged pose * d_i, where d_i = (x, y, yaw) maximises
//
//   log p(z_i | logged_i * d) - 1/2 sum over k of ((d_k - mount_k) / stddev_k)^2,
//
// the likelihood of its first rays and a normal prior. The mount is 0, or maximises the sum over scans of these maxima,
// by Newton's method: their slope is (d_i - mount) / stddev^2 (the envelope theorem). Its standard errors are clustered
// by stretches of the way: White, Econometrica 50 (1982).

#include <cstddef>
#include <functional>
#include <vector>

#include <fathom/fit/fit.hpp>

namespace fathom {

struct RefineOptions {
  static constexpr std::size_t kMostTurns = 1000;

  PosePrior prior;
  PlanarPose mount;        ///< of the sensor in the frame that the log calls its sensor; where `fit_mount` starts
  bool fit_mount = false;  ///< learns it; otherwise it stays unchanged
  FitOptions fit;          ///< of the parameters; its `compute` finds poses, too
  std::size_t max_turns = 20;
  /// Called from the calling thread. An exception ends the search: throw Interrupted to stop.
  std::function<void(const RefineProgress&)> on_progress = {};
};

struct RefinedPoses {
  std::vector<PlanarPose> pose;  ///< [scans] of the sensor, its mount included
  PlanarPose mount;
  PlanarPose mount_std_error;      ///< NaN where the mount was not learned, or the readings do not tell it
  BeamFit fit_before, fit;         ///< of the second rays, at the poses of the log and at the refined ones
  BeamJudgement before, after;     ///< of the third rays, likewise
  BeamData judged_before, judged;  ///< the third rays, likewise
  std::size_t turns = 0;
  bool settled = false;  ///< no parameter moved by more than a tenth of its standard error in the last turn
};

/// Throws InputError naming the deviation and its limits.
void validate(const PosePrior& prior);

/// Refines the poses of all scans of a log until the parameters settle. Results do not depend on the number of threads.
/// A scan whose first rays carry no evidence keeps its pose. Throws InputError for fewer than three rays a scan, an
/// invalid log, prior, sensor or mount, options.max_turns outside [1, kMostTurns], and as fit_beam_model() and
/// judge_beam_model() do.
RefinedPoses refine_poses(const ScanLog& log, const ExpectedRanges& expected, const BeamSensor& sensor,
                          const RefineOptions& options = {});

}  // namespace fathom
