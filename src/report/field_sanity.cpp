// SPDX-License-Identifier: MIT
#include "report/field_sanity.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <fathom/base/error.hpp>

#include "report/field_shares.hpp"
#include "report/fit_selection.hpp"
#include "report/log_placement.hpp"
#include "report/sanity.hpp"

namespace fathom {

namespace {

// Sigma of two offices in their own maps is 0.6 and 0.8 cells, and 3.6 at poses that err by 0.2 m; in a map that is
// turned, mirrored or of another place, 13 to 33 cells. Ends count as max_distance_m away at most, and sigma with them.
constexpr double kMostFieldRand = 0.5, kMostFieldCells = 10.0, kMostOfDistance = 0.5;
// In their own maps 2.2 and 4.9 % of the readings lie there, 6.1 % with a laser that is turned by half a degree.
constexpr double kMostFieldTail = 0.07;
// Nats. In the maps that were made at their poses the two gain 0.2 to 0.45, by which scans are taken, and nothing, as
// poses move within a cell; with errors of 5 cm, a cell, 0.65 and more.
constexpr double kLeastFieldGain = 0.5;
constexpr double kFieldMoveOfCells = 0.5;  // poses that move less are as exact as the map tells

constexpr std::size_t kMovedScans = 48, kMovedRays = 180, kMoveTurns = 3;
constexpr double kFirstStepCells = 4.0, kLastStepCells = 0.1, kTurnOfStep = 0.2;  // the last in rad per m

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

FieldMoves find_moves(const ScanLog& log, const ScanNumbers& scans, const DistanceField& field,
                      const LikelihoodFieldModel& start) {
  const std::size_t ray_step = (log.rays() + kMovedRays - 1) / kMovedRays;
  const ScanLog choosing = some_rays(log, scans, ray_step, [](std::size_t k) { return k % 3 == 0; });
  ScanLog learning = some_rays(log, scans, ray_step, [](std::size_t k) { return k % 3 != 2; });
  ScanLog judging = some_rays(log, scans, ray_step, [](std::size_t k) { return k % 3 == 2; });
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

}  // namespace

std::string wrong_map_flag(const FieldReport& report) {
  const LikelihoodFieldModel& model = report.fit.model;
  if (std::string flag = unexplained_flag("w_rand", model.w_rand, kMostFieldRand); !flag.empty()) return flag;
  return spread_flag(model.sigma_hit_m, report.cell_m,
                     std::min(kMostFieldCells * report.cell_m, kMostOfDistance * model.max_distance_m));
}

Message heavy_tails_flag(const FieldReport& report) {
  const double sigma_m = report.fit.model.sigma_hit_m;
  const FieldShare tail = share_between(report, kFieldCoreSigmas * sigma_m, kFieldTailSigmas * sigma_m);
  if (!(tail.readings > kMostFieldTail && tail.readings > tail.expected && disagree(tail, report))) return "";
  return Message(
      fmt::format("{:.1f} % of the readings lie {:g} to {:g} sigma from the surface, {:.1f} % by the model: its tails "
                  "are too light; the beam model has heavier ones with ",
                  100.0 * tail.readings, kFieldCoreSigmas, kFieldTailSigmas, 100.0 * tail.expected),
      Setting{"hit", "student_t"});
}

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

std::string field_pose_flag(const FieldMoves& moves, double cell_m) {
  if (!(moves.gain > kLeastFieldGain)) return "";
  const CommonMove common = find_common_move(moves.logged, moves.moved, cell_m);
  if (common.is_some()) return common.words();
  if (common.typical_m < kFieldMoveOfCells * cell_m) return "";
  return fmt::format(
      "the poses of the log are not exact: at refined ones a ray that was held out is {:.2f} nats likelier; learn them "
      "with the beam model, and from its refined.log (fathom fit beam --refine-poses)",
      moves.gain);
}

}  // namespace fathom
