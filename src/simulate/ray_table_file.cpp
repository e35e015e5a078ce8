// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <fathom/base/error.hpp>
#include <fathom/files/ray_tables.hpp>

#include "base/text.hpp"
#include "simulate/ray_table_builder.hpp"
#include "text/gzip_text.hpp"
#include "text/npy.hpp"
#include "text/read_file.hpp"
#include "text/text_lines.hpp"

namespace fathom {

namespace {

TableColumns parse_csv_header(std::string_view line, const std::string& where) {
  TableColumns columns;
  for (const std::string_view name : split_cells(line)) {
    const auto found = std::find(kColumnNames.begin(), kColumnNames.end(), name);
    if (found == kColumnNames.end()) {
      throw InputError(fmt::format("{}: column '{}' is not one of ox, oy, oz, dx, dy, dz, range_m, ring, time_s{}",
                                   where, name.substr(0, 40), nearest_hint(name, kColumnNames)));
    }
    const auto column = static_cast<Column>(found - kColumnNames.begin());
    if (has(columns, column)) throw InputError(fmt::format("{}: column '{}' stands twice", where, name));
    columns.push_back(column);
  }
  for (std::size_t i = 0; i < kRequired; ++i) {
    if (!has(columns, static_cast<Column>(i))) {
      throw InputError(fmt::format("{}: column '{}' is missing", where, kColumnNames[i]));
    }
  }
  return columns;
}

RayPattern read_csv(const std::filesystem::path& file, float min_range_m, float max_range_m) {
  const std::string name = file.string(), text = read_gzip_text(file);
  std::optional<PatternBuilder> builder;
  std::vector<double> values;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    const auto where = [&] { return fmt::format("{}:{}", name, number); };
    if (trim(line).empty() || trim(line).front() == '#') return;
    if (!builder) {
      builder.emplace(parse_csv_header(line, where()), min_range_m, max_range_m);
      return;
    }
    const auto cells = split_cells(line);
    if (cells.size() != builder->columns()) {
      throw InputError(
          fmt::format("{}: {} values, the header has {} columns", where(), cells.size(), builder->columns()));
    }
    values.clear();
    for (const std::string_view cell : cells) {
      const auto value = parse_number<double>(cell);
      if (!value) throw InputError(fmt::format("{}: '{}' is not a number", where(), cell.substr(0, 40)));
      values.push_back(*value);
    }
    builder->add(values, where);
  });
  if (!builder) throw InputError(fmt::format("{}: holds no rays", name));
  return builder->take(name);
}

RayPattern read_npy_table(const std::filesystem::path& file, float min_range_m, float max_range_m) {
  const std::string name = file.string();
  const npy::Array table = npy::read(file);
  if (table.type != npy::Type::kFloat32 && table.type != npy::Type::kFloat64) {
    throw InputError(fmt::format("{}: a ray table holds float32 or float64", name));
  }
  if (table.shape.size() != 2 || table.shape[1] < kRequired || table.shape[1] > kColumns) {
    throw InputError(fmt::format("{}: a ray table has shape (n, 6 to 9)", name));
  }
  TableColumns columns;
  for (std::size_t i = 0; i < table.shape[1]; ++i) columns.push_back(static_cast<Column>(i));
  PatternBuilder builder(columns, min_range_m, max_range_m);
  std::vector<double> values(columns.size());
  for (std::size_t row = 0; row < table.shape[0]; ++row) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = table.at(row * values.size() + i);
    builder.add(values, [&] { return fmt::format("{}: row {} (from 0)", name, row); });
  }
  return builder.take(name);
}

}  // namespace

RayPattern read_ray_table(const std::filesystem::path& file, float min_range_m, float max_range_m) {
  if (!(min_range_m >= 0.0F && min_range_m < max_range_m && std::isfinite(max_range_m))) {
    throw InputError(fmt::format("{}: ranges {} to {} m are not 0 <= min_range_m < max_range_m", file.string(),
                                 min_range_m, max_range_m));
  }
  const std::string extension = file.extension().string();
  if (extension == ".npy") {
    return within_memory(file, [&] { return read_npy_table(file, min_range_m, max_range_m); });
  }
  if (extension == ".csv") {
    return within_memory(file, [&] { return read_csv(file, min_range_m, max_range_m); });
  }
  require_readable_file(file);
  throw InputError(fmt::format("{}: extension '{}' is not one of .npy, .csv", file.string(), extension));
}

}  // namespace fathom
