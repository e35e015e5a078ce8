// SPDX-License-Identifier: MIT
#include "report/field_page.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/interval_text.hpp>

#include "base/counts.hpp"
#include "report/field_shares.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"

namespace fathom {

namespace {

constexpr double kMostDistanceBins = 40;

std::string field_table(const FieldFit& fit) {
  std::string rows;
  for (const LearnedNumber& number : learned_numbers(fit)) {
    const FieldInfo& field = number.field;
    const std::string naive = text_or_dash(number.naive_std_error, "{:.2g}");
    const bool is_known = std::isfinite(number.std_error);
    const std::string interval = is_known ? interval_text(number.low_95, number.high_95) : "–";
    // On a phone what stands aside stands in a line below.
    rows += fmt::format(
        "<tr><td><code>{}</code></td><td class=\"number\">{:.5g}</td><td class=\"number\">{}</td>"
        "<td class=\"number aside\">{}</td><td class=\"number aside\">{}</td><td>{}</td><td "
        "class=\"aside\">{}</td></tr>\n"
        "<tr class=\"below\"><td colspan=\"7\">{}; 95 % interval {}; naive error {}</td></tr>\n",
        field.name, number.printed, text_or_dash(number.std_error, "{:.2g}"), interval, naive,
        field.unit == "1" ? "" : field.unit, field.doc, field.doc, interval, naive);
  }
  return "<div class=\"scroll\"><table class=\"parameters\">\n<thead><tr><th>parameter</th><th "
         "class=\"number\">value</th><th class=\"number\">± std. error</th><th class=\"number aside\">95 % "
         "interval</th>"
         "<th class=\"number aside\">naive error</th><th>unit</th><th class=\"aside\">meaning</th></tr></thead>\n"
         "<tbody>\n" +
         rows + "</tbody>\n</table></div>\n";
}

std::string error_words(const FieldReport& report) {
  const bool stretches = report.stretches > 0;
  return fmt::format(
      "Standard errors take {} as independent, because neighbouring {}; the naive ones take rays as independent. "
      "The intervals hold the true value 95 times in 100. A dash: not valid here (a boundary).",
      stretches ? counted(report.fit.clusters, "stretch of the way", "stretches of the way")
                : counted(report.fit.clusters, "scan"),
      stretches ? "scans see the same place and err together" : "rays err together");
}

std::string disagreement_words(const FieldReport& report) {
  const std::vector<std::string> found = field_disagreements(report);
  if (found.empty()) return "<p>Tails and masses of the readings agree with the model.</p>\n";
  return "<p>Readings and model disagree:</p>\n" + flags_html(found);
}

std::string facts_html(const FieldReport& report) {
  std::string rows;
  const auto add = [&](const std::string& name, const std::string& value) {
    rows += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escape_html(name), escape_html(value));
  };
  for (const FitReport::Fact& fact : report.facts) add(fact.name, fact.value);
  add("maximum range Z", fmt::format("{:.6g} m", report.fit.model.max_range_m));
  add("largest distance", fmt::format("{:.6g} m", report.fit.model.max_distance_m));
  return fmt::format("<div class=\"scroll\"><table class=\"facts\"><tbody>\n{}</tbody></table></div>\n", rows);
}

}  // namespace

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

std::string field_page(const FieldReport& report) {
  const std::string where = report.held_out ? "held-out scans" : "the scans learned from";
  const std::string body = fmt::format(
      "<p>A reading is as likely as its end is near to an occupied cell of the map; learned by maximum "
      "likelihood.</p>\n<div class=\"tiles\">\n{}{}{}</div>\n{}<h2>Parameters</h2>\n{}{}<p>{}</p>\n"
      "<h2>Distances</h2>\n{}{}<h2>Data</h2>\n{}",
      tile(fmt::format("{:.4f}", report.nats_per_reading), "nats per ray, " + where),
      tile(group_digits(report.fit.readings), "rays learned from"),
      tile(fmt::format("{}", report.fit.log_likelihood.size() - 1),
           report.fit.converged ? "iterations, converged" : "iterations: the limit, not converged"),
      held_out_html(report.held_out_note), field_table(report.fit), flags_html(report_flags(report)),
      error_words(report),
      figure(
          distance_figure(report),
          stroke("var(--hit)", "model") + patch("#d5dce3", "readings") +
              ". Distances of a map come in steps of its cells. The line is what the model expects at each along the "
              "rays of these readings: hits in proportion to their density, random readings anywhere up to Z."),
      disagreement_words(report), facts_html(report));
  return html_page("Likelihood field fit", "Likelihood field fit", body);
}

}  // namespace fathom
