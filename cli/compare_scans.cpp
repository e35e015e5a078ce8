// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/base/error.hpp>
#include <fathom/beam/field_log.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/beam/model_file.hpp>
#include <fathom/files/maps.hpp>

#include "chain_data.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kCompareBeamHelp = R"(
Usage: fathom compare beam A B (--map YAML | --scene YAML) (--log LOG | --bag BAG) [OPTIONS]
In the examples office.yaml and office.log.gz stand for your own map and log.

Examples:
  fathom fit beam --map office.yaml --log office.log.gz --max-range 80 --out out/fit
  fathom fit beam --map office.yaml --log office.log.gz --max-range 80 --hit student_t --out out/fit_student
  fathom compare beam out/fit/parameters.yaml out/fit_student/parameters.yaml --map office.yaml --log office.log.gz
      --scans even

The difference is of mean log-likelihoods per ray, of A less of B: above 0 where A is better. Choose scans that neither
was learned from.)";

constexpr const char* kCompareFieldHelp = R"(
Usage: fathom compare field A B --map YAML (--log LOG | --bag BAG) [OPTIONS]
In the examples office.yaml and office.log.gz stand for your own map and log.

Examples:
  fathom fit field --map office.yaml --log office.log.gz --max-range 80 --write nav2 --out out/field
  fathom fit field --map office.yaml --log office.log.gz --max-range 80 --max-distance 1 --out out/near_field
  fathom compare field out/field/parameters.yaml out/near_field/parameters.yaml --map office.yaml
      --log office.log.gz --scans even

The difference is of mean log-likelihoods per ray, of A less of B: above 0 where A is better. Choose scans that neither
was learned from.)";

/// `fathom compare beam|field A B --map M --log L ...`
struct CompareScansOptions {
  std::filesystem::path first, second;
  BeamWorldOptions world;
  BeamLogOptions log;
  std::string scans = "all";
  std::size_t stretches = fathom::FitOptions().stretches;
  int threads = 0;
  bool json = false, quiet = false;
  std::vector<fathom::SettingName> names;  ///< of settings, as options of the command
};

/// Scans as the frames of fathom::mean_score().
std::vector<fathom::FrameScore> per_ray(const std::vector<fathom::ScanScore>& scans) {
  std::vector<fathom::FrameScore> frames;
  for (const fathom::ScanScore& scan : scans) {
    frames.push_back({.frame = scan.scan, .returns = scan.rays});
    if (scan.rays > 0) frames.back().nats = scan.log_likelihood / static_cast<double>(scan.rays);
  }
  return frames;
}

/// Where readings count as others do, densities cannot be compared.
void refuse_other_sensor(const CompareScansOptions& o, const fathom::BeamSensor& a, const fathom::BeamSensor& b) {
  const auto refuse = [&o](const char* name) {
    throw fathom::InputError(fmt::format("{} and {}: {} differs: likelihoods cannot be compared", o.first.string(),
                                         o.second.string(), name));
  };
  if (a.max_range_m != b.max_range_m) refuse("max_range_m");
  if (a.min_range_m != b.min_range_m) refuse("min_range_m");
  if (a.step_m != b.step_m) refuse("step_m");
  if (a.nan != b.nan) refuse("nan");
}

void show(const CompareScansOptions& o, const std::vector<fathom::ScanScore>& first,
          const std::vector<fathom::ScanScore>& second, const std::string& notes) {
  std::size_t rays = 0;
  for (const fathom::ScanScore& scan : first) rays += scan.rays;
  if (rays == 0) throw fathom::InputError(o.log.file().string() + ": no reading carries evidence");
  const auto a = per_ray(first), b = per_ray(second);
  const auto clusters = static_cast<std::uint32_t>(o.stretches);
  const ChainScores scores = {fathom::mean_score(a, clusters), fathom::mean_score(b, clusters),
                              fathom::score_difference(a, b, clusters)};
  if (o.json) {
    nlohmann::ordered_json json = {{"scans", a.size()}, {"rays", rays}};
    json.update(scores_json(scores));
    return print(json.dump(2) + "\n");
  }
  print(scores_text(scores, o.first, o.second, "ray"));
  if (!o.quiet) print(fmt::format("{} of {}\n{}", counted(rays, "ray"), counted(a.size(), "scan"), notes));
}

