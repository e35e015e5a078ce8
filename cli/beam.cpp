// SPDX-License-Identifier: MIT
// Beam models at work: `fathom beam sample` and `fathom beam heatmap`.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "learning.hpp"
#include "option_values.hpp"
#include "progress.hpp"

namespace fathom_cli {
namespace {

constexpr const char* kSampleHelp = R"(
Usage: fathom beam sample --parameters YAML (--expected CSV | --map YAML --poses CSV | --map YAML --log LOG) [OPTIONS]
In the examples the names of files stand for your own.

Examples:
  fathom beam sample --parameters parameters.yaml --expected expected.csv > readings.csv
  fathom beam sample --parameters parameters.yaml --map office.yaml --poses poses.csv --rays 181 --out scans.csv

--expected: CSV with the column expected_m (inf: nothing within reach) and, if you like, scan.
--poses: CSV with the columns x_m, y_m, yaw_rad. The readings are a CSV scan log, which the other commands read.)";

/// `fathom beam sample --parameters P (--expected CSV | --map M (--poses CSV | --log L)) ...`
struct BeamSampleOptions {
  BeamWorldOptions world;
  std::filesystem::path parameters, expected, poses, log;
  std::uint32_t rays = 361;  ///< of --poses; a log has its own
  double view_deg = 180.0;
  std::uint64_t seed = 0;
  int threads = 0;
  OutputOptions output;
};

/// The CSV, and notes on the log behind it.
struct Sampled {
  std::string csv, notes;
};

Sampled sample_in_world(const BeamSampleOptions& options, const fathom::BeamModel& model) {
  const fathom::World world = open_world(options.world, model.unknown, options.threads);
  refuse_inputs({options.output.out}, world.inputs());
  fathom::ScanLog from;  // the poses, with the rays of their log or of the options
  if (!options.log.empty()) {
    from = fathom::read_scan_log(fathom::find_scan_log(options.log));
  } else {
    from.pose = fathom::read_poses_csv(options.poses);
    from.azimuth_rad = fathom::even_azimuths_rad(options.rays, options.view_deg);
  }
  const fathom::ScanLog log =
      fathom::sample_log(model, world, from.pose, from.azimuth_rad, options.seed, {.threads = options.threads});
  return {log.csv(), notes_text(world.notes()) + notes_text(fathom::log_notes(from), options.output.names)};
}

Sampled sample_expected(const BeamSampleOptions& options, const fathom::BeamModel& model) {
  const fathom::ExpectedTable table = fathom::read_expected_csv(options.expected);
  return {fathom::readings_csv(table, fathom::sample_table(model, table, options.seed)), ""};
}

/// Writes synthetic readings: CSV of scan, expected_m and reading_m, or a scan log. Notes on a log that was read go to
/// stderr, or to stdout when the CSV goes to a file.
void sample_beam(const BeamSampleOptions& options) {
  const bool in_world = options.world.is_given();
  const bool has_poses = !options.poses.empty() || !options.log.empty();
  if (in_world == !options.expected.empty() || in_world != has_poses) {
    throw fathom::InputError("give --expected, or --map or --scene with --poses or --log");
  }
  if (!options.output.out.empty()) {
    Paths inputs = {options.parameters, options.expected, options.poses};
    if (!options.log.empty()) inputs.push_back(fathom::find_scan_log(options.log));
    check_new_file(options.output, options.world, inputs);
  }
  const fathom::BeamModel model = fathom::BeamModel::read(options.parameters);
  const auto [csv, notes] = in_world ? sample_in_world(options, model) : sample_expected(options, model);
  write_csv(options.output, csv, notes);
}

constexpr const char* kHeatmapHelp = R"(
Usage: fathom beam heatmap --map YAML (--log LOG | --bag BAG) --scan K --parameters YAML --out PNG [OPTIONS]
In the example office.yaml and office.log.gz stand for your own map and log.

Example:
  fathom beam heatmap --map office.yaml --log office.log.gz --scan 120 --parameters out/fit/parameters.yaml
      --out heatmap.png

Every free position is scored at its best heading: bright is likely.)";

