// SPDX-License-Identifier: MIT
#pragma once
// Tables of numbers: CSV whose header names the columns.

#include <cmath>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "text/log_line.hpp"

namespace fathom {

struct CsvColumn {
  std::string_view name;
  bool required = true;
};

/// May refuse the value of the column with that position among those asked for, with line.fail().
using CsvCheck = std::function<void(const LogLine& line, std::size_t column, double value)>;

/// A scan number: whole, and not below `least`, which is the one before where they must not decrease.
inline void check_scan(const LogLine& line, double value, double least) {
  constexpr double kMost = 4294967295.0;
  if (value >= least && value <= kMost && value == std::floor(value)) return;
  line.fail(fmt::format("scan = {} is not a whole number in [{}, {}]", number_text(value), least, kMost));
}

inline void check_expected(const LogLine& line, double value) {
  if (!(value >= 0.0)) line.fail(fmt::format("expected_m = {} is not at least 0", number_text(value)));
}

/// One vector per column asked for, [lines]; empty for an optional column that is not there. Numbers may be inf or nan;
/// `#` begins a comment line; gzip is inflated. Throws InputError naming file and line: a column unknown, missing or
/// there twice, a line with another number of values, what is not a number, or no lines at all.
std::vector<std::vector<double>> read_csv_columns(const std::filesystem::path& file, std::span<const CsvColumn> columns,
                                                  const CsvCheck& check = {});

}  // namespace fathom
