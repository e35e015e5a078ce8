// SPDX-License-Identifier: MIT
// Logs, and tables of pairs, become a fitted model with the figures of its report.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "fit/beam/scans.hpp"
#include "fit/estimator.hpp"
#include "fit/report/fit_selection.hpp"
#include "fit/report/sanity.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

// Of corrections: the first search takes in a badly measured mount, m and rad; later ones refine.
constexpr double kFirstStep = 0.1, kLeastStep = 1e-3;
constexpr double kLeastRise = 0.01;  // nats, far below the effect of a standard error
constexpr std::size_t kMostTurns = 20;
constexpr double kMostJudged = 4e6;  // readings

std::string correction_text(const FitReport::Correction& c) {
  return fmt::format("mount {:.4f} m, {:.4f} m, {:.4f} rad; ranges {:+.4f} m", c.mount_x_m, c.mount_y_m,
                     c.mount_yaw_rad, c.range_offset_m);
}

/// Whether a ray was measured elsewhere than the first of its scan.
bool is_moved(const ScanLog& log) {
  return std::ranges::any_of(log.ray_offset, [](const ScanLog::RayOffset& offset) {
    return offset.x_m != 0.0F || offset.y_m != 0.0F || offset.yaw_rad != 0.0F;
  });
}

/// What options say of the sensor. `floor_m`: expected ranges below are not resolved.
BeamSensor sensor_of(const FitLogOptions& options, std::span<const ReadingFacts> readings, double floor_m) {
  const double max_range_m = find_max_range_m(readings, options.max_range_m, options.auto_max_range);
  const BeamSensor sensor = {.max_range_m = max_range_m,
                             .min_range_m = options.min_range_m,
                             .step_m = options.step_m,
                             .expected_floor_m = std::min(floor_m, max_range_m),
                             .miss = options.miss,
                             .nan = options.nan};
  validate(sensor);
  return sensor;
}

/// As one, whose scans are counted on from log to log.
BeamData joined(std::vector<BeamData> logs) {
  if (logs.size() == 1) return std::move(logs.front());
  BeamData all;
  std::size_t readings = 0;
  for (const BeamData& log : logs) readings += log.scan.size();
  all.reading_m.reserve(readings), all.expected_m.reserve(readings), all.scan.reserve(readings);
  for (const BeamData& log : logs) {
    if (log.scan.empty()) continue;
    const std::uint32_t first = log.scan.front();
    const bool follows = all.scan.empty() || first > all.scan.back();
    const std::uint32_t shift = follows ? 0 : all.scan.back() + 1 - first;
    all.reading_m.insert(all.reading_m.end(), log.reading_m.begin(), log.reading_m.end());
    all.expected_m.insert(all.expected_m.end(), log.expected_m.begin(), log.expected_m.end());
    for (const std::uint32_t scan : log.scan) all.scan.push_back(scan + shift);
    all.cell_m = log.cell_m;
  }
  return all;
}

/// The pairs i where keep(i).
template <class Keep>
BeamData kept_pairs(const BeamData& pairs, const Keep& keep) {
  BeamData kept;
  kept.cell_m = pairs.cell_m;
  for (std::size_t i = 0; i < pairs.reading_m.size(); ++i) {
    if (!keep(i)) continue;
    kept.reading_m.push_back(pairs.reading_m[i]);
    kept.expected_m.push_back(pairs.expected_m[i]);
    kept.scan.push_back(pairs.scan[i]);
  }
  return kept;
}

class LogFitter {
 public:
  LogFitter(const World& world, const FitLogOptions& options) : world_(world), options_(options) {
    validate(options.compute);  // before logs, so that its faults are not blamed on a log
    if (options.refine_poses) throw InputError(Setting{"refine_poses"}, " is for one log");
    if (learns_hit_offset(options, world.cell_m()) && has_own_offset(options.per_log)) {
      throw InputError(Setting{"hit_offset_m"}, " is learned for all logs and ", Setting{"per_log"},
                       " for each: the readings tell only their sum");
    }
  }

