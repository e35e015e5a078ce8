// SPDX-License-Identifier: MIT
// Logs of planar scans in text, of any kind.

#include <optional>
#include <utility>

#include <fathom/beam/scan.hpp>
#include <fathom/beam/scan_source.hpp>

#include "log/scan_lines.hpp"
#include "text/line_source.hpp"
#include "text/read_file.hpp"

namespace fathom {

namespace {

/// The first line that is neither blank nor a comment decides.
bool is_csv(const std::filesystem::path& file) {
  LineSource lines(file, kNoLimit);
  for (std::string_view line; lines.next(line);) {
    if (!trim(line).empty() && line.front() != '#') return begins_csv_log(line);
  }
  return false;
}

class TextScans : public ScanSource {
 public:
  TextScans(const std::filesystem::path& file, std::size_t most_inflated_bytes)
      : line_{file, 0}, most_inflated_bytes_(most_inflated_bytes), csv_(is_csv(file)) {
    name = file.string();
    TextScans::rewind();
  }

  void rewind() override {
    source_.emplace(line_.file, most_inflated_bytes_);
    lines_ = csv_ ? make_csv_lines() : make_carmen_lines();
    found_ = false;
  }
  bool next(ScanLog& log) override {
    if (advance(&log)) return true;
    lines_->finish(log);
    return false;
  }
  bool skip() override { return advance(nullptr); }

 private:
  bool advance(ScanLog* log) {
    for (std::string_view content; source_->next(content);) {
      line_.number = source_->number();
      const bool is_scan = lines_->take(line_, content, log);
      // A line without an end may be half a line, though what is there makes sense: 2.5 of 2.51, FLASE of FLASER.
      if (!source_->has_end() && lines_->may_be_cut(content)) {
        line_.fail("the log is cut short: its last line has no line end (add one if the line is whole)");
      }
      if (is_scan) return found_ = true;
    }
    if (!found_) refuse_empty();
    return false;
  }

  [[noreturn]] void refuse_empty() const {
    ScanLog others;
    lines_->finish(others);
    std::string text;
    for (const SkippedLines& s : others.skipped) text += fmt::format("; {} {} lines are not read", s.lines, s.name);
    throw InputError(
        fmt::format("{}: holds no scans (FLASER lines, or CSV with x_m, y_m, yaw_rad){}", line_.file.string(), text));
  }

  LogLine line_;
  std::size_t most_inflated_bytes_;
  bool csv_, found_ = false;
  std::optional<LineSource> source_;
  std::unique_ptr<ScanLines> lines_;
};

}  // namespace

ScanSource::~ScanSource() = default;

std::unique_ptr<ScanSource> open_scan_log(const std::filesystem::path& file) {
  return within_memory(file, [&] { return std::make_unique<TextScans>(file, kNoLimit); });
}

ScanLog read_scan_log(const std::filesystem::path& file) {
  return within_memory(file, [&] {
    TextScans scans(file, kMaxInflatedBytes);
    ScanLog log;
    while (scans.next(log)) {
    }
    log.name = scans.name;
    return log;
  });
}

}  // namespace fathom
