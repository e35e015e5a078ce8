// SPDX-License-Identifier: MIT
// The reports of a beam model and of a likelihood field, and the folder of a fit.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <fathom/core/geometry.hpp>

#include "core/text.hpp"
#include "fit/report/figures.hpp"
#include "fit/report/sanity.hpp"
#include "io/log/scan_lines.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = Report::Json;

std::string scan_error_note(const Fit& fit, bool rows) {
  const bool stretches = fit.block == "stretch";
  const std::string way = rows ? "neighbouring rows" : "the way";
  return fmt::format(
      "Standard errors take {} as independent{}; the naive ones take rays as independent. "
      "The intervals hold the true value 95 times in 100. A dash: not valid here (a boundary) or not learned.",
      stretches ? counted(fit.blocks, "stretch of " + way, "stretches of " + way) : counted(fit.blocks, fit.block),
      rows        ? ""
      : stretches ? ", because neighbouring scans see the same place and have correlated errors"
                  : ", because neighbouring rays have correlated errors");
}

/// Readings that a fit of scans is judged by.
struct JudgedScans {
  std::size_t readings = 0;
  double nats = 0.0;           ///< per reading
  const char* noun = "scans";  ///< their name in the text
  bool rows_are_scans = false;
  bool has_errors = true;  ///< whether learning found a maximum, where there are standard errors
};

/// Fills the summary, the note on errors and the details, and refuses a fit that found no maximum or did not converge.
void add_iterated_fit(const IteratedFit& fit, const JudgedScans& judged, Report& report) {
  const std::string where =
      fmt::format(fmt::runtime(fit.held_out ? "held-out {}" : "the {} learned from"), judged.noun);
  const std::size_t iterations = fit.log_likelihood_by_iteration.size() - 1;
  report.summary = {{"nats per ray, " + where, std::isinf(judged.nats) ? "−∞" : fmt::format("{:.4f}", judged.nats)},
                    {"rays, " + where, grouped(judged.readings)},
                    {"rays learned from", grouped(fit.readings)},
                    {fit.converged ? "iterations, converged" : "iterations: the limit, not converged",
                     fmt::format("{}", iterations)}};
  report.parameter_note = scan_error_note(fit, judged.rows_are_scans);
  report.details["iterations"] = iterations;
  report.details["log_likelihood_by_iteration"] = fit.log_likelihood_by_iteration;
  report.refuse(!judged.has_errors, "the likelihood has no clear maximum here: there are no standard errors");
  report.refuse(!fit.converged, "learning was stopped by the limit on iterations");
}

/// Where readings and model disagree, a sentence each, or that they agree.
void add_disagreements(const std::vector<std::string>& found, Report::Section& section) {
  if (found.empty()) {
    section.pieces.push_back(Report::Text{{"Tails and masses of the readings agree with the model."}});
    return;
  }
  section.pieces.push_back(Report::Text{{"Readings and model disagree:"}});
  section.pieces.push_back(Report::Text{found, Report::TextForm::kList});
}

Report::Section readings_section(const FitReport& report) {
  Report::Section section{.head = "Readings and components", .pieces = {}};
  section.pieces.push_back(Report::Figures([&report] { return reading_figures(report); }));
  add_disagreements(disagreements(report), section);
  return section;
}

Report::Section density_section(const FitReport& report) {
  return {.head = "Density at three expected ranges",
          .pieces = {Report::Figures([&report] { return density_figures(report); })}};
}

