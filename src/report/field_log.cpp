// SPDX-License-Identifier: MIT
// Logs and the likelihood field.
#include <fathom/beam/field_log.hpp>

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "base/with_prefix.hpp"

namespace fathom {

namespace {

using ScanNumbers = std::vector<std::uint32_t>;

/// The scans to judge by, none of which may have been learned from.
ScanNumbers judging_scans(const FieldLogOptions& options, const ScanNumbers& learned, const ScanLog& log) {
  const bool others = options.test_scans.empty();
  const ScanNumbers chosen = select_scans(others ? "all" : options.test_scans, log.scans());
  ScanNumbers scans, both;
  std::set_difference(chosen.begin(), chosen.end(), learned.begin(), learned.end(), std::back_inserter(scans));
  if (others || scans.size() == chosen.size()) return scans;
  std::set_intersection(chosen.begin(), chosen.end(), learned.begin(), learned.end(), std::back_inserter(both));
  throw InputError(fmt::format("scan {} is in scans {} and in test_scans {}: it would not be held out", both.front(),
                               options.scans, options.test_scans));
}

std::string count_text(std::size_t count, const ScanLog& log, const std::string& selection) {
  return fmt::format("{} ({} of {} scans)", selection, count, log.scans());
}

}  // namespace

FieldReport fit_field_log(const ScanLog& log, const GridMap& map, const FieldLogOptions& options) {
  return with_prefix(log.name, [&] {
    const ScanNumbers learned = select_scans(options.scans, log.scans());
    const ScanNumbers judging = judging_scans(options, learned, log);
    LikelihoodFieldModel start;
    start.w_hit = start.w_rand = 0.5;
    start.max_range_m = options.max_range_m.value_or(log.max_range_m);
    if (start.max_range_m == 0.0) throw InputError("does not say how far its sensor measures; give max_range_m");
    start.min_range_m = options.min_range_m;
    start.max_distance_m = options.max_distance_m;
    validate(start);
    const DistanceField field(map, options.max_distance_m);
    FieldReport report;
    const FieldData data = make_field_data(log, learned, field, start);
    report.fit = fit_likelihood_field(data, field, start, options.fit);
    report.cell_m = field.cell_m();
    const FieldData held_out = judging.empty() ? FieldData{} : make_field_data(log, judging, field, start);
    report.held_out = !held_out.level.empty();
    const FieldData& shown = report.held_out ? held_out : data;
    report.nats_per_reading = field_nats_per_reading(shown, field, report.fit.model);
    for (const std::uint32_t level : shown.level) report.distance_m.push_back(field.distance_m(level));
    const std::string file = std::filesystem::path(log.name).filename().string();
    report.facts = {{"log", fmt::format("{}{}{} rays a scan", file, file.empty() ? "" : ", ", log.rays())},
                    {"learned from", count_text(learned.size(), log, options.scans)}};
    if (report.held_out) {
      const std::string selection = options.test_scans.empty() ? "the others" : options.test_scans;
      report.facts.push_back({"held out", count_text(judging.size(), log, selection)});
    }
    return report;
  });
}

std::vector<ScanScore> score_field_log(const LikelihoodFieldModel& model, const GridMap& map, const ScanLog& log,
                                       std::string_view scans, std::size_t ray_step) {
  const ScanNumbers chosen = with_prefix(log.name, [&] { return select_scans(scans, log.scans()); });
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
  const std::size_t step =
      options.ray_step.value_or(std::max<std::size_t>(1, log.rays() / HeatmapLogOptions::kUsualRays));
  const ReadingEnds ends = with_prefix(log.name, [&] {
    if (scan >= log.scans()) {
      throw InputError(log.scans() == 0 ? std::string("has no scans")
                                        : fmt::format("has scans 0 to {}, and no scan {}", log.scans() - 1, scan));
    }
    ReadingEnds found = reading_ends(log, scan, model, step);
    if (found.x_m.empty()) {
      throw InputError(fmt::format("scan {}: no reading that would be scored carries evidence", scan));
    }
    return found;
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
