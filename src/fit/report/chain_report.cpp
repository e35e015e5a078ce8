// SPDX-License-Identifier: MIT
// The report of a learned chain, and its folder: noise.yaml, report.html and fit.json.

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "core/text.hpp"
#include "fit/chain/chain_likelihood.hpp"
#include "fit/report/figures.hpp"
#include "report/report.hpp"

namespace fathom {

// Common to chains and walls.

Report::Json estimate_json(const Estimate& estimate) {
  return {{"value", number_or_null(estimate.value)}, {"std_error", number_or_null(estimate.std_error)}};
}

Report::Json estimates_json(const std::vector<Estimate>& estimates) {
  Report::Json json = Report::Json::array();
  for (const Estimate& estimate : estimates) json.push_back(estimate_json(estimate));
  return json;
}

Fact held_out_fact(const ChainFit& fit) {
  return {"nats per return, held-out frames",
          fit.held_out ? text_or_dash(fit.held_out->nats, "{:.4f}") : "no frame was held out"};
}

void add_chain_fit(const ChainFit& fit, Report& report) {
  report.parameter_note = fmt::format(
      "Standard errors rest on {} independent {}, the naive ones on independent returns. A dash: the error is unknown "
      "(see the notes).",
      fit.blocks, fit.block == "stretch" ? "stretches of the way" : "frames (or blocks of frames)");
  report.details.update({{"returns", fit.returns}, {"lost", fit.lost}, {"frames", fit.frames}});
  require_errors(&Fit::Parameter::naive_error, report);
  report.refuse(fit.held_out && fit.held_out->gain_nats < -3.0 * fit.held_out->gain_error,
                "returns that were held out are less likely than under the chain as given");
}

namespace {

namespace fs = std::filesystem;
using Json = Report::Json;

constexpr std::size_t kErrorBins = 60, kMostShownPairs = 40;
constexpr double kLeastShownCorrelation = 0.1;

Json correlations_json(const Fit& fit) {
  const std::size_t n = fit.parameters.size();
  Json rows = Json::array();
  for (std::size_t j = 0; j < n; ++j) {
    Json row = Json::array();
    for (std::size_t k = 0; k < n; ++k) row.push_back(number_or_null(fit.correlations[j * n + k]));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string yaml_file(const ChainReport& report) {
  const std::string name = report.frames.sensor;
  return fmt::format(
      "# The noise of sensor {0}, learned by fathom {1}. In a scene file it stands under `noise:`; from outside:\n"
      "#   fathom simulate SCENE --set sensors.{0}.noise=@noise.yaml --out DIR\n{2}",
      name, FATHOM_VERSION, chain_yaml(report.fit.chain, 0));
}

/// ".85", "-1": without digits that tell nothing.
std::string correlation_text(double value) {
  std::string text = text_or_dash(value, "{:.2f}");
  if (text.starts_with("0.") || text.starts_with("-0.")) text.erase(text.find('0'), 1);
  if (text == "-.00") text = ".00";
  if (text == "1.00" || text == "-1.00") text.erase(text.find('.'));
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

struct CorrelatedPair {
  std::size_t first, second;
  double correlation;
};

/// The pairs worth a word, the strongest first.
std::vector<CorrelatedPair> correlated_pairs(const Fit& fit) {
  const std::size_t n = fit.parameters.size();
  std::vector<CorrelatedPair> pairs;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) {
      const double c = fit.correlations[j * n + k];
      if (std::abs(c) >= kLeastShownCorrelation) pairs.push_back({k, j, c});
    }
  }
  std::ranges::stable_sort(pairs, std::greater<>(), [](const CorrelatedPair& p) { return std::abs(p.correlation); });
  return pairs;
}

Report::Table correlation_list(const Fit& fit) {
  const std::vector<CorrelatedPair> pairs = correlated_pairs(fit);
  const std::size_t shown = std::min(pairs.size(), kMostShownPairs);
  Report::Table table{.columns = {{.head = "errors of", .is_number = false, .is_name = true},
                                  {.head = "and of", .is_number = false, .is_name = true},
                                  {"correlation"}},
                      .rows = {},
                      .style = "pairs"};
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back({{fit.parameters[pairs[i].first].name},
                          {fit.parameters[pairs[i].second].name},
                          {correlation_text(pairs[i].correlation)}});
  }
  table.note = shown < pairs.size()
                   ? fmt::format("{} of {} pairs; the others are weaker.", shown, pairs.size())
                   : fmt::format("Correlations of the other pairs are below {} either way.", kLeastShownCorrelation);
  if (pairs.empty()) table.note = fmt::format("All are below {} either way.", kLeastShownCorrelation);
  return table;
}

std::string error_figure(const ChainReport& report) {
  const ChainReturns& returns = report.frames.returns;
  const std::vector<double> edges = error_edges(returns, kErrorBins);
  if (edges.empty()) return "";
  const BinShares measured = measured_errors(returns, edges),
                  learned = expected_errors(report.fit.chain, returns, edges),
                  given = expected_errors(report.start, returns, edges);
  const double top = std::max(std::ranges::max(measured.shares), std::ranges::max(learned.shares));
  const LengthUnit unit = length_unit(std::max(-edges.front(), edges.back()));
  std::vector<double> x;
  x.reserve(edges.size());
  for (const double edge : edges) x.push_back(unit.per_m * edge);
  Plot plot("Measured less clean range",
            {.low = x.front(),
             .high = x.back(),
             .label = fmt::format("measured less clean range ({}); outer bars: all beyond", unit.symbol)},
            {.low = 0.0, .high = 1.15 * top, .label = "share of the ranges"});
  plot.fill_steps(x, {}, measured.shares, "bars");
  plot.draw_steps(x, given.shares, "start");
  plot.draw_steps(x, learned.shares, "model");
  return plot.svg();
}

/// Draws the known means of bins at their middles.
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

std::vector<FitReport::Fact> chain_summary(const ChainReport& report) {
  const ChainFit& fit = report.fit;
  const Fit::HeldOut held_out = fit.held_out.value_or(Fit::HeldOut());
  const double lost = static_cast<double>(fit.lost) / static_cast<double>(std::max<std::size_t>(fit.returns, 1));
  std::vector<FitReport::Fact> facts = {
      held_out_fact(fit),
      {"gained on the chain as given", with_error(text_or_dash(held_out.gain_nats, "{:+.4f}"), held_out.gain_error)},
      {"returns learned from", grouped(fit.returns)},
      {"of them lost", fmt::format("{} ({:.2f} %)", grouped(fit.lost), 100.0 * lost)},
      {"frames", grouped(fit.frames)}};
  if (fit.block == "stretch") facts.push_back({"stretches of the way", grouped(fit.blocks)});
  if (report.frames.returns.turned.is_known()) {
    facts.push_back({"returns whose turned rays meet several surfaces", grouped(fit.at_edges)});
  }
  return facts;
}

std::vector<Report::Figure> share_figures(const ChainReport& report) {
  std::vector<Report::Key> keys = {patch("#d5dce3", "measured"), stroke("#b3202c", "the learned chain"),
                                   stroke("#7d8a97", "the chain as given (dashed)")};
  std::vector<Report::Figure> figures;
  std::string errors = error_figure(report);
  const bool has_errors = !errors.empty();
  figures.push_back({.picture = std::move(errors), .keys = keys});
  if (!has_errors) figures.front() = {.picture = "", .caption = "No return came back."};
  keys.front() = stroke("var(--hit)", "measured");
  figures.push_back({.picture = loss_figure(report), .keys = std::move(keys)});
  return figures;
}

Report report_of(const ChainReport& report) {
  const ChainFit& fit = report.fit;
  const Fit::HeldOut held_out = fit.held_out.value_or(Fit::HeldOut());
  Report out{.kind = "chain", .title = fmt::format("Noise of {}, learned", report.frames.sensor), .fit = fit};
  out.fit.findings = report.findings();
  out.intro = fmt::format("Scene {}, measured frames {}.", report.scene, report.measured);
  out.refuse(true, first_unusable(out.fit.findings));
  add_chain_fit(fit, out);
  out.summary = chain_summary(report);
  out.sections.push_back(
      {.head = "Ranges and losses", .pieces = {Report::Figures([&report] { return share_figures(report); })}});
  if (fit.parameters.size() > 1) {
    out.sections.push_back({.head = "Correlations of the errors", .pieces = {correlation_list(fit)}});
  }
  out.sections.push_back(scene_file_section("noise:\n" + chain_yaml(fit.chain)));
  Json details = {{"scene", report.scene}, {"measured", report.measured}, {"sensor", report.frames.sensor}};
  details.update(out.details);
  if (report.frames.returns.turned.is_known()) details["at_edges"] = fit.at_edges;
  details["start_nats"] = number_or_null(held_out.start_nats);
  details["left_out"] = {{"hidden", report.frames.hidden}, {"unexpected", report.frames.unexpected}};
  details["correlations"] = correlations_json(fit);
  out.details = std::move(details);
  return out;
}

}  // namespace

std::vector<Finding> ChainReport::findings() const {
  std::vector<Finding> all = fit.findings;
  const std::vector<Finding> of_frames = frames.findings();
  all.insert(all.end(), of_frames.begin(), of_frames.end());
  return all;
}

std::string ChainReport::text(ReportForm form, SettingNames names) const {
  return text_of(report_of(*this), form, names);
}

void ChainReport::write(const fs::path& folder, bool force) const {
  write_report(ResultKind::kChain, folder, report_of(*this), {{"noise.yaml", yaml_file(*this)}}, force);
}

}  // namespace fathom
