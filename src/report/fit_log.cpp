// SPDX-License-Identifier: MIT
// Logs become a fitted model, with the figures of its report.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/compute.hpp>
#include <fathom/base/error.hpp>
#include <fathom/beam/log.hpp>

#include "base/with_prefix.hpp"
#include "beam/no_return_pile.hpp"
#include "beam/way_blocks.hpp"
#include "report/fit_selection.hpp"
#include "report/log_placement.hpp"
#include "report/sanity.hpp"

namespace fathom {

namespace {

constexpr std::size_t kScansOfPart = 1024;
// Of corrections: the first search takes in a badly measured mount, m and rad; later ones refine.
constexpr double kFirstStep = 0.1, kLeastStep = 1e-3;
constexpr double kLeastRise = 0.01;  // nats, far below what a standard error is worth
constexpr std::size_t kMostTurns = 20;
constexpr double kMostJudged = 4e6;  // readings

struct OwnCorrection {
  LogCorrection correction, std_error;
};

std::string correction_text(const LogCorrection& c) {
  return fmt::format("mount {:.4f} m, {:.4f} m, {:.4f} rad; ranges {:+.4f} m", c.mount_x_m, c.mount_y_m,
                     c.mount_yaw_rad, c.range_offset_m);
}

bool is_elsewhere(const RayOffset& offset) {
  return offset.x_m != 0.0F || offset.y_m != 0.0F || offset.yaw_rad != 0.0F;
}

class LogFitter {
 public:
  LogFitter(OpenLogs logs, const World& world, const FitLogOptions& options)
      : logs_(std::move(logs)), world_(world), options_(options) {
    if (logs_.size() == 0) throw InputError("there is no log to learn from");
    validate(options.compute);  // what is wrong with it is not wrong with a log
    if (options.refine_poses) throw InputError(Setting{"refine_poses"}, " is for one log");
    if (learns_hit_offset(options, world.cell_m()) && has_own_offset(options.per_log)) {
      throw InputError(Setting{"hit_offset_m"}, " is learned for all logs and ", Setting{"per_log"},
                       " for each: the readings tell only their sum");
    }
    look_at_logs();
    sensor_ = find_sensor();
    own_.resize(facts_.size());
  }

  FitReport run() {
    FitReport report;
    report.variant = options_.variant;
    report.stretches = options_.stretches;
    report.held_out = held_out_ > 0;
    if (report.held_out && options_.test_scans.empty()) report.held_out_note = held_out_note(world_.cell_m() > 0.0);
    std::size_t parts = 0;
    for (const LogFacts& facts : facts_) parts += parts_of(facts);
    const auto read = [&](std::size_t part) { return read_part(part); };
    const auto learn = [&] {
      shown_.clear();
      FitOptions how = fit_options(options_, world_.cell_m());
      how.stretch_of_scan = blocks_of_way(learned_poses_, how.stretches);
      return fit_beam_model(parts, read, sensor_, how);
    };
    const std::string name = logs_.size() == 1 ? names_.front() : "";
    report.fit =
        with_prefix(name, [&] { return options_.per_log == PerLog::kNothing ? learn() : learn_in_turns(learn); });
    report.model = {report.fit.parameters, sensor_, world_.unknown()};
    report.shown = report.held_out ? with_prefix(name, [&] { return held_out_pairs(); }) : joined(std::move(shown_));
    report.judgement =
        with_prefix(name, [&] { return judge_beam_model(report.fit.parameters, sensor_, report.shown); });
    add_flags(report);
    if (options_.per_log != PerLog::kNothing) {
      for (std::size_t i = 0; i < names_.size(); ++i) {
        report.logs.push_back({names_[i], own_[i].correction, own_[i].std_error});
      }
    }
    report.facts = facts();
    report.notes.assign(world_.notes().begin(), world_.notes().end());
    report.notes.insert(report.notes.end(), notes_.begin(), notes_.end());
    for (std::size_t i = 0; i < facts_.size() && options_.auto_max_range && !options_.max_range_m; ++i) {
      const Message note = named(no_return_note(facts_[i].code), i);
      if (!note.empty()) report.notes.push_back(note);
    }
    return report;
  }

