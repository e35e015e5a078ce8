// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <fathom/beam/likelihood_field.hpp>
#include <fathom/beam/report.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "fit_scans.hpp"
#include "option_values.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kFitFieldHelp = R"(
Usage: fathom fit field --map YAML (--log LOG | --bag BAG) --out DIR [OPTIONS]
In the example office.yaml and office.log.gz stand for your own map and log.

Example:
  fathom fit field --map office.yaml --log office.log.gz --max-range 80 --write nav2 --out out/field

The likelihood field scores where a reading ends by the distance to the nearest occupied cell, as localizers do. Scans
are chosen as all, odd, even or start:stop:step. DIR gets parameters.yaml, fit.json and report.html.)";

void add_max_range(CLI::App& c, fathom::FitLogOptions& fit) {
  const auto read = [&fit](const std::string& text) {
    const NumberLimits limits = limits_of<fathom::BeamSensor>("max_range_m");
    fit.auto_max_range = text == "auto";
    fit.max_range_m = text == "auto" ? std::nullopt : std::optional(parse_number("--max-range", text, limits));
  };
  const char* const doc = "readings from here on have no return, m; auto: found; default: what the log says";
  c.add_option_function<std::string>("--max-range", read, doc)->type_name("M|auto");
}

}  // namespace

void add_fit_scans(CLI::App& c, fathom::FitLogOptions& fit) {
  begin_section(c, Section::kInput);
  c.add_option("--scans", fit.scans, "scans to learn from")->type_name("WHICH")->default_str(fit.scans);
  c.add_option("--test-scans", fit.test_scans, "scans to judge by; default: those not learned from")
      ->type_name("WHICH");
  add_max_range(c, fit);
  begin_section(c, Section::kInput, true);
  using Sensor = fathom::BeamSensor;
  add_number(c, {"--min-range", "M", doc_of<Sensor>("min_range_m")}, limits_of<Sensor>("min_range_m"), fit.min_range_m);
  begin_section(c, Section::kModel, true);
  add_clusters(c, fit.stretches);
}

void add_localizers(CLI::App& c, std::vector<fathom::Localizer>& localizers) {
  add_word_option(c, "--write", "also writes parameters of this localizer; may be repeated",
                  fathom::kChoiceWords<fathom::Localizer>,
                  [&localizers](std::size_t word) {
                    const auto localizer = static_cast<fathom::Localizer>(word);
                    if (std::ranges::find(localizers, localizer) == localizers.end()) localizers.push_back(localizer);
                  })
      .trigger_on_parse();
}

void add_fit_field(CLI::App& fit) {
  const auto o = std::make_shared<BeamFitOptions>();
  CLI::App& c = *fit.add_subcommand("field", "Learn the likelihood field that localizers use from a log and a map");
  add_map_and_log(c, o->world, o->log);
  begin_section(c, Section::kRequired);
  c.add_option("--out", o->out, "folder to make for the results")->required()->type_name("DIR");
  add_fit_scans(c, o->fit);
  begin_section(c, Section::kModel);
  using Field = fathom::LikelihoodFieldModel;
  add_number(c, {"--max-distance", "M", doc_of<Field>("max_distance_m")}, limits_of<Field>("max_distance_m"),
             o->max_distance_m);
  begin_section(c, Section::kOutput);
  add_localizers(c, o->localizers);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kFitFieldHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    check_log(c, o->log);
    fit_field(*o);
  });
}

}  // namespace fathom_cli
