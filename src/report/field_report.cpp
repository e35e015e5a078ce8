// SPDX-License-Identifier: MIT
#include "report/field_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/field_log.hpp>
#include <fathom/math/f64.hpp>

#include "base/errors.hpp"
#include "report/fit_selection.hpp"
#include "report/mixture_shares.hpp"
#include "report/plot.hpp"
#include "report/result_folder.hpp"
#include "report/sanity.hpp"
#include "text/files.hpp"
#include "text/read_fields.hpp"
#include "text/yaml.hpp"

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

/// Adds up what the model expects along rays.
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

  void add(double x_m, double y_m, double yaw_rad) {
    const auto [sine, cosine] = math::sincos(yaw_rad);
    double hits = 0.0;
    for (std::size_t i = 0; i < points_; ++i) {
      const double z = model_.min_range_m + (static_cast<double>(i) + 0.5) * step_m_;
      level_[i] = field_.level_at(x_m + cosine * z, y_m + sine * z);
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

}  // namespace

void add_expected_shares(const ScanLog& log, std::span<const std::uint32_t> scans, const DistanceField& field,
                         FieldReport& report) {
  ExpectedAlongRays expected(field, report.fit.model);
  const auto most = static_cast<std::size_t>(std::max(64.0, kMostPoints / static_cast<double>(expected.points())));
  for (const std::size_t at : spread_rays(scans.size() * log.rays(), std::min(kMostModelledRays, most))) {
    const std::uint32_t scan = scans[at / log.rays()];
    const std::size_t ray = at % log.rays();
    if (!report.fit.model.counts(double{log.scan(scan)[ray]})) continue;
    const PlanarPose& pose = log.pose[scan];
    const std::span<const RayOffset> offsets = log.offsets(scan);
    const RayOffset o = offsets.empty() ? RayOffset{} : offsets[ray];
    const auto [sine, cosine] = math::sincos(pose.yaw_rad);
    expected.add(pose.x_m + cosine * double{o.x_m} - sine * double{o.y_m},
                 pose.y_m + sine * double{o.x_m} + cosine * double{o.y_m},
                 pose.yaw_rad + log.azimuth_rad[ray] + double{o.yaw_rad});
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

namespace {

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
  const FieldShare tail = tail_of(report);
  if (!(tail.readings > kMostFieldTail && tail.readings > tail.expected)) return "";
  if (!disagree(tail.readings, tail.expected, counts_of(report))) return "";
  return Message(tail_words(tail.readings, tail.expected),
                 ": its tails are too light; the beam model has heavier ones with ", Setting{"hit", "student_t"});
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

// The report of a likelihood field, and the folder of its fit.

namespace {

namespace fs = std::filesystem;

constexpr double kMostDistanceBins = 40;

/// Distances of ends from occupied cells, and what the model expects, on a logarithmic scale.
std::string distance_figure(const FieldReport& report) {
  const LikelihoodFieldModel& m = report.fit.model;
  // Distances of cells come in steps: bins of whole cells about 0, 1, 2 ... of them, the first for occupied cells
  // alone.
  const double reach_cells =
      std::max(4.0 * report.cell_m, std::min(8.0 * m.sigma_hit_m, m.max_distance_m)) / report.cell_m;
  const double width_m = std::ceil(reach_cells / kMostDistanceBins) * report.cell_m;
  const auto bins = static_cast<std::size_t>(std::max(4.0, std::round(reach_cells * report.cell_m / width_m)));
  std::vector<double> edges = {0.0}, share, expected;
  for (std::size_t i = 0; i < bins; ++i) {
    edges.push_back(i == 0 ? 0.5 * report.cell_m : edges.back() + width_m);
    const FieldShare in_bin = share_between(report, edges[i], edges[i + 1]);
    share.push_back(in_bin.readings), expected.push_back(in_bin.expected);
  }
  const FieldShare beyond = share_between(report, edges.back(), std::numeric_limits<double>::infinity());
  const double bar_from_m = 1.06 * edges.back(), bar_to_m = 1.12 * edges.back();
  const std::vector<double> bar = {bar_from_m, bar_to_m};
  const double top = std::max({std::ranges::max(share), std::ranges::max(expected), beyond.readings, beyond.expected});
  const PlotAxis y = decades_below(top, "share of readings");
  Plot plot("Distances of ends of readings from occupied cells",
            {.low = 0.0,
             .high = 1.16 * edges.back(),
             .label = "distance from the nearest occupied cell (m)",
             .last_tick = edges.back()},
            y);
  plot.fill_steps(edges, std::vector<double>(bins, y.low), share, "bars");
  plot.draw_steps(edges, expected, "hit-line");
  plot.fill_steps(bar, std::vector<double>{y.low}, std::vector<double>{beyond.readings}, "bars beyond");
  plot.draw_steps(bar, std::vector<double>{beyond.expected}, "hit-line");
  plot.write(1.16 * edges.back(), 0.6 * y.high, "beyond", "end");
  return plot.svg();
}

std::vector<Report::Figure> distance_figures(const FieldReport& report) {
  return {{.picture = distance_figure(report),
           .keys = {stroke("var(--hit)", "model"), patch("#d5dce3", "readings")},
           .caption = ". Distances of a map come in steps of its cells. The line is what the model expects at each "
                      "along the rays of these readings: hits in proportion to their density, random readings anywhere "
                      "up to Z."}};
}

Report report_of(const FieldReport& report) {
  const FieldFit& fit = report.fit;
  Report out{.kind = "likelihood_field", .title = "Likelihood field fit", .fit = fit};
  out.fit.findings = report.findings();
  out.intro =
      "A reading is as likely as its end is near to an occupied cell of the map; learned by maximum likelihood.";
  out.refuse(true, first_unusable(report.sanity));
  const auto has_error = [](const FitParameter& p) { return p.status == ParameterStatus::kLearned; };
  add_iterated_fit(fit,
                   {.readings = report.distance_m.size(),
                    .nats = report.nats_per_reading,
                    .has_errors = std::ranges::any_of(fit.parameters, has_error)},
                   out);
  Report::Section distances{.head = "Distances",
                            .pieces = {Report::Figures([&report] { return distance_figures(report); })}};
  add_disagreements(field_disagreements(report), distances);
  std::vector<FitReport::Fact> facts = report.facts;
  facts.push_back({"maximum range Z", fmt::format("{:.6g} m", fit.model.max_range_m)});
  facts.push_back({"largest distance", fmt::format("{:.6g} m", fit.model.max_distance_m)});
  const LikelihoodFieldModel& rounded = report.rounded_model;
  facts.push_back({"for amcl and nav2", fmt::format("sigma_hit_m {:.4g}, w_hit {:.4g}: learned with their look-up of "
                                                    "cells, half a cell off",
                                                    rounded.sigma_hit_m, rounded.w_hit)});
  out.details["amcl_nav2"] = {
      {"w_hit", rounded.w_hit}, {"w_rand", rounded.w_rand}, {"sigma_hit_m", rounded.sigma_hit_m}};
  out.sections = {std::move(distances), {.head = "Data", .pieces = {fact_table(facts)}}};
  return out;
}

}  // namespace

std::string localizer_text(const FieldReport& report, Localizer localizer) {
  std::string text = localizer_text(model_for(report, localizer), localizer);
  if (cell_lookup(localizer) == CellLookup::kContaining) return text;
  const auto second_line = text.find('\n') + 1;
  text.insert(second_line,
              "# It looks cells up half a cell off, so its likeliest sigma_hit is not that of parameters.yaml.\n");
  return text;
}

std::string report_text(const FieldReport& report, ReportForm form, SettingNames names) {
  return text_of(report_of(report), form, names);
}

void write_field_fit(const fs::path& folder, const FieldReport& report, bool force,
                     std::span<const Localizer> localizers) {
  check_result_folder(ResultKind::kFit, folder, force);  // before the work
  std::vector<ResultFile> files = {{"parameters.yaml", field_model_text(report.fit.model)}};
  for (const Localizer localizer : localizers) {
    files.push_back({localizer_file_name(localizer), localizer_text(report, localizer)});
  }
  write_report(ResultKind::kFit, folder, report_of(report), std::move(files), force);
}

}  // namespace fathom
