// SPDX-License-Identifier: MIT
// A log becomes a fitted model, with the figures of its report.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/log.hpp>

#include "base/with_prefix.hpp"

namespace fathom {

namespace {

using Scans = std::vector<std::uint32_t>;

Scans choose_scans(const ScanLog& log, std::string_view selection) {
  return with_prefix(log.name, [&] { return select_scans(selection, log.scans()); });
}

/// The scans to judge by; empty: none are left. Throws when one of them was learned from.
Scans held_out_scans(const FitLogOptions& options, const Scans& learned, const ScanLog& log) {
  Scans scans;
  if (options.test_scans.empty()) {
    const Scans all = choose_scans(log, "all");
    std::set_difference(all.begin(), all.end(), learned.begin(), learned.end(), std::back_inserter(scans));
    return scans;
  }
  scans = choose_scans(log, options.test_scans);
  Scans both;
  std::set_intersection(scans.begin(), scans.end(), learned.begin(), learned.end(), std::back_inserter(both));
  if (!both.empty()) {
    throw InputError(fmt::format("scan {} is in scans {} and in test_scans {}: it would not be held out", both.front(),
                                 options.scans, options.test_scans));
  }
  return scans;
}

BeamSensor sensor_of(const FitLogOptions& options, const ScanLog& log, const World& world) {
  if (!options.max_range_m && log.max_range_m == 0.0) {
    with_prefix(log.name, [] { throw InputError("does not say how far its sensor measures; give max_range_m"); });
  }
  const BeamSensor sensor = {.max_range_m = options.max_range_m.value_or(log.max_range_m),
                             .min_range_m = options.min_range_m,
                             .step_m = options.step_m,
                             .expected_floor_m = world.floor_m(),
                             .miss = options.miss,
                             .nan = options.nan};
  validate(sensor);
  return sensor;
}

FitOptions fit_options(const FitLogOptions& options) {
  FitOptions fit;
  fit.variant = options.variant;
  fit.compute = options.compute;
  fit.fit_hit_offset = !options.hit_offset_m;
  fit.start.hit_offset_m = options.hit_offset_m.value_or(0.0);
  fit.on_iteration = options.on_iteration;
  return fit;
}

std::string count_text(const Scans& scans, const ScanLog& log, const std::string& selection) {
  return fmt::format("{} ({} of {} scans)", selection, scans.size(), log.scans());
}

/// The head of the page: what was learned from.
std::vector<FitReport::Fact> facts_of(const ScanLog& log, const World& world, const FitLogOptions& options,
                                      const Scans& learned, const Scans& held_out) {
  std::vector<FitReport::Fact> facts;
  if (!world.name().empty()) facts.push_back({"map", world.name()});
  const std::string file = std::filesystem::path(log.name).filename().string();
  facts.push_back({"log", fmt::format("{}{}{} rays a scan", file, file.empty() ? "" : ", ", log.rays())});
  facts.push_back({"learned from", count_text(learned, log, options.scans)});
  if (!held_out.empty()) {
    facts.push_back(
        {"held out", count_text(held_out, log, options.test_scans.empty() ? "the others" : options.test_scans)});
  }
  return facts;
}

}  // namespace

FitReport fit_log(const ScanLog& log, const World& world, const FitLogOptions& options) {
  const Scans learned = choose_scans(log, options.scans);
  const Scans held_out = held_out_scans(options, learned, log);
  const BeamSensor sensor = sensor_of(options, log, world);
  const auto pairs = [&](const Scans& scans) {
    return make_beam_data(log, scans, world, sensor.max_range_m, options.compute);
  };

  FitReport report;
  report.variant = options.variant;
  report.shown = pairs(learned);
  report.fit = with_prefix(log.name, [&] { return fit_beam_model(report.shown, sensor, fit_options(options)); });
  report.model = {report.fit.parameters, sensor, world.unknown()};
  report.held_out = !held_out.empty();
  if (report.held_out) report.shown = pairs(held_out);
  report.judgement =
      with_prefix(log.name, [&] { return judge_beam_model(report.fit.parameters, sensor, report.shown); });
  report.facts = facts_of(log, world, options, learned, held_out);
  report.notes = log_notes(log, sensor.max_range_m);
  return report;
}

}  // namespace fathom
