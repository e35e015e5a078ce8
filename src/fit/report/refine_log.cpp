// SPDX-License-Identifier: MIT
// The log-likelihood of the readings of a log, log p(z | z*(x c) + o), x the logged pose, c the mount and o the range
// offset, is climbed by pattern search: Hooke and Jeeves, Journal of the ACM 8 (1961). In a map it is not smooth, so
// there are no gradients to follow. Standard errors are for given common parameters, and the larger of two: H^-1 J H^-1
// by differences over half a cell, J of the sums of scans (White, Econometrica 50 (1982)); and what the corrections of
// the eighths of the log, each found for itself, spread about their mean, by the square root of eight. The latter knows
// that such a likelihood is rough: its maximum lies on one of many edges of cells, farther from the truth than H tells.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/compute.hpp"
#include "core/errors.hpp"
#include "core/text.hpp"
#include "fit/beam/refine.hpp"
#include "fit/beam/scans.hpp"
#include "fit/estimator.hpp"
#include "fit/report/fit_selection.hpp"
#include "fit/report/sanity.hpp"
#include "fit/uncertainty.hpp"
#include "io/log/scan_lines.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

constexpr std::size_t kNumbers = 4;
using Numbers = std::array<double, kNumbers>;  // x, y, yaw, range offset

constexpr std::size_t kMostReadings = 1U << 16U;  // sigma / sqrt of these is a fraction of a millimetre
constexpr double kFinestStep = 5e-5;
constexpr double kImpossible = -744.0;  // about the logarithm of the smallest number

constexpr std::size_t kParts = 8, kLeastScansOfPart = 4;
constexpr double kPartStep = 0.04;  // m and rad: wide enough to leave the edge of a cell

Numbers numbers_of(const FitReport::Correction& c) {
  return {c.mount_x_m, c.mount_y_m, c.mount_yaw_rad, c.range_offset_m};
}
FitReport::Correction correction_of(const Numbers& n) { return {n[0], n[1], n[2], n[3]}; }

void move_poses(const FitReport::Correction& by, ScanLog& log) {
  for (PlanarPose& pose : log.pose) pose = moved_by(pose, {by.mount_x_m, by.mount_y_m, by.mount_yaw_rad});
}

class LogCorrector {
 public:
  LogCorrector(const ScanLog& log, const ExpectedRanges& world, const BeamModel& model, const FitLogOptions& options)
      : log_(log),
        world_(world),
        model_(model),
        executor_(make_executor(options.compute.threads)),
        compute_(options.compute) {
    if (options.per_log != FitLogOptions::PerLog::kOffset) free_ = {0, 1, 2};
    if (options.per_log != FitLogOptions::PerLog::kMount) free_.push_back(3);
  }

  Numbers climb(Numbers at, double step) {
    double value = total(at);
    for (; step >= kFinestStep; step /= 2.0) {
      for (;;) {
        const Numbers before = at;
        const double before_value = value;
        explore(step, at, value);
        if (value <= before_value) break;
        leap(before, step, at, value);
      }
    }
    return at;
  }

  /// NaN for numbers that the readings do not determine.
  Numbers std_errors(const Numbers& at) {
    const double step = world_.cell_m() > 0.0 ? world_.cell_m() / 2.0 : 0.005;
    const std::vector<double> middle = scan_log_likelihoods(at);
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(kNumbers, kNumbers);
    Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(index(middle.size()), kNumbers);
    for (const std::size_t i : free_) {
      const std::vector<double> up = scan_log_likelihoods(shifted(at, i, step)),
                                down = scan_log_likelihoods(shifted(at, i, -step));
      for (std::size_t k = 0; k < up.size(); ++k) {
        scores(index(k), index(i)) = (up[k] - down[k]) / (2.0 * step);
        information(index(i), index(i)) -= (up[k] - 2.0 * middle[k] + down[k]) / (step * step);
      }
      for (const std::size_t j : free_) {
        if (j >= i) break;
        const auto corner = [&](double a, double b) { return total(shifted(shifted(at, i, a), j, b)); };
        information(index(i), index(j)) =
            -(corner(step, step) - corner(step, -step) - corner(-step, step) + corner(-step, -step)) /
            (4.0 * step * step);
      }
    }
    Numbers errors;
    errors.fill(kNoNumber);
    const auto inverse = inverse_of(information, free_, 0.0);
    if (!inverse) return errors;  // no maximum
    const Eigen::RowVectorXd found = (scores * *inverse).colwise().norm();
    for (const std::size_t i : free_) errors[i] = found[index(i)];
    return errors;
  }

 private:
  static Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

  static Numbers shifted(Numbers at, std::size_t i, double by) {
    at[i] += by;
    return at;
  }

  void keep_if_better(const Numbers& candidate, Numbers& at, double& value) {
    if (const double found = total(candidate); found > value) at = candidate, value = found;
  }