 private:
  /// The common parameters and the corrections of logs.
  template <class Learn>
  BeamFit learn_in_turns(const Learn& learn) {
    BeamFit fit = learn();
    double step = kFirstStep;
    for (std::size_t turn = 0; turn < kMostTurns; ++turn) {
      const double before = fit.log_likelihood.back();
      correct_logs(fit.parameters, step);
      fit = learn();
      if (fit.log_likelihood.back() < before + kLeastRise) break;
      step = std::max(step / 4.0, kLeastStep);
      if (turn + 1 == kMostTurns) {
        fit.flags.push_back(fmt::format("the corrections of logs still change after {} turns", kMostTurns));
      }
    }
    find_correction_errors(fit.parameters);
    return fit;
  }

  void correct_logs(const BeamParameters& parameters, double step) {
    const std::vector<LogCorrection> found =
        of_each_log(parameters, [&](std::size_t i, const ScanLog& log, auto& model) {
          return correct_log(log, world_, model, options_, own_[i].correction, step);
        });
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i].correction = found[i];
  }

  void find_correction_errors(const BeamParameters& parameters) {
    const std::vector<LogCorrection> found =
        of_each_log(parameters, [&](std::size_t i, const ScanLog& log, auto& model) {
          return correction_errors(log, world_, model, options_, own_[i].correction);
        });
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i].std_error = found[i];
  }

