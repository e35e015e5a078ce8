// SPDX-License-Identifier: MIT
#include "report/field_page.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "report/mixture_shares.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"

namespace fathom {

namespace {

constexpr std::size_t kDistanceBins = 40;

std::string error_or_dash(double error) { return std::isfinite(error) ? fmt::format("{:.2g}", error) : "–"; }

std::string field_table(const FieldFit& fit) {
  std::string rows;
  const auto add = [&](std::string_view name, double value, double error, double naive, std::string_view unit,
                       std::string_view doc) {
    rows += fmt::format(
        "<tr><td><code>{}</code></td><td class=\"number\">{:.5g}</td><td class=\"number\">{}</td><td class=\"number "
        "aside\">{}</td><td>{}</td><td class=\"aside\">{}</td></tr>\n<tr class=\"below\"><td colspan=\"9\">{}; naive "
        "error {}</td></tr>\n",
        name, value, error_or_dash(error), error_or_dash(naive), unit, doc, doc, error_or_dash(naive));
  };
  const auto fields = LikelihoodFieldModel::fields();
  const double w_hit = fit.model.w_hit > 1e-7 ? fit.model.w_hit : 0.0,
               w_rand = fit.model.w_rand > 1e-7 ? fit.model.w_rand : 0.0;
  add("w_hit", w_hit, fit.w_std_error, fit.naive_w_std_error, "", fields[0].doc);
  add("w_rand", w_rand, fit.w_std_error, fit.naive_w_std_error, "", fields[1].doc);
  add("sigma_hit_m", fit.model.sigma_hit_m, fit.sigma_std_error_m, fit.naive_sigma_std_error_m, "m", fields[2].doc);
  return "<div class=\"scroll\"><table class=\"parameters\">\n<thead><tr><th>parameter</th><th "
         "class=\"number\">value</th><th class=\"number\">± std. error</th><th class=\"number aside\">naive "
         "error</th><th>unit</th><th class=\"aside\">meaning</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody>\n</table></div>\n";
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
  // Distances of cells come in steps: bins of whole cells, from the first cell on.
  const double reach_m = std::clamp(8.0 * m.sigma_hit_m, 4.0 * report.cell_m, m.max_distance_m);
  const auto bins = static_cast<std::size_t>(
      std::clamp(std::round(reach_m / report.cell_m), 4.0, static_cast<double>(kDistanceBins)));
  const double width_m = reach_m / static_cast<double>(bins);
  std::vector<double> share(bins), hits(bins);
  double beyond = 0.0;
  const double each = 1.0 / static_cast<double>(std::max<std::size_t>(1, report.distance_m.size()));
  for (const double d : report.distance_m) {
    const auto bin = static_cast<std::size_t>(std::lround(d / width_m));  // the first holds the cells that are occupied
    (bin < bins ? share[bin] : beyond) += each;
  }
  for (std::size_t i = 0; i < bins; ++i) {
    const double low = i == 0 ? 0.0 : (static_cast<double>(i) - 0.5) * width_m,
                 high = (static_cast<double>(i) + 0.5) * width_m;
    hits[i] =
        m.w_hit * (std::erf(high / m.sigma_hit_m / std::sqrt(2.0)) - std::erf(low / m.sigma_hit_m / std::sqrt(2.0)));
  }
  std::vector<double> edges = {0.0};
  for (std::size_t i = 0; i < bins; ++i) edges.push_back((static_cast<double>(i) + 0.5) * width_m);
  const double bar_from_m = 1.06 * edges.back(), bar_to_m = 1.12 * edges.back();
  const PlotAxis y =
      decades_below(std::max({std::ranges::max(share), std::ranges::max(hits), beyond}), "share of readings");
  Plot plot("Distances of ends of readings from occupied cells",
            {.low = 0.0,
             .high = 1.16 * edges.back(),
             .label = "distance from the nearest occupied cell (m)",
             .last_tick = edges.back()},
            y);
  plot.fill_steps(edges, std::vector<double>(bins, y.low), share, "bars");
  plot.draw_steps(edges, hits, "hit-line");
  plot.fill_steps(std::vector<double>{bar_from_m, bar_to_m}, std::vector<double>{y.low}, std::vector<double>{beyond},
                  "bars beyond");
  plot.write(1.16 * edges.back(), 0.6 * y.high, "beyond", "end");
  return plot.svg();
}

std::string field_page(const FieldReport& report) {
  const std::string where = report.held_out ? "held-out scans" : "the scans learned from";
  const std::string body = fmt::format(
      "<p>A reading is as likely as its end is near to an occupied cell of the map; learned by maximum "
      "likelihood.</p>\n<div class=\"tiles\">\n{}{}{}</div>\n<h2>Parameters</h2>\n{}{}"
      "<p>Standard errors take stretches of the log as independent; the naive ones take readings as independent.</p>\n"
      "<h2>Distances</h2>\n{}<h2>Data</h2>\n{}",
      tile(fmt::format("{:.4f}", report.nats_per_reading), "nats per reading, " + where),
      tile(fmt::format("{}", report.fit.readings), "readings learned from"),
      tile(fmt::format("{}", report.fit.log_likelihood.size() - 1),
           report.fit.converged ? "iterations, converged" : "iterations: the limit, not converged"),
      field_table(report.fit), flags_html(report.fit.flags),
      figure(distance_figure(report), stroke("var(--hit)", "hits by the model") + patch("#d5dce3", "readings") +
                                          ". What the model takes for random is what the bars have above the line."),
      facts_html(report));
  return html_page("Likelihood field fit", "Likelihood field fit", body);
}

}  // namespace fathom