  FitReport run(std::span<const ScanLog> logs) {
    if (logs.empty()) throw InputError("there is no log to learn from");
    for (const ScanLog& log : logs) look_at(log);
    find_sensor();
    const bool corrects = options_.per_log != FitLogOptions::PerLog::kNothing,
               holds_out = count(&GivenLog::held_out) > 0;
    FitReport report;
    report.variant = options_.variant;
    const std::string name = logs.size() == 1 ? logs.front().name : "";
    report.fit = with_prefix(name, [&] { return corrects ? learn_in_turns() : learn(); });
    report.model = {report.fit.model, sensor_, world_.unknown()};
    report.shown = holds_out ? with_prefix(name, [&] { return held_out_pairs(); }) : joined(std::move(shown_));
    report.judgement = with_prefix(name, [&] { return judge_beam_model(report.fit.model, sensor_, report.shown); });
    if (holds_out) {
      const bool are_named = !options_.test_scans.empty();
      hold_out(report.judgement.nats_per_ray, report.judgement.pairs,
               are_named ? "" : held_out_note(world_.cell_m() > 0.0), report.fit);
    }
    add_flags(report);
    for (const GivenLog& given : given_.logs) {
      if (corrects) report.logs.push_back({given.log.name, given.correction, given.std_error});
    }
    report.facts = facts();
    report.notes.assign(world_.notes().begin(), world_.notes().end());
    given_.add_notes(finds_code(options_), report);
    return report;
  }

 private:
  BeamFit learn() {
    shown_.clear();
    FitOptions how = fit_options(options_, world_.cell_m());
    how.stretch_of_scan = blocks_of_way(learned_poses_, how.stretches);
    std::vector<BeamData> of_logs;
    for (const GivenLog& given : given_.logs) of_logs.push_back(learned_pairs(given));
    return fit_beam_model(joined(std::move(of_logs)), sensor_, how);
  }

  /// The common parameters and the corrections of logs.
  BeamFit learn_in_turns() {
    BeamFit fit = learn();
    double step = kFirstStep;
    for (std::size_t turn = 0; turn < kMostTurns; ++turn) {
      const double before = fit.log_likelihood;
      for_each_correction(fit.model, [&](const ScanLog& log, const BeamModel& model, GivenLog& given) {
        given.correction = correct_log(log, world_, model, options_, given.correction, step);
      });
      fit = learn();
      if (fit.log_likelihood < before + kLeastRise) break;
      step = std::max(step / 4.0, kLeastStep);
      if (turn + 1 == kMostTurns) {
        fit.note("not_converged", fmt::format("the corrections of logs still change after {} turns", kMostTurns));
      }
    }
    for_each_correction(fit.model, [&](const ScanLog& log, const BeamModel& model, GivenLog& given) {
      given.std_error = correction_errors(log, world_, model, options_, given.correction);
    });
    return fit;
  }

  /// Calls f with as many scans of each log as are enough to correct it.
  template <class F>
  void for_each_correction(const BeamParameters& parameters, const F& f) {
    const BeamModel model = {parameters, sensor_, world_.unknown()};
    for (GivenLog& given : given_.logs) {
      const std::size_t every = correcting_step(given.learned.size(), given.log.rays());
      f(picked(given, every_nth(given.learned, every)), model, given);
    }
  }

  void look_at(const ScanLog& log) {
    if (log.scans() > 0) with_prefix(log.name, [&] { validate(log); });
    GivenLog& given = given_.add(log, log.name, options_);
    for (const std::uint32_t scan : given.learned) learned_poses_.push_back(log.pose[scan]);
    with_prefix(log.name, [&] { given.place_on(world_.outline(), share_by_ranges(world_)); });
  }

  void find_sensor() {
    sensor_ = sensor_of(options_, given_.readings, world_.floor_m());
    for (std::size_t i = 0; i < given_.logs.size(); ++i) {
      require_ranges_below(sensor_.max_range_m, given_.readings[i], world_.cell_m(), given_.logs[i].misplaced);
    }
  }

  void add_flags(FitReport& report) {
    const bool is_on_map = given_.add_flags(learned_poses_, options_.stretches, finds_code(options_), sensor_, report);
    // In a wrong map poses mean nothing.
    if (is_on_map && options_.check_poses && given_.logs.size() == 1 && wrong_map_flag(report).empty()) {
      const GivenLog& given = given_.logs.front();
      const ScanLog some =
          corrected_log(picked(given, spread_scans(given.learned, kPoseScans)), given.correction, sensor_.max_range_m);
      const PoseCheck check = fathom::check_poses(some, world_, sensor_, options_);
      add_flag("inexact_poses", pose_flag(check, options_.per_log), report);
    }
  }