/// `--model beam|field`
enum class HeatmapModel : std::uint8_t { kBeam, kField };
constexpr std::array<std::string_view, 2> kHeatmapModels = {"beam", "field"};

/// `fathom beam heatmap --map M --log L --scan K --parameters P --out PNG ...`
struct BeamHeatmapOptions {
  BeamWorldOptions world;
  BeamLogOptions log;
  std::filesystem::path parameters;
  std::uint32_t scan = 0;
  HeatmapModel model = HeatmapModel::kBeam;
  fathom::HeatmapLogOptions heatmap;
  bool has_spacing = false;  ///< whether the spacing was given
  std::uint32_t pixels = 1600;
  fathom::Theme theme = fathom::Theme::kDark;
  OutputOptions output;
};

std::vector<std::string> pose_row(const char* name, const fathom::PlanarPose& pose, double log_likelihood,
                                  std::size_t rays) {
  return {name,
          fmt::format("{:.2f}", pose.x_m),
          fmt::format("{:.2f}", pose.y_m),
          fmt::format("{:.1f}", pose.yaw_rad / fathom::kRadPerDeg),
          fmt::format("{:.3f}", log_likelihood),
          fmt::format("{:.4f}", log_likelihood / static_cast<double>(std::max<std::size_t>(1, rays)))};
}

/// Says how much a long search has before it, so that a finer spacing than was meant is seen at once.
void tell_work(const BeamHeatmapOptions& options, const fathom::GridMap& map, const fathom::ScanLog& log) {
  constexpr double kLong = 2e7;  // rays, about a second of a core
  const fathom::PositionGrid grid = fathom::free_positions(map, options.heatmap.spacing_m);
  const auto positions = static_cast<std::size_t>(std::ranges::count(grid.wanted, 1));
  const std::size_t usual_step = std::max<std::size_t>(1, log.rays() / fathom::HeatmapLogOptions::kUsualRays);
  const std::size_t rays_of_scan = log.rays() / options.heatmap.ray_step.value_or(usual_step);
  const double rays = static_cast<double>(positions) * static_cast<double>(options.heatmap.headings) *
                      static_cast<double>(rays_of_scan);
  if (options.output.quiet || rays < kLong) return;
  const std::string text =
      fmt::format("{} positions, {} headings each: {} million rays\n", group_digits(positions),
                  options.heatmap.headings, group_digits(static_cast<std::size_t>(std::llround(rays * 1e-6))));
  std::fputs(text.c_str(), stderr);
}

/// What was found, and where the readings end.
struct Found {
  fathom::LogHeatmap map;
  std::vector<fathom::Vec3> hits_world;
};

/// By find(log, options). A long search prints how many rays it casts when it begins, after bad input was refused.
template <class Find>
Found search(const BeamHeatmapOptions& options, const fathom::GridMap& map, const fathom::BeamSensor& sensor,
             const Find& find) {
  const fathom::ScanLog log = read_log(options.log);
  TaskDisplay display("scoring:", options.output.quiet);
  fathom::HeatmapLogOptions how = options.heatmap;
  how.on_progress = [&, told = false](double done) mutable {
    if (!std::exchange(told, true)) tell_work(options, map, log);
    display.show_fraction(done);
  };
  fathom::LogHeatmap found = find(log, how);
  return {std::move(found), fathom::scan_hits_world(log, options.scan, sensor)};
}

Found find_by_beams(const BeamHeatmapOptions& options, const fathom::GridMap& map) {
  const fathom::BeamModel model = fathom::BeamModel::read(options.parameters);
  const fathom::World world = options.world.scene.empty()
                                  ? fathom::World::from_map(map, {.unknown = model.unknown})
                                  : open_world(options.world, model.unknown, options.heatmap.compute.threads);
  refuse_inputs({options.output.out}, world.inputs());
  return search(options, map, model.sensor, [&](const fathom::ScanLog& log, const fathom::HeatmapLogOptions& how) {
    return fathom::heatmap_of_log(model, world, log, options.scan, map, how);
  });
}