  /// What `find` finds for each log, from as many of its scans as are enough.
  template <class Find>
  std::vector<LogCorrection> of_each_log(const BeamParameters& parameters, const Find& find) {
    const BeamModel model = {parameters, sensor_, world_.unknown()};
    std::vector<LogCorrection> found;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const ScanNumbers& learned = learned_of(i);
      const std::size_t every = correcting_step(learned.size(), facts_[i].rays);
      found.push_back(find(i, picked(i, every_nth(learned, every)), model));
    }
    return found;
  }

  void look_at_logs() {
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const ScanLog& log = logs_.at(i);
      const ScanNumbers learned = choose_scans(log.name, options_.scans, log.scans());
      const ScanNumbers held_out = held_out_scans(options_, learned, log.name, log.scans());
      for (const std::uint32_t scan : learned) learned_poses_.push_back(log.pose[scan]);
      LogFacts facts = {.scans = log.scans(),
                        .rays = log.rays(),
                        .learned = learned.size(),
                        .held_out = held_out.size(),
                        .max_range_m = log.max_range_m,
                        .moved = std::any_of(log.ray_offset.begin(), log.ray_offset.end(), is_elsewhere)};
      NoReturnPile largest;
      largest.add(log.range_m);
      with_prefix(log.name, [&] { require_ranges(largest); });
      look_at_place(log);
      add_largest(largest, options_.max_range_m.value_or(log.max_range_m), facts);
      facts_.push_back(facts);
      names_.push_back(log.name);
      for (const Message& note : log_notes(log)) notes_.push_back(named(note, i));
    }
    for (const LogFacts& facts : facts_) {
      held_out_ += facts.held_out, held_out_readings_ += static_cast<double>(facts.held_out * facts.rays);
    }
  }

  void look_at_place(const ScanLog& log) {
    const ShareOnMap share = share_by_ranges(world_);
    with_prefix(log.name, [&] {
      require_poses_on_map(log, world_.outline(), share);
      beside_.push_back(beside_map_flag(log, world_.outline()));
      misplaced_.push_back(misplacement_flag(log, share));
    });
  }

  /// With the name of its log, where there are several. Empty words stay empty.
  [[nodiscard]] Message named(const Message& words, std::size_t log) const {
    return words.empty() || logs_.size() == 1 ? words : Message(names_[log], ": ", words);
  }

  /// A log off its map; codes for "no return" that were not taken as such; poses that are not exact.
  void add_flags(FitReport& report) {
    for (std::size_t i = 0; i < facts_.size(); ++i) add_fault(named(misplaced_[i], i), report);
    if (!report.unusable.empty()) return;  // all else follows from it
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      const bool is_taken = options_.auto_max_range && !options_.max_range_m;
      if (!is_taken) add_flag(named(no_return_flag(facts_[i].code), i), report);
      add_flag(named(beyond_flag(facts_[i].beyond, sensor_.max_range_m), i), report);
      add_flag(named(zero_flag(facts_[i].zeros, sensor_.min_range_m), i), report);
      add_flag(named(beside_[i], i), report);
    }
    if (options_.stretches > 0) add_flag(one_place_flag(learned_poses_), report);
    // In a wrong map poses mean nothing.
    if (options_.check_poses && facts_.size() == 1 && wrong_map_flag(report).empty()) {
      const ScanLog some =
          corrected_log(picked(0, spread_scans(learned_of(0), kPoseScans)), own_[0].correction, sensor_.max_range_m);
      add_flag(pose_flag(fathom::check_poses(some, world_, sensor_, options_), options_.per_log), report);
    }
  }

  [[nodiscard]] BeamSensor find_sensor() const {
    const bool is_auto = options_.auto_max_range && !options_.max_range_m;
    double max_range_m =
        is_auto ? auto_max_range_m(facts_, names_.front()) : options_.max_range_m.value_or(facts_.front().max_range_m);
    for (std::size_t i = 0; i < facts_.size() && !options_.max_range_m && !is_auto; ++i) {
      with_prefix(names_[i], [&] { require_max_range(facts_[i].max_range_m); });
      if (facts_[i].max_range_m != max_range_m) {
        throw InputError(fmt::format("{} measures up to {} m and {} up to {} m; give ", names_.front(), max_range_m,
                                     names_[i], facts_[i].max_range_m),
                         Setting{"max_range_m"});
      }
    }
    const BeamSensor sensor = {.max_range_m = max_range_m,
                               .min_range_m = options_.min_range_m,
                               .step_m = options_.step_m,
                               .expected_floor_m = std::min(world_.floor_m(), max_range_m),
                               .miss = options_.miss,
                               .nan = options_.nan};
    validate(sensor);
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      with_prefix(names_[i], [&] {
        require_ranges_below(sensor.max_range_m, facts_[i].nearest_m, world_.cell_m(), misplaced_[i]);
      });
    }
    return sensor;
  }

  /// The scans of a log that are learned from. Those of the last log are kept.
  const ScanNumbers& learned_of(std::size_t log) {
    if (learned_log_ != log) {
      learned_ = choose_scans(names_[log], options_.scans, facts_[log].scans);
      learned_log_ = log;
    }
    return learned_;
  }

  ScanLog picked(std::size_t log, std::span<const std::uint32_t> scans) {
    ScanLog found = chosen_scans(logs_.at(log), scans);
    if (!facts_[log].moved) found.ray_offset.clear();
    return found;
  }

  BeamData pairs(std::size_t log, std::span<const std::uint32_t> scans) {
    const LogCorrection& own = own_[log].correction;
    BeamData found = corrected_pairs(picked(log, scans), own, world_, sensor_.max_range_m, options_.compute);
    for (std::uint32_t& scan : found.scan) scan = scans[scan];
    return found;
  }

  /// `part`: counted over all logs.
  BeamData read_part(std::size_t part) {
    std::size_t log = 0;
    for (; part >= parts_of(facts_[log]); ++log) part -= parts_of(facts_[log]);
    const std::span learned = learned_of(log);
    const std::size_t begin = part * kScansOfPart;
    BeamData read = pairs(log, learned.subspan(begin, std::min(kScansOfPart, learned.size() - begin)));
    if (held_out_ == 0) show(read);
    return read;
  }
  static std::size_t parts_of(const LogFacts& facts) { return (facts.learned + kScansOfPart - 1) / kScansOfPart; }

  /// Every k-th held-out scan of each log.
  BeamData held_out_pairs() {
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(held_out_readings_ / kMostJudged)));
    std::vector<BeamData> of_logs;
    for (std::size_t i = 0; i < logs_.size(); ++i) {
      const ScanNumbers chosen = every_nth(held_out_scans(options_, learned_of(i), names_[i], facts_[i].scans), every);
      if (!chosen.empty()) of_logs.emplace_back();
      for (std::size_t begin = 0; begin < chosen.size(); begin += kScansOfPart) {
        const std::size_t count = std::min(kScansOfPart, chosen.size() - begin);
        append(pairs(i, std::span(chosen).subspan(begin, count)), of_logs.back());
      }
    }
    return joined(std::move(of_logs));
  }

  static void append(const BeamData& more, BeamData& to) {
    to.reading_m.insert(to.reading_m.end(), more.reading_m.begin(), more.reading_m.end());
    to.expected_m.insert(to.expected_m.end(), more.expected_m.begin(), more.expected_m.end());
    to.scan.insert(to.scan.end(), more.scan.begin(), more.scan.end());
    to.cell_m = more.cell_m;
  }

  /// Where none are held out, the pairs that were learned from judge, or every k-th scan of them.
  void show(const BeamData& part) {
    double readings = 0.0;
    for (const LogFacts& facts : facts_) readings += static_cast<double>(facts.learned * facts.rays);
    const auto every = static_cast<std::uint32_t>(std::max(1.0, std::ceil(readings / kMostJudged)));
    BeamData& kept = shown_.emplace_back();
    kept.cell_m = part.cell_m;
    for (std::size_t i = 0; i < part.reading_m.size(); ++i) {
      if (part.scan[i] % every != 0) continue;
      kept.reading_m.push_back(part.reading_m[i]);
      kept.expected_m.push_back(part.expected_m[i]);
      kept.scan.push_back(part.scan[i]);
    }
  }

  /// As one, whose scans are counted on from log to log.
  static BeamData joined(std::vector<BeamData> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    BeamData all;
    for (BeamData& part : parts) {
      if (part.scan.empty()) continue;
      const std::uint32_t first = part.scan.front();
      const bool follows = all.scan.empty() || first > all.scan.back();
      const std::uint32_t shift = follows ? 0 : all.scan.back() + 1 - first;
      for (std::uint32_t& scan : part.scan) scan += shift;
      append(part, all);
    }
    return all;
  }

  [[nodiscard]] std::string count_text(std::size_t count, const std::string& selection) const {
    std::size_t scans = 0;
    for (const LogFacts& facts : facts_) scans += facts.scans;
    return selection_text(selection, count, scans);
  }

  /// The head of the page: what was learned from.
  [[nodiscard]] std::vector<FitReport::Fact> facts() const {
    std::vector<FitReport::Fact> facts;
    if (!world_.name().empty()) facts.push_back({"map", world_.name()});
    std::size_t learned = 0;
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      facts.push_back(log_fact(names_[i], facts_[i].rays));
      if (options_.per_log != PerLog::kNothing) facts.push_back({"its own", correction_text(own_[i].correction)});
      learned += facts_[i].learned;
    }
    facts.push_back({"learned from", count_text(learned, options_.scans)});
    if (held_out_ > 0) {
      facts.push_back(
          {"held out", count_text(held_out_, options_.test_scans.empty() ? "the others" : options_.test_scans)});
    }
    return facts;
  }

  OpenLogs logs_;
  const World& world_;
  const FitLogOptions& options_;
  std::vector<LogFacts> facts_;  // [logs]
  std::vector<std::string> names_, notes_;
  std::vector<std::string> misplaced_, beside_;  // [logs] flags, or empty
  std::vector<PlanarPose> learned_poses_;        // of the scans of all logs that are learned from
  std::size_t held_out_ = 0;
  double held_out_readings_ = 0.0;
  std::vector<OwnCorrection> own_;  // [logs]
  std::vector<BeamData> shown_;     // of the parts
  ScanNumbers learned_;             // of learned_log_
  std::size_t learned_log_ = std::numeric_limits<std::size_t>::max();
  BeamSensor sensor_;
};

/// Of a log beside its map the model says nothing.
FitReport with_model_flags(FitReport report) {
  if (report.unusable.empty()) add_model_flags(report);
  return report;
}

}  // namespace

FitReport fit_at_log_poses(const ScanLog& log, const World& world, const FitLogOptions& options) {
  std::shared_ptr<const ScanLog> given(&log, [](const ScanLog*) {});
  return LogFitter({1, [&](std::size_t) { return given; }}, world, options).run();
}

FitReport fit_log(const ScanLog& log, const World& world, const FitLogOptions& options) {
  if (options.refine_poses) return refine_log(log, world, options);
  return with_model_flags(fit_at_log_poses(log, world, options));
}

FitReport fit_logs(std::size_t logs, const LogReader& read, const World& world, const FitLogOptions& options) {
  const auto open = [&](std::size_t log) { return std::make_shared<const ScanLog>(read(log)); };
  return with_model_flags(LogFitter({logs, open}, world, options).run());
}

}  // namespace fathom
