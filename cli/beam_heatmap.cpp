// SPDX-License-Identifier: MIT
#include "beam_heatmap.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/names.hpp>
#include <fathom/beam/heatmap.hpp>
#include <fathom/beam/log.hpp>

#include "outputs.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text.hpp"

namespace fathom_cli {
namespace {

constexpr std::size_t kUsualRays = 90;

std::vector<std::string> pose_row(const char* name, const fathom::PlanarPose& pose, double log_likelihood,
                                  std::size_t rays) {
  return {name,
          fmt::format("{:.2f}", pose.x_m),
          fmt::format("{:.2f}", pose.y_m),
          fmt::format("{:.1f}", pose.yaw_rad / fathom::kRadPerDeg),
          fmt::format("{:.3f}", log_likelihood),
          fmt::format("{:.4f}", log_likelihood / static_cast<double>(std::max<std::size_t>(1, rays)))};
}

/// A PNG by another name would open in no viewer.
void check_picture_name(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".png") return;
  throw fathom::InputError(fmt::format("--out {}: the picture is a PNG; name it .png", file.string()));
}

/// Without evidence every position is as likely as any other.
void check_evidence(const BeamHeatmapOptions& options, const fathom::ScanLog& log, const fathom::BeamSensor& sensor,
                    std::size_t ray_step) {
  if (fathom::rays_with_evidence(log.scan(options.scan), sensor, ray_step) > 0) return;
  throw fathom::InputError(
      fmt::format("{}: scan {}: no reading that would be scored carries evidence", options.log.string(), options.scan));
}

}  // namespace

void draw_beam_heatmap(const BeamHeatmapOptions& options) {
  const StopSignals signals(Patience::kNone);
  check_picture_name(options.out);
  const std::filesystem::path log_file = fathom::find_scan_log(options.log);
  Paths inputs = world_files(options.world);
  inputs.insert(inputs.end(), {log_file, options.parameters});
  check_new_file(options.out, options.force, inputs);
  const fathom::BeamModel model = fathom::read_beam_model(options.parameters);
  const fathom::GridMap map = fathom::read_grid_map(options.world.map);
  const fathom::World world = options.world.scene.empty() ? fathom::World::from_map(map, {.unknown = model.unknown})
                                                          : open_world(options.world, model.unknown, options.threads);
  refuse_inputs({options.out}, world.inputs());
  const fathom::ScanLog log = fathom::read_scan_log(log_file);
  if (options.scan >= log.scans()) {
    throw fathom::InputError(
        fmt::format("{}: has scans 0 to {}, and no scan {}", options.log.string(), log.scans() - 1, options.scan));
  }
  const fathom::RayFan fan = fathom::planar_fan(log.azimuth_rad);
  const fathom::PlanarPose logged = log.pose[options.scan];

  fathom::HeatmapOptions heatmap_options;
  heatmap_options.headings = options.headings;
  heatmap_options.score.compute.threads = options.threads;
  heatmap_options.score.ray_step = options.ray_step.value_or(std::max<std::size_t>(1, log.rays() / kUsualRays));
  check_evidence(options, log, model.sensor, heatmap_options.score.ray_step);
  fathom::Heatmap heatmap;
  {
    TaskDisplay display("scoring:", options.quiet);
    heatmap_options.on_progress = [&display](double done) { display.show_fraction(done); };
    heatmap = fathom::make_heatmap(model.parameters, model.sensor, world, fan, log.scan(options.scan),
                                   fathom::free_positions(map, options.spacing_m), heatmap_options);
  }
  fathom::HeatmapPicture picture;
  picture.pixels = options.pixels;
  picture.truth = logged;
  picture.scan_hits_world = fathom::scan_hits_world(log, options.scan, model.sensor);
  fathom::write_heatmap(options.out, heatmap, map, picture);

  if (options.quiet) return;

  fathom::ScanScorer scorer(model.parameters, model.sensor, world, fan, heatmap_options.score);
  const fathom::Pose logged_pose = fathom::pose_from_planar(logged);
  double at_logged = 0.0;
  scorer.score({&logged_pose, 1}, log.scan(options.scan), {&at_logged, 1});
  print(align_columns({{"pose", "x (m)", "y (m)", "yaw (deg)", "log-likelihood", "per ray"},
                       pose_row("best", heatmap.refined, heatmap.refined_log_likelihood, heatmap.rays),
                       pose_row("best of the grid", heatmap.best, heatmap.best_log_likelihood, heatmap.rays),
                       pose_row("in the log", logged, at_logged, heatmap.rays)},
                      {1, 2, 3, 4, 5}));
  print(fmt::format(
      "\nThe grid has positions {:g} m and headings {:g} deg apart; best: searched between them, from its peaks.\n"
      "{:.2f} m apart from the log's pose; the picture is {}\n",
      heatmap.grid.spacing_m, 360.0 / static_cast<double>(options.headings),
      std::hypot(heatmap.refined.x_m - logged.x_m, heatmap.refined.y_m - logged.y_m),
      fathom::printable(options.out.string())));
}

}  // namespace fathom_cli
