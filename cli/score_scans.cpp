// SPDX-License-Identifier: MIT
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/beam/field_log.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/beam/model_file.hpp>
#include <fathom/beam/score.hpp>
#include <fathom/files/maps.hpp>

#include "command_tree.hpp"
#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kScoreBeamHelp = R"(
Usage: fathom score beam (--map YAML | --scene YAML) (--log LOG | --bag BAG) --parameters YAML [OPTIONS]
In the example office.yaml and office.log.gz stand for your own map and log.

Example:
  fathom score beam --map office.yaml --log office.log.gz --parameters out/fit/parameters.yaml > scores.csv

Columns: scan, x_m, y_m, yaw_rad, rays (that carry evidence), log_likelihood; with --per-beam scan, ray, azimuth_rad,
reading_m, expected_m, log_density, p_hit, p_short, p_max, p_rand. The summary goes to stderr when the CSV goes to
stdout.)";

constexpr const char* kScoreFieldHelp = R"(
Usage: fathom score field --map YAML (--log LOG | --bag BAG) --parameters YAML [OPTIONS]
In the examples office.yaml and office.log.gz stand for your own map and log.

Examples:
  fathom fit field --map office.yaml --log office.log.gz --max-range 80 --write nav2 --out out/field
  fathom score field --map office.yaml --log office.log.gz --parameters out/field/parameters.yaml > field_scores.csv

Columns: scan, x_m, y_m, yaw_rad, rays (that carry evidence), log_likelihood. The summary goes to stderr when the CSV
goes to stdout.)";

/// `fathom score beam|field --map M --log L --parameters P ...`
struct ScanScoreOptions {
  BeamWorldOptions world;
  BeamLogOptions log;
  std::filesystem::path parameters;
  std::filesystem::path out;  ///< empty: stdout
  std::string scans = "all";
  bool per_beam = false;  ///< a line for every beam, not for every scan
  fathom::ScoreOptions score;
  bool force = false, quiet = false;
  std::vector<fathom::SettingName> names;  ///< of settings, as options of the command
};

/// Refuses what would be replaced, before the work.
void check_score_out(const ScanScoreOptions& options) {
  const std::filesystem::path log_file = options.log.file();
  if (options.out.empty()) return;
  Paths inputs = world_files(options.world);
  inputs.insert(inputs.end(), {log_file, options.parameters});
  check_new_file(options.out, options.force, inputs);
}

fathom::LogScores score(const ScanScoreOptions& options, const fathom::BeamModel& model, const fathom::World& world,
                        const fathom::ScanLog& log) {
  TaskDisplay display("scoring:", options.quiet);
  fathom::ScoreLogOptions how;
  how.score = options.score;
  how.on_progress = [&display](double done) { display.show_fraction(done); };
  return fathom::score_log(model, world, log, options.scans, how);
}

/// The rows of a summary; `unit` is "ray" or "reading".
std::vector<std::vector<std::string>> summary_rows(const fathom::LogScores& scores, const std::string& unit) {
  const fathom::ScanScore& worst = scores.least_likely();
  return {{"scans", group_digits(scores.scans.size())},
          {unit + "s with evidence", group_digits(scores.rays())},
          {"log-likelihood", fmt::format("{:.3f}", scores.log_likelihood())},
          {"per scan", fmt::format("{:.4f}", scores.mean_per_scan())},
          {"per " + unit, fmt::format("{:.4f}", scores.mean_per_ray())},
          {"least likely", fmt::format("scan {}: {:.3f}", worst.scan, worst.log_likelihood)}};
}

/// The CSV of what was scored: scans, or their beams.
std::string scored_csv(const ScanScoreOptions& options, const fathom::BeamModel& model, const fathom::World& world,
                       const fathom::ScanLog& log, const fathom::LogScores& scores) {
  if (!options.per_beam) return fathom::scores_csv(scores.scans);
  std::string text = fathom::beam_scores_csv({});
  for (const fathom::ScanScore& scan : scores.scans) {
    const std::string beams = fathom::beam_scores_csv(fathom::score_beams(
        model, world, log, {&scan.scan, 1}, options.score.ray_step, {.threads = options.score.compute.threads}));
    text += beams.substr(beams.find('\n') + 1);
  }
  return text;
}

