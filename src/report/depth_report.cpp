// SPDX-License-Identifier: MIT
// The report of a measured depth camera, and its folder: report.html and measure.json.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/calibrate/depth_report.hpp>

#include "picture/image.hpp"
#include "picture/painter.hpp"
#include "picture/palette.hpp"
#include "report/plot.hpp"
#include "report/result_folder.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kReportNames = {"report.html", "measure.json"};
constexpr std::array<std::string_view, 1> kReportKinds = {"depth_camera"};
constexpr ResultKind kMeasure = {.noun = "measurement", .names = kReportNames, .kinds = kReportKinds};

constexpr Rgb kMeasured = {58, 62, 74}, kSmall = {240, 228, 66}, kMiddle = {230, 159, 0}, kLarge = {0, 114, 178},
              kLeftOut = {200, 200, 206};

/// An image of the size of a frame, whose pixel i has the colour f(i).
template <class F>
std::string picture(const DepthPicture& p, std::string_view title, F color) {
  Image image(p.cols, p.rows, kLostColor);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = color(i);
  return embedded_picture(image, title);
}

std::vector<double> numbers_of(const std::vector<Estimate>& estimates) {
  std::vector<double> values;
  values.reserve(estimates.size());
  for (const Estimate& e : estimates) values.push_back(std::isfinite(e.value) ? e.value : 0.0);
  return values;
}

Report::Figure depth_figure(const DepthReport& report) {
  const DepthPicture& p = report.picture;
  std::vector<float> measured;
  for (const float depth : p.depth_m) {
    if (!std::isnan(depth)) measured.push_back(depth);
  }
  const double scale_m = measured.empty() ? 1.0 : range_scale(0.0, measured).scale_m;
  const auto color = [&](std::size_t i) { return range_color(double{p.depth_m[i]} / scale_m); };
  return {.picture = picture(p, "Depth in colours", color),
          .lead = "Depth of the first frame: ",
          .keys = {patch(css(range_color(0.0)), "near"),
                   patch(css(range_color(1.0)), fmt::format("{:.6g} m and more", scale_m)),
                   patch(css(kLostColor), report.measure.left_out > 0 ? "holes and pixels left out" : "holes")}};
}

Report::Figure hole_figure(const DepthReport& report) {
  const DepthPicture& p = report.picture;
  const auto color = [&](std::size_t i) {
    const std::uint32_t size = p.blob_size[i];
    if (size == 0 && std::isnan(p.depth_m[i])) return kLeftOut;
    return size == 0 ? kMeasured : size <= 3 ? kSmall : size <= 50 ? kMiddle : kLarge;
  };
  Report::Figure shown{.picture = picture(p, "Holes by the size of their blobs", color),
                       .lead = "Its holes by the size of their blobs (4 neighbours): ",
                       .keys = {patch(css(kSmall), "1 to 3 px"), patch(css(kMiddle), "4 to 50"),
                                patch(css(kLarge), "above 50"), patch(css(kMeasured), "measured")}};
  if (report.measure.left_out > 0) shown.keys.push_back(patch(css(kLeftOut), "left out"));
  return shown;
}

Report::Figure depth_residual_figure(const DepthReport& report) {
  const DepthPicture& p = report.picture;
  const double scale = residual_scale(p.residual);
  const auto color = [&](std::size_t i) {
    if (std::isnan(p.residual[i])) return kLostColor;
    return signed_color(scale > 0.0 ? double{p.residual[i]} / scale : 0.0);
  };
  const std::string_view unit = report.measure.focal_baseline_px_m ? "px of disparity" : "1/m of inverse depth";
  return {.picture = picture(p, "Residuals of the cubics", color),
          .lead = "What the cubic of each patch leaves: ",
          .keys = {patch(css(kLowColor), fmt::format("-{:.2g}", scale)),
                   patch(css(kHighColor), fmt::format("{:.2g} {}", scale, unit)), patch(css(kLostColor), "no patch")}};
}

