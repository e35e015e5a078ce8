// SPDX-License-Identifier: MIT
// The report of a learned chain, and its folder: noise.yaml, report.html and fit.json.

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/reports.hpp>

#include "base/text.hpp"
#include "calibrate/chain_likelihood.hpp"
#include "report/figures.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;
using Json = Report::Json;

constexpr std::size_t kErrorBins = 60, kMostInMatrix = 20, kMostShownPairs = 40;
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

/// Columns have numbers and rows have numbers and names; what lies above the diagonal is what lies below it.
Report::Table correlation_matrix(const Fit& fit) {
  const std::size_t n = fit.parameters.size();
  Report::Table table{.columns = {{"", false}, {.head = "", .is_number = false, .is_name = true}},
                      .rows = {},
                      .place = Report::Place::kScreen,
                      .style = "correlations"};
  for (std::size_t j = 0; j < n; ++j) {
    table.columns.push_back({fmt::format("{}", j + 1)});
    std::vector<Report::Cell>& row = table.rows.emplace_back();
    row = {{fmt::format("{}", j + 1)}, {fit.parameters[j].name}};
    for (std::size_t k = 0; k <= j; ++k) row.push_back({correlation_text(fit.correlations[j * n + k])});
  }
  return table;
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
  std::stable_sort(pairs.begin(), pairs.end(), [](const CorrelatedPair& a, const CorrelatedPair& b) {
    return std::abs(a.correlation) > std::abs(b.correlation);
  });
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

/// A matrix on a screen, and a list on a phone, which has no room for it, or of many parameters.
Report::Section correlation_section(const Fit& fit) {
  Report::Table list = correlation_list(fit);
  if (fit.parameters.size() <= kMostInMatrix) list.place = Report::Place::kPhone;
  Report::Section section{.head = "Correlations of the errors", .pieces = {}};
  if (fit.parameters.size() <= kMostInMatrix) section.pieces.push_back(correlation_matrix(fit));
  section.pieces.push_back(std::move(list));
  return section;
}

std::string error_figure(const ChainReport& report) {
  const ChainReturns& returns = report.frames.returns;
  const std::vector<double> edges = error_edges(returns, kErrorBins);
  if (edges.empty()) return "";
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

/// What was learned from.
Report::Text returns_text(const ChainReport& report) {
  const ChainFit& fit = report.fit;
  const std::string stretches = fit.block == "stretch" ? fmt::format(", in stretches of the way: {}", fit.blocks) : "";
  Report::Text text{{fmt::format("Learned from {} returns, {} of them lost; {}{}.", group_digits(fit.returns),
                                 group_digits(fit.lost), counted(fit.frames, "frame"), stretches)}};
  if (report.frames.returns.turned.is_known()) {
    text.lines.push_back(fmt::format("Turned rays of {} of them meet several surfaces, and tell the angles.",
                                     group_digits(fit.at_edges)));
  }
  if (!fit.held_out) text.lines.emplace_back("No frame was held out.");
  return text;
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
  const HeldOut held_out = fit.held_out.value_or(HeldOut());
  Report out{.kind = "chain", .title = fmt::format("Noise of {}, learned", report.frames.sensor), .fit = fit};
  out.fit.findings = report.findings();
  out.intro = fmt::format("Scene {}, measured frames {}.", report.scene, report.measured);
  out.refuse(true, first_unusable(out.fit.findings));
  add_chain_fit(fit, out);
  const double lost = static_cast<double>(fit.lost) / static_cast<double>(std::max<std::size_t>(fit.returns, 1));
  out.tiles = {
      {text_or_dash(held_out.nats, "{:.4f}"), "nats per return, held-out frames"},
      {with_error(text_or_dash(held_out.gain_nats, "{:+.4f}"), held_out.gain_error), "gained on the chain as given"},
      {group_digits(fit.returns), "returns learned from"},
      {fmt::format("{:.2f} %", 100.0 * lost), "of them lost"}};
  out.sections.push_back({.head = "Ranges and losses", .pieces = {returns_text(report), Report::Figures([&report] {
                                                                    return share_figures(report);
                                                                  })}});
  if (fit.parameters.size() > 1) out.sections.push_back(correlation_section(fit));
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

std::string report_text(const ChainReport& report, ReportForm form, SettingNames names) {
  return text_of(report_of(report), form, names);
}

void write_chain_report(const fs::path& folder, const ChainReport& report, bool force) {
  check_result_folder(ResultKind::kChain, folder, force);  // before the work
  write_report(ResultKind::kChain, folder, report_of(report), {{"noise.yaml", yaml_file(report)}}, force);
}

}  // namespace fathom
