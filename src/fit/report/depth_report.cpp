// SPDX-License-Identifier: MIT
// The report of a measured depth camera, and its folder: report.html and measure.json.

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>

#include <fmt/format.h>

#include "fit/report/figures.hpp"
#include "report/report.hpp"

namespace fathom {

namespace {

namespace fs = std::filesystem;

using Json = Report::Json;
using Row = std::vector<Report::Cell>;

constexpr std::array<const char*, DepthMeasure::kBlobClasses> kClassNames = {"1 to 3", "4 to 50", "51 and more"};

/// "0.0800 ± 0.0012"; a dash where nothing is known.
std::string number(const Estimate& e, std::string_view form, double unit = 1.0) {
  return with_error(text_or_dash(e.value * unit, form), e.std_error * unit, "{:.1g}");
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}
std::string percent(std::uint64_t part, std::uint64_t whole) {
  return text_or_dash(100.0 * share(part, whole), "{:.2f} %");
}

/// One line for each report beside the others. `text`: of a report, or of its measurement.
template <class F>
void add_row(Report::Table& table, std::string name, std::span<const DepthReport::Folder> reports, F text) {
  Row row = {{std::move(name)}};
  for (const DepthReport::Folder& report : reports) {
    if constexpr (std::invocable<F, const DepthReport::Folder&>) {
      row.push_back({text(report)});
    } else {
      row.push_back({text(report.measure)});
    }
  }
  table.rows.push_back(std::move(row));
}

std::string size_text(const DepthMeasure& m) { return fmt::format("{} of {} x {}", m.frames, m.cols, m.rows); }

std::string left_out_text(const DepthReport::Folder& report) {
  return report.left_out_by.empty() ? "nothing: all holes count" : report.left_out_by;
}

/// "across", or "across (2)" of the second of several.
Report::Table numbered(std::string first, std::span<const DepthReport::Folder> reports,
                       std::span<const char* const> columns) {
  Report::Table table{.columns = {{std::move(first), false}}, .rows = {}};
  for (std::size_t k = 0; k < reports.size(); ++k) {
    for (const char* column : columns) {
      table.columns.push_back({reports.size() == 1 ? column : fmt::format("{} ({})", column, k + 1)});
    }
  }
  return table;
}

Report::Table named(std::span<const DepthReport::Folder> reports) {
  Report::Table table{.columns = {{"", false}}, .rows = {}};
  for (std::size_t k = 0; k < reports.size(); ++k) {
    table.columns.push_back({reports.size() == 1 ? reports[k].name : fmt::format("({}) {}", k + 1, reports[k].name)});
  }
  return table;
}

using Measure = DepthMeasure;

/// The numbers to compare first: at most 20 lines with the head.
Report::Table verdict_table(std::span<const DepthReport::Folder> reports) {
  Report::Table table = named(reports);
  if (reports.size() == 2) table.columns.push_back({"ratio"});
  const auto add = [&](std::string name, std::string_view form, auto value) {
    add_row(table, std::move(name), reports, [&](const Measure& m) { return text_or_dash(value(m), form); });
    const auto ratio = [&] { return value(reports[0].measure) / value(reports[1].measure); };
    if (reports.size() == 2) table.rows.back().push_back({text_or_dash(ratio(), "{:.2f}")});
  };
  add_row(table, "frames", reports, size_text), add_row(table, "left out", reports, left_out_text);
  for (Row& row : table.rows) row.resize(table.columns.size());
  add("deviation of disparity, px", "{:.4f}", [](const Measure& m) { return m.deviation_px.value; });
  add("the same, cubic off, px", "{:.4f}", [](const Measure& m) { return m.residual_px; });
  for (const std::size_t lag : {std::size_t{0}, std::size_t{2}}) {
    add(fmt::format("correlation {} px across, cubic off", lag + 1), "{:.3f}",
        [lag](const Measure& m) { return m.across_residual[lag]; });
    add(fmt::format("correlation {} px down, cubic off", lag + 1), "{:.3f}",
        [lag](const Measure& m) { return m.down_residual[lag]; });
  }
  for (std::size_t k = 0; k < reports[0].measure.walls.size(); ++k) {
    add(fmt::format("deviation on a wall ({} px patches), px", reports[0].measure.walls[k].side_px), "{:.4f}",
        [k](const Measure& m) { return m.walls[k].deviation_px; });
  }
  if (!reports[0].measure.in_time.empty()) {
    add("correlation with the next frame", "{:.3f}",
        [](const Measure& m) { return m.in_time.empty() ? std::nan("") : m.in_time[0].value; });
  }
  add("holes, % of pixels", "{:.2f}", [](const Measure& m) { return 100.0 * share(m.holes, m.pixels); });
  add("holes of 1 to 3 px per 100 000 px", "{:.1f}",
      [](const Measure& m) { return 1e5 * share(m.blobs[0].count, m.pixels); });
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
    add(fmt::format("hole pixels in blobs of {} px, %", kClassNames[k]), "{:.2f}",
        [k](const Measure& m) { return 100.0 * share(m.blobs[k].pixels, m.holes); });
  }
  return table;
}

Report::Table error_table(std::span<const DepthReport::Folder> reports) {
  Report::Table table = named(reports);
  const auto add = [&](const char* name, auto text) { add_row(table, name, reports, text); };
  add("frames", size_text);
  add("focal length x baseline, px m",
      [](const Measure& m) { return m.focal_baseline_px_m ? fmt::format("{:.6g}", *m.focal_baseline_px_m) : "–"; });
  add("deviation of disparity, px", [](const Measure& m) { return number(m.deviation_px, "{:.4f}"); });
  add("deviation of depth, mm", [](const Measure& m) { return number(m.deviation_m, "{:.3f}", 1e3); });
  add("what the cubic leaves, px", [](const Measure& m) { return text_or_dash(m.residual_px, "{:.4f}"); });
  add("what the cubic leaves, mm", [](const Measure& m) { return text_or_dash(1e3 * m.residual_m, "{:.3f}"); });
  add("patches used", [](const Measure& m) { return fmt::format("{} of {}", m.patches.used, m.patches.all); });
  add("patches with holes", [](const Measure& m) { return percent(m.patches.with_hole, m.patches.all); });
  add("patches with steps", [](const Measure& m) { return percent(m.patches.with_step, m.patches.all); });
  add("rough patches", [](const Measure& m) { return percent(m.patches.rough, m.patches.all); });
  return table;
}

Report::Table correlation_table(std::span<const DepthReport::Folder> reports) {
  bool in_time = false;
  for (const DepthReport::Folder& report : reports) in_time = in_time || !report.measure.in_time.empty();
  std::vector<const char*> columns = {"across", "down", "across, cubic off", "down, cubic off"};
  if (in_time) columns.push_back("in time");
  Report::Table table = numbered("px or frames apart", reports, columns);
  for (std::uint32_t lag = 0; lag < DepthMeasure::kLags; ++lag) {
    Row row = {{std::to_string(lag + 1)}};
    for (const DepthReport::Folder& report : reports) {
      const Measure& m = report.measure;
      row.push_back({number(m.across[lag], "{:.3f}")}), row.push_back({number(m.down[lag], "{:.3f}")});
      row.push_back({text_or_dash(m.across_residual[lag], "{:.3f}")}),
          row.push_back({text_or_dash(m.down_residual[lag], "{:.3f}")});
      if (in_time) row.push_back({m.in_time.empty() ? "–" : number(m.in_time[lag], "{:.3f}")});
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

Report::Table hole_table(std::span<const DepthReport::Folder> reports) {
  Report::Table table = named(reports);
  const auto add = [&](std::string name, auto text) { add_row(table, std::move(name), reports, text); };
  const auto add_classes = [&](fmt::format_string<const char* const&> name, auto text) {
    for (std::size_t k = 0; k < DepthMeasure::kBlobClasses; ++k) {
      add(fmt::format(name, kClassNames[k]), [&](const Measure& m) { return text(m, k); });
    }
  };
  add("left out", left_out_text);
  add("pixels left out", [](const Measure& m) { return percent(m.left_out, m.left_out + m.pixels); });
  add("share of pixels", [](const Measure& m) { return percent(m.holes, m.pixels); });
  add_classes("of hole pixels in blobs of {} px",
              [](const Measure& m, std::size_t k) { return percent(m.blobs[k].pixels, m.holes); });
  add_classes("blobs of {} px a frame", [](const Measure& m, std::size_t k) {
    return text_or_dash(share(m.blobs[k].count, m.frames), "{:.1f}");
  });
  add("largest blob, px", [](const Measure& m) { return std::to_string(m.largest_blob); });
  add("whole blobs, share of pixels", [](const Measure& m) { return percent(pixels_of(m.whole_blobs), m.pixels); });
  add_classes("of their pixels in blobs of {} px", [](const Measure& m, std::size_t k) {
    return percent(m.whole_blobs[k].pixels, pixels_of(m.whole_blobs));
  });
  return table;
}

std::string band_name(const Measure::Band& band) {
  return std::isfinite(band.high_m) ? fmt::format("{:.6g} to {:.6g}", band.low_m, band.high_m)
                                    : fmt::format("{:.6g} and more", band.low_m);
}

Report::Table band_table(std::span<const DepthReport::Folder> reports) {
  constexpr std::array<const char*, 5> kColumns = {"pixels", "holes", "patches", "px", "mm"};
  Report::Table table = numbered("distance, m", reports, kColumns);
  for (std::size_t k = 0; k < reports.front().measure.bands.size(); ++k) {
    Row row = {{band_name(reports.front().measure.bands[k])}};
    for (const DepthReport::Folder& report : reports) {
      if (k >= report.measure.bands.size()) {
        row.insert(row.end(), kColumns.size(), {"–"});
        continue;
      }
      const Measure::Band& band = report.measure.bands[k];
      row.push_back({percent(band.pixels, report.measure.pixels)});
      row.push_back({percent(band.holes, band.pixels)}), row.push_back({std::to_string(band.patches)});
      row.push_back({text_or_dash(band.deviation_px, "{:.4f}")}),
          row.push_back({text_or_dash(1e3 * band.deviation_m, "{:.3f}")});
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

Json blobs_json(std::uint64_t least_px, const Measure::Blobs& blobs) {
  return {{"least_px", least_px}, {"blobs", blobs.count}, {"pixels", blobs.pixels}};
}

Json classes_json(const Classes& blobs) {
  constexpr std::array<std::uint32_t, DepthMeasure::kBlobClasses> kLeast = {1, 4, 51};
  Json json = Json::array();
  for (std::size_t k = 0; k < DepthMeasure::kBlobClasses; ++k) {
    json.push_back(blobs_json(kLeast[k], blobs[k]));
    json.back()["share_of_holes"] = number_or_null(share(blobs[k].pixels, pixels_of(blobs)));
  }
  return json;
}

Json holes_json(const DepthReport::Folder& report) {
  const Measure& m = report.measure;
  Json json = {{"left_out", m.left_out}, {"left_out_by", text_or_null(report.left_out_by)}, {"pixels", m.pixels}};
  json["holes"] = m.holes;
  json["share"] = number_or_null(share(m.holes, m.pixels));
  json["blobs"] = classes_json(m.blobs);
  Json by_size = Json::array();
  for (std::size_t k = 0; k < m.blobs_by_size.size(); ++k) {
    by_size.push_back(blobs_json(std::uint64_t{1} << k, m.blobs_by_size[k]));
  }
  json["blobs_by_size"] = by_size;
  json["largest_blob_px"] = m.largest_blob;
  json["whole_blobs"] = classes_json(m.whole_blobs);
  json["without_neighbour"] = m.holes_without_neighbour;
  return json;
}

Json to_json(const DepthReport::Folder& report) {
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
  json["walls"] = Json::array();
  for (const Measure::Wall& wall : m.walls) {
    json["walls"].push_back(
        {{"side_px", wall.side_px}, {"patches", wall.patches}, {"deviation_px", number_or_null(wall.deviation_px)}});
  }
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
  return json;
}

Report report_of(std::span<const DepthReport::Folder> reports) {
  if (reports.empty()) throw InputError("there is no measurement to report");
  Report out{.kind = "depth_camera", .title = "Depth camera measured"};
  out.intro =
      "The error is what a cubic leaves of the inverse depths of a patch of 24 x 24 pixels. Deviation and correlations "
      "are corrected for what the cubic takes with it; columns with \"cubic off\" are not. Whole blobs touch "
      "neither the border of the image nor pixels left out. The size of other blobs is unknown.";
  out.details = to_json(reports.front());
  for (const DepthReport::Folder& other : reports.subspan(1)) out.details["compared_with"].push_back(to_json(other));
  out.sections.push_back({.head = reports.size() > 1 ? "Verdict" : "In short", .pieces = {verdict_table(reports)}});
  for (const DepthReport::Folder& report : reports) {
    const std::string name = reports.size() > 1 ? report.name + ": " : "";
    for (const std::string& flag : report.measure.flags) out.fit.note("depth", name + flag);
    out.refuse(report.measure.patches.used == 0,
               name + "no patch is without holes and steps: nothing is known of the error");
    out.sections.push_back(
        {.head = report.name, .pieces = {Report::Figures([&report] { return depth_pictures(report); })}});
  }
  out.sections.push_back(
      {.head = "Correlation and blobs", .pieces = {Report::Figures([reports] { return depth_curves(reports); })}});
  const auto add_folded = [&out](const char* head, Report::Table table) {
    out.sections.push_back({.head = head, .pieces = {std::move(table)}, .is_folded = true});
  };
  add_folded("Error", error_table(reports)), add_folded("Correlation of the error", correlation_table(reports));
  add_folded("Holes", hole_table(reports)), add_folded("By distance", band_table(reports));
  return out;
}

}  // namespace

std::string DepthReport::text(ReportForm form, SettingNames names) const {
  return text_of(report_of(folders), form, names);
}

void DepthReport::write(const fs::path& folder, bool force) const {
  write_report(ResultKind::kDepth, folder, report_of(folders), {}, force);
}

}  // namespace fathom