/// Correlation against lag; of the second report in other strokes.
std::string correlation_figure(std::span<const DepthReport> reports) {
  Plot plot("Correlation of the error against the distance of pixels",
            {.low = 0.0, .high = DepthMeasure::kLags, .label = "apart (px, frames)"},
            {.low = -0.2, .high = 1.0, .label = "correlation"});
  plot.draw_horizontal(0.0, "mark");
  for (std::size_t k = 0; k < std::min<std::size_t>(2, reports.size()); ++k) {
    const DepthMeasure& m = reports[k].measure;
    const char* other = k == 0 ? "" : " other";
    const auto draw = [&](const std::vector<Estimate>& estimates, std::string_view css_class) {
      if (estimates.empty() || m.patches.used == 0) return;
      std::vector<double> x = {0.0}, y = {1.0};
      for (const double value : numbers_of(estimates)) {
        x.push_back(static_cast<double>(x.size()));
        y.push_back(value);
      }
      plot.draw_line(x, y, fmt::format("{}{}", css_class, other));
    };
    draw(m.across, "hit-line"), draw(m.down, "short-line"), draw(m.in_time, "model");
  }
  return plot.svg();
}

/// The share of hole pixels by the size of their blobs, in octaves.
std::string blob_figure(std::span<const DepthReport> reports) {
  std::size_t octaves = 7;  // to 127 px at least
  double top = 0.1;
  for (const DepthReport& report : reports) {
    octaves = std::max(octaves, report.measure.blobs_by_size.size());
    for (const DepthMeasure::Blobs& blobs : report.measure.blobs_by_size) {
      top = std::max(top, static_cast<double>(blobs.pixels) / static_cast<double>(report.measure.holes));
    }
  }
  std::vector<double> edges;
  for (std::size_t k = 0; k <= octaves; ++k) edges.push_back(std::ldexp(1.0, static_cast<int>(k)));
  Plot plot("Share of hole pixels by the size of their blobs",
            {.low = 1.0, .high = edges.back(), .label = "pixels of the blob", .logarithmic = true},
            {.low = 0.0, .high = 1.1 * top, .label = "share of hole pixels"});
  for (std::size_t k = 0; k < std::min<std::size_t>(2, reports.size()); ++k) {
    const DepthMeasure& m = reports[k].measure;
    std::vector<double> shares(octaves);
    for (std::size_t i = 0; i < m.blobs_by_size.size(); ++i) {
      shares[i] = static_cast<double>(m.blobs_by_size[i].pixels) / static_cast<double>(m.holes);
    }
    if (k == 0) plot.fill_steps(edges, std::vector<double>(octaves), shares, "pit");
    if (k == 1) plot.draw_steps(edges, shares, "model");
  }
  return plot.svg();
}

using Json = Report::Json;
using Row = std::vector<Report::Cell>;

constexpr std::array<const char*, DepthMeasure::kBlobClasses> kClassNames = {"1 to 3", "4 to 50", "51 and more"};

/// "0.0800 ± 0.0012"; a dash where nothing is known.
std::string number(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "–";
}
std::string number(const Estimate& e, int decimals, double unit = 1.0) {
  const std::string text = number(e.value * unit, decimals);
  return std::isfinite(e.value) ? with_error(text, e.std_error * unit, "{:.1g}") : text;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}
std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "–" : fmt::format("{:.2f} %", 100.0 * share(part, whole));
}

/// One line for each report beside the others.
template <class F>
void add_row(Report::Table& table, std::string name, std::span<const DepthReport> reports, F text) {
  Row row = {{std::move(name)}};
  for (const DepthReport& report : reports) row.push_back({text(report.measure)});
  table.rows.push_back(std::move(row));
}

/// "across", or "across (2)" of the second of several.
Report::Table numbered(std::string first, std::span<const DepthReport> reports, std::span<const char* const> columns) {
  Report::Table table{.columns = {{std::move(first), false}}, .rows = {}};
  for (std::size_t k = 0; k < reports.size(); ++k) {
    for (const char* column : columns) {
      table.columns.push_back({reports.size() == 1 ? column : fmt::format("{} ({})", column, k + 1)});
    }
  }
  return table;
}

Report::Table named(std::span<const DepthReport> reports) {
  Report::Table table{.columns = {{"", false}}, .rows = {}};
  for (std::size_t k = 0; k < reports.size(); ++k) {
    table.columns.push_back({reports.size() == 1 ? reports[k].name : fmt::format("({}) {}", k + 1, reports[k].name)});
  }
  return table;
}

using Measure = DepthMeasure;

