// CSV files of the beam model, and the columns that they share.

#include <fathom/beam/csv.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <string_view>

#include "io/read_file.hpp"
#include "io/scan_log_line.hpp"
#include "io/whole_file.hpp"

namespace fathom {

namespace {

/// A column that a reader knows, and what becomes of its values.
struct Column {
  std::string_view name;
  bool required;
  std::function<void(const LogLine& line, std::string_view cell)> take;
};

/// Which of `columns` each column of the file is.
std::vector<std::size_t> read_header(const LogLine& line, std::string_view content, std::span<const Column> columns) {
  std::vector<std::string_view> known;
  for (const Column& column : columns) known.push_back(column.name);
  std::vector<std::size_t> order;
  for (const std::string_view cell : split_cells(content)) {
    const auto found = static_cast<std::size_t>(std::find(known.begin(), known.end(), cell) - known.begin());
    if (found == known.size()) line.fail(fmt::format("unknown column '{}'{}", cell, nearest_hint(cell, known)));
    if (std::find(order.begin(), order.end(), found) != order.end()) {
      line.fail(fmt::format("column '{}' is there twice", cell));
    }
    order.push_back(found);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_there = std::find(order.begin(), order.end(), i) != order.end();
    if (columns[i].required && !is_there) line.fail(fmt::format("there is no column '{}'", columns[i].name));
  }
  return order;
}

/// Hands every cell to its column; returns the number of rows, at least 1.
std::size_t read_table(const std::filesystem::path& file, std::span<const Column> columns) {
  const std::string text = read_file(file);
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
    for (std::size_t i = 0; i < cells.size(); ++i) columns[order[i]].take(line, cells[i]);
    ++rows;
  });
  if (rows == 0) throw InputError(fmt::format("{}: holds no rows below a header", file.string()));
  return rows;
}

}  // namespace

std::vector<PlanarPose> read_poses_csv(const std::filesystem::path& file) {
  std::vector<double> x_m, y_m, yaw_rad;
  const auto into = [](std::vector<double>& values, std::string_view name) {
    return [&values, name](const LogLine& line, std::string_view cell) { values.push_back(line.finite(cell, name)); };
  };
  const std::array<Column, 4> columns = {{{"x_m", true, into(x_m, "x_m")},
                                          {"y_m", true, into(y_m, "y_m")},
                                          {"yaw_rad", true, into(yaw_rad, "yaw_rad")},
                                          {"stamp_s", false, [](const LogLine&, std::string_view) {}}}};
  const std::size_t rows = read_table(file, columns);
  std::vector<PlanarPose> poses;
  for (std::size_t i = 0; i < rows; ++i) poses.push_back({x_m[i], y_m[i], yaw_rad[i]});
  return poses;
}

ExpectedTable read_expected_csv(const std::filesystem::path& file) {
  ExpectedTable table;
  const auto take_expected = [&table](const LogLine& line, std::string_view cell) {
    const double value = line.reading(cell, "expected_m");
    if (!(value >= 0.0)) line.fail(fmt::format("expected_m = {} is not at least 0", number_text(value)));
    table.expected_m.push_back(static_cast<float>(value));
  };
  const auto take_scan = [&table](const LogLine& line, std::string_view cell) {
    const double value = line.reading(cell, "scan");
    if (!(value >= 0.0 && value <= 4294967295.0 && value == std::floor(value))) {
      line.fail(fmt::format("scan = {} is not a whole number in [0, 4294967295]", number_text(value)));
    }
    const auto scan = static_cast<std::uint32_t>(value);
    if (!table.scan.empty() && scan < table.scan.back()) {
      line.fail(fmt::format("scan = {} comes after scan {}", scan, table.scan.back()));
    }
    table.scan.push_back(scan);
  };
  const std::array<Column, 2> columns = {{{"expected_m", true, take_expected}, {"scan", false, take_scan}}};
  table.scan.resize(read_table(file, columns), 0);
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
  std::string text = "scan,x_m,y_m,yaw_rad,beams,log_likelihood\n";
  for (const ScanScore& s : scores) {
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{},{}\n", s.scan, s.pose.x_m, s.pose.y_m, s.pose.yaw_rad,
                   s.beams, s.log_likelihood);
  }
  return text;
}

void write_text_file(const std::filesystem::path& file, std::string_view text) { write_whole_file(file, text); }

}  // namespace fathom
