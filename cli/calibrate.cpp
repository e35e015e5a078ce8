// SPDX-License-Identifier: MIT
#include "calibrate.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/calibrate/calibrate.hpp>
#include <fathom/calibrate/run_pairs.hpp>

#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

fathom::ReportForm form_of(const CalibrateOptions& options) {
  if (options.json) return fathom::ReportForm::kJson;
  return options.quiet ? fathom::ReportForm::kBrief : fathom::ReportForm::kTerminal;
}

/// Of a CSV or a run, or of the scans of a log or bag.
fathom::LogPairs pairs_of(const CalibrateOptions& options, std::vector<std::string>& notes) {
  if (!options.data.empty()) return {fathom::read_range_pairs(options.data, options.sensor)};
  const fathom::World world = open_world(options.world, fathom::UnknownCells::kFree, options.pairs.compute.threads);
  const fathom::ScanLog log = read_log(options.log);
  notes = world.notes();
  notes.insert(notes.end(), log.notes.begin(), log.notes.end());
  return as_typed({{"give max_range_m", "give --max-range"}, {"gate_m", "--gate"}},
                  [&] { return fathom::range_pairs_of_log(log, world, options.pairs); });
}

}  // namespace

void calibrate_distance(const CalibrateOptions& options) {
  const StopSignals signals(Patience::kNone);
  fathom::DistanceReport report;
  fathom::LogPairs found = pairs_of(options, report.notes);
  if (options.asks_clusters && found.pairs.scan.empty()) {
    throw fathom::InputError(fmt::format("--clusters is for scans: {} has no column scan", options.data.string()));
  }
  report.fit = about_file(options.data.empty() ? options.log.file() : options.data,
                          [&] { return fathom::calibrate_distance(found.pairs, options.distance); });
  report.gate_m = options.pairs.gate_m;
  if (options.data.empty()) report.found = std::move(found);
  print(all_as_typed({{"gate_m =", "--gate"}, {"gate_m", "--gate"}}, fathom::report_text(report, form_of(options))));
}

void calibrate_energy(const CalibrateOptions& options) {
  const StopSignals signals(Patience::kNone);
  const auto pairs = fathom::read_energy_pairs(options.data, options.sensor, options.normalization);
  const fathom::EnergyCalibration fit = about_file(
      options.data, [&] { return fathom::calibrate_energy(pairs, {.normalization = options.normalization}); });
  print(fathom::report_text(fit, form_of(options)));
}

}  // namespace fathom_cli