/// What was learned of each log.
Report::Section logs_section(const FitReport& report) {
  Report::Table table{.columns = {{.head = "log", .is_number = false, .key = "name"}}, .rows = {}, .key = "logs"};
  using Number = double FitReport::Correction::*;
  const auto add = [&](const char* name, Number number) {
    table.columns.push_back({.head = name, .key = name});
    for (std::size_t i = 0; i < report.logs.size(); ++i) {
      const double value = report.logs[i].correction.*number, error = report.logs[i].std_error.*number;
      table.rows[i].push_back(
          {with_error(fmt::format("{:.4f}", value), error), {{"value", value}, {"std_error", number_or_null(error)}}});
    }
  };
  for (const FitReport::Log& log : report.logs) table.rows.push_back({text_cell(log.name)});
  add("mount_x_m", &FitReport::Correction::mount_x_m), add("mount_y_m", &FitReport::Correction::mount_y_m);
  add("mount_yaw_rad", &FitReport::Correction::mount_yaw_rad),
      add("range_offset_m", &FitReport::Correction::range_offset_m);
  return {.head = "Logs", .pieces = {std::move(table)}};
}

/// What was learned from, and how.
std::vector<FitReport::Fact> data_facts(const FitReport& report) {
  const BeamSensor& sensor = report.model.sensor;
  std::vector<FitReport::Fact> facts = report.facts;
  facts.push_back({"maximum range Z", fmt::format("{:.6g} m", sensor.max_range_m)});
  if (sensor.step_m > 0.0) facts.push_back({"step of the readings", fmt::format("{:.6g} m", sensor.step_m)});
  facts.push_back({"where nothing is expected", choice_word(sensor.miss)});
  facts.push_back({"unknown cells", choice_word(report.model.unknown)});
  facts.push_back({"law of hits", choice_word(report.fit.model.tail.hit)});
  facts.push_back({"variant of learning", choice_word(report.variant)});
  return facts;
}

Report::Section convergence_section(const FitReport& report) {
  const char* note =
      report.variant == FitOptions::Variant::kExact
          ? "Expectation maximisation with the exact M-step: it never falls."
          : "This variant is for comparison: it does not climb the likelihood, and its parameters are biased.";
  const auto figures = [&report, note] {
    return std::vector<Report::Figure>{{.picture = convergence_figure(report), .caption = note}};
  };
  return {.head = "Convergence", .pieces = {Report::Figures(figures)}};
}

void judge_beam(const FitReport& report, Report& out) {
  const double w_hit = report.fit.model.w_hit;
  out.refuse(true, first_unusable(report.sanity));
  out.refuse(report.variant != FitOptions::Variant::kExact,
             "this variant of learning ends at no maximum of the likelihood");
  out.refuse(true, first_unusable(report.judgement.findings));
  out.refuse(!(w_hit > kWeightBoundary), "no reading hits a surface that is expected");
}

/// Findings, then notes on the data.
template <class LogFit>
void add_findings(const LogFit& report, Report& out) {
  out.fit.findings = report.findings();
  for (const Message& note : report.notes) out.fit.note("log", note);
}

/// A weight of 1 has no standard error.
bool has_errors(const FitReport& report) {
  const auto has_no_error = [](const Fit::Parameter& p) { return p.name == "w_hit" && std::isnan(p.naive_error); };
  return !(report.fit.model.w_hit < 1.0 - kWeightBoundary) || std::ranges::none_of(report.fit.parameters, has_no_error);
}

// Refined poses: how far they are from the poses of the log.

struct PoseMoves {
  std::vector<double> m, rad;  ///< [scans]; rad: signed, within half a turn
  double rms_m = 0.0, rms_rad = 0.0;
};

