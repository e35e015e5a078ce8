// SPDX-License-Identifier: MIT
#include "beam_commands.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/beam/likelihood_field.hpp>
#include <fathom/beam/model_file.hpp>
#include <fathom/beam/report.hpp>

#include "beam_fit.hpp"
#include "beam_heatmap.hpp"
#include "beam_inputs.hpp"
#include "beam_sample.hpp"
#include "beam_score.hpp"
#include "option_values.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kBeamHelp = R"(
Maps are map_server YAML files with their image. Logs are CARMEN text (plain or gzip), CSV, a run of fathom simulate, or
bags of ROS 2. docs/beam-model.md defines the model, the files and the options.
In the examples office.yaml and office.log.gz stand for your own map and log.

Examples:
  fathom beam fit --map office.yaml --log office.log.gz --max-range 80 --out out/fit
  fathom beam score --map office.yaml --log office.log.gz --parameters out/fit/parameters.yaml)";

constexpr const char* kFitHelp = R"(
In the examples office.yaml, office.log.gz, monday.log.gz, tuesday.log.gz and drive.mcap stand for your own map, logs and
bag, and readings.csv for what beam sample --expected writes: the columns expected_m and reading_m, and scan.

Examples:
  fathom beam fit --map office.yaml --log office.log.gz --max-range 80 --out out/fit
  fathom beam fit --map office.yaml --log office.log.gz --max-range 80 --scans 1::16 --test-scans 9::16
      --out out/fit_every_16th
  fathom beam fit --map office.yaml --bag drive.mcap --scan /laser/scan --frame world --out out/fit_bag
  fathom beam fit --map office.yaml --log monday.log.gz --also tuesday.log.gz --max-range 80 --out out/fit_two_days
  fathom beam fit --pairs readings.csv --max-range 8 --out out/fit_pairs
  fathom beam fit --map office.yaml --log office.log.gz --max-range 80 --write nav2 --out out/fit_nav2
  fathom beam fit --map office.yaml --log office.log.gz --max-range 80 --model likelihood_field --write nav2
      --out out/field
  fathom beam fit --map office.yaml --log office.log.gz --max-range 80 --scans all --refine-poses 0.1,1
      --out out/fit_poses

Scans are counted from 0 and chosen as all, odd, even or start:stop:step (stop excluded; each part may be left out).
DIR gets parameters.yaml, fit.json and report.html, and with --refine-poses refined.log, a log of --scans at their
refined poses; files appear whole or not at all.)";

constexpr const char* kScoreHelp = R"(
In the example office.yaml and office.log.gz stand for your own map and log.

Example:
  fathom beam score --map office.yaml --log office.log.gz --parameters out/fit/parameters.yaml > scores.csv

Columns: scan, x_m, y_m, yaw_rad, rays (that carry evidence), log_likelihood; with --per-beam scan, ray, azimuth_rad,
reading_m, expected_m, log_density, p_hit, p_short, p_max, p_rand. The summary goes to stderr when the CSV goes to
stdout.)";

constexpr const char* kSampleHelp = R"(
In the examples the names of files stand for your own.

Examples:
  fathom beam sample --parameters parameters.yaml --expected expected.csv > readings.csv
  fathom beam sample --parameters parameters.yaml --map office.yaml --poses poses.csv --rays 181 --out scans.csv

--expected: CSV with the column expected_m (inf: nothing within reach) and, if you like, scan.
--poses: CSV with the columns x_m, y_m, yaw_rad. The readings are a CSV scan log, which the other commands read.)";

constexpr const char* kHeatmapHelp = R"(
In the example office.yaml and office.log.gz stand for your own map and log.

Example:
  fathom beam heatmap --map office.yaml --log office.log.gz --scan 120 --parameters out/fit/parameters.yaml
      --out heatmap.png

Every free position is scored at its best heading: bright is likely.)";

constexpr WholeLimits kRayStepLimits = {1, fathom::ScoreOptions::kMostRayStep};

void add_parameters(CLI::App& c, std::filesystem::path& parameters) {
  c.add_option("--parameters", parameters, "parameters.yaml, as beam fit writes it")->required()->type_name("YAML");
}

void add_out_csv(CLI::App& c, std::filesystem::path& out) {
  c.add_option("--out", out, "file for the CSV, instead of standard output")->type_name("CSV");
}

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

/// A length in the table of BeamSensor.
template <class T>
CLI::Option& add_sensor_length(CLI::App& c, const std::string& option, std::string_view parameter, T& value,
                               const std::string& more = "") {
  using Sensor = fathom::BeamSensor;
  return add_number(c, {option, "M", doc_of<Sensor>(parameter) + more}, limits_of<Sensor>(parameter), value);
}