  [[nodiscard]] static ScanLog picked(const GivenLog& given, std::span<const std::uint32_t> scans) {
    ScanLog found = part_of(given.log, scans);
    if (!is_moved(given.log)) found.ray_offset.clear();
    return found;
  }

  [[nodiscard]] BeamData pairs(const GivenLog& given, std::span<const std::uint32_t> scans) const {
    BeamData found =
        corrected_pairs(picked(given, scans), given.correction, world_, sensor_.max_range_m, options_.compute);
    for (std::uint32_t& scan : found.scan) scan = scans[scan];
    return found;
  }

  /// The pairs to learn from. If no scan is held out, every k-th of these scans goes to shown_ and judges.
  BeamData learned_pairs(const GivenLog& given) {
    BeamData read = pairs(given, given.learned);
    if (count(&GivenLog::held_out) == 0) {
      const std::size_t every = judging_step(&GivenLog::learned);
      shown_.push_back(kept_pairs(read, [&](std::size_t i) { return read.scan[i] % every == 0; }));
    }
    return read;
  }

  /// Every k-th held-out scan of each log.
  [[nodiscard]] BeamData held_out_pairs() const {
    std::vector<BeamData> of_logs;
    for (const GivenLog& given : given_.logs) {
      const ScanNumbers chosen = every_nth(given.held_out, judging_step(&GivenLog::held_out));
      if (!chosen.empty()) of_logs.push_back(pairs(given, chosen));
    }
    return joined(std::move(of_logs));
  }

  [[nodiscard]] std::size_t count(ScanNumbers GivenLog::*scans) const {
    std::size_t sum = 0;
    for (const GivenLog& given : given_.logs) sum += (given.*scans).size();
    return sum;
  }

  /// The step between scans that are enough to judge.
  [[nodiscard]] std::size_t judging_step(ScanNumbers GivenLog::*scans) const {
    double readings = 0.0;
    for (const GivenLog& given : given_.logs) readings += static_cast<double>((given.*scans).size() * given.log.rays());
    return static_cast<std::size_t>(std::max(1.0, std::ceil(readings / kMostJudged)));
  }

  /// The head of the page: the data.
  [[nodiscard]] std::vector<FitReport::Fact> facts() const {
    std::vector<FitReport::Fact> facts;
    if (!world_.name().empty()) facts.push_back({"map", world_.name()});
    std::size_t scans = 0;
    for (const GivenLog& given : given_.logs) {
      facts.push_back(log_fact(given.log));
      if (options_.per_log != FitLogOptions::PerLog::kNothing)
        facts.push_back({"its own", correction_text(given.correction)});
      scans += given.log.scans();
    }
    add_selection(options_.scans, options_.test_scans,
                  {.learned = count(&GivenLog::learned), .held_out = count(&GivenLog::held_out), .of = scans}, facts);
    return facts;
  }

  const World& world_;
  const FitLogOptions& options_;
  GivenLogs given_;
  std::vector<PlanarPose> learned_poses_;  // of the scans of all logs that are learned from
  std::vector<BeamData> shown_;            // [logs]
  BeamSensor sensor_;
};

/// Of a log beside its map the model says nothing.
FitReport with_model_flags(FitReport report) {
  if (first_unusable(report.sanity).empty()) add_model_flags(report);
  return report;
}

}  // namespace

FitReport fit_at_log_poses(const ScanLog& log, const World& world, const FitLogOptions& options) {
  return LogFitter(world, options).run({&log, 1});
}

FitReport fit_log(const ScanLog& log, const World& world, const FitLogOptions& options) {
  if (options.refine_poses) return refine_log(log, world, options);
  return with_model_flags(fit_at_log_poses(log, world, options));
}

FitReport fit_logs(std::size_t logs, const LogReader& read, const World& world, const FitLogOptions& options) {
  LogFitter fitter(world, options);
  std::vector<ScanLog> all;
  for (std::size_t i = 0; i < logs; ++i) all.push_back(read(i));
  return with_model_flags(fitter.run(all));
}

// Tables of pairs.

