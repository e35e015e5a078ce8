// SPDX-License-Identifier: MIT
// Models learned from the scans of logs: `fathom fit beam` and `fathom fit field`.

#include <algorithm>
#include <memory>
#include <system_error>

#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "progress.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kFitBeamHelp = R"(
Usage: fathom fit beam (--map YAML | --scene YAML) (--log LOG | --bag BAG) --out DIR [OPTIONS]
In the examples office.yaml, office.log.gz and drive.mcap stand for your own map, log and bag, and readings.csv for what
`fathom beam sample --expected` writes: the columns expected_m and reading_m, and scan.

Examples:
  fathom fit beam --map office.yaml --log office.log.gz --max-range 80 --out out/fit
  fathom fit beam --map examples/house/maps/map.yaml --bag drive.mcap --topic /laser/scan --frame world
      --out out/fit_bag
  fathom fit beam --map office.yaml --log office.log.gz --max-range 80 --write nav2 --out out/fit_nav2
  fathom fit beam --pairs readings.csv --max-range 8 --out out/fit_pairs

Scans are counted from 0 and chosen as all, odd, even or start:stop:step (stop excluded; each part may be left out).
DIR gets parameters.yaml, fit.json and report.html; files appear whole or not at all. docs/beam-cli.md has more.)";

constexpr const char* kFitFieldHelp = R"(
Usage: fathom fit field --map YAML (--log LOG | --bag BAG) --out DIR [OPTIONS]
In the example office.yaml and office.log.gz stand for your own map and log.

Example:
  fathom fit field --map office.yaml --log office.log.gz --max-range 80 --write nav2 --out out/field

The likelihood field scores where a reading ends by the distance to the nearest occupied cell, as localizers do. Scans
are chosen as all, odd, even or start:stop:step. DIR gets parameters.yaml, fit.json and report.html.)";

/// `fathom fit beam` and `fathom fit field`: --map M --log L --out DIR ...; of the beam model --pairs CSV, too
struct ScansFitOptions {
  BeamWorldOptions world;
  BeamLogOptions log;
  Paths also;                                 ///< read as the first log is
  std::filesystem::path pairs;                ///< instead of world and logs
  double cell_m = 0.0;                        ///< of the world that its expected ranges are from
  std::vector<fathom::Localizer> localizers;  ///< to write parameters for
  fathom::FitLogOptions fit;
  double max_distance_m = 2.0;  ///< of the likelihood field
  fathom::UnknownCells unknown = fathom::UnknownCells::kFree;
  OutputOptions output;
};

/// What a localizer is given must hold without an offset, so it is learned without.
constexpr std::string_view kNoOffsetNote =
    "the hit offset is 0, because localizers have none; without --write, or with --hit-offset fit, it is learned";

BeamLogOptions nth_log(const ScansFitOptions& options, std::size_t n) {
  BeamLogOptions log = options.log;
  if (n > 0) (log.bag.empty() ? log.log : log.bag) = options.also[n - 1];
  return log;
}

