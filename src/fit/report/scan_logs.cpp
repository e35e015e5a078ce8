// SPDX-License-Identifier: MIT
// Logs as wholes and the worlds that they are in: where they are, notes on them, their scores and heatmaps, and logs
// drawn from a model.

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <fathom/core/f64.hpp>
#include <fathom/core/field.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/scene.hpp>
#include <fathom/sensor/pattern.hpp>
#include <fathom/simulate/output_kinds.hpp>
#include <fathom/simulate/run.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "fit/beam/no_return_pile.hpp"
#include "fit/beam/scans.hpp"
#include "fit/report/fit_selection.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLogName = ScanLogOutput::kFile;

/// Of one reading z: its density, and how it is shared out among the components.
void share_out(const BeamModel& model, double expected_m, double z, BeamScore& score) {
  const BeamDensity density(model.parameters, model.sensor, expected_m);
  const ReadingKind kind = classify(z, model.sensor);
  score.log_density = score.hit = score.shorts = score.max = score.rand = std::nan("");
  if (kind == ReadingKind::kNone) return;
  const BeamParameters& p = model.parameters;
  double hit = 0.0, shorts = 0.0, max = 0.0, rand = 0.0;
  if (kind == ReadingKind::kMax) {
    max = p.w_max;
    hit = density.w_max() - p.w_max;  // where the miss policy has moved hits to Z
  } else {
    hit = density.w_hit() * density.hit().density(z);
    shorts = p.w_short * density.shorts().density(z);
    rand = p.w_rand / model.sensor.max_range_m;
  }
  const double sum = hit + shorts + max + rand;
  score.log_density = std::log(sum);
  if (!(sum > 0.0)) return;
  score.hit = hit / sum, score.shorts = shorts / sum, score.max = max / sum, score.rand = rand / sum;
}

}  // namespace

fs::path find_scan_log(const fs::path& log_or_run) {
  std::error_code error;
  if (!fs::is_directory(log_or_run, error)) return log_or_run;
  std::vector<fs::path> logs;
  for (const auto& entry : fs::directory_iterator(log_or_run, error)) {
    if (fs::exists(entry.path() / kLogName, error)) logs.push_back(entry.path() / kLogName);
  }
  if (logs.size() == 1) return logs.front();
  if (logs.empty()) {
    throw InputError(fmt::format("{}: a folder without */{}; a run has it where a sensor has the output scan_log",
                                 log_or_run.string(), kLogName));
  }
  std::ranges::sort(logs);
  throw InputError(fmt::format("{}: a run with {} scan logs; choose one, such as {}", log_or_run.string(), logs.size(),
                               logs.front().string()));
}

std::vector<Message> log_notes(const ScanLog& log, std::optional<double> max_range_m) {
  std::vector<Message> notes;
  for (const ScanLog::Skipped& lines : log.skipped) {
    notes.push_back(fmt::format("{} {} passed over{}{}", counted(lines.lines, fmt::format("{} line", lines.name)),
                                were(lines.lines), log.laser.empty() ? "" : "; readings come from ", log.laser));
  }
  notes.insert(notes.end(), log.notes.begin(), log.notes.end());
  NoReturnPile pile;
  if (max_range_m) pile.add(log.range_m);
  const NoReturnPile::Code code = pile.code(max_range_m.value_or(0.0));
  // A maximum range that was not meant spoils every weight without any other sign.
  if (code.value_m != 0.0) {
    notes.emplace_back(fmt::format("many readings are {:.6g} m, {}; if that means no return, give ", code.value_m,
                                   code.strays == 0 ? "the largest of the log" : code.beyond_words()),
                       Setting{"max_range_m"}, fmt::format(" {:.6g}", code.below_m()));
  }
  return notes;
}

std::size_t LogScores::rays() const {
  std::size_t rays = 0;
  for (const ScanScore& scan : scans) rays += scan.rays;
  return rays;
}

double LogScores::log_likelihood() const {
  double sum = 0.0;
  for (const ScanScore& scan : scans) sum += scan.log_likelihood;
  return sum;
}

