#include "beam_commands.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "beam_fit.hpp"
#include "beam_heatmap.hpp"
#include "beam_sample.hpp"
#include "beam_score.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kBeamHelp = R"(
Maps are map_server YAML files with their image. Logs are CARMEN text (FLASER lines, plain or gzip), CSV, or a run of
fathom simulate. docs/beam-model.md defines the model, the files and the options.)";

constexpr const char* kFitHelp = R"(
Examples:
  fathom beam fit --map office.yaml --log office.log.gz --max-range 80 --out out/fit
  fathom beam fit --map office.yaml --log office.log.gz --max-range 80 --scans 1::16 --test-scans 9::16
      --hit-offset fit --out out/fit

Scans are counted from 0 and chosen as all, odd, even or start:stop:step (stop excluded; each part may be left out).
DIR gets parameters.yaml, fit.json and report.html; files appear whole or not at all.)";

constexpr const char* kScoreHelp = R"(
Example:
  fathom beam score --map office.yaml --log office.log.gz --parameters out/fit/parameters.yaml > scores.csv

Columns: scan, x_m, y_m, yaw_rad, beams (that carry evidence), log_likelihood. The summary goes to stderr when the CSV
goes to stdout.)";

constexpr const char* kSampleHelp = R"(
Examples:
  fathom beam sample --parameters parameters.yaml --expected expected.csv > readings.csv
  fathom beam sample --parameters parameters.yaml --map office.yaml --poses poses.csv --beams 181 --out scans.csv

--expected: CSV with the column expected_m (inf: nothing within reach) and, if you like, scan.
--poses: CSV with the columns x_m, y_m, yaw_rad. The readings are a CSV scan log, which the other commands read.)";

constexpr const char* kHeatmapHelp = R"(
Example:
  fathom beam heatmap --map office.yaml --log office.log.gz --scan 120 --parameters out/fit/parameters.yaml
      --out heatmap.png

Every free position is scored at its best heading: bright is likely.)";

void add_threads(CLI::App& c, int& threads) {
  c.add_option("--threads", threads, "number of threads, 0: one per core; the results do not depend on it")
      ->type_name("T")
      ->check(CLI::Range(0, 1024))
      ->default_val(0);
}

void add_force(CLI::App& c, bool& force) { c.add_flag("--force", force, "replace what is there from an earlier run"); }

/// --map or --scene: one of them must be there, unless `optional`.
void add_world(CLI::App& c, BeamWorldOptions& o, bool optional = false) {
  CLI::Option_group& world = *c.add_option_group("World", "what the beams should measure");
  world.add_option("--map", o.map, "map_server YAML file")->type_name("YAML");
  world.add_option("--scene", o.scene, "scene file: its meshes in place of a map")->type_name("YAML");
  world.require_option(optional ? 0 : 1, 1);
  c.add_option("--height", o.height_m, "of the sensor above the x-y plane of the scene, m")
      ->type_name("M")
      ->check(CLI::Range(-1000.0, 1000.0))
      ->default_val(0.3);
}

void add_log(CLI::App& c, std::filesystem::path& log) {
  c.add_option("--log", log, "scan log, or the folder of a run")->required()->type_name("LOG");
}

void add_parameters(CLI::App& c, std::filesystem::path& parameters) {
  c.add_option("--parameters", parameters, "parameters.yaml, as beam fit writes it")->required()->type_name("YAML");
}

void add_out_csv(CLI::App& c, std::filesystem::path& out) {
  c.add_option("--out", out, "file for the CSV, instead of standard output")->type_name("CSV");
}

void add_fit(CLI::App& app) {
  const auto o = std::make_shared<BeamFitOptions>();
  CLI::App& c = *app.add_subcommand("fit", "Learn the six parameters from a log and a map");
  add_world(c, o->world);
  add_log(c, o->log);
  c.add_option("--out", o->out, "folder to make for the results")->required()->type_name("DIR");
  c.add_option("--scans", o->scans, "scans to learn from")->type_name("CHOICE")->default_val("odd");
  c.add_option("--test-scans", o->test_scans, "scans to judge by; default: those not learned from")
      ->type_name("CHOICE");
  c.add_option("--max-range", o->max_range_m, "Z, m: readings from there on have no return; default: what the log says")
      ->type_name("M");
  c.add_option("--min-range", o->min_range_m, "readings below carry no evidence, m")->type_name("M")->default_val(0);
  c.add_option("--sensor-step", o->step_m, "readings are multiples of it, m; 0: they are not rounded")
      ->type_name("M")
      ->default_val(0);
  c.add_option("--nan", o->nan, "a NaN reading carries no evidence (skip) or has no return (max)")
      ->check(CLI::IsMember({"skip", "max"}))
      ->default_val("skip");
  c.add_option("--unknown", o->unknown, "unknown cells of the map pass a beam, are walls, or end it without a return")
      ->check(CLI::IsMember({"free", "occupied", "stop"}))
      ->default_val("free");
  c.add_option("--miss", o->miss, "where the map expects nothing, hits are just below Z (book) or at Z (atom)")
      ->check(CLI::IsMember({"book", "atom"}))
      ->default_val("book");
  c.add_option("--variant", o->variant, "how to learn; closed_form and book are biased, for comparison")
      ->check(CLI::IsMember({"exact", "closed_form", "book"}))
      ->default_val("exact");
  c.add_option("--hit-offset", o->hit_offset, "hits centre so far beyond the expected range, m, or: fit")
      ->type_name("M|fit")
      ->default_val("0");
  add_threads(c, o->threads);
  add_force(c, o->force);
  c.footer(kFitHelp);
  c.final_callback([o] { fit_beam(*o); });
}

