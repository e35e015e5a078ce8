// SPDX-License-Identifier: MIT
// Logs and the likelihood field.
#include <fathom/beam/field_log.hpp>

#include <algorithm>

#include "base/errors.hpp"
#include "beam/way_blocks.hpp"
#include "report/field_report.hpp"
#include "report/fit_selection.hpp"
#include "report/sanity.hpp"

namespace fathom {

namespace {

LikelihoodFieldModel start_of(double max_range_m, const FieldLogOptions& options) {
  LikelihoodFieldModel start;
  start.w_hit = start.w_rand = 0.5;
  start.max_range_m = max_range_m;
  start.min_range_m = options.min_range_m;
  start.max_distance_m = options.max_distance_m;
  validate(start);
  return start;
}

/// [scans] Poses of the scans that have data.
std::vector<PlanarPose> poses_of(const FieldData& data, const ScanLog& log) {
  std::vector<PlanarPose> poses;
  for (std::size_t i = 0; i < data.scan.size(); ++i) {
    if (i == 0 || data.scan[i] != data.scan[i - 1]) poses.push_back(log.pose[data.scan[i]]);
  }
  return poses;
}

/// Learned as amcl and nav2 look cells up.
LikelihoodFieldModel rounded_model(const ScanLog& log, const ScanNumbers& learned, const DistanceField& field,
                                   const LikelihoodFieldModel& start, const FieldFitOptions& options) {
  const DistanceField rounded = field.looked_up(CellLookup::kRounded);
  return fit_likelihood_field(make_field_data(log, learned, rounded, start), rounded, start, options).model;
}

/// What the poses and the fit show.
void add_field_sanity(const ScanLog& log, const ScanNumbers& learned, const DistanceField& field,
                      const FieldLogOptions& options, FieldReport& report) {
  const std::string wrong_map = wrong_map_flag(report);
  add_fault("wrong_map", wrong_map, report);
  if (!wrong_map.empty()) return;  // poses and tails in a wrong map mean nothing
  add_flag("heavy_tails", heavy_tails_flag(report), report);
  if (options.check_poses) {
    const FieldMoves moves = move_field_poses(log, learned, field, report.fit.model);
    add_flag("inexact_poses", field_pose_flag(moves, field.cell_m()), report);
  }
}

/// What the model says of the scans that judge: those held out, or those learned from.
void judge(const ScanLog& log, const ScanNumbers& judging, const FieldData& shown, const DistanceField& field,
           FieldReport& report) {
  report.nats_per_reading = field_nats_per_reading(shown, field, report.fit.model);
  for (const std::uint32_t level : shown.level) report.distance_m.push_back(field.distance_m(level));
  add_expected_shares(log, judging, field, report);
}

FieldReport fit_field(const ScanLog& log, const GridMap& map, const FieldLogOptions& options) {
  GivenLogs logs;
  GivenLog& given = logs.add(log, "", options);
  const ScanNumbers &learned = given.learned, &judging = given.held_out;
  const LikelihoodFieldModel start =
      start_of(find_max_range_m(logs.readings, options.max_range_m, options.auto_max_range), options);
  const DistanceField field(map, options.max_distance_m);
  given.place_on(map, share_by_ends(field));
  require_ranges_below(start.max_range_m, logs.readings.front(), map.resolution_m, given.misplaced);
  FieldReport report;
  const FieldData data = make_field_data(log, learned, field, start);
  const std::vector<PlanarPose> poses = poses_of(data, log);
  FieldFitOptions how = options.fit;
  how.stretch_of_scan = blocks_of_way(poses, how.stretches);
  report.fit = fit_likelihood_field(data, field, start, how);
  report.rounded_model = rounded_model(log, learned, field, start, options.fit);
  report.cell_m = field.cell_m();
  const FieldData held_out = judging.empty() ? FieldData{} : make_field_data(log, judging, field, start);
  const bool is_held_out = !held_out.level.empty();
  judge(log, is_held_out ? judging : learned, is_held_out ? held_out : data, field, report);
  if (is_held_out) {
    report.fit.held_out = HeldOut{.nats = report.nats_per_reading,
                                  .readings = held_out.level.size(),
                                  .note = options.test_scans.empty() ? held_out_note(true) : ""};
  }
  if (!options.map_name.empty()) report.facts.push_back({"map", options.map_name});
  report.facts.push_back(log_fact(log));
  add_selection(options.scans, options.test_scans,
                {.learned = learned.size(), .held_out = is_held_out ? judging.size() : 0, .of = log.scans()},
                report.facts);
  logs.add_notes(finds_code(options), report);
  const BeamSensor sensor = {.max_range_m = start.max_range_m, .min_range_m = start.min_range_m};
  const bool is_on_map = logs.add_flags(poses, how.stretches, finds_code(options), sensor, report);
  if (is_on_map) add_field_sanity(log, learned, field, options, report);
  return report;
}

}  // namespace

const LikelihoodFieldModel& model_for(const FieldReport& report, Localizer localizer) {
  return cell_lookup(localizer) == CellLookup::kRounded ? report.rounded_model : report.fit.model;
}

std::vector<Finding> FieldReport::findings() const {
  std::vector<Finding> all = fit.findings;
  all.insert(all.end(), sanity.begin(), sanity.end());
  return all;
}

FieldReport fit_field_log(const ScanLog& log, const GridMap& map, const FieldLogOptions& options) {
  return with_prefix(log.name, [&] { return fit_field(log, map, options); });
}

std::vector<ScanScore> score_field_log(const LikelihoodFieldModel& model, const GridMap& map, const ScanLog& log,
                                       std::string_view scans, std::size_t ray_step) {
  const ScanNumbers chosen = choose_scans(log.name, scans, log.scans());
  const DistanceField field(map, model.max_distance_m);
  FieldScorer scorer(model, field, {.threads = 1});  // there is nothing to share out
  std::vector<ScanScore> scores;
  for (const std::uint32_t scan : chosen) {
    const ReadingEnds ends = reading_ends(log, scan, model, ray_step);
    ScanScore score = {scan, log.pose[scan], ends.x_m.size(), 0.0};
    scorer.score({&score.pose, 1}, ends, {&score.log_likelihood, 1});
    scores.push_back(score);
  }
  return scores;
}

LogHeatmap field_heatmap_of_log(const LikelihoodFieldModel& model, const GridMap& map, const ScanLog& log,
                                std::uint32_t scan, const HeatmapLogOptions& options) {
  ReadingEnds ends;
  require_evidence(log, scan, [&] {
    ends = reading_ends(log, scan, model, usual_ray_step(log, options));
    return ends.x_m.size();
  });
  const DistanceField field(map, model.max_distance_m);
  FieldScorer scorer(model, field, options.compute);
  HeatmapOptions how;
  how.headings = options.headings;
  how.on_progress = options.on_progress;
  const PoseScores score = [&](std::span<const PlanarPose> poses, std::span<double> scores) {
    scorer.score(poses, ends, scores);
  };
  LogHeatmap found;
  found.heatmap = make_heatmap(score, ends.x_m.size(), free_positions(map, options.spacing_m), how);
  found.logged = log.pose[scan];
  scorer.score({&found.logged, 1}, ends, {&found.logged_log_likelihood, 1});
  return found;
}

}  // namespace fathom
