// SPDX-License-Identifier: MIT
// Logs of planar scans: CARMEN text and CSV. The formats are described at read_scan_log.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include <fathom/base/geometry.hpp>
#include <fathom/beam/csv.hpp>
#include <fathom/beam/scan.hpp>

#include "log/scan_csv.hpp"
#include "text/gzip_text.hpp"
#include "text/log_line.hpp"
#include "text/read_file.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

// --- CARMEN

constexpr std::string_view kScanWord = "FLASER";
constexpr double kCarmenMaxRangeM = 80.0;  // of SICK LMS 2xx; farther readings code "no return"

std::vector<double> carmen_fan(const LogLine& line, std::size_t rays) {
  double step_deg = 0.0;
  if (rays == 180 || rays == 181) step_deg = 1.0;
  if (rays == 360 || rays == 361) step_deg = 0.5;
  if (step_deg == 0.0) {
    line.fail(fmt::format("{} rays: the angle between rays is known for 180, 181, 360 and 361 only (use CSV)", rays));
  }
  std::vector<double> azimuth_rad;
  for (std::size_t i = 0; i < rays; ++i)
    azimuth_rad.push_back(-0.5 * std::numbers::pi + static_cast<double>(i) * step_deg * kRadPerDeg);
  return azimuth_rad;
}

/// words: FLASER n r1..rn x y theta odom_x odom_y odom_theta time host time.
void carmen_scan(const LogLine& line, const std::vector<std::string_view>& words, ScanLog& log) {
  const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string_view{}; };
  const double count = line.finite(word(1), "the number of rays");
  if (!(count >= 1 && count <= ScanLog::kMostRays && count == std::floor(count))) {
    line.fail(fmt::format("{} is not a number of rays in [1, {}]", number_text(count), ScanLog::kMostRays));
  }
  const auto rays = static_cast<std::size_t>(count);
  if (log.azimuth_rad.empty()) log.azimuth_rad = carmen_fan(line, rays);
  if (rays != log.rays()) line.fail(fmt::format("{} rays, after scans of {}", rays, log.rays()));
  if (words.size() < 2 + rays) line.fail("the line is cut short before all readings are there");
  for (std::size_t i = 0; i < rays; ++i) {
    log.range_m.push_back(static_cast<float>(line.reading(word(2 + i), "a reading")));
  }
  const std::size_t at = 2 + rays;
  log.pose.push_back({line.finite(word(at), "x"), line.finite(word(at + 1), "y"), line.finite(word(at + 2), "theta")});
  constexpr std::string_view kRest[] = {"odom_x", "odom_y", "odom_theta", "the time"};
  for (std::size_t i = 0; i < 4; ++i) static_cast<void>(line.finite(word(at + 3 + i), kRest[i]));
  if (word(at + 7).empty()) line.fail("the line is cut short before the host");
  static_cast<void>(line.finite(word(at + 8), "the logger's time"));
}

/// Counts a line with readings that are not read: of a rear laser, or of the messages that came after FLASER.
void count_other_laser(std::string_view name, ScanLog& log) {
  constexpr std::array<std::string_view, 4> kOthers = {"RLASER", "LASER", "RAWLASER", "ROBOTLASER"};
  const std::string_view kind = name.substr(0, name.find_last_not_of("0123456789") + 1);
  if (name.size() > kind.size() + 1 || std::find(kOthers.begin(), kOthers.end(), kind) == kOthers.end()) return;
  const auto same = [&](const SkippedLines& s) { return s.name == name; };
  const auto found = std::find_if(log.skipped.begin(), log.skipped.end(), same);
  SkippedLines& skipped =
      found != log.skipped.end() ? *found : log.skipped.emplace_back(SkippedLines{std::string(name)});
  ++skipped.lines;
}

ScanLog read_carmen(const std::filesystem::path& file, std::string_view text) {
  ScanLog log;
  log.max_range_m = kCarmenMaxRangeM;
  for_each_line(text, [&](std::size_t number, std::string_view content) {
    const std::string_view words = trim(content);
    if (words.starts_with(kScanWord)) {
      carmen_scan({file, number}, split_words(content), log);
    } else {
      count_other_laser(words.substr(0, words.find_first_of(kBlanks)), log);
    }
  });
  return log;
}

// --- CSV

constexpr std::array<std::string_view, 4> kPoseColumns = {"x_m", "y_m", "yaw_rad", "stamp_s"};
constexpr std::size_t kRangeColumn = kPoseColumns.size();
constexpr std::string_view kRangePrefix = "range_m@";
constexpr std::string_view kMaxRangeComment = "# max_range_m:";

double csv_max_range(const LogLine& line, std::string_view comment) {
  const double value = line.finite(trim(comment.substr(kMaxRangeComment.size())), "max_range_m");
  if (!(value > 0.0)) line.fail(fmt::format("max_range_m = {} is not above 0", number_text(value)));
  return value;
}