double LogScores::mean_per_scan() const {
  return log_likelihood() / static_cast<double>(std::max<std::size_t>(1, scans.size()));
}

double LogScores::mean_per_ray() const {
  return log_likelihood() / static_cast<double>(std::max<std::size_t>(1, rays()));
}

const ScanScore& LogScores::least_likely() const {
  return *std::ranges::min_element(scans, {}, &ScanScore::log_likelihood);
}

LogScores score_log(const BeamModel& model, const World& world, const ScanLog& log, std::string_view scans,
                    const ScoreOptions& options) {
  const ScanNumbers chosen = choose_scans(log.name, scans, log.scans());
  ScoreOptions one_pose = options;
  one_pose.compute.threads = 1;  // there is nothing to share out
  MovingRanges moving(world, one_pose.ray_step);
  ScanScorer scorer(model.parameters, model.sensor, moving, RayFan::planar(log.azimuth_rad), one_pose);
  LogScores scores;
  for (const std::uint32_t scan : chosen) {
    ScanScore score = {scan, log.pose[scan], rays_with_evidence(log.scan(scan), model.sensor, options.ray_step), 0.0};
    const Pose pose = score.pose.at_height();
    moving.follow(log.offsets(scan));
    scorer.score({&pose, 1}, log.scan(scan), {&score.log_likelihood, 1});
    scores.scans.push_back(score);
    if (options.on_progress) {
      options.on_progress(static_cast<double>(scores.scans.size()) / static_cast<double>(chosen.size()));
    }
  }
  const BeamData pairs = make_beam_data(log, chosen, world, model.sensor.max_range_m, options.compute);
  scores.judgement = with_prefix(log.name, [&] { return judge_beam_model(model.parameters, model.sensor, pairs); });
  return scores;
}

std::vector<BeamScore> score_beams(const BeamModel& model, const World& world, const ScanLog& log,
                                   std::span<const std::uint32_t> scans, std::size_t ray_step, const Compute& compute) {
  validate(model.parameters);
  validate(model.sensor);
  check_in_range("score", "ray_step", static_cast<double>(ray_step), 1, static_cast<double>(ScoreOptions::kMostRayStep),
                 "1");
  const BeamData pairs = make_beam_data(log, scans, world, model.sensor.max_range_m, compute);
  std::vector<BeamScore> scores;
  scores.reserve(scans.size() * ((log.rays() + ray_step - 1) / ray_step));
  for (std::size_t i = 0; i < scans.size(); ++i) {
    for (std::size_t ray = 0; ray < log.rays(); ray += ray_step) {
      const std::size_t pair = i * log.rays() + ray;
      BeamScore& score = scores.emplace_back();
      score.scan = scans[i], score.ray = static_cast<std::uint32_t>(ray);
      score.azimuth_rad = log.azimuth_rad[ray];
      score.reading_m = pairs.reading_m[pair], score.expected_m = pairs.expected_m[pair];
      share_out(model, pairs.expected_m[pair], pairs.reading_m[pair], score);
    }
  }
  return scores;
}

std::size_t usual_ray_step(const ScanLog& log, const HeatmapLogOptions& options) {
  return options.ray_step.value_or(std::max<std::size_t>(1, log.rays() / HeatmapLogOptions::kUsualRays));
}

void require_evidence(const ScanLog& log, std::uint32_t scan, const std::function<std::size_t()>& readings) {
  with_prefix(log.name, [&] {
    if (scan >= log.scans()) {
      throw InputError(log.scans() == 0 ? std::string("has no scans")
                                        : fmt::format("has scans 0 to {}, and no scan {}", log.scans() - 1, scan));
    }
    if (readings() == 0) {
      throw InputError(fmt::format("scan {}: no reading that would be scored carries evidence", scan));
    }
  });
}

