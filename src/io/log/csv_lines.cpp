// SPDX-License-Identifier: MIT
// Logs and results in CSV. read_scan_log() describes the format of logs.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/files/log_files.hpp>

#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/text_lines.hpp"
#include "io/log/scan_lines.hpp"

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

  /// Whether the line is a scan. Reads the header and the maximum range.
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
        if (std::abs(azimuth_rad_.back()) > 3 * kMostAzimuthRad)  // bags start a turn anywhere
          line.fail(fmt::format("the azimuth of a ray = {} rad is not within a turn; is it in degrees?",
                                azimuth_rad_.back()));
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
  std::vector<std::size_t> columns_;  // indices of kPoseColumns, or kRangeColumn
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

std::string ScanLog::csv() const {
  validate(*this);
  if (has_own_rays) throw InputError("scans of the log differ in their rays, and CSV has one set of angles");
  std::string text = scan_csv_header(azimuth_rad, max_range_m, false);
  for (std::size_t i = 0; i < scans(); ++i) text += scan_csv_line(nullptr, pose[i], scan(i));
  return text;
}

// CSV files of the beam model.

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
  if (columns[2].empty()) {  // each pair is a scan
    data.scan.resize(data.reading_m.size());
    std::iota(data.scan.begin(), data.scan.end(), 0U);
  }
  return data;
}

}  // namespace fathom
