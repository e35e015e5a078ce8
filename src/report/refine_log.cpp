// SPDX-License-Identifier: MIT
// The fit at the poses of the log comes first: it finds the sensor, what is odd about the log, and a mount to start
// from.

#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/counts.hpp"
#include "base/with_prefix.hpp"
#include "fit/uncertainty.hpp"
#include "log/own_rays.hpp"
#include "report/fit_selection.hpp"
#include "report/sanity.hpp"

namespace fathom {

namespace {

void check(const FitLogOptions& options) {
  validate(*options.refine_poses);
  if (options.per_log != PerLog::kNothing && options.per_log != PerLog::kMount) {
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
  const LogCorrection& own = report.logs.front().correction;
  return {own.mount_x_m, own.mount_y_m, own.mount_yaw_rad};
}

/// `gain`: as telling_gain() has it.
void add_flags(const RefinedPoses& refined, double gain, FitReport& report) {
  if (gain > 0.0) {
    report.fit.flags.push_back(fmt::format(
        "the poses of the log are not exact: at refined ones, which refined.log has, a ray that was held out "
        "is {:.2f} nats likelier",
        gain));
  }
  if (!refined.settled) {
    report.fit.flags.push_back(
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
  ScanLog chosen = chosen_scans(log, scans);
  FitLogOptions plain = options;
  plain.refine_poses.reset();
  plain.scans = "all";
  plain.check_poses = false;
  FitReport report = fit_at_log_poses(chosen, world, plain);
  const bool lies_on_map = report.unusable.empty();

  RefineOptions how;
  how.prior = *options.refine_poses;
  how.mount = first_mount(report);
  how.fit_mount = options.per_log == PerLog::kMount;
  how.fit = fit_options(options, world.cell_m());
  how.on_progress = options.on_refine_progress;
  RefinedPoses refined = with_prefix(log.name, [&] { return refine_poses(chosen, world, report.model.sensor, how); });

  const double gain = telling_gain(refined, chosen, world, report.model.sensor, options.compute);
  report.fit = std::move(refined.fit);
  report.model.parameters = report.fit.parameters;
  report.shown = std::move(refined.judged);
  report.judgement = refined.after;
  report.held_out = true;
  report.held_out_note =
      fmt::format("whether the {} was made from these scans cannot be known", world.cell_m() > 0.0 ? "map" : "scene");
  if (how.fit_mount) {
    const PlanarPose &at = refined.mount, &error = refined.mount_std_error;
    report.logs = {{log.name, {at.x_m, at.y_m, at.yaw_rad, 0.0}, {error.x_m, error.y_m, error.yaw_rad, kNoNumber}}};
  }
  if (lies_on_map) add_model_flags(report);
  add_flags(refined, gain, report);
  set_facts(options, scans.size(), log.scans(), report);
  RefinedLog& kept = report.refined.emplace();
  kept.logged = std::exchange(chosen.pose, std::move(refined.pose));
  kept.log = std::move(chosen);
  kept.scan = std::move(scans);
  kept.prior = how.prior;
  kept.parameters_before = refined.fit_before.parameters;
  kept.before = std::move(refined.before);
  kept.turns = refined.turns;
  return report;
}

}  // namespace fathom