namespace {

void check_table(const BeamData& pairs) {
  const std::size_t n = pairs.reading_m.size();
  if (n == 0 || pairs.expected_m.size() != n || pairs.scan.size() != n) {
    throw InputError(fmt::format("{} readings, {} expected ranges and {} scan numbers: as many of each are needed", n,
                                 pairs.expected_m.size(), pairs.scan.size()));
  }
}

/// Where all rows are of one scan, each row becomes a scan, so that some can judge.
BeamData with_scans(const BeamData& pairs) {
  BeamData table = pairs;
  const bool is_one = pairs.scan.front() == pairs.scan.back() && std::ranges::is_sorted(pairs.scan);
  if (is_one) std::iota(table.scan.begin(), table.scan.end(), 0U);
  return table;
}

/// The note on standard errors if no column groups rows with correlated errors.
std::string rows_flag(bool are_in_stretches) {
  return fmt::format(
      "the table tells no scans apart: each row counts as a scan, and {} as independent; a column scan says which rows "
      "have correlated errors",
      are_in_stretches ? "stretches of neighbouring rows" : "rows");
}

std::vector<FitReport::Fact> table_facts(const BeamData& table, const std::string& name) {
  const std::string file = std::filesystem::path(name).filename().string();
  return {{"pairs", fmt::format("{}{}{}", file, name.empty() ? "" : ", ", counted(table.reading_m.size(), "pair"))}};
}

void add_sanity(const BeamData& table, const ReadingFacts& readings, const FitLogOptions& options, FitReport& report) {
  if (report.rows_are_scans) add_flag("no_scans", rows_flag(report.fit.block == "stretch"), report);
  if (const Message units = unit_flag(table); !units.empty()) return add_fault("misplaced", units, report);
  add_reading_flags(readings, finds_code(options), report.model.sensor, "", report);
  add_model_flags(report);
}

FitReport fit_table(const BeamData& pairs, const FitLogOptions& options, const std::string& name) {
  check_table(pairs);
  if (options.per_log != FitLogOptions::PerLog::kNothing)
    throw InputError("per_log is of logs, and a table of pairs has no poses");
  if (options.refine_poses) throw InputError("refine_poses is of logs, and a table of pairs has no poses");
  const BeamData table = with_scans(pairs);
  const ScanNumbers scan_of = counted_scans(table.scan);
  const std::size_t scans = scan_of.back() + std::size_t{1};
  const auto pairs_of = [&](const ScanNumbers& chosen) {
    return kept_pairs(table, [&](std::size_t i) { return std::ranges::binary_search(chosen, scan_of[i]); });
  };
  const ScanNumbers learned = choose_scans("", options.scans, scans);
  const ScanNumbers held_out = held_out_scans(options.scans, options.test_scans, learned, "", scans);
  FitReport report;
  report.variant = options.variant;
  report.rows_are_scans = scans > 1 && scans == table.scan.size();
  const ReadingFacts readings = reading_facts(table.reading_m, "", options.max_range_m.value_or(0.0));
  report.model.sensor =
      sensor_of(options, {&readings, 1}, table.cell_m > 0.0 ? table.cell_m / 2.0 : BeamSensor().expected_floor_m);
  require_ranges_below(report.model.sensor.max_range_m, readings, table.cell_m, unit_flag(table));
  if (finds_code(options)) report.notes.push_back(no_return_note(readings.code));
  const BeamData from = pairs_of(learned);
  report.fit = fit_beam_model(from, report.model.sensor, fit_options(options, from.cell_m));
  if (report.rows_are_scans && report.fit.block == "scan") report.fit.block = "row";
  report.model.parameters = report.fit.model;
  report.shown = !held_out.empty() ? pairs_of(held_out) : from;
  report.judgement = judge_beam_model(report.fit.model, report.model.sensor, report.shown);
  if (!held_out.empty()) {
    constexpr const char* kUnknown =
        "whether what was expected of these readings was chosen by them cannot be known; name test scans that you "
        "vouch for";
    hold_out(report.judgement.nats_per_ray, report.judgement.pairs, options.test_scans.empty() ? kUnknown : "",
             report.fit);
  }
  report.facts = table_facts(table, name);
  add_selection(options.scans, options.test_scans,
                {.learned = learned.size(),
                 .held_out = held_out.size(),
                 .of = scans,
                 .noun = report.rows_are_scans ? "row" : "scan"},
                report.facts);
  add_sanity(table, readings, options, report);
  return report;
}

}  // namespace

FitReport fit_pairs(const BeamData& pairs, const FitLogOptions& options, const std::string& name) {
  return with_prefix(name, [&] { return fit_table(pairs, options, name); });
}

}  // namespace fathom