PoseMoves pose_moves(const FitReport::RefinedLog& refined) {
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

/// CARMEN text, with the poses that were read instead of odometry, or CSV.
std::string refined_log_text(const FitReport::RefinedLog& refined) {
  return fits_carmen(refined.log) ? carmen_text(refined.log, refined.logged) : refined.log.csv();
}

constexpr double kPoseHeight = 360, kMoveHeight = 240;
constexpr double kPoseAxesWidth = 450, kPoseAxesHeight = 308;  // the axes of a Plot of this size without its labels

/// A coordinate of the ways before and after.
struct Along {
  std::vector<double> before, now;

  Along(const FitReport::RefinedLog& refined, double PlanarPose::*coordinate) {
    for (const PlanarPose& pose : refined.logged) before.push_back(pose.*coordinate);
    for (const PlanarPose& pose : refined.log.pose) now.push_back(pose.*coordinate);
  }
  [[nodiscard]] double low() const { return std::min(std::ranges::min(before), std::ranges::min(now)); }
  [[nodiscard]] double high() const { return std::max(std::ranges::max(before), std::ranges::max(now)); }
  /// An axis about the middle.
  [[nodiscard]] PlotAxis axis(double length, std::string label) const {
    const double middle = (low() + high()) / 2.0;
    return {.low = middle - length / 2.0, .high = middle + length / 2.0, .label = std::move(label)};
  }
};

/// With a metre as long along x as along y.
std::string way_figure(const FitReport::RefinedLog& refined) {
  const Along x(refined, &PlanarPose::x_m), y(refined, &PlanarPose::y_m);
  const double m_per_pixel =
      std::max({1.1 * (x.high() - x.low()) / kPoseAxesWidth, 1.1 * (y.high() - y.low()) / kPoseAxesHeight, 1e-3});
  Plot plot("Where the sensor was, by the log and refined", x.axis(m_per_pixel * kPoseAxesWidth, "x (m)"),
            y.axis(m_per_pixel * kPoseAxesHeight, "y (m)"), Plot::kWidth, kPoseHeight);
  plot.draw_line(x.before, y.before, "under");  // wide, as the two ways are a few centimetres apart
  plot.draw_line(x.now, y.now, "model");
  return plot.svg();
}

/// Metres and degrees have separate axes: on a common one the smaller would be a flat line.
Report::Figure move_figure(const FitReport::RefinedLog& refined, const std::string& title,
                           const std::vector<double>& moves, std::string label, std::string_view css_class) {
  const std::vector<double> scan(refined.scan.begin(), refined.scan.end());
  Plot plot(title, {.low = scan.front(), .high = std::max(scan.back(), scan.front() + 1.0), .label = "scan"},
            {.low = 0.0, .high = std::max(1.1 * std::ranges::max(moves), 1e-4), .label = std::move(label)},
            Plot::kWidth, kMoveHeight);
  plot.draw_line(scan, moves, css_class);
  return {.picture = plot.svg(), .caption = title + "."};
}

std::string mount_text(const FitReport& report) {
  if (report.logs.empty()) return "";
  const FitReport::Correction &at = report.logs.front().correction, &error = report.logs.front().std_error;
  return fmt::format(
      " Mount of the sensor: x {:.4f} ± {:.2g} m, y {:.4f} ± {:.2g} m, yaw {:.5f} ± {:.2g} rad; errors are clustered "
      "by stretches of the way.",
      at.mount_x_m, error.mount_x_m, at.mount_y_m, error.mount_y_m, at.mount_yaw_rad, error.mount_yaw_rad);
}

std::vector<Report::Figure> pose_figures(const FitReport::RefinedLog& refined, const PoseMoves& moves) {
  std::vector<double> degrees;
  for (const double rad : moves.rad) degrees.push_back(std::abs(rad) / kRadPerDeg);
  return {{.picture = way_figure(refined),
           .keys = {stroke("#b9c4ce", "by the log"), stroke("#b3202c", "refined")},
           .caption = ". Where the sensor was; refined.log has it."},
          move_figure(refined, "How far the place of each scan moved", moves.m, "place moved by (m)", "model"),
          move_figure(refined, "How far the heading of each scan turned", degrees, "heading turned by (degrees)",
                      "short-line")};
}

/// The way before and after, how far each pose moved, and the gain.
Report::Section poses_section(const FitReport& report) {
  const FitReport::RefinedLog& refined = *report.refined;
  const PoseMoves moves = pose_moves(refined);
  const std::string text = fmt::format(
      "Poses and parameters were learned in {}, with poses of the log taken as off by {:.3g} m and {:.3g}°. "
      "Rays that chose neither: {:.4f} nats each before, {:.4f} now; sigma_hit_m {:.4f} before, {:.4f} now. Poses "
      "moved by {:.4f} m and {:.3f}° (root mean square).{}",
      counted(refined.turns, "turn"), refined.prior.stddev_m, refined.prior.stddev_rad / kRadPerDeg,
      refined.before.nats_per_ray, report.judgement.nats_per_ray, refined.parameters_before.sigma_hit_m,
      report.fit.model.sigma_hit_m, moves.rms_m, moves.rms_rad / kRadPerDeg, mount_text(report));
  const std::string file = fmt::format("refined.log is {} of {}", fits_carmen(refined.log) ? "CARMEN text" : "CSV",
                                       counted(refined.log.scans(), "scan"));
  const auto figures = [&refined, moves] { return pose_figures(refined, moves); };
  return {.head = "Poses", .pieces = {Report::Text{{text, file}}, Report::Figures(figures)}};
}

Json refined_json(const FitReport& report) {
  const FitReport::RefinedLog& refined = *report.refined;
  const PoseMoves moves = pose_moves(refined);
  return {{"scans", refined.scan},
          {"turns", refined.turns},
          {"prior_stddev_m", refined.prior.stddev_m},
          {"prior_stddev_rad", refined.prior.stddev_rad},
          {"moved_rms_m", moves.rms_m},
          {"moved_rms_rad", moves.rms_rad},
          {"sigma_hit_m_before", refined.parameters_before.sigma_hit_m},
          {"held_out_nats_before", number_or_null(refined.before.nats_per_ray)}};
}

Report report_of(const FitReport& report) {
  Report out{.kind = "beam", .title = "Beam model fit", .fit = report.fit};
  add_findings(report, out);
  out.intro =
      "The density of a range reading given the range that the map predicts, as a mixture of hits, short readings, "
      "readings without a return and random ones; learned by maximum likelihood.";
  judge_beam(report, out);
  add_iterated_fit(report.fit,
                   {.readings = report.judgement.pairs,
                    .nats = report.judgement.nats_per_ray,
                    .noun = report.refined          ? "rays"
                            : report.rows_are_scans ? "rows"
                                                    : "scans",
                    .rows_are_scans = report.rows_are_scans,
                    .has_errors = has_errors(report)},
                   out);
  const double ks_distance = report.judgement.ks_distance;
  out.summary.insert(out.summary.begin() + 1,
                     {"Kolmogorov-Smirnov distance, the same", fmt::format("{:.3f}", ks_distance)});
  std::ranges::copy(data_facts(report), std::back_inserter(out.summary));
  out.details["hit"] = choice_word(report.fit.model.tail.hit);
  out.details["ks_distance"] = report.fit.held_out ? Json(ks_distance) : Json(nullptr);
  out.sections = {readings_section(report), density_section(report)};
  if (report.refined) out.sections.push_back(poses_section(report));
  if (!report.logs.empty()) out.sections.push_back(logs_section(report));
  out.sections.push_back(convergence_section(report));
  if (report.refined) out.details["refined"] = refined_json(report);
  return out;
}

}  // namespace

