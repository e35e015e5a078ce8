// SPDX-License-Identifier: MIT
#include "report/chain_page.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/interval_text.hpp>

#include "calibrate/chain_shares.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"

namespace fathom {

namespace {

constexpr std::size_t kErrorBins = 60, kMostInMatrix = 20, kMostShownPairs = 40;
constexpr double kLeastShownCorrelation = 0.1;
constexpr std::string_view kChainStyle = R"(
.start { stroke: #7d8a97; stroke-dasharray: 5 4; fill: none; }
pre { overflow-x: auto; }
.correlations { font-size: 13.5px; } .correlations th, .correlations td { padding: 3px 9px 3px 0; }
@media (max-width: 760px) { pre { white-space: pre-wrap; } .pairs td { white-space: normal; }
  .pairs td.number { white-space: nowrap; } }
)";

std::string number_cell(std::string_view text) { return fmt::format("<td class=\"number\">{}</td>", text); }

std::string chain_tiles(const ChainReport& report) {
  const ChainFit& fit = report.fit;
  const double lost = static_cast<double>(fit.lost) / static_cast<double>(std::max<std::size_t>(fit.returns, 1));
  const std::string error = std::isfinite(fit.gain_error) ? fmt::format(" ± {:.2g}", fit.gain_error) : "";
  const std::string gain = text_or_dash(fit.gain_nats, "{:+.4f}") + error;
  return "<div class=\"tiles\">\n" +
         tile(text_or_dash(fit.held_out_nats, "{:.4f}"), "nats per return, held-out frames") +
         tile(gain, "gained on the chain as given") + tile(group_digits(fit.returns), "returns learned from") +
         tile(fmt::format("{:.2f} %", 100.0 * lost), "of them lost") + "</div>\n";
}

/// On a phone what stands aside stands in a line below.
std::string parameter_rows(const LearnedParameter& p, bool was_given) {
  const std::string interval = std::isfinite(p.low) ? interval_text(p.low, p.high) : "–";
  const std::string naive = text_or_dash(p.naive_error, "{:.2g}"), given = fmt::format("{:.5g}", p.start);
  const auto aside = [](std::string_view text) { return fmt::format("<td class=\"number aside\">{}</td>", text); };
  return fmt::format("<tr><td><code>{}</code></td>", name_html(p.name)) + number_cell(fmt::format("{:.5g}", p.value)) +
         number_cell(text_or_dash(p.std_error, "{:.2g}")) + aside(interval) + aside(naive) +
         (was_given ? aside(given) : "") + fmt::format("<td>{}</td></tr>\n", p.unit == "1" ? "" : escape_html(p.unit)) +
         fmt::format("<tr class=\"below\"><td colspan=\"7\">95 % interval {}; naive error {}{}</td></tr>\n", interval,
                     naive, was_given ? "; as given " + given : "");
}

}  // namespace

std::string chain_parameters_html(const ChainFit& fit, bool was_given) {
  std::string rows;
  for (const LearnedParameter& p : fit.parameters) rows += parameter_rows(p, was_given);
  return "<h2>Parameters</h2>\n<div class=\"scroll\"><table class=\"parameters\">\n<thead><tr><th>parameter</th><th "
         "class=\"number\">value</th><th class=\"number\">± std. error</th><th class=\"number aside\">95 % "
         "interval</th>"
         "<th class=\"number aside\">naive error</th>" +
         std::string(was_given ? "<th class=\"number aside\">as given</th>" : "") +
         "<th>unit</th></tr></thead>\n<tbody>\n" + rows +
         fmt::format(
             "</tbody></table></div>\n<p>Standard errors rest on {} independent {}, the naive ones on independent "
             "returns. "
             "A dash: there is none (see the notes).</p>\n",
             fit.clusters, fit.stretches > 0 ? "stretches of the way" : "frames (or blocks of frames)");
}

namespace {

/// ".85", "-1": as short as it is clear.
std::string correlation_text(double value) {
  std::string text = text_or_dash(value, "{:.2f}");
  if (text.starts_with("0.") || text.starts_with("-0.")) text.erase(text.find('0'), 1);
  if (text == "-.00") text = ".00";
  if (text == "1.00" || text == "-1.00") text.erase(text.find('.'));
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

/// Columns have numbers and rows have numbers and names; what lies above the diagonal is what lies below it.
std::string correlation_matrix(const ChainFit& fit) {
  const std::size_t n = fit.parameters.size();
  std::string head = "<th></th>", rows;
  for (std::size_t j = 1; j <= n; ++j) head += fmt::format("<th class=\"number\">{}</th>", j);
  for (std::size_t j = 0; j < n; ++j) {
    rows += fmt::format("<tr><td>{} <code>{}</code></td>", j + 1, name_html(fit.parameters[j].name));
    for (std::size_t k = 0; k <= j; ++k) rows += number_cell(correlation_text(fit.correlations[j * n + k]));
    rows += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"scroll\"><table class=\"correlations\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}"
      "</tbody></table></div>\n",
      head, rows);
}

struct CorrelatedPair {
  std::size_t first, second;
  double correlation;
};

/// The pairs worth a word, the strongest first.
std::vector<CorrelatedPair> correlated_pairs(const ChainFit& fit) {
  const std::size_t n = fit.parameters.size();
  std::vector<CorrelatedPair> pairs;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double c = fit.correlations[j * n + k];
      if (std::abs(c) >= kLeastShownCorrelation) pairs.push_back({k, j, c});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const CorrelatedPair& a, const CorrelatedPair& b) {
    return std::abs(a.correlation) > std::abs(b.correlation);
  });
  return pairs;
}

std::string correlation_pairs(const ChainFit& fit) {
  const std::vector<CorrelatedPair> pairs = correlated_pairs(fit);
  if (pairs.empty()) return fmt::format("<p>All are below {} either way.</p>\n", kLeastShownCorrelation);
  const std::size_t shown = std::min(pairs.size(), kMostShownPairs);
  std::string rows;
  for (std::size_t i = 0; i < shown; ++i) {
    rows += fmt::format("<tr><td><code>{}</code></td><td><code>{}</code></td>{}</tr>\n",
                        name_html(fit.parameters[pairs[i].first].name), name_html(fit.parameters[pairs[i].second].name),
                        number_cell(correlation_text(pairs[i].correlation)));
  }
  const std::string others =
      shown < pairs.size() ? fmt::format("{} of {} pairs; the others are weaker.", shown, pairs.size())
                           : fmt::format("Those of the other pairs are below {} either way.", kLeastShownCorrelation);
  return fmt::format(
      "<div class=\"scroll\"><table class=\"pairs\">\n<thead><tr><th>errors of</th><th>and of</th><th "
      "class=\"number\">correlation</th></tr></thead>\n<tbody>\n{}</tbody></table></div>\n<p>{}</p>\n",
      rows, others);
}

/// A matrix on a screen, and a list on a phone, which has no room for it, or of many parameters.
std::string correlations_html(const ChainFit& fit) {
  const std::size_t n = fit.parameters.size();
  if (n < 2) return "";
  const std::string list = correlation_pairs(fit), head = "<h2>Correlations of the errors</h2>\n";
  if (n > kMostInMatrix) return head + list;
  return head + "<div class=\"wide\">" + correlation_matrix(fit) + "</div>\n<div class=\"narrow\">" + list + "</div>\n";
}

std::string error_figure(const ChainReport& report) {
  const ChainReturns& returns = report.frames.returns;
  const std::vector<double> edges = error_edges(returns, kErrorBins);
  if (edges.empty()) return "<p>No return came back.</p>";
  const BinShares measured = measured_errors(returns, edges),
                  learned = expected_errors(report.fit.chain, returns, edges),
                  given = expected_errors(report.start, returns, edges);
  const double top = std::max(*std::max_element(measured.shares.begin(), measured.shares.end()),
                              *std::max_element(learned.shares.begin(), learned.shares.end()));
  const LengthUnit unit = length_unit(std::max(-edges.front(), edges.back()));
  std::vector<double> x;
  x.reserve(edges.size());
  for (const double edge : edges) x.push_back(unit.per_m * edge);
  Plot plot("Measured less clean range",
            {.low = x.front(),
             .high = x.back(),
             .label = fmt::format("measured less clean range ({}); outer bars: all beyond", unit.symbol)},
            {.low = 0.0, .high = 1.15 * top, .label = "share of the ranges"});
  plot.fill_steps(x, std::vector<double>(kErrorBins, 0.0), measured.shares, "bars");
  plot.draw_steps(x, given.shares, "start");
  plot.draw_steps(x, learned.shares, "model");
  return plot.svg();
}

/// The means of bins, without those that are not known, at their middles.
void draw_known(Plot& plot, const BinShares& bins, std::string_view css_class) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < bins.shares.size(); ++i) {
    if (std::isnan(bins.shares[i])) continue;
    x.push_back(0.5 * (bins.edges[i] + bins.edges[i + 1])), y.push_back(bins.shares[i]);
  }
  plot.draw_line(x, y, css_class);
}

