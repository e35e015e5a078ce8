#include "beam_fit.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fathom/beam/report.hpp>
#include <fathom/error.hpp>
#include <fathom/names.hpp>

#include "outputs.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

using Scans = std::vector<std::uint32_t>;

/// The scans to judge by; empty: none are left. Throws when one of them was learned from.
Scans held_out_scans(const BeamFitOptions& options, const Scans& learned, const fathom::ScanLog& log) {
  Scans scans;
  if (options.test_scans.empty()) {
    const Scans all = choose_scans("all", log, options.log);
    std::set_difference(all.begin(), all.end(), learned.begin(), learned.end(), std::back_inserter(scans));
    return scans;
  }
  scans = choose_scans(options.test_scans, log, options.log);
  Scans both;
  std::set_intersection(scans.begin(), scans.end(), learned.begin(), learned.end(), std::back_inserter(both));
  if (!both.empty()) {
    throw fathom::InputError(fmt::format("scan {} is in --scans {} and in --test-scans {}: it would not be held out",
                                         both.front(), options.scans, options.test_scans));
  }
  return scans;
}

fathom::BeamSensor sensor_of(const BeamFitOptions& options, const fathom::ScanLog& log,
                             const fathom::ExpectedRanges& expected) {
  fathom::BeamSensor sensor;
  sensor.max_range_m = options.max_range_m.value_or(log.max_range_m);
  if (!options.max_range_m && log.max_range_m == 0.0) {
    throw fathom::InputError(
        fmt::format("{}: does not say how far its sensor measures; give --max-range", options.log.string()));
  }
  sensor.min_range_m = options.min_range_m;
  sensor.step_m = options.step_m;
  sensor.expected_floor_m = expected.floor_m();
  sensor.miss = value_of_word<fathom::MissPolicy>(options.miss);
  sensor.nan = value_of_word<fathom::NanPolicy>(options.nan);
  as_typed({{"beam.max_range_m", "--max-range"}, {"beam.min_range_m", "--min-range"}, {"beam.step_m", "--sensor-step"}},
           [&] { fathom::validate(sensor); });
  return sensor;
}

fathom::FitOptions fit_options(const BeamFitOptions& options, double cell_m, TaskDisplay& display) {
  fathom::FitOptions fit;
  fit.variant = value_of_word<fathom::FitVariant>(options.variant);
  fit.cell_m = cell_m;
  fit.threads = options.threads;
  fit.fit_hit_offset = !options.hit_offset_m;
  fit.start.hit_offset_m = options.hit_offset_m.value_or(0.0);
  fit.on_iteration = [&display](const fathom::FitIteration& i) {
    display.show_text(fmt::format("iteration {}, log-likelihood {:.3f}", i.iteration + 1, i.log_likelihood));
  };
  return fit;
}

std::string count_text(const Scans& scans, const fathom::ScanLog& log, const std::string& selection) {
  return fmt::format("{} ({} of {} scans)", selection, scans.size(), log.scans());
}

/// "0.8716 +- 0.0043"; without an error where there is none.
std::string parameters_table(const fathom::BeamFit& fit) {
  std::vector<std::vector<std::string>> rows = {{"parameter", "value", "std. error", "unit", "meaning"}};
  for (const auto& field : fathom::BeamParameters::fields()) {
    const double error = fit.std_error.*fathom::member_of<double>(field);
    rows.push_back({std::string(field.name), fmt::format("{:.5g}", fit.parameters.*fathom::member_of<double>(field)),
                    std::isfinite(error) ? fmt::format("{:.2g}", error) : "-",
                    field.unit == "1" ? "" : std::string(field.unit), std::string(field.doc)});
  }
  return align_columns(rows, {1, 2});
}

/// A maximum range that was not meant spoils every weight without any other sign.
std::string max_range_note(const fathom::ScanLog& log, double max_range_m) {
  const double code_m = fathom::suspected_no_return_m(log, max_range_m);
  if (code_m == 0.0) return "";
  return fmt::format(
      "note: many readings are {:.6g} m, the largest of the log; if that means no return, give --max-range {:.6g}\n",
      code_m, std::floor(0.999 * code_m * 100.0) / 100.0);
}

std::string summary(const fathom::FitReport& report, const std::filesystem::path& out) {
  std::string text = parameters_table(report.fit);
  for (const std::string& flag : fathom::report_flags(report)) text += "note: " + flag + "\n";
  text += fmt::format("\n{} iterations on {} beams{}\n{}: {:.4f} nats per beam, KS distance {:.3f}, {} beams\n",
                      report.fit.log_likelihood.size() - 1, group_digits(report.fit.pairs),
                      report.fit.end == fathom::FitEnd::kConverged ? "" : "; not converged",
                      report.held_out ? "held-out scans" : "scans learned from", report.judgement.nats_per_beam,
                      report.judgement.ks_distance, group_digits(report.judgement.pairs));
  return text + fmt::format("parameters.yaml, fit.json and report.html are in {}\n", fathom::printable(out.string()));
}

}  // namespace

void fit_beam(const BeamFitOptions& options) {
  const StopSignals signals(Patience::kNone);
  fathom::check_fit_folder(options.out, options.force);
  const std::filesystem::path log_file = find_log(options.log);
  Paths inputs = world_files(options.world);
  inputs.push_back(log_file);
  const Paths outputs = {options.out / "parameters.yaml", options.out / "report.html", options.out / "fit.json"};
  refuse_inputs(outputs, inputs);
  const auto unknown = value_of_word<fathom::UnknownCells>(options.unknown);
  const BeamWorld world = open_world(options.world, unknown, options.threads);
  refuse_inputs(outputs, world.inputs);
  const fathom::ScanLog log = fathom::read_scan_log(log_file);
  const Scans learned = choose_scans(options.scans, log, options.log);
  const Scans held_out = held_out_scans(options, learned, log);
  const fathom::BeamSensor sensor = sensor_of(options, log, *world.expected);
  const auto pairs = [&](const Scans& scans) {
    return fathom::make_beam_data(log, scans, *world.expected, sensor.max_range_m, options.threads);
  };

  fathom::FitReport report;
  report.variant = value_of_word<fathom::FitVariant>(options.variant);
  report.shown = pairs(learned);
  {
    TaskDisplay display("learning:", options.quiet);
    const fathom::FitOptions how = fit_options(options, world.cell_m, display);
    report.fit = naming(options.log, [&] { return fathom::fit_beam_model(report.shown, sensor, how); });
  }
  report.model = {report.fit.parameters, sensor, unknown};
  report.held_out = !held_out.empty();
  if (report.held_out) report.shown = pairs(held_out);
  report.judgement =
      naming(options.log, [&] { return fathom::judge_beam_model(report.fit.parameters, sensor, report.shown); });
  report.facts = {{"map", world.name},
                  {"log", fmt::format("{}, {} beams a scan", options.log.filename().string(), log.beams())},
                  {"learned from", count_text(learned, log, options.scans)}};
  if (report.held_out) {
    const std::string selection = options.test_scans.empty() ? "the others" : options.test_scans;
    report.facts.push_back({"held out", count_text(held_out, log, selection)});
  }
  fathom::write_fit(options.out, report, options.force);
  const std::string notes = skipped_note(log) + max_range_note(log, sensor.max_range_m);
  if (!options.quiet) print(notes + summary(report, options.out));
}

}  // namespace fathom_cli
