// SPDX-License-Identifier: MIT
#include "report/fit_page.hpp"

#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/interval_text.hpp>

#include "base/counts.hpp"
#include "report/disagreements.hpp"
#include "report/fit_figures.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"
#include "report/pose_figures.hpp"

namespace fathom {

namespace {

std::string number_or_dash(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}g}", value, digits) : "–";
}

std::string interval_or_dash(const LearnedNumber& number) {
  return std::isfinite(number.std_error) ? interval_text(number.low_95, number.high_95) : "–";
}

/// What the errors of the table are.
std::string error_text(const FitReport& report) {
  const bool stretches = report.stretches > 0, rows = report.rows_are_scans;
  const std::string way = rows ? "neighbouring rows" : "the way";
  return fmt::format(
      "Standard errors take {} as independent{}; the naive ones take rays as independent. "
      "The intervals hold the true value 95 times in 100. A dash: not valid here (a boundary) or not learned.",
      stretches ? counted(report.fit.clusters, "stretch of " + way, "stretches of " + way)
                : counted(report.fit.clusters, rows ? "row" : "scan"),
      rows        ? ""
      : stretches ? ", because neighbouring scans see the same place and err together"
                  : ", because neighbouring rays err together");
}

std::string parameter_table(const FitReport& report) {
  std::string rows;
  for (const LearnedNumber& number : learned_numbers(report.fit)) {
    const FieldInfo& field = number.field;
    const std::string naive = number_or_dash(number.naive_std_error, 2), interval = interval_or_dash(number);
    rows += fmt::format(
        "<tr><td><code>{}</code></td><td class=\"number\">{:.5g}</td><td class=\"number\">{}</td>"
        "<td class=\"number aside\">{}</td><td class=\"number aside\">{}</td><td>{}</td><td "
        "class=\"aside\">{}</td></tr>\n",
        field.name, number.printed, number_or_dash(number.std_error, 2), interval, naive,
        field.unit == "1" ? "" : field.unit, field.doc);
    // On a phone what stands aside stands in a line below.
    rows += fmt::format("<tr class=\"below\"><td colspan=\"9\">{}; 95 % interval {}; naive error {}</td></tr>\n",
                        field.doc, interval, naive);
  }
  return "<div class=\"scroll\"><table class=\"parameters\">\n<thead><tr><th>parameter</th><th "
         "class=\"number\">value</th><th class=\"number\">± std. error</th><th class=\"number aside\">95 % "
         "interval</th>"
         "<th class=\"number aside\">naive error</th><th>unit</th><th class=\"aside\">meaning</th></tr></thead>\n"
         "<tbody>\n" +
         rows + "</tbody>\n</table></div>\n";
}

/// What the figures of readings show, in words.
std::string disagreement_list(const FitReport& report) {
  const std::vector<std::string> found = disagreements(report);
  if (found.empty()) return "<p>Tails and masses of the readings agree with the model.</p>\n";
  return "<p>Readings and model disagree:</p>\n" + flags_html(found);
}

std::string fact_table(const FitReport& report) {
  std::string rows;
  const auto add = [&](std::string_view name, std::string_view value) {
    rows += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escape_html(name), escape_html(value));
  };
  for (const FitReport::Fact& fact : report.facts) add(fact.name, fact.value);
  const BeamSensor& sensor = report.model.sensor;
  add("maximum range Z", fmt::format("{:.6g} m", sensor.max_range_m));
  if (sensor.step_m > 0.0) add("step of the readings", fmt::format("{:.6g} m", sensor.step_m));
  add("where nothing is expected", kChoiceWords<MissPolicy>[static_cast<std::size_t>(sensor.miss)]);
  add("unknown cells", kChoiceWords<UnknownCells>[static_cast<std::size_t>(report.model.unknown)]);
  add("law of hits", kChoiceWords<HitLaw>[static_cast<std::size_t>(report.fit.parameters.tail.hit)]);
  add("variant of learning", kChoiceWords<FitVariant>[static_cast<std::size_t>(report.variant)]);
  return fmt::format("<div class=\"scroll\"><table class=\"facts\"><tbody>\n{}</tbody></table></div>\n", rows);
}