std::vector<Finding> FitReport::findings() const {
  std::vector<Finding> all = fit.findings;
  all.insert(all.end(), judgement.findings.begin(), judgement.findings.end());
  all.insert(all.end(), sanity.begin(), sanity.end());
  return all;
}

std::string FitReport::text(ReportForm form, SettingNames names) const {
  return text_of(report_of(*this), form, names);
}

std::vector<fs::path> fit_files(const fs::path& folder, std::span<const Localizer> localizers, bool refined) {
  std::vector<fs::path> files = {folder / "parameters.yaml", folder / "report.html"};
  for (std::size_t k = 0; k < kChoiceWords<Localizer>.size(); ++k) {
    const auto localizer = static_cast<Localizer>(k);
    if (std::ranges::count(localizers, localizer) > 0) files.push_back(folder / localizer_file_name(localizer));
  }
  if (refined) files.push_back(folder / "refined.log");
  files.push_back(folder / "fit.json");
  return files;
}

void FitReport::write(const fs::path& folder, bool force, std::span<const Localizer> localizers) const {
  std::vector<ResultFile> files = {{"parameters.yaml", beam_model_text(model)}};
  for (const Localizer localizer : localizers) {
    files.push_back({localizer_file_name(localizer), model.localizer_text(localizer)});
  }
  if (refined) files.push_back({"refined.log", refined_log_text(*refined)});
  write_report(ResultKind::kFit, folder, report_of(*this), std::move(files), force);
}

