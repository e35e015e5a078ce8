// SPDX-License-Identifier: MIT
// Logs in CSV, read and written. The format is described at read_scan_log().

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fathom/beam/log_files.hpp>

#include "log/own_rays.hpp"
#include "log/scan_csv.hpp"
#include "log/scan_lines.hpp"
#include "log/scan_placer.hpp"
#include "text/whole_file.hpp"

namespace fathom {

namespace {

constexpr std::array<std::string_view, 4> kPoseColumns = {"x_m", "y_m", "yaw_rad", "stamp_s"};
constexpr std::size_t kRangeColumn = kPoseColumns.size();
constexpr std::string_view kRangePrefix = "range_m@";
constexpr std::string_view kMaxRangeComment = "# max_range_m:";

double csv_max_range(const LogLine& line, std::string_view comment) {
  const double value = line.finite(trim(comment.substr(kMaxRangeComment.size())), "max_range_m");
  if (!(value > 0.0)) line.fail(fmt::format("max_range_m = {} is not above 0", number_text(value)));
  return value;
}

class CsvLines : public ScanLines {
 public:
  CsvLines(const ScanLogOptions& options, const PoseTrack* track)
      : timed_(options.ray_time_s > 0.0), placer_(track, options.ray_time_s) {}

  void take(const LogLine& line, std::string_view content, ScanLog& log) override {
    if (!is_scan(line, content)) return;
    const std::vector<std::string_view> cells = cells_of(line, content);
    const Pose pose = pose_of(line, cells);
    if (placer_.place(pose[kStamp], azimuth_rad_.size(), {pose[0], pose[1], pose[2]})) append(line, cells, log);
  }

  void follow(const LogLine& line, std::string_view content, PoseTrack& track) override {
    if (!is_scan(line, content)) return;
    const Pose pose = pose_of(line, cells_of(line, content));
    track.add(pose[kStamp], {pose[0], pose[1], pose[2]});
  }

  [[nodiscard]] bool may_be_cut(std::string_view content) const override { return !trim(content).empty(); }
  void finish(ScanLog& log) const override { placer_.finish(log); }

 private:
  static constexpr std::size_t kStamp = 3;
  using Pose = std::array<double, kPoseColumns.size()>;

  /// Of lines before the first scan, takes what they say.
  bool is_scan(const LogLine& line, std::string_view content) {
    if (columns_.empty() && content.starts_with(kMaxRangeComment)) max_range_m_ = csv_max_range(line, content);
    if (trim(content).empty() || content.front() == '#') return false;
    if (!columns_.empty()) return true;
    take_header(line, content);
    return false;
  }

  void take_header(const LogLine& line, std::string_view content) {
    std::array<int, kPoseColumns.size()> seen = {};
    for (const std::string_view cell : line.header_cells(content)) {
      const auto* const found = std::find(kPoseColumns.begin(), kPoseColumns.end(), cell);
      const auto column = static_cast<std::size_t>(found - kPoseColumns.begin());
      if (cell.starts_with(kRangePrefix)) {
        azimuth_rad_.push_back(line.finite(cell.substr(kRangePrefix.size()), "the azimuth of a ray"));
      } else if (column == kRangeColumn) {
        line.fail(fmt::format("unknown column '{}'{}", cell, nearest_hint(cell, kPoseColumns)));
      } else if (++seen[column] > 1) {
        line.fail(fmt::format("column '{}' is there twice", cell));
      }
      columns_.push_back(column);
    }
    for (std::size_t i = 0; i < 3; ++i) {
      if (seen[i] == 0) line.fail(fmt::format("there is no column '{}'", kPoseColumns[i]));
    }
    if (timed_ && seen[kStamp] == 0) {
      line.fail(Message("there is no column 'stamp_s', without which ", Setting{"ray_time_s"}, " says nothing"));
    }
    if (azimuth_rad_.empty()) line.fail("there is no column 'range_m@<azimuth in rad>'");
  }

  [[nodiscard]] std::vector<std::string_view> cells_of(const LogLine& line, std::string_view content) const {
    std::vector<std::string_view> cells = split_cells(content);
    if (cells.size() == columns_.size()) return cells;
    line.fail(fmt::format("{} values for {} columns", cells.size(), columns_.size()));
  }

  [[nodiscard]] Pose pose_of(const LogLine& line, const std::vector<std::string_view>& cells) const {
    Pose pose = {};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] != kRangeColumn) pose[columns_[i]] = line.finite(cells[i], kPoseColumns[columns_[i]]);
    }
    return pose;
  }

  void append(const LogLine& line, const std::vector<std::string_view>& cells, ScanLog& log) const {
    if (log.azimuth_rad.empty()) log.azimuth_rad = azimuth_rad_, log.max_range_m = max_range_m_;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (columns_[i] != kRangeColumn) continue;
      log.range_m.push_back(static_cast<float>(line.reading(cells[i], "a reading")));
    }
    placer_.append_to(log);
  }

  bool timed_;
  ScanPlacer placer_;
  std::vector<std::size_t> columns_;  // of each an index of kPoseColumns, or kRangeColumn
  std::vector<double> azimuth_rad_;
  double max_range_m_ = 0.0;
};

}  // namespace

std::unique_ptr<ScanLines> make_csv_lines(const ScanLogOptions& options, const PoseTrack* track) {
  return std::make_unique<CsvLines>(options, track);
}

/// A CSV header names its columns. Lines of CARMEN, which begin with a word in capitals, may have commas too.
bool begins_csv_log(std::string_view content) {
  const std::string_view first = trim(content).substr(0, trim(content).find_first_of(" \t,"));
  const bool message = first.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == std::string_view::npos;
  return content.find(kRangePrefix) != std::string_view::npos ||
         (content.find(',') != std::string_view::npos && !message);
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
  if (log.has_own_rays) throw InputError("scans of the log differ in their rays, and CSV has one set of angles");
  std::string text = scan_csv_header(log.azimuth_rad, log.max_range_m, false);
  for (std::size_t i = 0; i < log.scans(); ++i) text += scan_csv_line(nullptr, log.pose[i], log.scan(i));
  return text;
}

void write_scan_csv(const std::filesystem::path& file, const ScanLog& log) { write_whole_file(file, scan_csv(log)); }

}  // namespace fathom
