// SPDX-License-Identifier: MIT
#include "report/wall_page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/counts.hpp"
#include "report/chain_page.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"
#include "report/wall_figures.hpp"

namespace fathom {

namespace {

constexpr std::string_view kWallStyle = R"(
.pixels { display: block; width: 100%; height: auto; image-rendering: pixelated; }
.time-line { fill: none; stroke: var(--max); stroke-width: 1.4; }
.simulated { stroke-dasharray: 5 4; }
pre { overflow-x: auto; }
@media (max-width: 760px) { pre { white-space: pre-wrap; } }
details { margin-top: 28px; } summary { cursor: pointer; }
)";

std::string shown(double value, std::string_view form, std::string_view unit = "") {
  return text_or_dash(value, form) + std::string(std::isfinite(value) ? unit : "");
}

std::string shown(const Estimate& e, std::string_view form, double unit = 1.0) {
  std::string text = shown(unit * e.value, form);
  if (std::isfinite(e.std_error)) text += fmt::format(" ± {:.2g}", unit * e.std_error);
  return text;
}

std::string wall_table(std::string_view title, std::span<const TableColumn> columns,
                       std::span<const std::vector<std::string>> rows, std::string_view below = "") {
  const std::string html = fmt::format("<h2>{}</h2>\n", title) + table_html(columns, rows);
  return below.empty() ? html : html + fmt::format("<p>{}</p>\n", below);
}

std::string wall_tiles(const WallReport& report) {
  const WallMeasure& m = report.fit.measure;
  const WallCorrelation& c = report.fit.correlation;
  const auto found = std::count_if(m.planes.begin(), m.planes.end(), [](const WallPlane& p) { return p.is_found; });
  const double all = static_cast<double>(std::max<std::size_t>(m.readings + m.lost, 1));
  const bool px = in_disparity(report);
  std::string text = "<div class=\"tiles\">\n";
  text += tile(px ? shown(m.deviation, "{:.4f}", " px") : shown(1e3 * m.deviation, "{:.3g}", " mm"),
               px ? "deviation of disparity" : "deviation of the readings");
  const bool is_white = !(c.across_px.value > 0.0) && !(c.down_px.value > 0.0);
  const std::string sizes =
      has_rows(report) ? fmt::format("{:.2f} · {:.2f} {}", c.across_px.value, c.down_px.value, step_word(report))
                       : fmt::format("{:.2f} rays", c.across_px.value);
  text += tile(is_white ? "white" : sizes, is_white ? "error of neighbours" : "size of the correlation");
  text += tile(m.knows_losses ? fmt::format("{:.2f} %", 100.0 * static_cast<double>(m.lost) / all) : "not known",
               "of the wall's rays lost");
  text += tile(text_or_dash(report.fit.chain.held_out_nats, "{:.4f}"), "nats per return, held-out frames");
  return text + tile(fmt::format("{} of {}", found, m.planes.size()), "frames show a wall") + "</div>\n";
}

std::string correlation_html(const WallReport& report) {
  const WallCorrelation& c = report.fit.correlation;
  const std::string_view shape = kChoiceWords<CorrelationShape>[static_cast<std::size_t>(c.shape)];
  const std::array<TableColumn, 3> columns = {{{"", false}, {"value"}, {"unit", false}}};
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"across", shown(c.across_px, "{:.3g}"), std::string(step_word(report))});
  if (has_rows(report)) rows.push_back({"down", shown(c.down_px, "{:.3g}"), std::string(step_word(report))});
  if (!report.fit.measure.in_time.empty())
    rows.push_back({"time between key frames", shown(c.time_s.value, "{:.3g}"), "s"});
  if (c.across_px.value > 0.0 || c.down_px.value > 0.0) {
    rows.push_back({fmt::format("misfit of the shape {}", shape), fmt::format("{:.3f}", c.misfit), ""});
    rows.push_back({"misfit of the other shape", fmt::format("{:.3f}", c.other_misfit), ""});
  }
  return wall_table(
      "Size of the correlation", columns, rows,
      "Sizes of <code>correlation:</code>, whose closed forms were fitted to the curves above; 0: white.");
}

/// `what` heads the laws, `against` what they gain.
std::string laws_html(std::string_view title, const std::vector<WallLossLaw>& laws, const std::string& what,
                      const std::string& against, std::string_view below) {
  const std::array<TableColumn, 5> columns = {
      {{what, false}, {"parameters", true, true}, {"nats per ray", true, true}, {against}, {"", false, true}}};
  std::vector<std::vector<std::string>> rows;
  for (const WallLossLaw& law : laws) {
    const std::string error = std::isfinite(law.gain_error) ? fmt::format(" ± {:.1g}", law.gain_error) : "";
    rows.push_back({law.name, fmt::format("{}", law.parameters), fmt::format("{:.5f}", law.nats),
                    fmt::format("{:+.5f}", law.gain) + error, law.is_chosen ? "chosen" : ""});
  }
  return wall_table(title, columns, rows, below);
}