// The report of a likelihood field.

namespace {

constexpr double kMostDistanceBins = 40;

/// Distances of ends from occupied cells, and their expectation by the model, on a logarithmic scale.
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
  plot.fill_steps(edges, {}, share, "bars");
  plot.draw_steps(edges, expected, "hit-line");
  plot.fill_steps(bar, {}, std::vector<double>{beyond.readings}, "bars beyond");
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
  add_findings(report, out);
  out.intro =
      "A reading is as likely as its end is near to an occupied cell of the map; learned by maximum likelihood.";
  out.refuse(true, first_unusable(report.sanity));
  const auto has_error = [](const Fit::Parameter& p) { return p.status == Fit::Status::kLearned; };
  add_iterated_fit(fit,
                   {.readings = report.distance_m.size(),
                    .nats = report.nats_per_reading,
                    .has_errors = std::ranges::any_of(fit.parameters, has_error)},
                   out);
  Report::Section distances{.head = "Distances",
                            .pieces = {Report::Figures([&report] { return distance_figures(report); })}};
  add_disagreements(field_disagreements(report), distances);
  std::vector<FitReport::Fact>& facts = out.summary;
  std::ranges::copy(report.facts, std::back_inserter(facts));
  facts.push_back({"maximum range Z", fmt::format("{:.6g} m", fit.model.max_range_m)});
  facts.push_back({"largest distance", fmt::format("{:.6g} m", fit.model.max_distance_m)});
  const LikelihoodFieldModel& rounded = report.rounded_model;
  facts.push_back({"for amcl and nav2", fmt::format("sigma_hit_m {:.4g}, w_hit {:.4g}: learned with their look-up of "
                                                    "cells, half a cell off",
                                                    rounded.sigma_hit_m, rounded.w_hit)});
  out.details["amcl_nav2"] = {
      {"w_hit", rounded.w_hit}, {"w_rand", rounded.w_rand}, {"sigma_hit_m", rounded.sigma_hit_m}};
  out.sections = {std::move(distances)};
  return out;
}

}  // namespace

std::string FieldReport::localizer_text(Localizer localizer) const {
  std::string yaml = model_for(*this, localizer).localizer_text(localizer);
  if (cell_lookup(localizer) == CellLookup::kContaining) return yaml;
  const auto second_line = yaml.find('\n') + 1;
  yaml.insert(second_line,
              "# It looks cells up half a cell off, so its likeliest sigma_hit is not that of parameters.yaml.\n");
  return yaml;
}

std::string FieldReport::text(ReportForm form, SettingNames names) const {
  return text_of(report_of(*this), form, names);
}

void FieldReport::write(const fs::path& folder, bool force, std::span<const Localizer> localizers) const {
  std::vector<ResultFile> files = {{"parameters.yaml", field_model_text(fit.model)}};
  for (const Localizer localizer : localizers) {
    files.push_back({localizer_file_name(localizer), localizer_text(localizer)});
  }
  write_report(ResultKind::kFit, folder, report_of(*this), std::move(files), force);
}

}  // namespace fathom