/// Readings that count twice would make errors too small.
void refuse_same_log(const ScansFitOptions& options) {
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
fathom::FitReport learn(const ScansFitOptions& options, const std::optional<fathom::World>& world) {
  TaskDisplay display("learning:", options.output.quiet);
  fathom::FitLogOptions fit = options.fit;
  fit.on_iteration = [&display](const fathom::FitOptions::Iteration& i) {
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

constexpr const char* kFitFiles = "parameters.yaml, fit.json and report.html";

/// The files for localizers.
std::string localizer_files(const ScansFitOptions& o) {
  std::string text;
  for (const fathom::Localizer localizer : o.localizers) {
    const std::filesystem::path file = o.output.out / fathom::localizer_file_name(localizer);
    text += fmt::format("{} has the parameters of {}\n", fathom::printable(file.string()),
                        fathom::kChoiceWords<fathom::Localizer>[static_cast<std::size_t>(localizer)]);
  }
  return text;
}

/// Warns if the advice of a fit is a feature that localizers lack.
void qualify_advice(const ScansFitOptions& options, std::vector<fathom::Finding>& findings) {
  if (options.localizers.empty()) return;
  for (fathom::Finding& finding : findings) {
    if (!finding.text.names("hit") && !finding.text.names("fit_hit_offset")) continue;
    finding.text += "; localizers do not know that, and what is written is the likeliest of what they know";
  }
}

/// Notes on parameters that localizers lack.
std::string localizer_doubts(const fathom::FitReport& report, const ScansFitOptions& options) {
  std::string text;
  for (const fathom::Localizer localizer : options.localizers) {
    text += notes_text(fathom::localizer_notes(report.model.parameters, localizer));
  }
  return text;
}

/// Both learn the parameters with progress on stderr, write the folder and print the report.
void fit_field(const ScansFitOptions& options) {
  fathom::check_result_folder(fathom::ResultKind::kFit, options.output.out, options.output.force);
  Paths inputs = world_files(options.world);
  inputs.push_back(options.log.file());
  refuse_inputs(fathom::fit_files(options.output.out, options.localizers), inputs);
  const fathom::GridMap map = fathom::read_grid_map(options.world.map);
  const fathom::ScanLog log = read_log(options.log);
  fathom::FieldLogOptions how;
  how.scans = options.fit.scans, how.test_scans = options.fit.test_scans;
  how.max_range_m = options.fit.max_range_m, how.min_range_m = options.fit.min_range_m;
  how.auto_max_range = options.fit.auto_max_range;
  how.max_distance_m = options.max_distance_m;
  how.map_name = options.world.map.filename().string();
  how.stretches = options.fit.stretches;
  fathom::FieldReport report = fathom::fit_field_log(log, map, how);
  qualify_advice(options, report.sanity);
  report.notes.insert(report.notes.end(), map.notes.begin(), map.notes.end());
  report.write(options.output.out, options.output.force, options.localizers);
  print_report(report, options.output, kFitFiles, localizer_files(options));
}

void fit_beam(const ScansFitOptions& options) {
  for (const fathom::Localizer localizer : options.localizers) fathom::check_hit_law(options.fit.hit, localizer);
  fathom::check_result_folder(fathom::ResultKind::kFit, options.output.out, options.output.force);
  const Paths outputs = fathom::fit_files(options.output.out, options.localizers, options.fit.refine_poses.has_value());
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

  ScansFitOptions how = options;
  const bool leaves_offset = !options.localizers.empty() && !options.fit.hit_offset_m && !options.fit.fit_hit_offset;
  if (leaves_offset) how.fit.fit_hit_offset = false;
  fathom::FitReport report = learn(how, world);
  qualify_advice(options, report.sanity);
  const double cell_m = world ? world->cell_m() : options.cell_m;
  if (leaves_offset && cell_m > 0.0)
    report.sanity.push_back({fathom::Finding::Severity::kWarning, "no_offset", kNoOffsetNote});
  report.write(options.output.out, options.output.force, options.localizers);
  print_report(report, options.output, kFitFiles, localizer_files(options) + localizer_doubts(report, options));
}

void add_max_range(CLI::App& c, fathom::FitLogOptions& fit) {
  const auto read = [&fit](const std::string& text) {
    const NumberLimits limits = limits_of<fathom::BeamSensor>("max_range_m");
    fit.auto_max_range = text == "auto";
    fit.max_range_m = text == "auto" ? std::nullopt : std::optional(parse_number("--max-range", text, limits));
  };
  const char* const doc = "readings from here on have no return, m; auto: found; default: what the log says";
  add_parsed(c, {"--max-range", "M|auto", doc}, read);
}

/// --out, and the choice of scans and readings.
void add_learning(CLI::App& c, ScansFitOptions& o) {
  fathom::FitLogOptions& fit = o.fit;
  begin_section(c, Section::kRequired);
  c.add_option("--out", o.output.out, "folder to make for the results")->required()->type_name("DIR");
  begin_section(c, Section::kInput);
  c.add_option("--scans", fit.scans, "scans to learn from")->type_name("WHICH")->default_str(fit.scans);
  c.add_option("--test-scans", fit.test_scans, "scans to judge by; default: those not learned from")
      ->type_name("WHICH");
  add_max_range(c, fit);
  begin_section(c, Section::kInput, true);
  using Sensor = fathom::BeamSensor;
  add_number(c, {"--min-range", "M", doc_of<Sensor>("min_range_m")}, limits_of<Sensor>("min_range_m"), fit.min_range_m);
  begin_section(c, Section::kModel, true);
  add_stretches(c, fit.stretches);
}

void add_fit_output(CLI::App& c, ScansFitOptions& o) {
  begin_section(c, Section::kOutput);
  const auto add = [&localizers = o.localizers](std::size_t word) {
    const auto localizer = static_cast<fathom::Localizer>(word);
    if (std::ranges::find(localizers, localizer) == localizers.end()) localizers.push_back(localizer);
  };
  add_word_option(c, "--write", "also writes parameters of this localizer; may be repeated",
                  fathom::kChoiceWords<fathom::Localizer>, add)
      .trigger_on_parse();
  add_json(c, o.output.json);
  add_force(c, o.output.force);
  add_quiet(c, o.output.quiet);
}

void add_hit_offset(CLI::App& c, fathom::FitLogOptions& fit) {
  const auto read = [&fit](const std::string& text) {
    const NumberLimits limits = limits_of<fathom::BeamParameters>("hit_offset_m");
    fit.fit_hit_offset = text == "fit";
    fit.hit_offset_m = text == "fit" ? std::nullopt : std::optional(parse_number("--hit-offset", text, limits));
  };
  const std::string doc = doc_of<fathom::BeamParameters>("hit_offset_m") +
                          "; fit: learn it; default: fit with a map or --cell, 0 in a scene or with --write";
  add_parsed(c, {"--hit-offset", "M|fit", doc}, read);
}

/// Without a value: a usual deviation.
void add_refine_poses(CLI::App& c, std::optional<fathom::PosePrior>& prior) {
  const auto read = [&prior](const std::string& text) {
    prior.emplace();
    if (text.empty()) return;
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos) {
      throw fathom::InputError(fmt::format("--refine-poses: '{}' is not M,DEG", fathom::printable(text)));
    }
    using Prior = fathom::PosePrior;
    prior->stddev_m =
        parse_number("--refine-poses", text.substr(0, comma), {Prior::kLeastStddevM, Prior::kMostStddevM, "m"});
    prior->stddev_rad =
        fathom::kRadPerDeg * parse_number("--refine-poses", text.substr(comma + 1), {0.001, 180.0, "deg"});
  };
  const char* const doc = "learn poses, too, which the log has with this deviation; without value: 0.1,1";
  add_parsed(c, {"--refine-poses", "M,DEG", doc}, read).expected(0, 1);
}

/// An option of logs would be passed over.
void refuse_with_pairs(const CLI::App& c) {
  const auto refuse = [&](const char* option, const char* why) {
    if (c.count(option) > 0) throw fathom::InputError(fmt::format("--pairs {}: {} is for logs", why, option));
  };
  refuse("--refine-poses", "has no poses");
  refuse("--per-log", "has no poses");
  refuse("--unknown", "has its expected ranges");
  refuse("--height", "has its expected ranges");
}

/// A world and a log, or pairs.
void check_beam_sources(const CLI::App& c, const ScansFitOptions& o) {
  if (o.pairs.empty()) return check_world_and_log(c, o.world, o.log);
  if (o.log.is_given() || o.world.is_given() || !o.also.empty()) {
    throw fathom::InputError("--pairs has its expected ranges: --log, --bag, --also, --map and --scene are for logs");
  }
  refuse_with_pairs(c);
}

void add_pairs(CLI::App& c, ScansFitOptions& o) {
  CLI::Option* pairs =
      c.add_option("--pairs", o.pairs, "CSV of readings and expected ranges, instead of a world and a log")
          ->type_name("CSV");
  begin_section(c, Section::kInput, true);
  add_number(c, {"--cell", "M", "of the map that --pairs expects ranges in, 0: there are no cells; m"}, {0.0, 1e4, "m"},
             o.cell_m)
      .needs(pairs);
}

void add_beam_model(CLI::App& c, ScansFitOptions& o) {
  fathom::FitLogOptions& fit = o.fit;
  begin_section(c, Section::kModel);
  add_choice(c, "--hit", "how hits spread; localizers know gaussian alone", fit.hit);
  add_choice(c, "--miss", doc_of<fathom::BeamSensor>("miss"), fit.miss);
  add_refine_poses(c, fit.refine_poses);
  begin_section(c, Section::kModel, true);
  add_hit_offset(c, fit);
  using Sensor = fathom::BeamSensor;
  add_number(c, {"--step", "M", doc_of<Sensor>("step_m")}, limits_of<Sensor>("step_m"), fit.step_m);
  add_choice(c, "--nan", doc_of<fathom::BeamSensor>("nan"), fit.nan);
  add_choice(c, "--unknown", doc_of<fathom::BeamModel>("unknown"), o.unknown);
  add_choice(c, "--variant", "how to learn; closed_form and book are biased, for comparison", fit.variant);
  add_choice(c, "--per-log", "what is learned of each log for itself: its mount, its offset of ranges", fit.per_log);
}

}  // namespace

void add_fit_beam(CLI::App& fit) {
  const auto o = std::make_shared<ScansFitOptions>();
  CLI::App& c = *fit.add_subcommand("beam", "Learn the six parameters of the beam model from a log and a map");
  add_world(c, o->world);
  add_log(c, o->log);
  add_learning(c, *o);
  begin_section(c, Section::kInput);
  add_pairs(c, *o);
  add_repeated(c, {"--also", "LOG", "another log or bag of the same sensor, read as the first"}, o->also);
  add_beam_model(c, *o);
  add_fit_output(c, *o);
  begin_section(c, Section::kComputer);
  add_threads(c, o->fit.compute.threads);
  c.footer(kFitBeamHelp);
  set_action(c, o->output, [o, &c] {
    check_beam_sources(c, *o);
    fit_beam(*o);
  });
}

void add_fit_field(CLI::App& fit) {
  const auto o = std::make_shared<ScansFitOptions>();
  CLI::App& c = *fit.add_subcommand("field", "Learn the likelihood field that localizers use from a log and a map");
  add_map_and_log(c, o->world, o->log);
  add_learning(c, *o);
  begin_section(c, Section::kModel);
  using Field = fathom::LikelihoodFieldModel;
  add_number(c, {"--max-distance", "M", doc_of<Field>("max_distance_m")}, limits_of<Field>("max_distance_m"),
             o->max_distance_m);
  add_fit_output(c, *o);
  c.footer(kFitFieldHelp);
  set_action(c, o->output, [o, &c] {
    check_log(c, o->log);
    fit_field(*o);
  });
}

}  // namespace fathom_cli
