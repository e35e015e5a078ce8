// SPDX-License-Identifier: MIT
// Logs and the likelihood field: expectation, flags, learning, scores and heatmaps.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/f64.hpp>

#include "core/errors.hpp"
#include "fit/beam/scans.hpp"
#include "fit/estimator.hpp"
#include "fit/report/figures.hpp"
#include "fit/report/fit_selection.hpp"
#include "fit/report/sanity.hpp"

namespace fathom {

namespace {

constexpr std::size_t kMostModelledRays = 8192;
constexpr double kMostPoints = 4e7;  // on all rays
constexpr double kPointsOfACell = 2.0;

/// Rays, spread over all of them so that no pattern of a scan is met again and again.
std::vector<std::size_t> spread_rays(std::size_t all, std::size_t most) {
  const std::size_t count = std::min(all, most);
  std::vector<std::size_t> chosen;
  for (std::size_t k = 0; k < count; ++k) {
    const double within = std::fmod(static_cast<double>(k) / std::numbers::phi, 1.0);
    chosen.push_back(
        std::min(all - 1, static_cast<std::size_t>((static_cast<double>(k) + within) * static_cast<double>(all) /
                                                   static_cast<double>(count))));
  }
  return chosen;
}

/// Adds up the expectation of the model along rays.
class ExpectedAlongRays {
 public:
  ExpectedAlongRays(const DistanceField& field, const LikelihoodFieldModel& model)
      : field_(field), model_(model), hit_(field.levels()), share_(field.levels()) {
    for (std::uint32_t level = 0; level < field.levels(); ++level) {
      hit_[level] = math::normal_density(field.distance_m(level) / model.sigma_hit_m);
    }
    step_m_ = field.cell_m() / kPointsOfACell;
    points_ = static_cast<std::size_t>(std::max(1.0, std::floor((model.max_range_m - model.min_range_m) / step_m_)));
    level_.resize(points_);
  }

  [[nodiscard]] std::size_t points() const { return points_; }
  [[nodiscard]] std::vector<double>& share() { return share_; }

  void add(const PlanarPose& from) {
    const auto [sine, cosine] = math::sincos(from.yaw_rad);
    double hits = 0.0;
    for (std::size_t i = 0; i < points_; ++i) {
      const double z = model_.min_range_m + (static_cast<double>(i) + 0.5) * step_m_;
      level_[i] = field_.level_at(from.x_m + cosine * z, from.y_m + sine * z);
      hits += hit_[level_[i]];
    }
    // A ray that passes no occupied cell has no hits.
    const double of_hits = hits > 0.0 ? model_.w_hit / hits : 0.0,
                 of_rand = (hits > 0.0 ? model_.w_rand : 1.0) / static_cast<double>(points_);
    for (const std::uint32_t level : level_) share_[level] += of_hits * hit_[level] + of_rand;
  }

