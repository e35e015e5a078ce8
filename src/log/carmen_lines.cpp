// SPDX-License-Identifier: MIT
// Logs of CARMEN: http://carmen.sourceforge.net/logger_playback.html. The lines are described at read_scan_log().

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fathom/base/geometry.hpp>

#include "log/scan_lines.hpp"

namespace fathom {

namespace {

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

class CarmenLines : public ScanLines {
 public:
  bool take(const LogLine& line, std::string_view content, ScanLog* log) override {
    const std::string_view words = trim(content);
    if (words.starts_with(kScanWord)) {
      if (log != nullptr) take_scan(line, split_words(content), *log);
      return true;
    }
    count_other_laser(words.substr(0, words.find_first_of(kBlanks)));
    return false;
  }

  /// Half a message that is not read does no harm: a logger that was killed leaves one.
  [[nodiscard]] bool may_be_cut(std::string_view content) const override {
    const std::string_view line = trim(content), word = line.substr(0, line.find_first_of(kBlanks));
    return !line.empty() && (word.starts_with(kScanWord) || kScanWord.starts_with(word));
  }

  void finish(ScanLog& log) const override { log.skipped = skipped_; }

 private:
  /// words: FLASER n r1..rn x y theta odom_x odom_y odom_theta time host time.
  void take_scan(const LogLine& line, const std::vector<std::string_view>& words, ScanLog& log) {
    const auto word = [&](std::size_t i) { return i < words.size() ? words[i] : std::string_view{}; };
    const double count = line.finite(word(1), "the number of rays");
    if (!(count >= 1 && count <= ScanLog::kMostRays && count == std::floor(count))) {
      line.fail(fmt::format("{} is not a number of rays in [1, {}]", number_text(count), ScanLog::kMostRays));
    }
    const auto rays = static_cast<std::size_t>(count);
    if (azimuth_rad_.empty()) azimuth_rad_ = carmen_fan(line, rays);
    if (rays != azimuth_rad_.size()) line.fail(fmt::format("{} rays, after scans of {}", rays, azimuth_rad_.size()));
    if (words.size() < 2 + rays) line.fail("the line is cut short before all readings are there");
    if (log.azimuth_rad.empty()) log.azimuth_rad = azimuth_rad_, log.max_range_m = kCarmenMaxRangeM;
    for (std::size_t i = 0; i < rays; ++i) {
      log.range_m.push_back(static_cast<float>(line.reading(word(2 + i), "a reading")));
    }
    const std::size_t at = 2 + rays;
    log.pose.push_back(
        {line.finite(word(at), "x"), line.finite(word(at + 1), "y"), line.finite(word(at + 2), "theta")});
    constexpr std::string_view kRest[] = {"odom_x", "odom_y", "odom_theta", "the time"};
    for (std::size_t i = 0; i < 4; ++i) static_cast<void>(line.finite(word(at + 3 + i), kRest[i]));
    if (word(at + 7).empty()) line.fail("the line is cut short before the host");
    static_cast<void>(line.finite(word(at + 8), "the logger's time"));
  }

  /// Counts a line with readings that are not read: of a rear laser, or of the messages that came after FLASER.
  void count_other_laser(std::string_view name) {
    constexpr std::array<std::string_view, 4> kOthers = {"RLASER", "LASER", "RAWLASER", "ROBOTLASER"};
    const std::string_view kind = name.substr(0, name.find_last_not_of("0123456789") + 1);
    if (name.size() > kind.size() + 1 || std::find(kOthers.begin(), kOthers.end(), kind) == kOthers.end()) return;
    const auto same = [&](const SkippedLines& s) { return s.name == name; };
    const auto found = std::find_if(skipped_.begin(), skipped_.end(), same);
    SkippedLines& skipped = found != skipped_.end() ? *found : skipped_.emplace_back(SkippedLines{std::string(name)});
    ++skipped.lines;
  }

  std::vector<double> azimuth_rad_;
  std::vector<SkippedLines> skipped_;
};

}  // namespace

std::unique_ptr<ScanLines> make_carmen_lines() { return std::make_unique<CarmenLines>(); }

}  // namespace fathom
