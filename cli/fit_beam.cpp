// SPDX-License-Identifier: MIT
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/beam/model_file.hpp>
#include <fathom/beam/report.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "fit_scans.hpp"
#include "option_values.hpp"

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

void add_hit_offset(CLI::App& c, fathom::FitLogOptions& fit) {
  const auto read = [&fit](const std::string& text) {
    const NumberLimits limits = limits_of<fathom::BeamParameters>("hit_offset_m");
    fit.fit_hit_offset = text == "fit";
    fit.hit_offset_m = text == "fit" ? std::nullopt : std::optional(parse_number("--hit-offset", text, limits));
  };
  const std::string doc = doc_of<fathom::BeamParameters>("hit_offset_m") +
                          "; fit: learn it; default: fit with a map or --cell, 0 in a scene or with --write";
  c.add_option_function<std::string>("--hit-offset", read, doc)->type_name("M|fit");
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
  c.add_option_function<std::string>("--refine-poses", read,
                                     "learn poses, too, which the log has with this deviation; without value: 0.1,1")
      ->type_name("M,DEG")
      ->expected(0, 1);
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
void check_beam_sources(const CLI::App& c, const BeamFitOptions& o) {
  if (o.pairs.empty()) return check_world_and_log(c, o.world, o.log);
  if (o.log.is_given() || o.world.is_given() || !o.also.empty()) {
    throw fathom::InputError("--pairs has its expected ranges: --log, --bag, --also, --map and --scene are for logs");
  }
  refuse_with_pairs(c);
}

void add_pairs(CLI::App& c, BeamFitOptions& o) {
  CLI::Option* pairs =
      c.add_option("--pairs", o.pairs, "CSV of readings and expected ranges, instead of a world and a log")
          ->type_name("CSV");
  begin_section(c, Section::kInput, true);
  add_number(c, {"--cell", "M", "of the map that --pairs expects ranges in, 0: there are no cells; m"}, {0.0, 1e4, "m"},
             o.cell_m)
      .needs(pairs);
}

void add_beam_model(CLI::App& c, BeamFitOptions& o) {
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
  const auto o = std::make_shared<BeamFitOptions>();
  CLI::App& c = *fit.add_subcommand("beam", "Learn the six parameters of the beam model from a log and a map");
  add_world(c, o->world);
  add_log(c, o->log);
  begin_section(c, Section::kRequired);
  c.add_option("--out", o->out, "folder to make for the results")->required()->type_name("DIR");
  add_fit_scans(c, o->fit);
  begin_section(c, Section::kInput);
  add_pairs(c, *o);
  add_repeated(c, {"--also", "LOG", "another log or bag of the same sensor, read as the first"}, o->also);
  add_beam_model(c, *o);
  begin_section(c, Section::kOutput);
  add_localizers(c, o->localizers);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  begin_section(c, Section::kComputer);
  add_threads(c, o->fit.compute.threads);
  c.footer(kFitBeamHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    check_beam_sources(c, *o);
    fit_beam(*o);
  });
}

}  // namespace fathom_cli
