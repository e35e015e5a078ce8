// SPDX-License-Identifier: MIT
// A table of readings and expected ranges becomes a fitted model, with the figures of its report.

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/log.hpp>

#include "base/counts.hpp"
#include "base/with_prefix.hpp"
#include "beam/no_return_pile.hpp"
#include "report/fit_selection.hpp"
#include "report/log_placement.hpp"
#include "report/sanity.hpp"

namespace fathom {

namespace {

/// Calls f(pair, number) for every pair with the number of its scan, counted from 0.
template <class F>
void for_each_pair(const BeamData& pairs, F f) {
  std::size_t scan = 0;
  for (std::size_t i = 0; i < pairs.scan.size(); ++i) {
    if (i > 0 && pairs.scan[i] != pairs.scan[i - 1]) ++scan;
    f(i, scan);
  }
}

void check_table(const BeamData& pairs) {
  const std::size_t n = pairs.reading_m.size();
  if (n == 0 || pairs.expected_m.size() != n || pairs.scan.size() != n) {
    throw InputError(fmt::format("{} readings, {} expected ranges and {} scan numbers: as many of each are needed", n,
                                 pairs.expected_m.size(), pairs.scan.size()));
  }
}

/// Where all rows are of one scan, each becomes a scan of its own: nothing is left to judge by otherwise.
BeamData with_scans(const BeamData& pairs) {
  BeamData told = pairs;
  const bool is_one = pairs.scan.front() == pairs.scan.back() && std::ranges::is_sorted(pairs.scan);
  if (is_one) std::iota(told.scan.begin(), told.scan.end(), 0U);
  return told;
}

BeamData pairs_of_scans(const BeamData& pairs, const ScanNumbers& scans) {
  BeamData chosen;
  chosen.cell_m = pairs.cell_m;
  std::size_t next = 0;
  for_each_pair(pairs, [&](std::size_t i, std::size_t scan) {
    while (next < scans.size() && scans[next] < scan) ++next;
    if (next == scans.size() || scans[next] != scan) return;
    chosen.reading_m.push_back(pairs.reading_m[i]);
    chosen.expected_m.push_back(pairs.expected_m[i]);
    chosen.scan.push_back(pairs.scan[i]);
  });
  return chosen;
}

BeamSensor sensor_of(const BeamData& pairs, const NoReturnPile& largest, const FitLogOptions& options) {
  const double code_m = largest.code(std::numeric_limits<double>::infinity()).below_m();
  const bool is_found = options.auto_max_range && code_m > 0.0;
  if (!options.max_range_m && !is_found) {
    require_max_range(0.0, options.auto_max_range ? kNoCode : "");
  }
  BeamSensor sensor = {.max_range_m = options.max_range_m.value_or(code_m),
                       .min_range_m = options.min_range_m,
                       .step_m = options.step_m,
                       .miss = options.miss,
                       .nan = options.nan};
  if (pairs.cell_m > 0.0) sensor.expected_floor_m = pairs.cell_m / 2.0;
  validate(sensor);
  return sensor;
}

/// What errors are worth where nothing says which rows err together.
std::string rows_flag(std::size_t stretches) {
  return fmt::format(
      "the table tells no scans apart: each row counts as a scan, and {} as independent; a column scan says which rows "
      "err together",
      stretches > 0 ? "stretches of neighbouring rows" : "rows");
}

void add_sanity(const BeamData& table, const NoReturnPile& largest, FitReport& report) {
  const BeamSensor& sensor = report.model.sensor;
  if (report.rows_are_scans) add_flag(rows_flag(report.stretches), report);
  if (const std::string units = unit_flag(table); !units.empty()) return add_fault(units, report);
  add_flag(no_return_flag(largest.code(sensor.max_range_m)), report);
  add_flag(beyond_flag(largest.beyond(sensor.max_range_m), sensor.max_range_m), report);
  add_flag(zero_flag(largest.share_of_zeros(), sensor.min_range_m), report);
  add_model_flags(report);
}

}  // namespace

FitReport fit_pairs(const BeamData& pairs, const FitLogOptions& options, const std::string& name) {
  return with_prefix(name, [&] {
    check_table(pairs);
    if (options.per_log != PerLog::kNothing) throw InputError("per_log is of logs, and a table of pairs has no poses");
    if (options.refine_poses) throw InputError("refine_poses is of logs, and a table of pairs has no poses");
    const BeamData table = with_scans(pairs);
    std::size_t scans = 0;
    for_each_pair(table, [&](std::size_t, std::size_t scan) { scans = scan + 1; });
    const ScanNumbers learned = choose_scans("", options.scans, scans);
    const ScanNumbers held_out = held_out_scans(options, learned, "", scans);
    FitReport report;
    report.variant = options.variant;
    report.stretches = options.stretches;
    report.held_out = !held_out.empty();
    if (report.held_out && options.test_scans.empty()) {
      report.held_out_note =
          "whether what was expected of these readings was chosen by them cannot be known; name test scans that you "
          "vouch for";
    }
    report.rows_are_scans = scans > 1 && scans == table.scan.size();
    NoReturnPile largest;
    largest.add(table.reading_m);
    require_ranges(largest);
    report.model.sensor = sensor_of(table, largest, options);
    require_ranges_below(report.model.sensor.max_range_m, largest.nearest_m(), table.cell_m, unit_flag(table));
    if (options.auto_max_range && !options.max_range_m) {
      report.notes.push_back(no_return_note(largest.code(std::numeric_limits<double>::infinity())));
    }
    const BeamData from = pairs_of_scans(table, learned);
    report.fit = fit_beam_model(from, report.model.sensor, fit_options(options, from.cell_m));
    report.model.parameters = report.fit.parameters;
    report.shown = report.held_out ? pairs_of_scans(table, held_out) : from;
    report.judgement = judge_beam_model(report.fit.parameters, report.model.sensor, report.shown);
    const char* noun = report.rows_are_scans ? "row" : "scan";
    report.facts = {{"pairs", fmt::format("{}{}{}", std::filesystem::path(name).filename().string(),
                                          name.empty() ? "" : ", ", counted(table.reading_m.size(), "pair"))},
                    {"learned from", selection_text(options.scans, learned.size(), scans, noun)}};
    if (report.held_out) {
      const std::string others = options.test_scans.empty() ? "the others" : options.test_scans;
      report.facts.push_back({"held out", selection_text(others, held_out.size(), scans, noun)});
    }
    add_sanity(table, largest, report);
    return report;
  });
}

}  // namespace fathom
