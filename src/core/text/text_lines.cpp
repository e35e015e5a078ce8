// SPDX-License-Identifier: MIT
#include <algorithm>

#include "core/text/files.hpp"
#include "core/text/gzip_text.hpp"
#include "core/text/text_lines.hpp"

namespace fathom {

namespace {

/// For each cell of the header the position of its column among the wanted ones.
std::vector<std::size_t> read_header(const LogLine& line, std::string_view content,
                                     std::span<const CsvColumn> columns) {
  std::vector<std::string_view> names;
  for (const CsvColumn& column : columns) names.push_back(column.name);
  std::vector<std::size_t> order;
  for (const std::string_view cell : line.header_cells(content)) {
    const auto found = static_cast<std::size_t>(std::find(names.begin(), names.end(), cell) - names.begin());
    if (found == names.size()) line.fail(fmt::format("unknown column '{}'{}", cell, nearest_hint(cell, names)));
    if (std::find(order.begin(), order.end(), found) != order.end()) {
      line.fail(fmt::format("column '{}' is there twice", cell));
    }
    order.push_back(found);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].required && std::find(order.begin(), order.end(), i) == order.end()) {
      line.fail(fmt::format("there is no column '{}'", columns[i].name));
    }
  }
  return order;
}

std::vector<std::vector<double>> read_columns(const std::filesystem::path& file, std::span<const CsvColumn> columns,
                                              const CsvCheck& check) {
  const std::string text = read_gzip_text(file);
  std::vector<std::vector<double>> values(columns.size());
  std::vector<std::size_t> order;
  std::size_t rows = 0;
  for_each_line(text, [&](std::size_t number, std::string_view content) {
    if (trim(content).empty() || content.front() == '#') return;
    const LogLine line = {file, number};
    if (order.empty()) {
      order = read_header(line, content, columns);
      return;
    }
    const std::vector<std::string_view> cells = split_cells(content);
    if (cells.size() != order.size()) line.fail(fmt::format("{} values for {} columns", cells.size(), order.size()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double value = line.reading(cells[i], columns[order[i]].name);
      if (check) check(line, order[i], value);
      values[order[i]].push_back(value);
    }
    ++rows;
  });
  if (rows == 0) throw InputError(fmt::format("{}: holds no lines of numbers below a header", file.string()));
  return values;
}

}  // namespace

std::vector<std::vector<double>> read_csv_columns(const std::filesystem::path& file, std::span<const CsvColumn> columns,
                                                  const CsvCheck& check) {
  return within_memory(file, [&] { return read_columns(file, columns, check); });
}

}  // namespace fathom