/// Both write the log-likelihood of every scan at its pose as CSV, and a summary: on stdout, or on stderr when the CSV
/// goes there.
void score_field(const ScanScoreOptions& options) {
  const StopSignals signals(Patience::kNone);
  check_score_out(options);
  const fathom::LikelihoodFieldModel model = fathom::read_field_model(options.parameters);
  const fathom::GridMapFile map = fathom::read_grid_map_file(options.world.map);
  const fathom::ScanLog log = read_log(options.log);
  fathom::LogScores scores;
  scores.scans = fathom::score_field_log(model, map.map, log, options.scans, options.score.ray_step);
  for (fathom::ScanScore& scan : scores.scans) scan.log_likelihood *= options.score.alpha;
  const std::string text = notes_text(map.notes) + notes_text(fathom::log_notes(log), options.names) +
                           align_columns(summary_rows(scores, "reading"));
  write_csv(options.out, fathom::scores_csv(scores.scans), text, options.quiet);
}

void score_beam(const ScanScoreOptions& options) {
  const StopSignals signals(Patience::kNone);
  check_score_out(options);
  const fathom::BeamModel model = fathom::read_beam_model(options.parameters);
  const fathom::World world = open_world(options.world, model.unknown, options.score.compute.threads);
  refuse_inputs({options.out}, world.inputs());
  const fathom::ScanLog log = read_log(options.log);
  const fathom::LogScores scores = score(options, model, world, log);
  auto rows = summary_rows(scores, "ray");
  rows.push_back({"KS distance", fmt::format("{:.3f} (all rays)", scores.judgement.ks_distance)});
  const std::string text =
      notes_text(world.notes()) + notes_text(fathom::log_notes(log), options.names) + align_columns(rows);
  write_csv(options.out, scored_csv(options, model, world, log, scores), text, options.quiet);
}

void add_scoring(CLI::App& c, ScanScoreOptions& o) {
  begin_section(c, Section::kRequired);
  add_parameters(c, o.parameters);
  begin_section(c, Section::kInput);
  c.add_option("--scans", o.scans, "scans to score")->type_name("WHICH")->default_str(o.scans);
  add_whole(c, {"--ray-step", "N", "score every N-th ray"}, {1, fathom::ScoreOptions::kMostRayStep}, o.score.ray_step);
  begin_section(c, Section::kModel);
  const std::string alpha =
      fmt::format("power of the likelihood, {:g} to 1: rays are not independent", fathom::ScoreOptions::kLeastAlpha);
  add_number(c, {"--alpha", "A", alpha}, {fathom::ScoreOptions::kLeastAlpha, 1}, o.score.alpha);
  begin_section(c, Section::kOutput);
  add_out_csv(c, o.out);
  add_force(c, o.force);
  add_quiet(c, o.quiet);
}

}  // namespace

void add_score_beam(CLI::App& score) {
  const auto o = std::make_shared<ScanScoreOptions>();
  CLI::App& c = *score.add_subcommand("beam", "Log-likelihood of every scan of a log at its pose, by a beam model");
  add_world(c, o->world);
  add_log(c, o->log);
  add_scoring(c, *o);
  c.add_flag("--per-beam", o->per_beam, "a line for every beam: expected range, density, what it probably is");
  begin_section(c, Section::kComputer);
  add_threads(c, o->score.compute.threads);
  c.footer(kScoreBeamHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    check_world_and_log(c, o->world, o->log);
    score_beam(*o);
  });
}

void add_score_field(CLI::App& score) {
  const auto o = std::make_shared<ScanScoreOptions>();
  CLI::App& c = *score.add_subcommand("field", "The same by a likelihood field");
  add_map_and_log(c, o->world, o->log);
  add_scoring(c, *o);
  c.footer(kScoreFieldHelp);
  c.final_callback([o, &c] {
    o->names = setting_names(c);
    check_log(c, o->log);
    score_field(*o);
  });
}

}  // namespace fathom_cli