 private:
  const DistanceField& field_;
  const LikelihoodFieldModel& model_;
  std::vector<double> hit_, share_;   // [levels]
  std::vector<std::uint32_t> level_;  // [points], of one ray
  double step_m_ = 0.0;
  std::size_t points_ = 0;
};

/// For disagree().
MixtureShares counts_of(const FieldReport& report) {
  MixtureShares counts;
  counts.pairs = report.distance_m.size(), counts.modelled = report.modelled;
  return counts;
}

FieldShare tail_of(const FieldReport& report) {
  const double sigma_m = report.fit.model.sigma_hit_m;
  return share_between(report, kCoreSigmas * sigma_m, kTailSigmas * sigma_m);
}

}  // namespace

void add_expected_shares(const ScanLog& log, std::span<const std::uint32_t> scans, const DistanceField& field,
                         FieldReport& report) {
  ExpectedAlongRays expected(field, report.fit.model);
  const auto most = static_cast<std::size_t>(std::max(64.0, kMostPoints / static_cast<double>(expected.points())));
  for (const std::size_t at : spread_rays(scans.size() * log.rays(), std::min(kMostModelledRays, most))) {
    const std::uint32_t scan = scans[at / log.rays()];
    const std::size_t ray = at % log.rays();
    if (!report.fit.model.counts(double{log.scan(scan)[ray]})) continue;
    expected.add(moved_by(log.pose[scan], ray_of(log, scan, ray)));
    ++report.modelled;
  }
  const double rays = static_cast<double>(std::max<std::size_t>(1, report.modelled));
  for (std::uint32_t level = 0; level < field.levels(); ++level) {
    if (expected.share()[level] == 0.0) continue;
    report.level_m.push_back(field.distance_m(level));
    report.level_share.push_back(expected.share()[level] / rays);
  }
}

FieldShare share_between(const FieldReport& report, double low_m, double high_m) {
  const auto is_in = [&](double d) { return d >= low_m && d < high_m; };
  FieldShare share;
  share.readings = static_cast<double>(std::ranges::count_if(report.distance_m, is_in)) /
                   static_cast<double>(std::max<std::size_t>(1, report.distance_m.size()));
  for (std::size_t i = 0; i < report.level_m.size(); ++i) {
    if (is_in(report.level_m[i])) share.expected += report.level_share[i];
  }
  return share;
}

std::vector<std::string> field_disagreements(const FieldReport& report) {
  const MixtureShares counts = counts_of(report);
  Disagreements all = {.shares = counts};
  const FieldShare tail = tail_of(report), beyond = share_between(report, kTailSigmas * report.fit.model.sigma_hit_m,
                                                                  std::numeric_limits<double>::infinity());
  all.compare(fmt::format("{:g} to {:g} sigma from occupied cells", kCoreSigmas, kTailSigmas), tail.readings,
              tail.expected, kHeavyTails, kLightTails);
  all.compare(fmt::format("more than {:g} sigma from occupied cells", kTailSigmas), beyond.readings, beyond.expected,
              kNothingBehind,
              "random readings are not spread over all ranges, as the model has them, but lie near the map's surfaces");
  return std::move(all.found);
}

namespace {

// Sigma of two offices in their own maps is 0.6 and 0.8 cells, and 3.6 at poses with errors of 0.2 m; in a map that is
// turned, mirrored or of another place, 13 to 33 cells. Ends count as max_distance_m away at most, and sigma with them.
constexpr double kMostFieldRand = 0.5, kMostFieldCells = 10.0, kMostOfDistance = 0.5;
// In their own maps 2.2 and 4.9 % of the readings lie there, 6.1 % with a laser that is turned by half a degree.
constexpr double kMostFieldTail = 0.07;
// Nats. In maps made at the poses of the log, refined poses gain 0.2 to 0.45, depending on the scans, but move within a
// cell, which counts as no gain. With errors of 5 cm, a cell, they gain 0.65 and more.
constexpr double kLeastFieldGain = 0.5;
constexpr double kFieldMoveOfCells = 0.5;  // poses that move less are as exact as the map

constexpr std::size_t kMovedScans = 48, kMovedRays = 180, kMoveTurns = 3;
constexpr double kFirstStepCells = 4.0, kLastStepCells = 0.1, kTurnOfStep = 0.2;  // the last in rad per m

/// Where scans fit best, by a search from the poses of the log.
struct FieldMoves {
  std::vector<PlanarPose> logged, moved;  // [scans]
  double gain = 0.0;                      // nats by which held-out readings are likelier there
};

/// Compass search for the likeliest pose.
PlanarPose climb_to_pose(FieldScorer& scorer, const ReadingEnds& ends, PlanarPose pose, double cell_m) {
  double best = 0.0;
  scorer.score({&pose, 1}, ends, {&best, 1});
  for (double step = kFirstStepCells * cell_m; step > kLastStepCells * cell_m;) {
    const double turn = kTurnOfStep * step;
    std::array<PlanarPose, 6> tried;
    tried.fill(pose);
    tried[0].x_m += step, tried[1].x_m -= step, tried[2].y_m += step, tried[3].y_m -= step;
    tried[4].yaw_rad += turn, tried[5].yaw_rad -= turn;
    std::array<double, 6> score = {};
    scorer.score(tried, ends, score);
    const auto at = static_cast<std::size_t>(std::ranges::max_element(score) - score.begin());
    if (score[at] > best) {
      best = score[at], pose = tried[at];
    } else {
      step /= 2.0;
    }
  }
  return pose;
}

/// Of every three rays one chooses the pose, two learn the parameters, and the third judges.
FieldMoves find_moves(const ScanLog& log, const ScanNumbers& scans, const DistanceField& field,
                      const LikelihoodFieldModel& start) {
  const std::size_t ray_step = (log.rays() + kMovedRays - 1) / kMovedRays;
  const ScanLog choosing = part_of(log, scans, ray_step, [](std::size_t k) { return k % 3 == 0; });
  ScanLog learning = part_of(log, scans, ray_step, [](std::size_t k) { return k % 3 != 2; });
  ScanLog judging = part_of(log, scans, ray_step, [](std::size_t k) { return k % 3 == 2; });
  const ScanNumbers all = all_scans(choosing);
  const auto learn = [&] {
    return fit_likelihood_field(make_field_data(learning, all, field, start), field, start).model;
  };
  const auto judge = [&](const LikelihoodFieldModel& model) {
    return field_nats_per_reading(make_field_data(judging, all, field, start), field, model);
  };
  LikelihoodFieldModel model = learn();
  const double before = judge(model);
  for (std::size_t turn = 0; turn < kMoveTurns; ++turn) {
    FieldScorer scorer(model, field, {.threads = 1});
    for (const std::uint32_t scan : all) {
      const ReadingEnds ends = reading_ends(choosing, scan, model);
      learning.pose[scan] = judging.pose[scan] = climb_to_pose(scorer, ends, learning.pose[scan], field.cell_m());
    }
    model = learn();
  }
  FieldMoves moves;
  moves.gain = judge(model) - before;
  if (!std::isfinite(moves.gain)) return {};
  moves.logged = choosing.pose, moves.moved = judging.pose;
  return moves;
}

/// By how many nats a reading is likelier under a model whose share is that of the readings.
double gain_of_right_share(const FieldShare& share, std::size_t readings) {
  const double least = 0.5 / static_cast<double>(readings);
  const auto part = [&](double found, double expected) {
    return found > 0.0 ? found * math::log(found / std::max(expected, least)) : 0.0;
  };
  return part(share.readings, share.expected) + part(1.0 - share.readings, 1.0 - share.expected);
}

}  // namespace

std::string wrong_map_flag(const FieldReport& report) {
  const LikelihoodFieldModel& model = report.fit.model;
  if (std::string flag = unexplained_flag("w_rand", model.w_rand, kMostFieldRand); !flag.empty()) return flag;
  return spread_flag(model.sigma_hit_m, report.cell_m,
                     std::min(kMostFieldCells * report.cell_m, kMostOfDistance * model.max_distance_m));
}

Message heavy_tails_flag(const FieldReport& report) {
  const FieldShare tail = tail_of(report);
  if (!(tail.readings > kMostFieldTail && tail.readings > tail.expected)) return "";
  if (!disagree(tail.readings, tail.expected, counts_of(report))) return "";
  const double gain = gain_of_right_share(tail, report.distance_m.size());
  if (!(gain >= kLeastModelGain)) return "";
  return Message(
      tail_words(tail.readings, tail.expected),
      fmt::format(", which costs {:.2g} nats per reading or more: its tails are too light; the beam model has "
                  "heavier ones with ",
                  gain),
      Setting{"hit", "student_t"});
}

// Learning, and the scores of scans.

namespace {

/// Of at most 48 scans, evenly spaced, with at most 180 rays of each. No moves where a third carries no evidence.
FieldMoves move_field_poses(const ScanLog& log, const ScanNumbers& scans, const DistanceField& field,
                            const LikelihoodFieldModel& learned) {
  constexpr std::size_t kLeastMovedRays = 3;
  if (log.rays() < kLeastMovedRays) return {};
  const ScanNumbers some = spread_scans(scans, kMovedScans);
  LikelihoodFieldModel start = learned;
  start.w_hit = start.w_rand = 0.5;  // learning never leaves a boundary
  try {
    return find_moves(log, some, field, start);
  } catch (const InputError&) {
    return {};  // a third of these rays carries no evidence
  }
}

/// A map that lies elsewhere, or poses that are not exact; empty where the moves tell neither.
Message field_pose_flag(const FieldMoves& moves, double cell_m) {
  if (!(moves.gain > kLeastFieldGain)) return "";
  const CommonMove common = find_common_move(moves.logged, moves.moved, cell_m);
  if (common.is_some()) return common.words();
  if (common.typical_m < kFieldMoveOfCells * cell_m) return "";
  return Message(
      fmt::format(
          "the poses of the log are not exact: at refined ones a ray that was held out is {:.2f} nats likelier; "
          "learn them with the beam model, and from its refined.log",
          moves.gain),
      Hint{"beam_refine_poses", "", true});
}

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

/// Learns with the cell look-up of amcl and nav2.
LikelihoodFieldModel rounded_model(const ScanLog& log, const ScanNumbers& learned, const DistanceField& field,
                                   const LikelihoodFieldModel& start) {
  const DistanceField rounded = field.looked_up(CellLookup::kRounded);
  return fit_likelihood_field(make_field_data(log, learned, rounded, start), rounded, start).model;
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
  FieldFitOptions how = {.stretches = options.stretches};
  how.stretch_of_scan = blocks_of_way(poses, how.stretches);
  report.fit = fit_likelihood_field(data, field, start, how);
  report.rounded_model = rounded_model(log, learned, field, start);
  report.cell_m = field.cell_m();
  const FieldData held_out = judging.empty() ? FieldData{} : make_field_data(log, judging, field, start);
  const bool is_held_out = !held_out.level.empty();
  judge(log, is_held_out ? judging : learned, is_held_out ? held_out : data, field, report);
  if (is_held_out) {
    hold_out(report.nats_per_reading, held_out.level.size(), options.test_scans.empty() ? held_out_note(true) : "",
             report.fit);
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
