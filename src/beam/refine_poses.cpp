// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/field.hpp>

#include "base/executor.hpp"
#include "beam/refine_mount.hpp"
#include "beam/way_blocks.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

namespace {

constexpr std::size_t kThirds = 3;
constexpr std::size_t kScansOfSearch = 16;  // share the tables of one scorer
constexpr std::size_t kScansOfProgress = 256;
constexpr double kFirstStep = 1.0, kLaterStep = 1.0 / 3.0;  // deviations of the prior
constexpr double kSettled = 0.1;                            // standard errors
constexpr std::size_t kMountStretches = 40;
constexpr double kMostMountDeviations = 3.0;  // of a step

PlanarNumbers numbers_of(const PlanarPose& pose) { return {pose.x_m, pose.y_m, pose.yaw_rad}; }
PlanarPose pose_of(const PlanarNumbers& n) { return {n[0], n[1], n[2]}; }

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
  ScanLog third;
  third.pose = log.pose;
  for (std::size_t i = first; i < log.rays(); i += kThirds) third.azimuth_rad.push_back(log.azimuth_rad[i]);
  for (std::size_t s = 0; s < log.scans(); ++s) {
    for (std::size_t i = first; i < log.rays(); i += kThirds) {
      third.range_m.push_back(log.scan(s)[i]);
      if (!log.ray_offset.empty()) third.ray_offset.push_back(log.offsets(s)[i]);
    }
  }
  return third;
}

/// Whether a parameter has moved by at most a part of its standard error. The clustered one is not known where all
/// scans are of one stretch: then the naive one tells. A parameter that has neither is settled.
bool is_settled(double moved, double error, double naive) {
  const double known = std::isfinite(error) ? error : naive;
  return !std::isfinite(known) || std::abs(moved) <= kSettled * known;
}

bool has_settled(const BeamFit& before, const BeamFit& now) {
  for (const auto& field : BeamParameters::fields()) {
    const auto number = member_of<double>(field);
    const double moved = now.parameters.*number - before.parameters.*number;
    if (!is_settled(moved, now.std_error.*number, now.naive_std_error.*number)) return false;
  }
  const HitTail& tail = now.parameters.tail;
  if (!tail.is_extended()) return true;
  const auto number = member_of<double>(HitTail::field_of(tail.hit));
  const double moved = tail.*number - before.parameters.tail.*number;
  return is_settled(moved, now.std_error.tail.*number, now.naive_std_error.tail.*number);
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
        all_(log.scans()) {
    if (fit_.stretch_of_scan.empty()) fit_.stretch_of_scan = blocks_of_way(log.pose, fit_.stretches);
    std::iota(all_.begin(), all_.end(), 0U);
    mount_error_.setConstant(kNoNumber);
  }

  RefinedPoses run() {
    RefinedPoses refined;
    refined.fit_before = refined.fit = learn(choose_.pose);
    refined.before = judge(choose_.pose, refined.fit_before.parameters).second;
    while (!refined.settled && refined.turns < options_.max_turns) {
      ++refined.turns;
      find_poses(refined.fit.parameters, refined.turns);
      const bool mount_settled = !options_.fit_mount || move_mount();
      const BeamFit before = std::move(refined.fit);
      refined.fit = learn(poses());
      refined.settled = mount_settled && has_settled(before, refined.fit);
    }
    refined.pose = poses();
    std::tie(refined.judged, refined.after) = judge(refined.pose, refined.fit.parameters);
    refined.mount = pose_of(mount_);
    refined.mount_std_error = pose_of(mount_error_);
    return refined;
  }

 private:
  [[nodiscard]] std::vector<PlanarPose> poses() const {
    std::vector<PlanarPose> found;
    for (std::size_t i = 0; i < at_.size(); ++i) found.push_back(moved_by(choose_.pose[i], at_[i]));
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
    const PlanarNumbers most = {options_.prior.stddev_m, options_.prior.stddev_m, options_.prior.stddev_rad};
    bool settled = true;
    for (std::size_t k = 0; k < 3; ++k) {
      mount_[k] += std::clamp(step.by[k], -kMostMountDeviations * most[k], kMostMountDeviations * most[k]);
      settled &= is_settled(step.by[k], mount_error_[k], step.naive_error[k]);
    }
    return settled;
  }

  const ExpectedRanges& expected_;
  const BeamSensor& sensor_;
  const RefineOptions& options_;
  FitOptions fit_;  // of the options, with stretches of the way
  std::unique_ptr<Executor> executor_;
  ScanLog choose_, learn_, judge_;  // the first keeps the poses of the log
  PlanarNumbers mount_, mount_error_;
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
