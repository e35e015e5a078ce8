// SPDX-License-Identifier: MIT
// What was measured of depth images, as tables and as JSON.

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fathom/calibrate/depth_report.hpp>

#include "report/number_json.hpp"

namespace fathom {

namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

constexpr std::array<const char*, DepthMeasure::kBlobClasses> kClassNames = {"1 to 3", "4 to 50", "51 and more"};

/// "0.0800 +- 0.0012"; "-" where nothing is known.
std::string number(double value, int decimals) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : "-";
}
std::string number(const Estimate& e, int decimals, double unit = 1.0) {
  std::string text = number(e.value * unit, decimals);
  if (std::isfinite(e.value) && std::isfinite(e.std_error)) text += fmt::format(" +- {:.1g}", e.std_error * unit);
  return text;
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}
std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.2f} %", 100.0 * share(part, whole));
}

/// One line for each report beside the others.
template <class F>
void add_row(DepthTable& table, std::string name, std::span<const DepthReport> reports, F text) {
  Row row = {std::move(name)};
  for (const DepthReport& report : reports) row.push_back(text(report.measure));
  table.rows.push_back(std::move(row));
}

/// "across", or "across (2)" of the second of several.
Row numbered(std::string first, std::span<const DepthReport> reports, std::span<const char* const> columns) {
  Row row = {std::move(first)};
  for (std::size_t k = 0; k < reports.size(); ++k) {
    for (const char* column : columns) {
      row.push_back(reports.size() == 1 ? column : fmt::format("{} ({})", column, k + 1));
    }
  }
  return row;
}

Row names_of(std::string first, std::span<const DepthReport> reports) {
  Row row = {std::move(first)};
  for (std::size_t k = 0; k < reports.size(); ++k) {
    row.push_back(reports.size() == 1 ? reports[k].name : fmt::format("({}) {}", k + 1, reports[k].name));
  }
  return row;
}

using Measure = DepthMeasure;

DepthTable error_table(std::span<const DepthReport> reports) {
  DepthTable table{.title = "Error", .rows = {names_of("", reports)}};
  const auto add = [&](const char* name, auto text) { add_row(table, name, reports, text); };
  add("frames", [](const Measure& m) { return fmt::format("{} of {} x {}", m.frames, m.cols, m.rows); });
  add("focal length x baseline, px m",
      [](const Measure& m) { return m.focal_baseline_px_m ? fmt::format("{:.6g}", *m.focal_baseline_px_m) : "-"; });
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

DepthTable correlation_table(std::span<const DepthReport> reports) {
  DepthTable table{.title = "Correlation of the error", .rows = {}};
  bool in_time = false;
  for (const DepthReport& report : reports) in_time = in_time || !report.measure.in_time.empty();
  std::vector<const char*> columns = {"across", "down", "across, cubic off", "down, cubic off"};
  if (in_time) columns.push_back("in time");
  table.rows.push_back(numbered("px or frames apart", reports, columns));
  for (std::uint32_t lag = 0; lag < DepthMeasure::kLags; ++lag) {
    Row row = {std::to_string(lag + 1)};
    for (const DepthReport& report : reports) {
      const Measure& m = report.measure;
      row.insert(row.end(), {number(m.across[lag], 3), number(m.down[lag], 3), number(m.across_residual[lag], 3),
                             number(m.down_residual[lag], 3)});
      if (in_time) row.push_back(m.in_time.empty() ? "-" : number(m.in_time[lag], 3));
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

DepthTable hole_table(std::span<const DepthReport> reports) {
  DepthTable table{.title = "Holes", .rows = {names_of("", reports)}};
  Row how = {"left out"};
  for (const DepthReport& report : reports) {
    how.push_back(report.left_out_by.empty() ? "nothing: all holes count" : report.left_out_by);
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

DepthTable band_table(std::span<const DepthReport> reports) {
  DepthTable table{.title = "By distance", .rows = {}};
  constexpr std::array<const char*, 5> kColumns = {"pixels", "holes", "patches", "px", "mm"};
  table.rows.push_back(numbered("distance, m", reports, kColumns));
  for (std::size_t k = 0; k < reports.front().measure.bands.size(); ++k) {
    Row row = {band_name(reports.front().measure.bands[k])};
    for (const DepthReport& report : reports) {
      if (k >= report.measure.bands.size()) {
        row.insert(row.end(), kColumns.size(), "-");
        continue;
      }
      const Measure::Band& band = report.measure.bands[k];
      row.insert(row.end(),
                 {percent(band.pixels, report.measure.pixels), percent(band.holes, band.pixels),
                  std::to_string(band.patches), number(band.deviation_px, 4), number(1e3 * band.deviation_m, 3)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Json to_json(const Estimate& e) {
  return {{"value", number_or_null(e.value)}, {"std_error", number_or_null(e.std_error)}};
}
Json to_json(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(number_or_null(value));
  return json;
}
Json to_json(const std::vector<Estimate>& estimates) {
  Json json = Json::array();
  for (const Estimate& e : estimates) json.push_back(to_json(e));
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
  json["deviation_px"] = to_json(m.deviation_px);
  json["deviation_m"] = to_json(m.deviation_m);
  json["residual_px"] = number_or_null(m.residual_px);
  json["residual_m"] = number_or_null(m.residual_m);
  json["correlation"] = {{"across", to_json(m.across)},
                         {"down", to_json(m.down)},
                         {"across_residual", to_json(m.across_residual)},
                         {"down_residual", to_json(m.down_residual)},
                         {"in_time", to_json(m.in_time)}};
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

}  // namespace

std::vector<DepthTable> depth_tables(std::span<const DepthReport> reports) {
  if (reports.empty()) return {};
  return {error_table(reports), correlation_table(reports), hole_table(reports), band_table(reports)};
}

std::string depth_json(std::span<const DepthReport> reports) {
  if (reports.empty()) return "{}\n";
  Json json = to_json(reports.front());
  for (const DepthReport& other : reports.subspan(1)) json["compared_with"].push_back(to_json(other));
  return json_file_text(json);
}

}  // namespace fathom
