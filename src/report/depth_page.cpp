// SPDX-License-Identifier: MIT
// The folder of a measured depth camera: report.html and measure.json.

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/depth_report.hpp>

#include "report/depth_figures.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"
#include "report/result_folder.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kReportNames = {"report.html", "measure.json"};
constexpr std::array<std::string_view, 2> kReportKeys = {"deviation_px", "correlation"};
constexpr ResultKind kMeasure = {.noun = "measurement", .names = kReportNames, .of_ours = kReportKeys};

constexpr std::string_view kPictureStyle = R"(
.pixels { display: block; width: 100%; height: auto; image-rendering: auto; }
.other { stroke-dasharray: 5 4; }
)";

/// A cell as HTML: "+-" is a sign of its own there.
std::string cell(const std::string& text) {
  std::string safe = escape_html(text);
  if (const auto at = safe.find("+-"); at != std::string::npos) safe.replace(at, 2, "±");
  return safe;
}

std::string table_html(const DepthTable& table) {
  std::string html = fmt::format("<h2>{}</h2>\n<div class=\"scroll\"><table>\n", table.title);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const char* tag = r == 0 ? "th" : "td";
    html += r == 0 ? "<thead><tr>" : "<tr>";
    for (std::size_t c = 0; c < table.rows[r].size(); ++c) {
      html += fmt::format("<{0}{1}>{2}</{0}>", tag, c == 0 ? "" : " class=\"number\"", cell(table.rows[r][c]));
    }
    html += r == 0 ? "</tr></thead>\n<tbody>\n" : "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string known(double value, int decimals, std::string_view unit) {
  return std::isfinite(value) ? fmt::format("{:.{}f}{}", value, decimals, unit) : "–";
}

std::string tiles(const DepthReport& report) {
  const DepthMeasure& m = report.measure;
  const double share = static_cast<double>(m.holes) / static_cast<double>(m.pixels);
  const std::string error =
      m.focal_baseline_px_m ? known(m.deviation_px.value, 4, " px") : known(1e3 * m.deviation_m.value, 3, " mm");
  return "<div class=\"tiles\">\n" +
         tile(error, m.focal_baseline_px_m ? "deviation of disparity" : "deviation of depth") +
         tile(known(m.across[0].value, 3, ""), "correlation 1 px across") +
         tile(known(m.down[0].value, 3, ""), "correlation 1 px down") +
         tile(known(100.0 * share, 2, " %"), m.left_out > 0 ? "holes, without what is left out" : "holes") + "</div>\n";
}

/// What holes are counted of.
std::string depths_counted(const DepthReport& report) {
  const DepthMeasure& m = report.measure;
  if (report.left_out_by.empty()) {
    return "<p>All holes count, also where nothing is within the camera's reach: nothing says which these are.</p>\n";
  }
  return fmt::format("<p>{:.2f} % of the pixels are left out ({}); shares of holes are those of the others.</p>\n",
                     100.0 * static_cast<double>(m.left_out) / static_cast<double>(m.left_out + m.pixels),
                     escape_html(report.left_out_by));
}

std::string pictures(const DepthReport& report) {
  std::string html = "<div class=\"row three\">\n";
  for (const ShownPicture& shown : {depth_figure(report), hole_figure(report), residual_figure(report)}) {
    html += figure(shown.html, shown.caption);
  }
  return html + "</div>\n";
}

std::string page(std::span<const DepthReport> reports) {
  std::string body =
      "<p>The error is what a cubic leaves of the inverse depths of a patch of 24 x 24 pixels. Deviation and "
      "correlations are corrected for what the cubic takes with it; columns with \"cubic off\" are not. Blobs are "
      "whole "
      "when they touch neither the border of the image nor what is left out: the size of the others is not "
      "known.</p>\n";
  for (const DepthReport& report : reports) {
    body += fmt::format("<h2>{}</h2>\n", escape_html(report.name)) + tiles(report) + depths_counted(report) +
            flags_html(report.measure.flags) + pictures(report);
  }
  const char* beside = reports.size() > 1 ? "; dashed, and as a line: the second folder" : "";
  body += "<h2>Correlation and blobs</h2>\n<div class=\"row\">\n" +
          figure(correlation_figure(reports), stroke("var(--hit)", "across") + stroke("var(--short)", "down") +
                                                  stroke("#b3202c", "in time, of still frames") + beside) +
          figure(blob_figure(reports),
                 std::string("Hole pixels by the size of the blob that they belong to, in octaves") + beside) +
          "</div>\n";
  for (const DepthTable& table : depth_tables(reports)) body += table_html(table);
  return html_page("Depth camera measured", "Depth camera measured", body, kPictureStyle);
}

}  // namespace

void write_depth_json(const fs::path& file, std::span<const DepthReport> reports) {
  if (reports.empty()) throw InputError("there is no measurement to write");
  write_whole_file(file, depth_json(reports));
}

std::vector<fs::path> depth_report_files(const fs::path& folder) { return result_files(kMeasure, folder); }

void check_depth_report_folder(const fs::path& folder, bool force) { check_result_folder(kMeasure, folder, force); }

void write_depth_report(const fs::path& folder, std::span<const DepthReport> reports, bool force) {
  if (reports.empty()) throw InputError("there is no measurement to report");
  check_depth_report_folder(folder, force);  // before the work
  const std::array<std::string, 2> contents = {page(reports), depth_json(reports)};
  write_results(kMeasure, folder, contents, force);
}

}  // namespace fathom
