// SPDX-License-Identifier: MIT
// Scans of a log under models: `fathom score beam|field` and `fathom compare beam|field`.

#include <memory>
#include <span>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "progress.hpp"

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

/// `fathom score beam|field --map M --log L --parameters P ...`, `fathom compare beam|field A B --map M --log L ...`
struct ScanScoreOptions {
  BeamWorldOptions world;
  BeamLogOptions log;
  std::filesystem::path first, second;  ///< parameters; only two that are compared have a second
  std::string scans = "all";
  bool per_beam = false;  ///< a line for every beam, not for every scan
  fathom::ScoreOptions score;
  std::size_t stretches = fathom::FitOptions().stretches;
  OutputOptions output;

  [[nodiscard]] bool compares() const { return !second.empty(); }
};

/// [models] The scores of the log in the world, which is opened as each model needs it.
std::vector<fathom::LogScores> scores_of(const ScanScoreOptions& o, std::span<const fathom::BeamModel> models,
                                         fathom::World& world, const fathom::ScanLog& log) {
  TaskDisplay display("scoring:", o.output.quiet);  // gone before the result is printed
  std::vector<fathom::LogScores> scores;
  for (const fathom::BeamModel& model : models) {
    if (world.unknown() != model.unknown) world = open_world(o.world, model.unknown, o.score.compute.threads);
    const auto before = static_cast<double>(scores.size()), all = static_cast<double>(models.size());
    fathom::ScoreOptions how = o.score;
    how.on_progress = [&display, before, all](double done) { display.show_fraction((before + done) / all); };
    scores.push_back(fathom::score_log(model, world, log, o.scans, how));
  }
  return scores;
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

/// The CSV of scores, of scans or of their beams.
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
void refuse_other_sensor(const ScanScoreOptions& o, const fathom::BeamSensor& a, const fathom::BeamSensor& b) {
  const auto refuse = [&o](const char* name) {
    throw fathom::InputError(fmt::format("{} and {}: {} differs: likelihoods cannot be compared", o.first.string(),
                                         o.second.string(), name));
  };
  if (a.max_range_m != b.max_range_m) refuse("max_range_m");
  if (a.min_range_m != b.min_range_m) refuse("min_range_m");
  if (a.step_m != b.step_m) refuse("step_m");
  if (a.nan != b.nan) refuse("nan");
}

void show(const ScanScoreOptions& o, const std::vector<fathom::ScanScore>& first,
          const std::vector<fathom::ScanScore>& second, const std::string& notes) {
  std::size_t rays = 0;
  for (const fathom::ScanScore& scan : first) rays += scan.rays;
  if (rays == 0) throw fathom::InputError(o.log.file().string() + ": no reading carries evidence");
  const auto a = per_ray(first), b = per_ray(second);
  const auto stretches = static_cast<std::uint32_t>(o.stretches);
  print_scores({o.first, o.second, fathom::mean_score(a, stretches), fathom::mean_score(b, stretches),
                fathom::score_difference(a, b, stretches)},
               o.output, "ray", {{"scans", a.size()}, {"rays", rays}},
               fmt::format("{} of {}\n{}", counted(rays, "ray"), counted(a.size(), "scan"), notes));
}

/// Both compare two models. Or they write the log-likelihood of every scan at its pose as CSV, and a summary: on
/// stdout, or on stderr when the CSV goes there.
void run_beams(const ScanScoreOptions& o) {
  check_new_file(o.output, o.world, {o.log.file(), o.first});
  std::vector<fathom::BeamModel> models = {fathom::BeamModel::read(o.first)};
  if (o.compares()) {
    models.push_back(fathom::BeamModel::read(o.second));
    refuse_other_sensor(o, models[0].sensor, models[1].sensor);
  }
  fathom::World world = open_world(o.world, models[0].unknown, o.score.compute.threads);
  refuse_inputs({o.output.out}, world.inputs());
  const fathom::ScanLog log = read_log(o.log);
  const std::vector<fathom::LogScores> scores = scores_of(o, models, world, log);
  const std::string notes = notes_text(world.notes()) + notes_text(fathom::log_notes(log), o.output.names);
  if (o.compares()) return show(o, scores[0].scans, scores[1].scans, notes);
  auto rows = summary_rows(scores[0], "ray");
  rows.push_back({"KS distance", fmt::format("{:.3f} (all rays)", scores[0].judgement.ks_distance)});
  write_csv(o.output, scored_csv(o, models[0], world, log, scores[0]), notes + align_columns(rows));
}

fathom::BeamSensor field_sensor(const fathom::LikelihoodFieldModel& model) {
  return {.max_range_m = model.max_range_m, .min_range_m = model.min_range_m};
}

void run_fields(const ScanScoreOptions& o) {
  check_new_file(o.output, o.world, {o.log.file(), o.first});
  std::vector<fathom::LikelihoodFieldModel> models = {fathom::LikelihoodFieldModel::read(o.first)};
  if (o.compares()) {
    models.push_back(fathom::LikelihoodFieldModel::read(o.second));
    refuse_other_sensor(o, field_sensor(models[0]), field_sensor(models[1]));
  }
  const fathom::GridMap map = fathom::read_grid_map(o.world.map);
  const fathom::ScanLog log = read_log(o.log);
  std::vector<fathom::LogScores> scores(models.size());
  for (std::size_t k = 0; k < models.size(); ++k) {
    scores[k].scans = fathom::score_field_log(models[k], map, log, o.scans, o.score.ray_step);
    for (fathom::ScanScore& scan : scores[k].scans) scan.log_likelihood *= o.score.alpha;
  }
  const std::string notes = notes_text(map.notes) + notes_text(fathom::log_notes(log), o.output.names);
  if (o.compares()) return show(o, scores[0].scans, scores[1].scans, notes);
  write_csv(o.output, fathom::scores_csv(scores[0].scans), notes + align_columns(summary_rows(scores[0], "reading")));
}

void add_scans(CLI::App& c, ScanScoreOptions& o) {
  begin_section(c, Section::kInput);
  c.add_option("--scans", o.scans, "scans to score")->type_name("WHICH")->default_str(o.scans);
}

void add_scoring(CLI::App& c, ScanScoreOptions& o) {
  begin_section(c, Section::kRequired);
  add_parameters(c, o.first);
  add_scans(c, o);
  add_whole(c, {"--ray-step", "N", "score every N-th ray"}, {1, fathom::ScoreOptions::kMostRayStep}, o.score.ray_step);
  begin_section(c, Section::kModel);
  const std::string alpha =
      fmt::format("power of the likelihood, {:g} to 1: rays are not independent", fathom::ScoreOptions::kLeastAlpha);
  add_number(c, {"--alpha", "A", alpha}, {fathom::ScoreOptions::kLeastAlpha, 1}, o.score.alpha);
  add_csv_output(c, o.output);
}

void add_comparison(CLI::App& c, ScanScoreOptions& o) {
  begin_section(c, Section::kRequired);
  c.add_option("A", o.first, "parameters.yaml, as fathom fit writes it")->required()->type_name("YAML");
  c.add_option("B", o.second, "the same of another model")->required()->type_name("YAML");
  add_scans(c, o);
  begin_section(c, Section::kModel);
  add_stretches(c, o.stretches);
  add_score_output(c, o.output);
}

/// One of the four commands.
struct ScanCommand {
  const char *name, *doc, *help;
  bool is_beam, compares;
};

void add_command(CLI::App& group, const ScanCommand& command) {
  const auto o = std::make_shared<ScanScoreOptions>();
  CLI::App& c = *group.add_subcommand(command.name, command.doc);
  if (command.compares) add_comparison(c, *o);
  if (command.is_beam) add_world(c, o->world), add_log(c, o->log);
  if (!command.is_beam) add_map_and_log(c, o->world, o->log);
  if (!command.compares) add_scoring(c, *o);
  if (command.is_beam && !command.compares) {
    c.add_flag("--per-beam", o->per_beam, "a line for every beam: expected range, density, what it probably is");
  }
  if (command.is_beam) begin_section(c, Section::kComputer), add_threads(c, o->score.compute.threads);
  c.footer(command.help);
  set_action(c, o->output, [o, &c, is_beam = command.is_beam] {
    if (is_beam) {
      check_world_and_log(c, o->world, o->log);
      run_beams(*o);
    } else {
      check_log(c, o->log);
      run_fields(*o);
    }
  });
}

}  // namespace

void add_score_beam(CLI::App& score) {
  add_command(score, {"beam", "Log-likelihood of every scan of a log at its pose, by a beam model", kScoreBeamHelp,
                      true, false});
}

void add_score_field(CLI::App& score) {
  add_command(score, {"field", "The same by a likelihood field", kScoreFieldHelp, false, false});
}

void add_compare_beam(CLI::App& compare) {
  add_command(compare,
              {"beam", "The difference of two beam models on the scans of a log", kCompareBeamHelp, true, true});
}

void add_compare_field(CLI::App& compare) {
  add_command(compare, {"field", "The difference of two likelihood fields on the scans of a log", kCompareFieldHelp,
                        false, true});
}

}  // namespace fathom_cli