  /// One step each way along every axis.
  void explore(double step, Numbers& at, double& value) {
    for (const std::size_t i : free_) {
      const double before = value;
      keep_if_better(shifted(at, i, step), at, value);
      if (value == before) keep_if_better(shifted(at, i, -step), at, value);
    }
  }

  /// Moves on in the direction of the last improvement.
  void leap(const Numbers& before, double step, Numbers& at, double& value) {
    Numbers there = at;
    for (std::size_t i = 0; i < kNumbers; ++i) there[i] += at[i] - before[i];
    double value_there = total(there);
    explore(step, there, value_there);
    if (value_there > value) at = there, value = value_there;
  }

  double total(const Numbers& at) {
    const std::vector<double> scans = scan_log_likelihoods(at);
    return std::accumulate(scans.begin(), scans.end(), 0.0);
  }

  std::vector<double> scan_log_likelihoods(const Numbers& at) {
    const BeamData pairs = corrected_pairs(log_, correction_of(at), world_, model_.sensor.max_range_m, compute_);
    std::vector<double> sums(log_.scans());
    executor_->parallel_for(log_.scans(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin * log_.rays(); k < end * log_.rays(); ++k) {
        const BeamDensity density(model_.parameters, model_.sensor, pairs.expected_m[k]);
        // An impossible reading costs much wherever the log is, not everything.
        sums[k / log_.rays()] += std::max(density.log_likelihood(pairs.reading_m[k]), kImpossible);
      }
    });
    return sums;
  }

  const ScanLog& log_;
  const ExpectedRanges& world_;
  const BeamModel& model_;
  std::unique_ptr<Executor> executor_;
  Compute compute_;
  std::vector<std::size_t> free_;  // that are learned
};

double std_error_of_mean(const std::array<Numbers, kParts>& of_part, std::size_t i) {
  double sum = 0.0, squares = 0.0;
  for (const Numbers& n : of_part) sum += n[i];
  for (const Numbers& n : of_part) squares += (n[i] - sum / kParts) * (n[i] - sum / kParts);
  return std::sqrt(squares / (kParts - 1) / kParts);
}

}  // namespace

BeamData corrected_pairs(const ScanLog& log, const FitReport::Correction& correction, const ExpectedRanges& world,
                         double max_range_m, const Compute& compute) {
  const ScanNumbers all = all_scans(log);
  if (correction == FitReport::Correction()) return make_beam_data(log, all, world, max_range_m, compute);
  ScanLog corrected = log;
  move_poses(correction, corrected);
  BeamData pairs = make_beam_data(corrected, all, world, max_range_m, compute);
  const auto limit = static_cast<float>(max_range_m), nearest = static_cast<float>(world.floor_m());
  const auto offset = static_cast<float>(correction.range_offset_m);
  for (float& expected : pairs.expected_m) {
    // A surface within reach stays within reach, and unknown cells stay unknown.
    if (expected < limit) expected = std::clamp(expected + offset, nearest, std::nextafter(limit, 0.0F));
  }
  return pairs;
}

ScanLog corrected_log(ScanLog log, const FitReport::Correction& correction, double max_range_m) {
  move_poses(correction, log);
  for (float& reading : log.range_m) {
    const double range_m = double{reading} - correction.range_offset_m;
    if (double{reading} < max_range_m && range_m < max_range_m) reading = static_cast<float>(std::max(0.0, range_m));
  }
  return log;
}

std::size_t correcting_step(std::size_t scans, std::size_t rays) {
  return std::max<std::size_t>(1, scans * rays / kMostReadings);
}

FitReport::Correction correct_log(const ScanLog& log, const ExpectedRanges& world, const BeamModel& model,
                                  const FitLogOptions& options, const FitReport::Correction& start, double step) {
  return correction_of(LogCorrector(log, world, model, options).climb(numbers_of(start), step));
}

FitReport::Correction correction_errors(const ScanLog& log, const ExpectedRanges& world, const BeamModel& model,
                                        const FitLogOptions& options, const FitReport::Correction& found) {
  if (are_of_one_place(log.pose)) return {kNoNumber, kNoNumber, kNoNumber, kNoNumber};
  const Numbers at = numbers_of(found);
  Numbers errors = LogCorrector(log, world, model, options).std_errors(at);
  if (log.scans() < kParts * kLeastScansOfPart) return correction_of(errors);
  const ScanNumbers all = all_scans(log);
  std::array<Numbers, kParts> of_part;
  for (std::size_t k = 0; k < kParts; ++k) {
    const std::size_t begin = log.scans() * k / kParts, end = log.scans() * (k + 1) / kParts;
    const ScanLog part = part_of(log, std::span(all).subspan(begin, end - begin));
    of_part[k] = LogCorrector(part, world, model, options).climb(at, kPartStep);
  }
  for (std::size_t i = 0; i < kNumbers; ++i) {
    // NaN stays; otherwise the larger one counts.
    const double spread = std_error_of_mean(of_part, i);
    if (errors[i] < spread) errors[i] = spread;
  }
  return correction_of(errors);
}

