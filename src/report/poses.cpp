// SPDX-License-Identifier: MIT
#include "report/poses.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/base/field.hpp>
#include <fathom/base/geometry.hpp>
#include <fathom/beam/carmen.hpp>
#include <fathom/beam/csv.hpp>
#include <fathom/beam/scene_ranges.hpp>
#include <fathom/beam/world.hpp>
#include <fathom/files/maps.hpp>
#include <fathom/simulate/run.hpp>

#include "base/counts.hpp"
#include "report/plot.hpp"

namespace fathom {

PoseMoves pose_moves(const RefinedLog& refined) {
  PoseMoves moves;
  for (std::size_t i = 0; i < refined.logged.size(); ++i) {
    const PlanarPose &before = refined.logged[i], &now = refined.log.pose[i];
    moves.m.push_back(std::hypot(now.x_m - before.x_m, now.y_m - before.y_m));
    moves.rad.push_back(std::remainder(now.yaw_rad - before.yaw_rad, 2.0 * std::numbers::pi));
    moves.rms_m += moves.m.back() * moves.m.back();
    moves.rms_rad += moves.rad.back() * moves.rad.back();
  }
  const double count = std::max(1.0, static_cast<double>(moves.m.size()));
  moves.rms_m = std::sqrt(moves.rms_m / count);
  moves.rms_rad = std::sqrt(moves.rms_rad / count);
  return moves;
}

std::string refined_log_text(const RefinedLog& refined) {
  return fits_carmen(refined.log) ? carmen_text(refined.log, refined.logged) : scan_csv(refined.log);
}

namespace {

constexpr double kWidth = 520, kHeight = 360, kHeightOfMoves = 240;
constexpr double kWidthOfAxes = 450, kHeightOfAxes = 308;  // what a Plot of this size leaves beside its labels

struct Way {
  std::vector<double> x, y;
};

Way way_of(std::span<const PlanarPose> poses) {
  Way way;
  for (const PlanarPose& pose : poses) way.x.push_back(pose.x_m), way.y.push_back(pose.y_m);
  return way;
}

/// An axis about the middle of what is drawn on it.
PlotAxis axis_about(std::span<const double> a, std::span<const double> b, double length, std::string label) {
  const double low = std::min(std::ranges::min(a), std::ranges::min(b)),
               high = std::max(std::ranges::max(a), std::ranges::max(b));
  return {.low = (low + high - length) / 2.0, .high = (low + high + length) / 2.0, .label = std::move(label)};
}

double extent(std::span<const double> a, std::span<const double> b) {
  return std::max(std::ranges::max(a), std::ranges::max(b)) - std::min(std::ranges::min(a), std::ranges::min(b));
}

/// With a metre as long along x as along y.
std::string way_figure(const RefinedLog& refined) {
  const Way before = way_of(refined.logged), now = way_of(refined.log.pose);
  const double m_per_pixel =
      std::max({1.1 * extent(before.x, now.x) / kWidthOfAxes, 1.1 * extent(before.y, now.y) / kHeightOfAxes, 1e-3});
  Plot plot("Where the sensor was, by the log and refined",
            axis_about(before.x, now.x, m_per_pixel * kWidthOfAxes, "x (m)"),
            axis_about(before.y, now.y, m_per_pixel * kHeightOfAxes, "y (m)"), kWidth, kHeight);
  plot.draw_line(before.x, before.y, "under");  // wide, as the two ways are a few centimetres apart
  plot.draw_line(now.x, now.y, "model");
  return plot.svg();
}

/// Metres and degrees have axes of their own: on one of them the smaller would be a flat line.
std::string move_figure(const RefinedLog& refined, std::string_view title, const std::vector<double>& moves,
                        std::string label, std::string_view css_class) {
  std::vector<double> scan;
  for (const std::uint32_t number : refined.scan) scan.push_back(number);
  Plot plot(title, {.low = scan.front(), .high = std::max(scan.back(), scan.front() + 1.0), .label = "scan"},
            {.low = 0.0, .high = std::max(1.1 * std::ranges::max(moves), 1e-4), .label = std::move(label)}, kWidth,
            kHeightOfMoves);
  plot.draw_line(scan, moves, css_class);
  return plot.svg();
}

std::string mount_text(const FitReport& report) {
  if (report.logs.empty()) return "";
  const LogCorrection &at = report.logs.front().correction, &error = report.logs.front().std_error;
  return fmt::format(
      " Mount of the sensor: x {:.4f} ± {:.2g} m, y {:.4f} ± {:.2g} m, yaw {:.5f} ± {:.2g} rad; errors are clustered "
      "by stretches of the way.",
      at.mount_x_m, error.mount_x_m, at.mount_y_m, error.mount_y_m, at.mount_yaw_rad, error.mount_yaw_rad);
}

std::vector<Report::Figure> pose_figures(const RefinedLog& refined, const PoseMoves& moves) {
  std::vector<double> degrees;
  for (const double rad : moves.rad) degrees.push_back(std::abs(rad) / kRadPerDeg);
  return {
      {.picture = way_figure(refined),
       .keys = {stroke("#b9c4ce", "by the log"), stroke("#b3202c", "refined")},
       .caption = ". Where the sensor was; refined.log has it."},
      {.picture = move_figure(refined, "How far the place of each scan moved", moves.m, "place moved by (m)", "model"),
       .caption = "How far the place of each scan moved."},
      {.picture = move_figure(refined, "How far the heading of each scan turned", degrees,
                              "heading turned by (degrees)", "short-line"),
       .caption = "How far the heading of each scan turned."}};
}

}  // namespace

Report::Section poses_section(const FitReport& report) {
  const RefinedLog& refined = *report.refined;
  const PoseMoves moves = pose_moves(refined);
  const std::string text = fmt::format(
      "Poses and parameters were learned in {}, with poses of the log taken as off by {:.3g} m and {:.3g}°. "
      "Rays that chose neither: {:.4f} nats each before, {:.4f} now; sigma_hit_m {:.4f} before, {:.4f} now. Poses "
      "moved by {:.4f} m and {:.3f}° (root mean square).{}",
      counted(refined.turns, "turn"), refined.prior.stddev_m, refined.prior.stddev_rad / kRadPerDeg,
      refined.before.nats_per_ray, report.judgement.nats_per_ray, refined.parameters_before.sigma_hit_m,
      report.fit.parameters.sigma_hit_m, moves.rms_m, moves.rms_rad / kRadPerDeg, mount_text(report));
  const std::string file = fmt::format("refined.log is {} of {}", fits_carmen(refined.log) ? "CARMEN text" : "CSV",
                                       counted(refined.log.scans(), "scan"));
  const auto figures = [&refined, moves] { return pose_figures(refined, moves); };
  return {.head = "Poses", .pieces = {Report::Text{{text, file}}, Report::Figures(figures)}};
}

World::World(std::shared_ptr<const ExpectedRanges> expected, std::string name)
    : expected_(std::move(expected)), name_(std::move(name)) {
  if (!expected_) throw InputError("a world needs expected ranges");
}

World World::from_map(const GridMap& map, const GridCasterOptions& options) {
  World world(make_grid_ranges(map, options));
  world.unknown_ = options.unknown;
  world.outline_ = {map.rows, map.cols, map.resolution_m, map.world_from_map, {}};
  return world;
}

World World::from_map(const std::filesystem::path& yaml_file, const GridCasterOptions& options) {
  GridMapFile file = read_grid_map_file(yaml_file);
  World world = from_map(file.map, options);
  world.name_ = yaml_file.filename().string();
  world.inputs_ = std::move(file.files);
  world.notes_ = std::move(file.notes);
  return world;
}

World World::from_scene(const Scene& scene, const SceneRangesOptions& options, UnknownCells unknown) {
  World world(make_scene_ranges(scene, options));
  world.unknown_ = unknown;
  return world;
}

World World::from_scene(const SceneSetup& setup, double height_m, UnknownCells unknown, const Compute& compute) {
  check_in_range("world", "height_m", height_m, -kMostHeightM, kMostHeightM, "m");
  SceneRangesOptions options;
  options.pose_from_sensor.translation_m.z = height_m;
  options.compute = compute;
  World world = from_scene(setup.scene, options, unknown);
  world.name_ = fmt::format("{} at a height of {:g} m", setup.file.filename().string(), height_m);
  world.inputs_ = setup.inputs;
  world.notes_ = setup.notes;
  return world;
}

}  // namespace fathom
