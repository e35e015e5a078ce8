// SPDX-License-Identifier: MIT
#include "fit/beam/refine.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>

#include <Eigen/Core>
#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/field.hpp>
#include <fathom/fit/score.hpp>

#include "core/compute.hpp"
#include "fit/beam/scans.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kNeighbours = 18;  // 6 along axes, 12 along diagonals of two axes
constexpr double kShrink = 3.0;
constexpr double kFinestSigmas = 0.02;  // the Newton step interpolates between points
constexpr double kLeastStep = 1e-4;     // in deviations of the prior
constexpr double kLeastRise = 1e-5;     // nats: scores of single precision tell no less
constexpr double kFarthestNewton = 2.0;
constexpr int kMostMoves = 12;  // of one step: 1.5 times as far as the prior goes
constexpr double kUsualLeverM = 5.0;

/// x (m), y (m) and yaw (rad) of a pose in the frame of another one.
using PlanarNumbers = Eigen::Vector3d;
using PlanarMatrix = Eigen::Matrix3d;

PlanarNumbers numbers_of(const PlanarPose& pose) { return {pose.x_m, pose.y_m, pose.yaw_rad}; }
PlanarPose pose_of(const PlanarNumbers& n) { return {n[0], n[1], n[2]}; }
PlanarNumbers stddev_of(const PosePrior& prior) { return {prior.stddev_m, prior.stddev_m, prior.stddev_rad}; }

/// Looks for the likeliest poses of scans of a log under a normal prior; all their rays count. One thread at a time may
/// use it. The arguments of its constructor must outlive it.
class PoseSearch {
 public:
  PoseSearch(const ScanLog& log, const ExpectedRanges& expected, const BeamParameters& parameters,
             const BeamSensor& sensor, const PosePrior& prior, Isa isa)
      : log_(log),
        stddev_(stddev_of(prior)),
        sigma_m_(parameters.sigma_hit_m),
        half_cell_m_(expected.cell_m() / 2.0),
        sensor_(sensor),
        moving_(expected, 1),
        scorer_(parameters, sensor, moving_, RayFan::planar(log.azimuth_rad), {.compute = {.threads = 1, .isa = isa}}) {
  }