void add_max_range(CLI::App& c, fathom::FitLogOptions& fit) {
  const auto read = [&fit](const std::string& text) {
    const NumberLimits limits = limits_of<fathom::BeamSensor>("max_range_m");
    fit.auto_max_range = text == "auto";
    fit.max_range_m = text == "auto" ? std::nullopt : std::optional(parse_number("--max-range", text, limits));
  };
  const std::string doc =
      doc_of<fathom::BeamSensor>("max_range_m") +
      "; auto: what the log says, or, where it is lower, just below the value that many readings have and none "
      "exceeds; default: what the log says";
  c.add_option_function<std::string>("--max-range", read, doc)->type_name("M|auto");
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
void check_fit_sources(const CLI::App& c, const BeamFitOptions& o) {
  const bool log = !o.log.log.empty() || !o.log.bag.empty(), world = !o.world.map.empty() || !o.world.scene.empty();
  if (!o.pairs.empty() && (log || world || !o.also.empty())) {
    throw fathom::InputError("--pairs has its expected ranges: --log, --bag, --also, --map and --scene are for logs");
  }
  if (!o.pairs.empty()) return refuse_with_pairs(c);
  refuse_height_without_scene(c);
  if (!log) throw fathom::InputError("--log, --bag or --pairs is required");
  if (!world) throw fathom::InputError("--map or --scene is required with --log and --bag");
}

CLI::Option& add_model(CLI::App& c, ScanModel& model) {
  return add_choice(c, "--model", "the beam model, or the likelihood field that localizers use", model,
                    kScanModelWords);
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
                                     "learn the poses too, which the log has with this standard deviation, without a "
                                     "value 0.1,1; with --per-log mount the mount, too")
      ->type_name("M,DEG")
      ->expected(0, 1);
}

/// An option of the other model would be passed over.
void refuse_other_model(const CLI::App& c, ScanModel model) {
  const auto refuse = [&](const char* option, ScanModel of) {
    if (model == of || c.count(option) == 0) return;
    throw fathom::InputError(
        fmt::format("{} is for --model {}", option, kScanModelWords[static_cast<std::size_t>(of)]));
  };
  for (const char* option : {"--pairs", "--scene", "--also", "--step", "--nan", "--unknown", "--miss", "--variant",
                             "--hit", "--hit-offset", "--per-log", "--refine-poses"}) {
    refuse(option, ScanModel::kBeam);
  }
  refuse("--max-distance", ScanModel::kLikelihoodField);
}

void add_fit(CLI::App& app) {
  const auto o = std::make_shared<BeamFitOptions>();
  CLI::App& c = *app.add_subcommand("fit", "Learn the six parameters from a log and a map");
  add_world(c, o->world, true);
  add_log(c, o->log, {.optional = true});
  c.add_option("--pairs", o->pairs, "CSV of readings and expected ranges, in place of a log and a world")
      ->type_name("CSV");
  add_number(c, {"--cell", "M", "of the map that --pairs expects ranges in, 0: there are no cells; m"}, {0.0, 1e4, "m"},
             o->cell_m)
      .needs("--pairs");
  c.add_option("--also", o->also, "another log or bag of the same sensor, read as the first; may be repeated")
      ->type_name("LOG")
      ->allow_extra_args(false);
  c.add_option("--out", o->out, "folder to make for the results")->required()->type_name("DIR");
  add_model(c, o->model);
  using Field = fathom::LikelihoodFieldModel;
  add_number(c, {"--max-distance", "M", doc_of<Field>("max_distance_m") + "; with --model likelihood_field"},
             limits_of<Field>("max_distance_m"), o->max_distance_m);
  fathom::FitLogOptions& fit = o->fit;
  c.add_option("--scans", fit.scans, "scans to learn from")->type_name("CHOICE")->default_str(fit.scans);
  c.add_option("--test-scans", fit.test_scans, "scans to judge by; default: those not learned from")
      ->type_name("CHOICE");
  add_max_range(c, fit);
  add_sensor_length(c, "--min-range", "min_range_m", fit.min_range_m);
  add_sensor_length(c, "--step", "step_m", fit.step_m);
  add_choice(c, "--nan", doc_of<fathom::BeamSensor>("nan"), fit.nan);
  add_choice(c, "--unknown", doc_of<fathom::BeamModel>("unknown"), o->unknown);
  add_choice(c, "--miss", doc_of<fathom::BeamSensor>("miss"), fit.miss);
  add_choice(c, "--variant", "how to learn; closed_form and book are biased, for comparison", fit.variant);
  add_choice(c, "--hit", doc_of<fathom::HitTail>("hit") + "; localizers know gaussian alone", fit.hit);
  add_hit_offset(c, fit);
  add_clusters(c, fit.stretches);
  add_choice(c, "--per-log", "what is learned of each log for itself: its mount, its offset of ranges", fit.per_log);
  add_refine_poses(c, fit.refine_poses);
  add_localizers(c, o->localizers);
  add_threads(c, fit.compute.threads);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kFitHelp);
  c.final_callback([o, &c] {
    refuse_other_model(c, o->model);
    check_fit_sources(c, *o);
    fit_beam(*o);
  });
}

