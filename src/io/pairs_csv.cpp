// Pairs to learn from: (range, expected range) and (energy, lost).

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <fathom/beam/scan.hpp>
#include <fathom/calibrate.hpp>
#include <fathom/error.hpp>

#include "base/text.hpp"
#include "io/csv_columns.hpp"

namespace fathom {

namespace {

std::vector<float> narrow(const std::vector<double>& values) { return {values.begin(), values.end()}; }

}  // namespace

RangePairs read_range_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 3> kColumns = {{{"range_m"}, {"expected_m"}, {"scan", false}}};
  const auto columns = read_csv_columns(file, kColumns);
  return {narrow(columns[0]), narrow(columns[1])};
}

BeamData read_beam_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 3> kColumns = {{{"range_m"}, {"expected_m"}, {"scan", false}}};
  const auto columns = read_csv_columns(file, kColumns);
  BeamData data = {narrow(columns[0]), narrow(columns[1]), {}};
  for (std::size_t i = 0; i < data.reading_m.size(); ++i) {
    const double scan = columns[2].empty() ? static_cast<double>(i) : columns[2][i];
    if (!(scan >= 0 && scan <= std::numeric_limits<std::uint32_t>::max() && scan == std::floor(scan))) {
      throw InputError(
          fmt::format("{}: pair {}: scan = {} is not a number of a scan", file.string(), i, number_text(scan)));
    }
    data.scan.push_back(static_cast<std::uint32_t>(scan));
  }
  return data;
}

EnergyPairs read_energy_pairs(const std::filesystem::path& file) {
  constexpr std::array<CsvColumn, 2> kColumns = {{{"energy"}, {"lost"}}};
  const auto columns = read_csv_columns(file, kColumns);
  EnergyPairs pairs = {narrow(columns[0]), {}};
  for (std::size_t i = 0; i < columns[1].size(); ++i) {
    const double lost = columns[1][i];
    if (!(lost == 0.0 || lost == 1.0)) {
      throw InputError(fmt::format("{}: pair {}: lost = {} is not 0 or 1", file.string(), i, number_text(lost)));
    }
    pairs.lost.push_back(lost == 1.0 ? 1 : 0);
  }
  return pairs;
}

}  // namespace fathom