void compare_beams(const CompareScansOptions& o) {
  const StopSignals signals(Patience::kNone);
  const fathom::BeamModel first = fathom::read_beam_model(o.first), second = fathom::read_beam_model(o.second);
  refuse_other_sensor(o, first.sensor, second.sensor);
  const fathom::ScanLog log = read_log(o.log);
  fathom::World world = open_world(o.world, first.unknown, o.threads);
  std::vector<std::vector<fathom::ScanScore>> scores;
  {
    TaskDisplay display("scoring:", o.quiet);  // gone before the result is printed
    for (const fathom::BeamModel* model : {&first, &second}) {
      if (world.unknown() != model->unknown) world = open_world(o.world, model->unknown, o.threads);
      const auto before = static_cast<double>(scores.size());
      fathom::ScoreLogOptions how;
      how.score.compute.threads = o.threads;
      how.on_progress = [&display, before](double done) { display.show_fraction(0.5 * (before + done)); };
      scores.push_back(fathom::score_log(*model, world, log, o.scans, how).scans);
    }
  }
  show(o, scores[0], scores[1], notes_text(world.notes()) + notes_text(fathom::log_notes(log), o.names));
}

void compare_fields(const CompareScansOptions& o) {
  const StopSignals signals(Patience::kNone);
  const fathom::LikelihoodFieldModel first = fathom::read_field_model(o.first),
                                     second = fathom::read_field_model(o.second);
  refuse_other_sensor(o, {.max_range_m = first.max_range_m, .min_range_m = first.min_range_m},
                      {.max_range_m = second.max_range_m, .min_range_m = second.min_range_m});
  const fathom::GridMapFile map = fathom::read_grid_map_file(o.world.map);
  const fathom::ScanLog log = read_log(o.log);
  show(o, fathom::score_field_log(first, map.map, log, o.scans), fathom::score_field_log(second, map.map, log, o.scans),
       notes_text(map.notes) + notes_text(fathom::log_notes(log), o.names));
}

void add_comparison(CLI::App& c, CompareScansOptions& o) {
  begin_section(c, Section::kRequired);
  c.add_option("A", o.first, "parameters.yaml, as fathom fit writes it")->required()->type_name("YAML");
  c.add_option("B", o.second, "the same of another model")->required()->type_name("YAML");
  begin_section(c, Section::kInput);
  c.add_option("--scans", o.scans, "scans to score")->type_name("WHICH")->default_str(o.scans);
  begin_section(c, Section::kModel);
  add_clusters(c, o.stretches);
  begin_section(c, Section::kOutput);
  add_json(c, o.json);
  add_quiet(c, o.quiet);
}

}  // namespace

void add_compare_beam(CLI::App& compare) {
  const auto o = std::make_shared<CompareScansOptions>();
  CLI::App& c = *compare.add_subcommand("beam", "The difference of two beam models on the scans of a log");
  add_comparison(c, *o);
  add_world(c, o->world);
  add_log(c, o->log);
  begin_section(c, Section::kComputer);
  add_threads(c, o->threads);
  c.footer(kCompareBeamHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    check_world_and_log(c, o->world, o->log);
    compare_beams(*o);
  });
}

void add_compare_field(CLI::App& compare) {
  const auto o = std::make_shared<CompareScansOptions>();
  CLI::App& c = *compare.add_subcommand("field", "The difference of two likelihood fields on the scans of a log");
  add_comparison(c, *o);
  add_map_and_log(c, o->world, o->log);
  c.footer(kCompareFieldHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    check_log(c, o->log);
    compare_fields(*o);
  });
}

}  // namespace fathom_cli