/// Per column an index of kPoseColumns, or kRangeColumn.
std::vector<std::size_t> csv_header(const LogLine& line, std::string_view content, ScanLog& log) {
  std::vector<std::size_t> columns;
  std::array<int, kPoseColumns.size()> seen = {};
  for (const std::string_view cell : split_cells(content)) {
    const auto* const found = std::find(kPoseColumns.begin(), kPoseColumns.end(), cell);
    const auto column = static_cast<std::size_t>(found - kPoseColumns.begin());
    if (cell.starts_with(kRangePrefix)) {
      log.azimuth_rad.push_back(line.finite(cell.substr(kRangePrefix.size()), "the azimuth of a ray"));
    } else if (column == kRangeColumn) {
      line.fail(fmt::format("unknown column '{}'{}", cell, nearest_hint(cell, kPoseColumns)));
    } else if (++seen[column] > 1) {
      line.fail(fmt::format("column '{}' is there twice", cell));
    }
    columns.push_back(column);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (seen[i] == 0) line.fail(fmt::format("there is no column '{}'", kPoseColumns[i]));
  }
  if (log.azimuth_rad.empty()) line.fail("there is no column 'range_m@<azimuth in rad>'");
  return columns;
}

void csv_scan(const LogLine& line, std::string_view content, const std::vector<std::size_t>& columns, ScanLog& log) {
  const std::vector<std::string_view> cells = split_cells(content);
  if (cells.size() != columns.size()) {
    line.fail(fmt::format("{} values for {} columns", cells.size(), columns.size()));
  }
  std::array<double, kPoseColumns.size()> pose = {};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (columns[i] == kRangeColumn) {
      log.range_m.push_back(static_cast<float>(line.reading(cells[i], "a reading")));
    } else {
      pose[columns[i]] = line.finite(cells[i], kPoseColumns[columns[i]]);
    }
  }
  log.pose.push_back({pose[0], pose[1], pose[2]});
}

ScanLog read_csv(const std::filesystem::path& file, std::string_view text) {
  ScanLog log;
  std::vector<std::size_t> columns;
  for_each_line(text, [&](std::size_t number, std::string_view content) {
    const LogLine line = {file, number};
    if (columns.empty() && content.starts_with(kMaxRangeComment)) log.max_range_m = csv_max_range(line, content);
    if (trim(content).empty() || content.front() == '#') return;
    if (columns.empty()) {
      columns = csv_header(line, content, log);
    } else {
      csv_scan(line, content, columns, log);
    }
  });
  return log;
}

/// The first line that is not a comment decides: a CSV header names its columns. Lines of CARMEN, which begin with a
/// word in capitals, may have commas too.
bool is_csv(std::string_view text) {
  std::optional<bool> csv;
  for_each_line(text.substr(0, 1U << 16U), [&](std::size_t, std::string_view line) {
    if (csv || trim(line).empty() || line.front() == '#') return;
    const std::string_view first = trim(line).substr(0, trim(line).find_first_of(" \t,"));
    const bool message = first.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string_view::npos;
    csv = line.find(kRangePrefix) != std::string_view::npos || (line.find(',') != std::string_view::npos && !message);
  });
  return csv.value_or(false);
}

/// A line without an end may be half a line, though what is there makes sense: 2.5 of 2.51, FLASE of FLASER. Half a
/// message that is not read does no harm: a logger that was killed leaves one.
void check_last_line(const std::filesystem::path& file, std::string_view text, bool csv) {
  if (text.empty() || text.back() == '\n') return;
  const std::string_view line = trim(text.substr(text.rfind('\n') + 1));
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  if (line.empty() || (!csv && !word.starts_with(kScanWord) && !kScanWord.starts_with(word))) return;
  const auto number = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  LogLine{file, number}.fail("the log is cut short: its last line has no line end (add one if the line is whole)");
}

ScanLog read_log(const std::filesystem::path& file) {
  const std::string text = read_gzip_text(file);
  const bool csv = is_csv(text);
  ScanLog log = csv ? read_csv(file, text) : read_carmen(file, text);
  check_last_line(file, text, csv);
  if (!log.pose.empty()) return log;
  std::string others;
  for (const SkippedLines& s : log.skipped) others += fmt::format("; {} {} lines are not read", s.lines, s.name);
  throw InputError(
      fmt::format("{}: holds no scans (FLASER lines, or CSV with x_m, y_m, yaw_rad){}", file.string(), others));
}

}  // namespace

ScanLog read_scan_log(const std::filesystem::path& file) {
  ScanLog log = within_memory(file, [&] { return read_log(file); });
  log.name = file.string();
  return log;
}

std::string scan_csv_header(std::span<const double> azimuth_rad, double max_range_m, bool stamped) {
  std::string text = max_range_m > 0.0 ? fmt::format("{} {}\n", kMaxRangeComment, max_range_m) : "";
  text += stamped ? "stamp_s,x_m,y_m,yaw_rad" : "x_m,y_m,yaw_rad";
  for (const double azimuth : azimuth_rad) fmt::format_to(std::back_inserter(text), ",{}{}", kRangePrefix, azimuth);
  return text += '\n';
}

std::string scan_csv_line(const double* stamp_s, const PlanarPose& pose, std::span<const float> range_m) {
  std::string text = stamp_s != nullptr ? fmt::format("{},", *stamp_s) : "";
  fmt::format_to(std::back_inserter(text), "{},{},{}", pose.x_m, pose.y_m, pose.yaw_rad);
  for (const float range : range_m) fmt::format_to(std::back_inserter(text), ",{}", range);
  return text += '\n';
}

std::string scan_csv(const ScanLog& log) {
  validate(log);
  std::string text = scan_csv_header(log.azimuth_rad, log.max_range_m, false);
  for (std::size_t i = 0; i < log.scans(); ++i) text += scan_csv_line(nullptr, log.pose[i], log.scan(i));
  return text;
}

void write_scan_csv(const std::filesystem::path& file, const ScanLog& log) { write_whole_file(file, scan_csv(log)); }

}  // namespace fathom
