// SPDX-License-Identifier: MIT
#include "fit_scans.hpp"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/names.hpp>
#include <fathom/beam/field_log.hpp>
#include <fathom/beam/report.hpp>
#include <fathom/files/maps.hpp>

#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

/// What a localizer is given must hold without an offset, so it is learned without.
constexpr std::string_view kNoOffsetNote =
    "the hit offset is 0, because localizers have none; without --write, or with --hit-offset fit, it is learned";

BeamLogOptions nth_log(const BeamFitOptions& options, std::size_t n) {
  BeamLogOptions log = options.log;
  if (n > 0) (log.bag.empty() ? log.log : log.bag) = options.also[n - 1];
  return log;
}

/// Readings that count twice would make errors too small.
void refuse_same_log(const BeamFitOptions& options) {
  for (std::size_t n = 1; n <= options.also.size(); ++n) {
    for (std::size_t k = 0; k < n; ++k) {
      std::error_code error;  // files that are not there are refused when they are opened
      if (!std::filesystem::equivalent(nth_log(options, k).file(), nth_log(options, n).file(), error) || error)
        continue;
      throw fathom::InputError(
          fmt::format("--also {}: is a log that is given already; each counts once", options.also[n - 1].string()));
    }
  }
}

/// From the table of pairs, or from the logs in a world.
fathom::FitReport learn(const BeamFitOptions& options, const std::optional<fathom::World>& world) {
  TaskDisplay display("learning:", options.quiet);
  fathom::FitLogOptions fit = options.fit;
  fit.on_iteration = [&display](const fathom::FitIteration& i) {
    display.show_text(fmt::format("iteration {}, log-likelihood {:.3f}", i.iteration + 1, i.log_likelihood));
  };
  fit.on_refine_progress = [&display](const fathom::RefineProgress& p) {
    display.show_text(fmt::format("turn {}, poses of {} scans", p.turn, group_digits(p.scans)));
  };
  if (!world) {
    fathom::BeamData pairs = fathom::read_beam_pairs(options.pairs);
    pairs.cell_m = options.cell_m;
    return fathom::fit_pairs(pairs, fit, options.pairs.string());
  }
  const std::size_t logs = 1 + options.also.size();
  const auto read = [&](std::size_t n) { return read_log(nth_log(options, n)); };
  if (fit.refine_poses && options.also.empty()) return fathom::fit_log(read(0), *world, fit);
  return fathom::fit_logs(logs, read, *world, fit);
}

/// The report, its notes and where it was written.
template <class Result>
std::string told(const Result& report, const BeamFitOptions& options) {
  return fathom::report_text(report, fathom::ReportForm::kTerminal, options.names) +
         notes_text(report.notes, options.names) +
         fmt::format("\nparameters.yaml, fit.json and report.html are in {}\n",
                     fathom::printable(options.out.string()));
}

/// Says where a fit advises what localizers lack. A fault is in two lists, which keep the same words.
template <class Report>
void qualify_advice(Report& report) {
  for (std::vector<fathom::Message>* flags : {&report.sanity, &report.unusable}) {
    for (fathom::Message& flag : *flags) {
      if (!flag.names("hit") && !flag.names("fit_hit_offset")) continue;
      flag += "; localizers do not know that, and what is written is the likeliest of what they know";
    }
  }
}

/// What was written for localizers.
std::string localizer_lines(const BeamFitOptions& options) {
  std::string text;
  for (const fathom::Localizer localizer : options.localizers) {
    const std::filesystem::path file = options.out / fathom::localizer_file_name(localizer);
    text += fmt::format("{} has the parameters of {}\n", fathom::printable(file.string()),
                        fathom::kChoiceWords<fathom::Localizer>[static_cast<std::size_t>(localizer)]);
  }
  return text;
}

/// Notes on parameters that localizers lack.
std::string localizer_doubts(const fathom::FitReport& report, const BeamFitOptions& options) {
  std::string text;
  for (const fathom::Localizer localizer : options.localizers) {
    text += notes_text(fathom::localizer_notes(report.model.parameters, localizer));
  }
  return text;
}

}  // namespace

void fit_field(const BeamFitOptions& options) {
  const StopSignals signals(Patience::kNone);
  fathom::check_fit_folder(options.out, options.force);
  Paths inputs = world_files(options.world);
  inputs.push_back(options.log.file());
  refuse_inputs(fathom::fit_files(options.out, options.localizers), inputs);
  const fathom::GridMapFile map = fathom::read_grid_map_file(options.world.map);
  const fathom::ScanLog log = read_log(options.log);
  fathom::FieldLogOptions how;
  how.scans = options.fit.scans, how.test_scans = options.fit.test_scans;
  how.max_range_m = options.fit.max_range_m, how.min_range_m = options.fit.min_range_m;
  how.auto_max_range = options.fit.auto_max_range;
  how.max_distance_m = options.max_distance_m;
  how.map_name = options.world.map.filename().string();
  how.fit.stretches = options.fit.stretches;
  fathom::FieldReport report = fathom::fit_field_log(log, map.map, how);
  if (!options.localizers.empty()) qualify_advice(report);
  fathom::write_field_fit(options.out, report, options.force, options.localizers);
  if (!options.quiet) print(told(report, options) + localizer_lines(options) + notes_text(map.notes));
}

void fit_beam(const BeamFitOptions& options) {
  for (const fathom::Localizer localizer : options.localizers) {
    fathom::check_hit_law(options.fit.hit, localizer);
  }
  const StopSignals signals(Patience::kNone);
  fathom::check_fit_folder(options.out, options.force);
  const Paths outputs = fathom::fit_files(options.out, options.localizers, options.fit.refine_poses.has_value());
  std::optional<fathom::World> world;
  if (options.pairs.empty()) {
    refuse_same_log(options);
    Paths inputs = world_files(options.world);
    for (std::size_t n = 0; n <= options.also.size(); ++n) inputs.push_back(nth_log(options, n).file());
    refuse_inputs(outputs, inputs);
    world = open_world(options.world, options.unknown, options.fit.compute.threads);
    refuse_inputs(outputs, world->inputs());
  } else {
    refuse_inputs(outputs, {options.pairs});
  }

  BeamFitOptions how = options;
  const bool leaves_offset = !options.localizers.empty() && !options.fit.hit_offset_m && !options.fit.fit_hit_offset;
  if (leaves_offset) how.fit.fit_hit_offset = false;
  fathom::FitReport report = learn(how, world);
  if (!options.localizers.empty()) qualify_advice(report);
  const double cell_m = world ? world->cell_m() : options.cell_m;
  if (leaves_offset && cell_m > 0.0) report.sanity.emplace_back(kNoOffsetNote);
  fathom::write_fit(options.out, report, options.force, options.localizers);
  if (!options.quiet) print(told(report, options) + localizer_lines(options) + localizer_doubts(report, options));
}

}  // namespace fathom_cli