Found find_by_field(const BeamHeatmapOptions& options, const fathom::GridMap& map) {
  if (!options.world.scene.empty()) {
    throw fathom::InputError("--model field takes ends of readings in the map: --scene is for beam");
  }
  const fathom::LikelihoodFieldModel model = fathom::LikelihoodFieldModel::read(options.parameters);
  const fathom::BeamSensor sensor = {.max_range_m = model.max_range_m, .min_range_m = model.min_range_m};
  return search(options, map, sensor, [&](const fathom::ScanLog& log, const fathom::HeatmapLogOptions& how) {
    return fathom::field_heatmap_of_log(model, map, log, options.scan, how);
  });
}

/// Positions are centres of cells, so positions between them would be skipped.
void refuse_spacing_below_cells(const BeamHeatmapOptions& options, const fathom::GridMap& map) {
  constexpr double kRounded = 1.0 - 1e-6;
  if (!options.has_spacing || options.heatmap.spacing_m >= kRounded * map.resolution_m) return;
  throw fathom::InputError(fmt::format("--spacing = {} is below {:g} m, a cell of {}", options.heatmap.spacing_m,
                                       map.resolution_m, fathom::printable(options.world.map.string())));
}

/// Draws where the scan could have been made, and prints where it most likely was.
void draw_beam_heatmap(const BeamHeatmapOptions& options) {
  with_words("--out ", [&] { fathom::check_heatmap_name(options.output.out); });
  const std::filesystem::path log_file = options.log.file();
  check_new_file(options.output, options.world, {log_file, options.parameters});
  const fathom::GridMap map = fathom::read_grid_map(options.world.map);
  refuse_spacing_below_cells(options, map);
  const Found made = options.model == HeatmapModel::kBeam ? find_by_beams(options, map) : find_by_field(options, map);
  const fathom::LogHeatmap& found = made.map;
  const fathom::Heatmap& heatmap = found.heatmap;
  fathom::Heatmap::Picture picture;
  picture.pixels = options.pixels, picture.theme = options.theme;
  picture.truth = found.logged;
  picture.truth_name =
      fmt::format("pose of scan {} in {}", options.scan, fathom::printable(log_file.filename().string()));
  picture.scan_hits_world = made.hits_world;
  fathom::write_heatmap(options.output.out, heatmap, map, picture);

  if (options.output.quiet) return;
  print(notes_text(map.notes));
  print(align_columns({{"pose", "x (m)", "y (m)", "yaw (deg)", "log-likelihood", "per ray"},
                       pose_row("best", heatmap.refined, heatmap.refined_log_likelihood, heatmap.rays),
                       pose_row("best of the grid", heatmap.best, heatmap.best_log_likelihood, heatmap.rays),
                       pose_row("in the log", found.logged, found.logged_log_likelihood, heatmap.rays)},
                      {1, 2, 3, 4, 5}));
  print(fmt::format(
      "\nThe grid has positions {:g} m and headings {:g} deg apart; best: searched between them, from its peaks.\n"
      "{:.2f} m apart from the log's pose; the picture is {}\n",
      heatmap.grid.spacing_m, 360.0 / static_cast<double>(options.heatmap.headings),
      std::hypot(heatmap.refined.x_m - found.logged.x_m, heatmap.refined.y_m - found.logged.y_m),
      fathom::printable(options.output.out.string())));
}

}  // namespace