  /// The greatest value of log-likelihood and prior about `mean`, from the better of `start` and `mean` on. Compass
  /// search with the Newton step of the differences at its points. They begin `first_step` deviations of the prior
  /// apart and move nearer, down to a fraction of sigma.
  PlanarNumbers find(std::size_t scan, const PlanarNumbers& mean, const PlanarNumbers& start, double first_step) {
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

  /// The negative second derivatives of the log-likelihood, by differences over half a cell.
  PlanarMatrix information(std::size_t scan, const PlanarNumbers& at) {
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

 private:
  struct Place {
    PlanarNumbers d;
    double value = 0.0;
  };
  /// The values at the middle and its neighbours, which say slope and curvature.
  struct Neighbours {
    std::array<PlanarNumbers, kNeighbours> at;
    std::array<double, kNeighbours> value;
    PlanarNumbers slope;       ///< per step
    PlanarMatrix information;  ///< per step squared
  };

  void follow(std::size_t scan) {
    moving_.follow(log_.offsets(scan));
    logged_ = log_.pose[scan];
    readings_ = log_.scan(scan);
  }

  void log_likelihoods(std::span<const PlanarNumbers> at, std::span<double> out) {
    poses_.clear();
    for (const PlanarNumbers& d : at) poses_.push_back(moved_by(logged_, pose_of(d)).at_height());
    scorer_.score(poses_, readings_, out);
  }

  [[nodiscard]] double log_prior(const PlanarNumbers& d) const {
    return -0.5 * (d - mean_).cwiseQuotient(stddev_).squaredNorm();
  }

  double value_at(const PlanarNumbers& d) {
    double value = 0.0;
    log_likelihoods({&d, 1}, {&value, 1});
    return value + log_prior(d);
  }

  Neighbours look_around(const PlanarNumbers& middle, double value, const PlanarNumbers& step, bool with_prior) {
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
    for (std::size_t k = 0; with_prior && k < kNeighbours; ++k) n.value[k] += log_prior(n.at[k]);
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
  bool improve(Place& place, double step) {
    const PlanarNumbers steps = step * stddev_;
    const Neighbours n = look_around(place.d, place.value, steps, true);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(n.value) - n.value.begin());
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

// The mount that all scans share, from where the pose of each was found. With the prior precision P and the information
// H of the likelihood, the best value of a scan falls by the mount like that of a scan with the information
// (H^-1 + P^-1)^-1 = P - P (H + P)^-1 P, which needs no inverse of H: a corridor tells nothing along itself.

/// What a scan says about the mount.
struct MountScore {
  PlanarNumbers slope = PlanarNumbers::Zero();      ///< of its best value by the mount
  PlanarMatrix information = PlanarMatrix::Zero();  ///< minus the second derivatives
};

/// The score of a scan whose pose was found at `d`. `information`: of the likelihood, there. Zero without a maximum of
/// the likelihood, as without evidence.
MountScore mount_score(const PlanarNumbers& d, const PlanarNumbers& mount, const PosePrior& prior,
                       const PlanarMatrix& information) {
  const PlanarMatrix precision = stddev_of(prior).cwiseAbs2().cwiseInverse().asDiagonal();
  const auto spread = inverse_of(information + precision, 0.0);
  if (!spread) return {};
  return {precision * (d - mount), precision - precision * *spread * precision};
}

struct MountStep {
  PlanarNumbers by = PlanarNumbers::Zero();  ///< 0 where the scans do not tell
  /// Clustered by stretches of scans, and not below that of independent scans.
  PlanarNumbers std_error = PlanarNumbers::Constant(kNoNumber);
  PlanarNumbers naive_error = PlanarNumbers::Constant(kNoNumber);  ///< of independent scans
};

/// Newton's step. `scores` in the order of the way; `stretch` [scans]: as FitOptions::stretch_of_scan.
MountStep mount_step(const std::vector<MountScore>& scores, const std::vector<std::uint32_t>& stretch) {
  MountStep step;
  MountScore all;
  Eigen::MatrixXd slopes = Eigen::MatrixXd::Zero(stretch.back() + 1, 3);  // of stretches
  for (std::size_t i = 0; i < scores.size(); ++i) {
    all.slope += scores[i].slope, all.information += scores[i].information;
    slopes.row(stretch[i]) += scores[i].slope.transpose();
  }
  const auto spread = inverse_of(all.information, 0.0);
  if (!spread) return step;
  step.by = *spread * all.slope;
  step.naive_error = spread->diagonal().cwiseSqrt();
  if (stretch.back() == 0) return step;  // one stretch gives no standard error
  const BartlettWeights independent(stretch.back() + std::size_t{1}, false);
  step.std_error = parameter_errors(spread->diagonal(), {slopes * *spread}, independent).error;
  return step;
}

constexpr std::size_t kThirds = 3;
constexpr std::size_t kScansOfSearch = 16;  // share the tables of one scorer
constexpr std::size_t kScansOfProgress = 256;
constexpr double kFirstStep = 1.0, kLaterStep = 1.0 / 3.0;  // deviations of the prior
constexpr double kSettled = 0.1;                            // standard errors
constexpr std::size_t kMountStretches = 40;
constexpr double kMostMountDeviations = 3.0;  // of a step

void check(const ScanLog& log, const BeamSensor& sensor, const RefineOptions& options) {
  validate(sensor);
  validate(options.prior);
  validate(options.fit.compute);
  validate(log);
  if (log.rays() < kThirds) {
    throw InputError(
        fmt::format("{} rays a scan cannot be cut into those for poses, parameters and judging", log.rays()));
  }
  check_in_range("refine", "max_turns", static_cast<double>(options.max_turns), 1,
                 static_cast<double>(RefineOptions::kMostTurns), "1");
  check_in_range("refine", "mount.x_m", options.mount.x_m, -1e3, 1e3, "m");
  check_in_range("refine", "mount.y_m", options.mount.y_m, -1e3, 1e3, "m");
  check_in_range("refine", "mount.yaw_rad", options.mount.yaw_rad, -10, 10, "rad");
}

/// Every third ray, from `first` on.
ScanLog third_of(const ScanLog& log, std::size_t first) {
  return part_of(log, all_scans(log), 1, [first](std::size_t ray) { return ray % kThirds == first; });
}

/// Whether a parameter has moved by at most a part of its standard error. The clustered one is not known where all
/// scans are of one stretch: then the naive one tells. A parameter that has neither is settled.
bool is_settled(double moved, double error, double naive) {
  const double known = std::isfinite(error) ? error : naive;
  return !std::isfinite(known) || std::abs(moved) <= kSettled * known;
}

bool has_settled(const BeamFit& before, const BeamFit& now) {
  for (std::size_t k = 0; k < now.parameters.size(); ++k) {
    const Fit::Parameter& p = now.parameters[k];
    if (!is_settled(p.value - before.parameters[k].value, p.std_error, p.naive_error)) return false;
  }
  return true;
}

class Refiner {
 public:
  Refiner(const ScanLog& log, const ExpectedRanges& expected, const BeamSensor& sensor, const RefineOptions& options)
      : expected_(expected),
        sensor_(sensor),
        options_(options),
        fit_(options.fit),
        executor_(make_executor(options.fit.compute.threads)),
        choose_(third_of(log, 0)),
        learn_(third_of(log, 1)),
        judge_(third_of(log, 2)),
        mount_(numbers_of(options.mount)),
        at_(log.scans(), mount_),
        scores_(log.scans()),
        stretch_(blocks_of_way(log.pose, kMountStretches)),
        all_(all_scans(log)) {
    if (fit_.stretch_of_scan.empty()) fit_.stretch_of_scan = blocks_of_way(log.pose, fit_.stretches);
  }

  RefinedPoses run() {
    RefinedPoses refined;
    refined.fit_before = refined.fit = learn(choose_.pose);
    std::tie(refined.judged_before, refined.before) = judge(choose_.pose, refined.fit_before.model);
    while (!refined.settled && refined.turns < options_.max_turns) {
      ++refined.turns;
      find_poses(refined.fit.model, refined.turns);
      const bool mount_settled = !options_.fit_mount || move_mount();
      const BeamFit before = std::move(refined.fit);
      refined.fit = learn(poses());
      refined.settled = mount_settled && has_settled(before, refined.fit);
    }
    refined.pose = poses();
    std::tie(refined.judged, refined.after) = judge(refined.pose, refined.fit.model);
    refined.mount = pose_of(mount_);
    refined.mount_std_error = pose_of(mount_error_);
    return refined;
  }

 private:
  [[nodiscard]] std::vector<PlanarPose> poses() const {
    std::vector<PlanarPose> found;
    for (std::size_t i = 0; i < at_.size(); ++i) found.push_back(moved_by(choose_.pose[i], pose_of(at_[i])));
    return found;
  }

  BeamData pairs(ScanLog& third, const std::vector<PlanarPose>& at) {
    third.pose = at;
    return make_beam_data(third, all_, expected_, sensor_.max_range_m, options_.fit.compute);
  }
  BeamFit learn(const std::vector<PlanarPose>& at) { return fit_beam_model(pairs(learn_, at), sensor_, fit_); }
  std::pair<BeamData, BeamJudgement> judge(const std::vector<PlanarPose>& at, const BeamParameters& parameters) {
    BeamData data = pairs(judge_, at);
    BeamJudgement judgement = judge_beam_model(parameters, sensor_, data);
    return {std::move(data), std::move(judgement)};
  }

  void find_poses(const BeamParameters& parameters, std::size_t turn) {
    const double first_step = turn == 1 ? kFirstStep : kLaterStep;
    for (std::size_t done = 0; done < at_.size();) {
      const std::size_t count = std::min(kScansOfProgress, at_.size() - done);
      executor_->parallel_for(count, kScansOfSearch, [&](std::size_t begin, std::size_t end) {
        PoseSearch search(choose_, expected_, parameters, sensor_, options_.prior, options_.fit.compute.isa);
        for (std::size_t i = done + begin; i < done + end; ++i) {
          at_[i] = search.find(i, mount_, at_[i], first_step);
          if (!options_.fit_mount) continue;
          scores_[i] = mount_score(at_[i], mount_, options_.prior, search.information(i, at_[i]));
        }
      });
      done += count;
      if (options_.on_progress) options_.on_progress({turn, done});
    }
  }

  /// False while the mount still moves.
  bool move_mount() {
    const MountStep step = mount_step(scores_, stretch_);
    mount_error_ = step.std_error;
    const PlanarNumbers most = kMostMountDeviations * stddev_of(options_.prior);
    mount_ += step.by.cwiseMax(-most).cwiseMin(most);
    bool settled = true;
    for (std::size_t k = 0; k < 3; ++k) settled &= is_settled(step.by[k], mount_error_[k], step.naive_error[k]);
    return settled;
  }

  const ExpectedRanges& expected_;
  const BeamSensor& sensor_;
  const RefineOptions& options_;
  FitOptions fit_;  // of the options, with stretches of the way
  std::unique_ptr<Executor> executor_;
  ScanLog choose_, learn_, judge_;  // the first keeps the poses of the log
  PlanarNumbers mount_, mount_error_ = PlanarNumbers::Constant(kNoNumber);
  std::vector<PlanarNumbers> at_;             // [scans] in the frame of the pose of the log
  std::vector<MountScore> scores_;            // [scans]
  std::vector<std::uint32_t> stretch_, all_;  // [scans] that errors of the mount take as independent; all scans
};

}  // namespace

void validate(const PosePrior& prior) {
  check_in_range("refine", "stddev_m", prior.stddev_m, PosePrior::kLeastStddevM, PosePrior::kMostStddevM, "m");
  check_in_range("refine", "stddev_rad", prior.stddev_rad, PosePrior::kLeastStddevRad, PosePrior::kMostStddevRad,
                 "rad");
}

RefinedPoses refine_poses(const ScanLog& log, const ExpectedRanges& expected, const BeamSensor& sensor,
                          const RefineOptions& options) {
  check(log, sensor, options);
  return Refiner(log, expected, sensor, options).run();
}

}  // namespace fathom