Report::Table error_table(std::span<const DepthReport> reports) {
  Report::Table table = named(reports);
  const auto add = [&](const char* name, auto text) { add_row(table, name, reports, text); };
  add("frames", [](const Measure& m) { return fmt::format("{} of {} x {}", m.frames, m.cols, m.rows); });
  add("focal length x baseline, px m",
      [](const Measure& m) { return m.focal_baseline_px_m ? fmt::format("{:.6g}", *m.focal_baseline_px_m) : "–"; });
  add("deviation of disparity, px", [](const Measure& m) { return number(m.deviation_px, 4); });
  add("deviation of depth, mm", [](const Measure& m) { return number(m.deviation_m, 3, 1e3); });
  add("what the cubic leaves, px", [](const Measure& m) { return number(m.residual_px, 4); });
  add("what the cubic leaves, mm", [](const Measure& m) { return number(1e3 * m.residual_m, 3); });
  add("patches used", [](const Measure& m) { return fmt::format("{} of {}", m.patches.used, m.patches.all); });
  add("patches with holes", [](const Measure& m) { return percent(m.patches.with_hole, m.patches.all); });
  add("patches with steps", [](const Measure& m) { return percent(m.patches.with_step, m.patches.all); });
  add("rough patches", [](const Measure& m) { return percent(m.patches.rough, m.patches.all); });
  return table;
}

