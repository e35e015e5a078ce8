// SPDX-License-Identifier: MIT
// CSV files of the beam model.

#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/beam/log_files.hpp>

#include "base/text.hpp"
#include "text/csv_columns.hpp"
#include "text/whole_file.hpp"

namespace fathom {

std::vector<PlanarPose> read_poses_csv(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 4> kColumns = {{{"x_m"}, {"y_m"}, {"yaw_rad"}, {"stamp_s", false}}};
  const auto columns = read_csv_columns(file, kColumns, [&](const LogLine& line, std::size_t column, double value) {
    if (std::isfinite(value)) return;
    line.fail(fmt::format("{} = {} is not finite", kColumns[column].name, number_text(value)));
  });
  std::vector<PlanarPose> poses;
  for (std::size_t i = 0; i < columns[0].size(); ++i) poses.push_back({columns[0][i], columns[1][i], columns[2][i]});
  return poses;
}

ExpectedTable read_expected_csv(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 2> kColumns = {{{"expected_m"}, {"scan", false}}};
  double last_scan = 0.0;
  const auto columns = read_csv_columns(file, kColumns, [&](const LogLine& line, std::size_t column, double value) {
    if (column == 0) return check_expected(line, value);
    check_scan(line, value, last_scan);
    last_scan = value;
  });
  ExpectedTable table = {{columns[0].begin(), columns[0].end()}, {}};
  for (const double scan : columns[1]) table.scan.push_back(static_cast<std::uint32_t>(scan));
  table.scan.resize(table.expected_m.size(), 0);
  return table;
}

std::string readings_csv(const ExpectedTable& expected, std::span<const float> reading_m) {
  std::string text = "scan,expected_m,reading_m\n";
  for (std::size_t i = 0; i < reading_m.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{},{},{}\n", expected.scan[i], expected.expected_m[i], reading_m[i]);
  }
  return text;
}

std::string scores_csv(std::span<const ScanScore> scores) {
  std::string text = "scan,x_m,y_m,yaw_rad,rays,log_likelihood\n";
  for (const ScanScore& s : scores) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", s.scan, s.pose.x_m, s.pose.y_m, s.pose.yaw_rad,
                   s.rays, s.log_likelihood);
  }
  return text;
}

std::string beam_scores_csv(std::span<const BeamScore> scores) {
  std::string text = "scan,ray,azimuth_rad,reading_m,expected_m,log_density,p_hit,p_short,p_max,p_rand\n";
  for (const BeamScore& s : scores) {
    fmt::format_to(std::back_inserter(text), "{},{},{:.9g},{},{},{:.9g},{:.6g},{:.6g},{:.6g},{:.6g}\n", s.scan, s.ray,
                   s.azimuth_rad, s.reading_m, s.expected_m, s.log_density, s.hit, s.shorts, s.max, s.rand);
  }
  return text;
}

void write_text_file(const std::filesystem::path& file, std::string_view text) { write_whole_file(file, text); }

BeamData read_beam_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 4> kColumns = {
      {{"range_m", false}, {"expected_m"}, {"scan", false}, {"reading_m", false}}};
  double last_scan = 0.0;
  auto columns = read_csv_columns(file, kColumns, [&](const LogLine& line, std::size_t column, double value) {
    if (column == 1) check_expected(line, value);
    if (column != 2) return;
    check_scan(line, value, last_scan);
    last_scan = value;
  });
  if (columns[0].empty() == columns[3].empty()) {
    throw InputError(fmt::format("{}: one of the columns 'range_m' and 'reading_m' is wanted, and there {}",
                                 file.string(), columns[0].empty() ? "is none" : "are both"));
  }
  const std::vector<double>& readings = columns[0].empty() ? columns[3] : columns[0];
  BeamData data;
  data.reading_m.assign(readings.begin(), readings.end());
  data.expected_m.assign(columns[1].begin(), columns[1].end());
  data.scan.assign(columns[2].begin(), columns[2].end());
  if (columns[2].empty()) {  // every pair its own scan
    data.scan.resize(data.reading_m.size());
    std::iota(data.scan.begin(), data.scan.end(), 0U);
  }
  return data;
}

}  // namespace fathom