std::string range_laws_html(const WallReport& report) {
  if (report.fit.range_laws.empty()) return "";
  return laws_html("How heavy the tails are", report.fit.range_laws, "error of the range", "against distance",
                   "Log density of readings, those alone off the wall among them, of frames held out where there are "
                   "five or more. Student's t is chosen where these tell it from the normal law.");
}

std::string losses_html(const WallReport& report) {
  if (report.fit.loss_laws.empty()) return "";
  return laws_html(
      "What loses returns", report.fit.loss_laws, "law of loss", "against dropout",
      "Log probability that a ray is lost, or that it is not, of frames held out where there are five or more. Of the "
      "laws that "
      "these do not tell from the best, by two errors or by more nats than chance gives, the one with the fewest "
      "parameters is chosen.");
}

std::string tape_html(const WallReport& report) {
  if (!report.fit.tape) return "";
  const WallTape& tape = *report.fit.tape;
  const std::array<TableColumn, 4> columns = {
      {{"against the tape", false}, {"value"}, {"unit", false}, {"places off it by", true, true}}};
  std::vector<std::vector<std::string>> rows;
  const std::string spread = shown(1e3 * tape.spread_m, "{:.2g}", " mm");
  rows.push_back({"gain of gain_bias", shown(tape.gain, "{:.3g}"), "m/m", spread});
  rows.push_back({"bias of gain_bias", shown(tape.bias_m, "{:.3g}", 1e3), "mm", spread});
  if (in_disparity(report)) {
    rows.push_back({"or bias of the disparity", shown(tape.bias_px, "{:.3g}"), "px",
                    shown(1e3 * tape.bias_px_spread_m, "{:.2g}", " mm")});
  }
  const char* what = tape.is_contradicted
                         ? "Distances and readings contradict each other, and the chain has none of it."
                     : tape.is_exact     ? "All of it is within two errors of 0, and the chain has none of it."
                     : tape.is_disparity ? "The chain has the bias of the disparity."
                                         : "The chain has gain and bias.";
  return wall_table("Distances by tape", columns, rows, fmt::format("{}. {}", counted(tape.places, "place"), what));
}

std::string planes_html(const WallReport& report) {
  const std::array<TableColumn, 7> columns = {{{"frame", false},
                                               {"distance, m"},
                                               {"turned by, degrees", true, true},
                                               {in_disparity(report) ? "deviation, px" : "deviation, mm"},
                                               {"on the wall", true, true},
                                               {"lost", true, true},
                                               {"other", true, true}}};
  std::vector<std::vector<std::string>> rows;
  const double unit = in_disparity(report) ? 1.0 : 1e3;
  const std::vector<WallPlane>& planes = report.fit.measure.planes;
  for (std::size_t f = 0; f < planes.size(); ++f) {
    const WallPlane& p = planes[f];
    const std::string name =
        report.names.empty() ? fmt::format("{}", f) : std::filesystem::path(report.names[f]).filename().string();
    if (!p.is_found) {
      rows.push_back({name, "no wall", "", "", "", "", ""});
      continue;
    }
    const double degrees = std::acos(std::clamp(p.normal.x, -1.0, 1.0)) * 180.0 / std::numbers::pi;
    rows.push_back({name, fmt::format("{:.4f}", p.distance_m), fmt::format("{:.1f}", degrees),
                    fmt::format("{:.3g}", unit * p.deviation), group_digits(p.on_wall), group_digits(p.lost),
                    group_digits(p.other)});
  }
  return "<details><summary>Each frame</summary>" + wall_table("Frames", columns, rows) + "</details>\n";
}

}  // namespace

std::string wall_page(const WallReport& report) {
  std::string body = fmt::format(
      "<p>{}. A plane is fitted to each frame, and the error is what it leaves. Simulated are the same walls from the "
      "same places, with what was learned.</p>\n",
      escape_html(report.name));
  body += wall_tiles(report) + flags_html(report.flags());
  body += "<h2>Measured beside simulated</h2>\n" + wall_residuals(report);
  body += "<div class=\"row\">\n" + wall_error_figure(report) + wall_range_figure(report) +
          wall_correlation_figure(report) + wall_fill_by_incidence(report) + wall_fill_by_range(report) + "</div>\n";
  body += chain_parameters_html(report.fit.chain, false) + correlation_html(report) + range_laws_html(report) +
          losses_html(report) + tape_html(report) + planes_html(report);
  body += fmt::format("<h2>For the scene file</h2>\n<pre>{}</pre>\n", escape_html(wall_sensor_file(report)));
  return html_page("Noise learned from a wall", "Noise learned from a wall", body, kWallStyle);
}

}  // namespace fathom