Report::Table correlation_table(std::span<const DepthReport> reports) {
  bool in_time = false;
  for (const DepthReport& report : reports) in_time = in_time || !report.measure.in_time.empty();
  std::vector<const char*> columns = {"across", "down", "across, cubic off", "down, cubic off"};
  if (in_time) columns.push_back("in time");
  Report::Table table = numbered("px or frames apart", reports, columns);
  for (std::uint32_t lag = 0; lag < DepthMeasure::kLags; ++lag) {
    Row row = {{std::to_string(lag + 1)}};
    for (const DepthReport& report : reports) {
      const Measure& m = report.measure;
      row.push_back({number(m.across[lag], 3)}), row.push_back({number(m.down[lag], 3)});
      row.push_back({number(m.across_residual[lag], 3)}), row.push_back({number(m.down_residual[lag], 3)});
      if (in_time) row.push_back({m.in_time.empty() ? "–" : number(m.in_time[lag], 3)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

using Classes = std::array<Measure::Blobs, Measure::kBlobClasses>;

std::uint64_t pixels_of(const Classes& blobs) {
  std::uint64_t pixels = 0;
  for (const Measure::Blobs& b : blobs) pixels += b.pixels;
  return pixels;
}

Report::Table hole_table(std::span<const DepthReport> reports) {
  Report::Table table = named(reports);
  Row how = {{"left out"}};
  for (const DepthReport& report : reports) {
    how.push_back({report.left_out_by.empty() ? "nothing: all holes count" : report.left_out_by});
  }
  table.rows.push_back(std::move(how));
  add_row(table, "pixels left out", reports,
          [](const Measure& m) { return percent(m.left_out, m.left_out + m.pixels); });
  add_row(table, "share of pixels", reports, [](const Measure& m) { return percent(m.holes, m.pixels); });
  for (std::size_t k = 0; k < DepthMeasure::kBlobClasses; ++k) {
    add_row(table, fmt::format("of hole pixels in blobs of {} px", kClassNames[k]), reports,
            [k](const Measure& m) { return percent(m.blobs[k].pixels, m.holes); });
  }
  for (std::size_t k = 0; k < DepthMeasure::kBlobClasses; ++k) {
    add_row(table, fmt::format("blobs of {} px a frame", kClassNames[k]), reports,
            [k](const Measure& m) { return number(share(m.blobs[k].count, m.frames), 1); });
  }
  add_row(table, "largest blob, px", reports, [](const Measure& m) { return std::to_string(m.largest_blob); });
  add_row(table, "whole blobs, share of pixels", reports,
          [](const Measure& m) { return percent(pixels_of(m.whole_blobs), m.pixels); });
  for (std::size_t k = 0; k < DepthMeasure::kBlobClasses; ++k) {
    add_row(table, fmt::format("of their pixels in blobs of {} px", kClassNames[k]), reports,
            [k](const Measure& m) { return percent(m.whole_blobs[k].pixels, pixels_of(m.whole_blobs)); });
  }
  return table;
}

std::string band_name(const Measure::Band& band) {
  return std::isfinite(band.high_m) ? fmt::format("{:.6g} to {:.6g}", band.low_m, band.high_m)
                                    : fmt::format("{:.6g} and more", band.low_m);
}

Report::Table band_table(std::span<const DepthReport> reports) {
  constexpr std::array<const char*, 5> kColumns = {"pixels", "holes", "patches", "px", "mm"};
  Report::Table table = numbered("distance, m", reports, kColumns);
  for (std::size_t k = 0; k < reports.front().measure.bands.size(); ++k) {
    Row row = {{band_name(reports.front().measure.bands[k])}};
    for (const DepthReport& report : reports) {
      if (k >= report.measure.bands.size()) {
        row.insert(row.end(), kColumns.size(), {"–"});
        continue;
      }
      const Measure::Band& band = report.measure.bands[k];
      row.push_back({percent(band.pixels, report.measure.pixels)});
      row.push_back({percent(band.holes, band.pixels)}), row.push_back({std::to_string(band.patches)});
      row.push_back({number(band.deviation_px, 4)}), row.push_back({number(1e3 * band.deviation_m, 3)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json to_json(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number_or_null(value));
  return json;
}

Json classes_json(const Classes& blobs) {
  constexpr std::array<std::uint32_t, DepthMeasure::kBlobClasses> kLeast = {1, 4, 51};
  Json json = Json::array();
  for (std::size_t k = 0; k < DepthMeasure::kBlobClasses; ++k) {
    json.push_back({{"least_px", kLeast[k]},
                    {"blobs", blobs[k].count},
                    {"pixels", blobs[k].pixels},
                    {"share_of_holes", number_or_null(share(blobs[k].pixels, pixels_of(blobs)))}});
  }
  return json;
}

Json holes_json(const DepthReport& report) {
  const Measure& m = report.measure;
  Json json = {{"left_out", m.left_out}};
  json["left_out_by"] = report.left_out_by.empty() ? Json(nullptr) : Json(report.left_out_by);
  json["pixels"] = m.pixels;
  json["holes"] = m.holes;
  json["share"] = number_or_null(share(m.holes, m.pixels));
  json["blobs"] = classes_json(m.blobs);
  Json by_size = Json::array();
  for (std::size_t k = 0; k < m.blobs_by_size.size(); ++k) {
    by_size.push_back({{"least_px", std::uint64_t{1} << k},
                       {"blobs", m.blobs_by_size[k].count},
                       {"pixels", m.blobs_by_size[k].pixels}});
  }
  json["blobs_by_size"] = by_size;
  json["largest_blob_px"] = m.largest_blob;
  json["whole_blobs"] = classes_json(m.whole_blobs);
  json["without_neighbour"] = m.holes_without_neighbour;
  return json;
}

Json to_json(const DepthReport& report) {
  const Measure& m = report.measure;
  Json json = {{"name", report.name}, {"frames", m.frames}, {"rows", m.rows}, {"cols", m.cols}};
  json["focal_baseline_px_m"] = m.focal_baseline_px_m ? Json(*m.focal_baseline_px_m) : Json(nullptr);
  json["patches"] = {{"all", m.patches.all},
                     {"with_hole", m.patches.with_hole},
                     {"with_step", m.patches.with_step},
                     {"rough", m.patches.rough},
                     {"used", m.patches.used}};
  json["deviation_px"] = estimate_json(m.deviation_px);
  json["deviation_m"] = estimate_json(m.deviation_m);
  json["residual_px"] = number_or_null(m.residual_px);
  json["residual_m"] = number_or_null(m.residual_m);
  json["correlation"] = {{"across", estimates_json(m.across)},
                         {"down", estimates_json(m.down)},
                         {"across_residual", to_json(m.across_residual)},
                         {"down_residual", to_json(m.down_residual)},
                         {"in_time", estimates_json(m.in_time)}};
  json["holes"] = holes_json(report);
  Json bands = Json::array();
  for (const Measure::Band& band : m.bands) {
    bands.push_back({{"low_m", band.low_m},
                     {"high_m", number_or_null(band.high_m)},
                     {"pixels", band.pixels},
                     {"holes", band.holes},
                     {"patches", band.patches},
                     {"deviation_px", number_or_null(band.deviation_px)},
                     {"deviation_m", number_or_null(band.deviation_m)}});
  }
  json["bands"] = bands;
  json["flags"] = m.flags;
  return json;
}

Report::Tiles depth_tiles(const DepthReport& report) {
  const DepthMeasure& m = report.measure;
  const std::string error = m.focal_baseline_px_m ? text_or_dash(m.deviation_px.value, "{:.4f} px")
                                                  : text_or_dash(1e3 * m.deviation_m.value, "{:.3f} mm");
  return {{error, m.focal_baseline_px_m ? "deviation of disparity" : "deviation of depth"},
          {text_or_dash(m.across[0].value, "{:.3f}"), "correlation 1 px across"},
          {text_or_dash(m.down[0].value, "{:.3f}"), "correlation 1 px down"},
          {text_or_dash(100.0 * share(m.holes, m.pixels), "{:.2f} %"),
           m.left_out > 0 ? "holes, without pixels left out" : "holes"}};
}

/// Says which pixels the shares of holes count.
std::string depths_counted(const DepthReport& report) {
  const DepthMeasure& m = report.measure;
  if (report.left_out_by.empty()) {
    return "All holes count, also where nothing is within the camera's reach: nothing says which these are.";
  }
  return fmt::format("{:.2f} % of the pixels are left out ({}). Shares of holes count the remaining pixels.",
                     100.0 * static_cast<double>(m.left_out) / static_cast<double>(m.left_out + m.pixels),
                     report.left_out_by);
}

Report::Section depth_section(const DepthReport& report) {
  const auto figures = [&report] {
    return std::vector<Report::Figure>{depth_figure(report), hole_figure(report), depth_residual_figure(report)};
  };
  return {.head = report.name,
          .pieces = {depth_tiles(report), Report::Text{{depths_counted(report)}}, Report::Figures(figures)}};
}

std::vector<Report::Figure> depth_curves(std::span<const DepthReport> reports) {
  const std::string beside = reports.size() > 1 ? "; dashed, and as a line: the second folder" : "";
  return {{.picture = correlation_figure(reports),
           .keys = {stroke("var(--hit)", "across"), stroke("var(--short)", "down"),
                    stroke("#b3202c", "in time, of still frames")},
           .caption = beside},
          {.picture = blob_figure(reports),
           .caption = "Hole pixels by the size of the blob that they belong to, in octaves" + beside}};
}

Report report_of(std::span<const DepthReport> reports) {
  Report out{.kind = "depth_camera", .title = "Depth camera measured"};
  out.intro =
      "The error is what a cubic leaves of the inverse depths of a patch of 24 x 24 pixels. Deviation and correlations "
      "are corrected for what the cubic takes with it; columns with \"cubic off\" are not. Whole blobs touch "
      "neither the border of the image nor pixels left out. The size of other blobs is unknown.";
  for (const DepthReport& report : reports) {
    const std::string name = reports.size() > 1 ? report.name + ": " : "";
    for (const std::string& flag : report.measure.flags) {
      out.findings.push_back({Report::Severity::kNote, name + flag});
    }
    out.refuse(report.measure.patches.used == 0,
               name + "no patch is without holes and steps: nothing is known of the error");
    out.sections.push_back(depth_section(report));
  }
  out.sections.push_back(
      {.head = "Correlation and blobs", .pieces = {Report::Figures([reports] { return depth_curves(reports); })}});
  out.sections.push_back({.head = "Error", .pieces = {error_table(reports)}});
  out.sections.push_back({.head = "Correlation of the error", .pieces = {correlation_table(reports)}});
  out.sections.push_back({.head = "Holes", .pieces = {hole_table(reports)}});
  out.sections.push_back({.head = "By distance", .pieces = {band_table(reports)}});
  return out;
}

std::string depth_json(const Report& report, std::span<const DepthReport> reports) {
  Json json = {{"kind", report.kind}, {"usable", report.unusable.empty()}, {"reason", text_or_null(report.unusable)}};
  json.update(to_json(reports.front()));
  for (const DepthReport& other : reports.subspan(1)) json["compared_with"].push_back(to_json(other));
  return json_file_text(json);
}

void require_any(std::span<const DepthReport> reports) {
  if (reports.empty()) throw InputError("there is no measurement to report");
}

}  // namespace

std::string report_text(std::span<const DepthReport> reports, ReportForm form) {
  require_any(reports);
  const Report report = report_of(reports);
  return form == ReportForm::kJson ? depth_json(report, reports) : text_of(report, form);
}

std::vector<fs::path> depth_report_files(const fs::path& folder) { return result_files(kMeasure, folder); }

void check_depth_report_folder(const fs::path& folder, bool force) { check_result_folder(kMeasure, folder, force); }

void write_depth_report(const fs::path& folder, std::span<const DepthReport> reports, bool force) {
  require_any(reports);
  check_depth_report_folder(folder, force);  // before the work
  const Report report = report_of(reports);
  const std::vector<ResultFile> files = {{"report.html", html_text(report)},
                                         {"measure.json", depth_json(report, reports)}};
  write_results(kMeasure, folder, files, force);
}

}  // namespace fathom