std::string tiles(const FitReport& report) {
  const std::string of = report.refined ? "rays" : report.rows_are_scans ? "rows" : "scans";
  const std::string where = report.held_out ? "held-out " + of : "the " + of + " learned from";
  const double nats = report.judgement.nats_per_ray;
  const bool converged = report.fit.end == FitEnd::kConverged;
  return "<div class=\"tiles\">\n" +
         tile(std::isinf(nats) ? "−∞" : fmt::format("{:.4f}", nats), "nats per ray, " + where) +
         tile(fmt::format("{:.3f}", report.judgement.ks_distance), "Kolmogorov-Smirnov distance, " + where) +
         tile(group_digits(report.fit.pairs), "rays learned from") +
         tile(fmt::format("{}", report.fit.log_likelihood.size() - 1),
              converged ? "iterations, converged" : "iterations: the limit, not converged") +
         "</div>\n";
}

std::string readings_section(const FitReport& report) {
  constexpr double kWide = 1080, kNarrow = 400;  // for a screen and for a phone
  return "<h2>Readings and components</h2>\n" +
         figure("<div class=\"wide\">" + reading_figure(report, kWide) + "</div><div class=\"narrow\">" +
                    reading_figure(report, kNarrow) + "</div>",
                patch("var(--hit)", "hit") + patch("var(--short)", "short") + patch("var(--rand)", "random") +
                    patch("var(--max)", "no return") + stroke("var(--ink)", "readings") +
                    ". Components as the model expects them on these rays, stacked; the line is what was read.") +
         "<div class=\"row\">\n" +
         figure(residual_figure(report), stroke("#b3202c", "model") + stroke("var(--hit)", "hit") +
                                             stroke("var(--short)", "short") + stroke("#7d8a97", "random") +
                                             patch("#d5dce3", "readings") +
                                             ". How the readings lie about the surface that the map expects.") +
         figure(transform_figure(report),
                fmt::format("Probability integral transform: level where the model describes every reading. "
                            "Largest distance of its cdf from the diagonal: {:.3f}.",
                            report.judgement.ks_distance)) +
         "</div>\n" + disagreement_list(report);
}

std::string density_section(const FitReport& report) {
  std::string figures;
  for (const double quantile : {0.2, 0.5, 0.8}) {
    const DensityFigure shown = density_figure(report, quantile);
    figures += figure(shown.svg, shown.caption);
  }
  return "<h2>Density at three expected ranges</h2>\n<p>" + stroke("#b3202c", "density of the model") +
         patch("#d5dce3", "readings of rays that expect nearly that range") +
         ". The dashed line is the surface, its offset included.</p>\n<div class=\"row three\">\n" + figures +
         "</div>\n";
}

}  // namespace

std::string fit_page(const FitReport& report) {
  const std::string note =
      report.variant == FitVariant::kExact
          ? "Expectation maximisation with the exact M-step: it never falls."
          : "This variant is for comparison: it does not climb the likelihood, and its parameters are biased.";
  const std::string body = fmt::format(
      "<p>The density of a range reading given the range that the map predicts, as a mixture of hits, short readings, "
      "readings without a return and random ones; learned by maximum likelihood.</p>\n"
      "{}<h2>Parameters</h2>\n{}{}"
      "<p>{}</p>\n{}{}"
      "<h2>Convergence and data</h2>\n<div class=\"row\">\n{}<div>{}</div>\n</div>\n",
      tiles(report) + held_out_html(report.held_out_note), parameter_table(report), flags_html(report_flags(report)),
      error_text(report), readings_section(report), density_section(report) + poses_section(report),
      figure(convergence_figure(report), note), fact_table(report));
  return html_page("Beam model fit", "Beam model fit", body);
}

}  // namespace fathom