std::string loss_figure(const ChainReport& report) {
  const ChainReturns& returns = report.frames.returns;
  Plot plot("Share of lost returns by incidence", {.low = 0.0, .high = 90.0, .label = "incidence (degrees)"},
            {.low = 0.0, .high = 1.0, .label = "share lost"});
  draw_known(plot, expected_losses(report.start, returns), "start");
  draw_known(plot, measured_losses(returns), "hit-line");
  draw_known(plot, expected_losses(report.fit.chain, returns), "model");
  return plot.svg();
}

}  // namespace

std::string chain_page(const ChainReport& report) {
  const std::string keys = stroke("#b3202c", "the learned chain") + stroke("#7d8a97", "the chain as given (dashed)");
  const std::string body =
      fmt::format("<p>Scene {}, measured frames {}.</p>\n", escape_html(report.scene), escape_html(report.measured)) +
      chain_tiles(report) + flags_html(report.flags()) + chain_parameters_html(report.fit, true) +
      "<h2>Ranges and losses</h2>\n<div class=\"row\">\n" +
      figure(error_figure(report), patch("#d5dce3", "measured") + keys) +
      figure(loss_figure(report), stroke("var(--hit)", "measured") + keys) + "</div>\n" +
      correlations_html(report.fit) +
      fmt::format("<h2>For the scene file</h2>\n<pre>noise:\n{}</pre>\n", escape_html(chain_yaml(report.fit.chain)));
  return html_page("Chain of noise learned", fmt::format("Noise of {}, learned", escape_html(report.frames.sensor)),
                   body, kChainStyle);
}

}  // namespace fathom
