// SPDX-License-Identifier: MIT
#include <array>

#include <fmt/format.h>

#include <fathom/calibrate/calibrate.hpp>

#include "base/text.hpp"
#include "text/csv_columns.hpp"

namespace fathom {

namespace {

std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

void check_energy_value(const LogLine& line, std::size_t column, double value) {
  if (column == 1 && value != 0.0 && value != 1.0) {
    line.fail(fmt::format("lost = {} is not 0 or 1", number_text(value)));
  }
}

}  // namespace

void append_pairs(const Frame& frame, RangePairs& pairs) {
  const auto reason = frame.reason();
  const auto range = frame.range_m(), expected = frame.clean_range_m();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    if (reason[i] != Reason::kHit) continue;
    pairs.range_m.push_back(range[i]);
    pairs.expected_m.push_back(expected[i]);
  }
}

void append_pairs(const Frame& frame, EnergyPairs& pairs) {
  const auto reason = frame.reason();
  const auto energy = frame.energy();
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const std::optional<std::uint8_t> lost = lost_by_energy(reason[i]);
    if (!lost) continue;
    pairs.energy.push_back(energy[i]);
    pairs.lost.push_back(*lost);
  }
}

RangePairs read_range_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 3> kColumns = {{{"range_m"}, {"expected_m"}, {"scan", false}}};
  const auto columns = read_csv_columns(file, kColumns, [](const LogLine& line, std::size_t column, double value) {
    if (column == 1) check_expected(line, value);
    if (column == 2) check_scan(line, value, 0.0);
  });
  RangePairs pairs = {narrow(columns[0]), narrow(columns[1])};
  for (const double scan : columns[2]) pairs.scan.push_back(static_cast<std::uint32_t>(scan));
  return pairs;
}

EnergyPairs read_energy_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 2> kColumns = {{{"energy"}, {"lost"}}};
  const auto columns = read_csv_columns(file, kColumns, check_energy_value);
  return {narrow(columns[0]), {columns[1].begin(), columns[1].end()}};
}

}  // namespace fathom