void add_score(CLI::App& app) {
  const auto o = std::make_shared<BeamScoreOptions>();
  CLI::App& c = *app.add_subcommand("score", "Log-likelihood of every scan of a log at its pose");
  add_world(c, o->world);
  add_log(c, o->log);
  add_parameters(c, o->parameters);
  add_out_csv(c, o->out);
  c.add_option("--scans", o->scans, "scans to score")->type_name("CHOICE")->default_val("all");
  c.add_option("--beam-step", o->beam_step, "score every so many beams")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000))
      ->default_val(1);
  c.add_option("--alpha", o->alpha, "power of the likelihood in (0, 1]: beams are not independent")
      ->type_name("A")
      ->default_val(1);
  add_threads(c, o->threads);
  add_force(c, o->force);
  c.footer(kScoreHelp);
  c.final_callback([o] { score_beam(*o); });
}

void add_sample(CLI::App& app) {
  const auto o = std::make_shared<BeamSampleOptions>();
  CLI::App& c = *app.add_subcommand("sample", "Draw readings from the model");
  add_parameters(c, o->parameters);
  c.add_option("--expected", o->expected, "CSV of expected ranges")->type_name("CSV");
  add_world(c, o->world, true);
  c.add_option("--poses", o->poses, "CSV of poses of the sensor")->type_name("CSV");
  c.add_option("--log", o->log, "scan log whose poses and beams to take")->type_name("LOG")->excludes("--poses");
  c.add_option("--beams", o->beams, "beams of a scan at --poses")
      ->type_name("N")
      ->check(CLI::Range(1, 100000))
      ->default_val(361);
  c.add_option("--view", o->view_deg, "angle from the first beam to the last, deg")
      ->type_name("DEG")
      ->check(CLI::Range(0.0, 360.0))
      ->default_val(180);
  c.add_option("--seed", o->seed, "the same seed gives the same readings")->type_name("S")->default_val(0);
  add_out_csv(c, o->out);
  add_threads(c, o->threads);
  add_force(c, o->force);
  c.footer(kSampleHelp);
  c.final_callback([o] { sample_beam(*o); });
}

void add_heatmap(CLI::App& app) {
  const auto o = std::make_shared<BeamHeatmapOptions>();
  CLI::App& c = *app.add_subcommand("heatmap", "Draw where on the map a scan could have been made");
  c.add_option("--map", o->world.map, "map_server YAML file: where to look, and what to draw on")
      ->required()
      ->type_name("YAML");
  c.add_option("--scene", o->world.scene, "scene file: its meshes say what the beams should measure")
      ->type_name("YAML");
  c.add_option("--height", o->world.height_m, "of the sensor above the x-y plane of the scene, m")
      ->type_name("M")
      ->check(CLI::Range(-1000.0, 1000.0))
      ->default_val(0.3);
  add_log(c, o->log);
  c.add_option("--scan", o->scan, "number of the scan, from 0")->required()->type_name("K");
  add_parameters(c, o->parameters);
  c.add_option("--out", o->out, "picture to write")->required()->type_name("PNG");
  c.add_option("--spacing", o->spacing_m, "between positions, m")->type_name("M")->default_val(0.1);
  c.add_option("--headings", o->headings, "tried at every position")
      ->type_name("N")
      ->check(CLI::Range(1, 3600))
      ->default_val(180);
  c.add_option("--beam-step", o->beam_step, "score every so many beams; default: about 90 of them")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  c.add_option("--pixels", o->pixels, "longer side of the map in the picture")
      ->type_name("N")
      ->check(CLI::Range(256, 8192))
      ->default_val(1600);
  add_threads(c, o->threads);
  add_force(c, o->force);
  c.footer(kHeatmapHelp);
  c.final_callback([o] { draw_beam_heatmap(*o); });
}

}  // namespace

void add_beam_commands(CLI::App& app) {
  CLI::App& beam = *app.add_subcommand("beam", "The beam model of range finders: fit, score, sample, draw");
  beam.require_subcommand(1);
  beam.footer(kBeamHelp);
  add_fit(beam);
  add_score(beam);
  add_sample(beam);
  add_heatmap(beam);
}

}  // namespace fathom_cli