LogHeatmap heatmap_of_log(const BeamModel& model, const World& world, const ScanLog& log, std::uint32_t scan,
                          const GridMap& map, const HeatmapLogOptions& options) {
  HeatmapOptions how;
  how.headings = options.headings;
  how.on_progress = options.on_progress;
  how.score.ray_step = usual_ray_step(log, options);
  how.score.compute = options.compute;
  require_evidence(log, scan, [&] { return rays_with_evidence(log.scan(scan), model.sensor, how.score.ray_step); });
  const RayFan fan = RayFan::planar(log.azimuth_rad);
  MovingRanges moving(world, how.score.ray_step);
  moving.follow(log.offsets(scan));
  LogHeatmap found;
  found.logged = log.pose[scan];
  found.heatmap = make_heatmap(model.parameters, model.sensor, moving, fan, log.scan(scan),
                               free_positions(map, options.spacing_m), how);
  ScanScorer scorer(model.parameters, model.sensor, moving, fan, how.score);
  const Pose pose = found.logged.at_height();
  scorer.score({&pose, 1}, log.scan(scan), {&found.logged_log_likelihood, 1});
  return found;
}

std::vector<Vec3> scan_hits_world(const ScanLog& log, std::uint32_t scan, const BeamSensor& sensor) {
  if (scan >= log.scans()) throw InputError(fmt::format("scan {} is not in [0, {})", scan, log.scans()));
  const Pose world_from_sensor = log.pose[scan].at_height();
  std::vector<Vec3> hits;
  for (std::size_t i = 0; i < log.rays(); ++i) {
    const double range_m = log.scan(scan)[i];
    if (classify(range_m, sensor) != ReadingKind::kRange) continue;
    const PlanarPose from = ray_of(log, scan, i);
    const auto [s, c] = math::sincos(from.yaw_rad);
    hits.push_back(world_from_sensor * Vec3{from.x_m + range_m * c, from.y_m + range_m * s, 0.0});
  }
  return hits;
}

std::vector<float> sample_table(const BeamModel& model, const ExpectedTable& table, std::uint64_t seed) {
  if (table.scan.size() != table.expected_m.size()) {
    throw InputError(fmt::format("{} cannot be of {}", counted(table.expected_m.size(), "expected range"),
                                 counted(table.scan.size(), "scan")));
  }
  std::vector<float> reading_m(table.expected_m.size());
  for (std::size_t begin = 0; begin < table.scan.size();) {
    std::size_t end = begin;
    while (end < table.scan.size() && table.scan[end] == table.scan[begin]) ++end;
    sample_scan(model.parameters, model.sensor, beam_key(seed, table.scan[begin]),
                std::span(table.expected_m).subspan(begin, end - begin),
                std::span(reading_m).subspan(begin, end - begin));
    begin = end;
  }
  return reading_m;
}

ScanLog sample_log(const BeamModel& model, const World& world, std::span<const PlanarPose> poses,
                   std::span<const double> azimuth_rad, std::uint64_t seed, const Compute& compute) {
  ScanLog log;
  log.pose.assign(poses.begin(), poses.end());
  log.azimuth_rad.assign(azimuth_rad.begin(), azimuth_rad.end());
  log.max_range_m = model.sensor.max_range_m;
  log.range_m.assign(log.scans() * log.rays(), 0.0F);
  BeamData pairs = make_beam_data(log, select_scans("all", log.scans()), world, log.max_range_m, compute);
  log.range_m = sample_table(model, {std::move(pairs.expected_m), std::move(pairs.scan)}, seed);
  return log;
}

std::vector<double> even_azimuths_rad(std::uint32_t rays, double view_deg) {
  const double gaps = view_deg >= 360.0 ? rays : std::max(1.0, rays - 1.0);
  std::vector<double> azimuth_rad;
  for (std::uint32_t i = 0; i < rays; ++i) {
    azimuth_rad.push_back((rays == 1 ? 0.0 : view_deg * (i / gaps - 0.5)) * kRadPerDeg);
  }
  return azimuth_rad;
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
  GridMap map = read_grid_map(yaml_file);
  World world = from_map(map, options);
  world.name_ = yaml_file.filename().string();
  world.inputs_ = std::move(map.files);
  world.notes_ = std::move(map.notes);
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
