// SPDX-License-Identifier: MIT
// Pairs to learn from: (range, expected range) and (energy, lost).

#include <array>
#include <numeric>

#include <fmt/format.h>

#include <fathom/beam/scan.hpp>
#include <fathom/calibrate/calibrate.hpp>

#include "base/text.hpp"
#include "text/csv_columns.hpp"

namespace fathom {

namespace {

std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

constexpr std::array<CsvColumn, 3> kRangeColumns = {{{"range_m"}, {"expected_m"}, {"scan", false}}};

void check_energy_value(const LogLine& line, std::size_t column, double value) {
  if (column == 1 && value != 0.0 && value != 1.0) {
    line.fail(fmt::format("lost = {} is not 0 or 1", number_text(value)));
  }
}

}  // namespace

RangePairs read_range_pairs(const std::filesystem::path& file) {
  const auto columns = read_csv_columns(file, kRangeColumns, [](const LogLine& line, std::size_t column, double value) {
    if (column == 1) check_expected(line, value);
    if (column == 2) check_scan(line, value, 0.0);
  });
  return {narrow(columns[0]), narrow(columns[1])};
}

BeamData read_beam_pairs(const std::filesystem::path& file) {
  double last_scan = 0.0;
  const auto columns =
      read_csv_columns(file, kRangeColumns, [&](const LogLine& line, std::size_t column, double value) {
        if (column == 1) check_expected(line, value);
        if (column != 2) return;
        check_scan(line, value, last_scan);
        last_scan = value;
      });
  BeamData data = {narrow(columns[0]), narrow(columns[1]), {}};
  data.scan.assign(columns[2].begin(), columns[2].end());
  if (columns[2].empty()) {  // every pair its own scan
    data.scan.resize(data.reading_m.size());
    std::iota(data.scan.begin(), data.scan.end(), 0U);
  }
  return data;
}

EnergyPairs read_energy_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 2> kColumns = {{{"energy"}, {"lost"}}};
  const auto columns = read_csv_columns(file, kColumns, check_energy_value);
  return {narrow(columns[0]), {columns[1].begin(), columns[1].end()}};
}

}  // namespace fathom