// The fit at the poses of the log comes first: it finds the sensor, flags of the log, and a mount to start from.

namespace {

void check(const FitLogOptions& options) {
  validate(*options.refine_poses);
  if (options.per_log != FitLogOptions::PerLog::kNothing && options.per_log != FitLogOptions::PerLog::kMount) {
    throw InputError(Setting{"per_log"}, " with ", Setting{"refine_poses"}, " is nothing or mount");
  }
  if (!options.test_scans.empty()) {
    throw InputError(Setting{"test_scans"}, " with ", Setting{"refine_poses"},
                     ": a third of the rays of the scans learned from judges");
  }
}

/// At the poses of the log. Without hits it may have found no mount, and the search starts at none.
PlanarPose first_mount(const FitReport& report) {
  if (report.logs.empty()) return {};
  const FitReport::Correction& own = report.logs.front().correction;
  return {own.mount_x_m, own.mount_y_m, own.mount_yaw_rad};
}

/// `gain`: as telling_gain() has it.
void add_flags(const RefinedPoses& refined, double gain, FitReport& report) {
  if (gain > 0.0) {
    report.fit.note(
        "inexact_poses",
        fmt::format(
            "the poses of the log are not exact: at refined ones, which refined.log has, a ray that was held out "
            "is {:.2f} nats likelier",
            gain));
  }
  if (!refined.settled) {
    report.fit.note(
        "not_converged",
        fmt::format("after {} of poses and parameters these still move by more than a tenth of their standard errors",
                    counted(refined.turns, "turn")));
  }
}

void set_facts(const FitLogOptions& options, std::size_t chosen, std::size_t of, FitReport& report) {
  std::vector<FitReport::Fact> facts;
  for (FitReport::Fact& fact : report.facts) {
    if (fact.name != "learned from" && fact.name != "its own") facts.push_back(std::move(fact));
  }
  facts.push_back({"learned from", selection_text(options.scans, chosen, of) + ": a third of the rays"});
  facts.push_back({"poses refined by", "another third"});
  facts.push_back({"held out", "the last third"});
  report.facts = std::move(facts);
}

}  // namespace

FitReport refine_log(const ScanLog& log, const World& world, const FitLogOptions& options) {
  check(options);
  refuse_own_rays(log, "and refined.log has one set of angles; leave out refine_poses");
  ScanNumbers scans = choose_scans(log.name, options.scans, log.scans());
  ScanLog chosen = part_of(log, scans);
  FitLogOptions plain = options;
  plain.refine_poses.reset();
  plain.scans = "all";
  plain.check_poses = false;
  FitReport report = fit_at_log_poses(chosen, world, plain);
  const bool lies_on_map = first_unusable(report.sanity).empty();

  RefineOptions how;
  how.prior = *options.refine_poses;
  how.mount = first_mount(report);
  how.fit_mount = options.per_log == FitLogOptions::PerLog::kMount;
  how.fit = fit_options(options, world.cell_m());
  how.on_progress = options.on_refine_progress;
  RefinedPoses refined = with_prefix(log.name, [&] { return refine_poses(chosen, world, report.model.sensor, how); });

  const double gain = telling_gain(refined, report.model.sensor);
  report.fit = std::move(refined.fit);
  report.model.parameters = report.fit.model;
  report.shown = std::move(refined.judged);
  report.judgement = refined.after;
  hold_out(
      refined.after.nats_per_ray, refined.after.pairs,
      fmt::format("whether the {} was made from these scans cannot be known", world.cell_m() > 0.0 ? "map" : "scene"),
      report.fit);
  if (how.fit_mount) {
    const PlanarPose &at = refined.mount, &error = refined.mount_std_error;
    report.logs = {{log.name, {at.x_m, at.y_m, at.yaw_rad, 0.0}, {error.x_m, error.y_m, error.yaw_rad, kNoNumber}}};
  }
  if (lies_on_map) add_model_flags(report);
  add_flags(refined, gain, report);
  set_facts(options, scans.size(), log.scans(), report);
  report.refined = FitReport::RefinedLog{};
  FitReport::RefinedLog& kept = *report.refined;
  kept.logged = std::exchange(chosen.pose, std::move(refined.pose));
  kept.log = std::move(chosen);
  kept.scan = std::move(scans);
  kept.prior = how.prior;
  kept.parameters_before = refined.fit_before.model;
  kept.before = std::move(refined.before);
  kept.turns = refined.turns;
  return report;
}

}  // namespace fathom