void add_score(CLI::App& app) {
  const auto o = std::make_shared<BeamScoreOptions>();
  fathom::ScoreOptions& how = o->score;
  CLI::App& c = *app.add_subcommand("score", "Log-likelihood of every scan of a log at its pose");
  add_world(c, o->world);
  add_log(c, o->log);
  add_parameters(c, o->parameters);
  add_out_csv(c, o->out);
  c.add_option("--scans", o->scans, "scans to score")->type_name("CHOICE")->default_str(o->scans);
  add_model(c, o->model);
  c.add_flag("--per-beam", o->per_beam, "a line for every beam: expected range, density, what it probably is");
  add_whole(c, {"--ray-step", "N", "score every N-th ray"}, kRayStepLimits, how.ray_step);
  const std::string alpha =
      fmt::format("power of the likelihood, {:g} to 1: rays are not independent", fathom::ScoreOptions::kLeastAlpha);
  add_number(c, {"--alpha", "A", alpha}, {fathom::ScoreOptions::kLeastAlpha, 1}, how.alpha);
  add_threads(c, how.compute.threads);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kScoreHelp);
  c.final_callback([o, &c] {
    refuse_height_without_scene(c);
    score_beam(*o);
  });
}

void add_sample(CLI::App& app) {
  const auto o = std::make_shared<BeamSampleOptions>();
  CLI::App& c = *app.add_subcommand("sample", "Draw readings from the model");
  add_parameters(c, o->parameters);
  c.add_option("--expected", o->expected, "CSV of expected ranges")->type_name("CSV");
  add_world(c, o->world, true);
  c.add_option("--poses", o->poses, "CSV of poses of the sensor")->type_name("CSV");
  c.add_option("--log", o->log, "scan log whose poses and rays to take")->type_name("LOG")->excludes("--poses");
  add_whole(c, {"--rays", "N", "rays of a scan at --poses"}, {1, fathom::ScanLog::kMostRays}, o->rays);
  add_number(c, {"--view", "DEG", "angle from the first ray to the last, deg"}, {0, 360, "deg"}, o->view_deg);
  add_whole(c, {"--seed", "S", "the same seed gives the same readings"}, kAnySeed, o->seed);
  add_out_csv(c, o->out);
  add_threads(c, o->threads);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kSampleHelp);
  c.final_callback([o, &c] {
    refuse_height_without_scene(c);
    for (const char* option : {"--rays", "--view"}) {
      if (c.count(option) > 0 && o->poses.empty()) {
        throw fathom::InputError(fmt::format("{} is of scans at --poses, and a log or table has its own rays", option));
      }
    }
    sample_beam(*o);
  });
}

void add_heatmap(CLI::App& app) {
  const auto o = std::make_shared<BeamHeatmapOptions>();
  fathom::HeatmapLogOptions& how = o->heatmap;
  CLI::App& c = *app.add_subcommand("heatmap", "Draw where on the map a scan could have been made");
  c.add_option("--map", o->world.map, "map_server YAML file: where to look, and what to draw on")
      ->required()
      ->type_name("YAML");
  c.add_option("--scene", o->world.scene, "scene file: its meshes say what the rays should measure")->type_name("YAML");
  add_height(c, o->world.height_m);
  add_log(c, o->log, {.topic = "--topic"});
  add_whole(c, {"--scan", "K", "number of the scan, from 0"}, kAnyIndex, o->scan)
      .required()
      ->default_str("");  // 0 is no default
  add_parameters(c, o->parameters);
  add_model(c, o->model);
  c.add_option("--out", o->out, "picture to write")->required()->type_name("PNG");
  using Grid = fathom::PositionGrid;
  add_number(c, {"--spacing", "M", "between positions, m; at least a cell of the map"},
             {Grid::kLeastSpacingM, Grid::kMostSpacingM, "m"}, how.spacing_m);
  add_whole(c, {"--headings", "N", "tried at every position"}, {1, fathom::HeatmapOptions::kMostHeadings},
            how.headings);
  add_whole(c, {"--ray-step", "N", "score every N-th ray; default: so that about 90 are scored"}, kRayStepLimits,
            how.ray_step);
  using Picture = fathom::HeatmapPicture;
  add_whole(c, {"--pixels", "N", "longer side of the map in the picture"},
            {Picture::kLeastPixels, Picture::kMostPixels}, o->pixels);
  add_threads(c, how.compute.threads);
  add_force(c, o->force);
  add_quiet(c, o->quiet);
  c.footer(kHeatmapHelp);
  c.final_callback([o, &c] {
    refuse_height_without_scene(c);
    o->has_spacing = c.count("--spacing") > 0;
    draw_beam_heatmap(*o);
  });
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