void add_beam_sample(CLI::App& beam) {
  const auto o = std::make_shared<BeamSampleOptions>();
  CLI::App& c = *beam.add_subcommand("sample", "Draw readings from a beam model");
  begin_section(c, Section::kRequired);
  add_parameters(c, o->parameters);
  c.add_option("--expected", o->expected, "CSV of expected ranges")->type_name("CSV");
  add_world(c, o->world);
  begin_section(c, Section::kRequired);
  CLI::Option* poses = c.add_option("--poses", o->poses, "CSV of poses of the sensor")->type_name("CSV");
  c.add_option("--log", o->log, "scan log whose poses and rays to take")->type_name("LOG")->excludes(poses);
  begin_section(c, Section::kInput);
  add_whole(c, {"--rays", "N", "rays of a scan at --poses"}, {1, fathom::ScanLog::kMostRays}, o->rays);
  add_number(c, {"--view", "DEG", "angle from the first ray to the last, deg"}, {0, 360, "deg"}, o->view_deg);
  add_whole(c, {"--seed", "S", "the same seed gives the same readings"}, kAnySeed, o->seed);
  add_csv_output(c, o->output);
  begin_section(c, Section::kComputer);
  add_threads(c, o->threads);
  c.footer(kSampleHelp);
  set_action(c, o->output, [o, &c] {
    refuse_height_without_scene(c);
    for (const char* option : {"--rays", "--view"}) {
      if (c.count(option) > 0 && o->poses.empty()) {
        throw fathom::InputError(fmt::format("{} is of scans at --poses, and a log or table has its own rays", option));
      }
    }
    sample_beam(*o);
  });
}

void add_beam_heatmap(CLI::App& beam) {
  const auto o = std::make_shared<BeamHeatmapOptions>();
  fathom::HeatmapLogOptions& how = o->heatmap;
  CLI::App& c = *beam.add_subcommand("heatmap", "Draw where on the map a scan could have been made");
  begin_section(c, Section::kRequired);
  c.add_option("--map", o->world.map, "map_server YAML file: where to look, and what to draw on")
      ->required()
      ->type_name("YAML");
  add_log(c, o->log);
  begin_section(c, Section::kRequired);
  add_whole(c, {"--scan", "K", "number of the scan, from 0"}, kAnyIndex, o->scan)
      .required()
      ->default_str("");  // 0 is no default
  add_parameters(c, o->parameters);
  c.add_option("--out", o->output.out, "picture to write")->required()->type_name("PNG");
  begin_section(c, Section::kInput);
  c.add_option("--scene", o->world.scene, "scene file: its meshes say what the rays should measure")->type_name("YAML");
  add_height(c, o->world.height_m);
  begin_section(c, Section::kModel);
  add_choice(c, "--model", "model that --parameters are of", o->model, kHeatmapModels);
  using Grid = fathom::PositionGrid;
  add_number(c, {"--spacing", "M", "between positions, m; at least a cell of the map"},
             {Grid::kLeastSpacingM, Grid::kMostSpacingM, "m"}, how.spacing_m);
  add_whole(c, {"--headings", "N", "tried at every position"}, {1, fathom::HeatmapOptions::kMostHeadings},
            how.headings);
  add_whole(c, {"--ray-step", "N", "score every N-th ray; default: so that about 90 are scored"},
            {1, fathom::ScoreOptions::kMostRayStep}, how.ray_step);
  using Picture = fathom::Heatmap::Picture;
  begin_section(c, Section::kOutput);
  add_whole(c, {"--pixels", "N", "longer side of the map in the picture"},
            {Picture::kLeastPixels, Picture::kMostPixels}, o->pixels);
  add_choice(c, "--theme", "background: dark, or white for print", o->theme);
  add_force(c, o->output.force);
  add_quiet(c, o->output.quiet);
  begin_section(c, Section::kComputer);
  add_threads(c, how.compute.threads);
  c.footer(kHeatmapHelp);
  set_action(c, o->output, [o, &c] {
    refuse_height_without_scene(c);
    check_log(c, o->log);
    o->has_spacing = c.count("--spacing") > 0;
    draw_beam_heatmap(*o);
  });
}

}  // namespace fathom_cli
