// SPDX-License-Identifier: MIT
// Logs of CARMEN: http://carmen.sourceforge.net/logger_playback.html. The lines are described at read_scan_log().
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numbers>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fathom/core/error.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/core/names.hpp>
#include <fathom/files/log_files.hpp>

#include "core/errors.hpp"
#include "core/text/gzip_text.hpp"
#include "io/log/scan_lines.hpp"

namespace fathom {

namespace {

constexpr std::string_view kOldLaser = "FLASER", kOdometry = "ODOM";
constexpr double kCarmenMaxRangeM = 80.0;  // of SICK LMS 2xx; longer readings code "no return"
constexpr double kTurnRad = 2.0 * std::numbers::pi;
constexpr double kRoundedUp = 1.0 + 1e-9;

std::string_view first_word(std::string_view content) {
  const std::string_view words = trim(content);
  return words.substr(0, words.find_first_of(kBlanks));
}

/// The laser's name without its number.
std::string_view kind_of(std::string_view laser) { return laser.substr(0, laser.find_last_not_of("0123456789") + 1); }

bool is_carmen_laser(std::string_view word) {
  constexpr std::array<std::string_view, 5> kKinds = {kOldLaser, "RLASER", "LASER", "RAWLASER", "ROBOTLASER"};
  const std::string_view kind = kind_of(word);
  const bool numbered = kind != kKinds[0] && kind != kKinds[1];
  return word.size() <= kind.size() + (numbered ? 1 : 0) &&
         std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end();
}

/// Takes the words of a line from the left.
class CarmenWords {
 public:
  CarmenWords(const LogLine& line, std::string_view content) : line_(line), words_(split_words(content)) {}

  double number(std::string_view what) { return line_.finite(next(), what); }
  PlanarPose pose(std::string_view x, std::string_view y, std::string_view theta) {
    const double x_m = number(x), y_m = number(y);
    return {x_m, y_m, number(theta)};
  }
  /// A number of `of`, such as "rays".
  std::size_t count(std::string_view of, std::size_t least) {
    const double value = number(fmt::format("the number of {}", of));
    if (!(value >= static_cast<double>(least) && value <= ScanLog::kMostRays && value == std::floor(value))) {
      line_.fail(
          fmt::format("{} is not a number of {} in [{}, {}]", number_text(value), of, least, ScanLog::kMostRays));
    }
    return static_cast<std::size_t>(value);
  }
  void pass_over(std::size_t words) {
    if (words_.size() < at_ + words) line_.fail("the line is cut short before all readings are there");
    at_ += words;
  }
  /// The end of each line: the time of the message, the host, the time of logging.
  double time_s() {
    const double time_s = number("the time");
    if (next().empty()) line_.fail("the line is cut short before the host");
    static_cast<void>(number("the logger's time"));
    return time_s;
  }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::string_view word(std::size_t i) const { return words_[i]; }

 private:
  std::string_view next() { return at_ < words_.size() ? words_[at_++] : std::string_view{}; }

  const LogLine& line_;
  std::vector<std::string_view> words_;
  std::size_t at_ = 1;
};

/// A laser's line without its readings.
struct CarmenScan {
  std::size_t rays = 0, first_reading = 0;  ///< first_reading: position among the words
  double start_rad = 0.0, step_rad = 0.0, max_range_m = kCarmenMaxRangeM;
  PlanarPose pose;
  double time_s = 0.0;
};

/// FLASER and RLASER; LASER3 and LASER4 have no poses.
CarmenScan read_old_scan(CarmenWords& words, bool has_pose) {
  CarmenScan scan;
  scan.rays = words.count("rays", 1);
  scan.first_reading = words.at();
  words.pass_over(scan.rays);
  if (has_pose) {
    scan.pose = words.pose("x", "y", "theta");
    static_cast<void>(words.pose("odom_x", "odom_y", "odom_theta"));
  }
  scan.time_s = words.time_s();
  return scan;
}

/// RAWLASER1 and ROBOTLASER1.
CarmenScan read_scan(const LogLine& line, CarmenWords& words, bool has_pose) {
  CarmenScan scan;
  static_cast<void>(words.number("laser_type"));
  scan.start_rad = words.number("start_angle");
  static_cast<void>(words.number("field_of_view"));
  scan.step_rad = words.number("angular_resolution");
  scan.max_range_m = words.number("maximum_range");
  for (const std::string_view what : {"accuracy", "remission_mode"}) static_cast<void>(words.number(what));
  scan.rays = words.count("rays", 1);
  scan.first_reading = words.at();
  words.pass_over(scan.rays);
  words.pass_over(words.count("remissions", 0));
  if (has_pose) {
    scan.pose = words.pose("laser_pose_x", "laser_pose_y", "laser_pose_theta");
    static_cast<void>(words.pose("robot_pose_x", "robot_pose_y", "robot_pose_theta"));
    for (const std::string_view what :
         {"laser_tv", "laser_rv", "forward_safety_dist", "side_safety_dist", "turn_axis"}) {
      static_cast<void>(words.number(what));
    }
  }
  scan.time_s = words.time_s();
  if (!(std::abs(scan.start_rad) <= kTurnRad)) {
    line.fail(fmt::format("start_angle = {} rad is not within a turn", number_text(scan.start_rad)));
  }
  if (scan.rays > 1 && !(scan.step_rad > 0.0 && scan.step_rad <= kTurnRad)) {
    line.fail(fmt::format("angular_resolution = {} rad is not above 0 and within a turn", number_text(scan.step_rad)));
  }
  const double span_rad = static_cast<double>(scan.rays - 1) * scan.step_rad;
  if (scan.rays > 1 && span_rad > kRoundedUp * (kTurnRad + scan.step_rad)) {
    line.fail(fmt::format("angular_resolution = {} rad: {} rays so far apart span {} rad, more than a turn of {}",
                          number_text(scan.step_rad), scan.rays, number_text(span_rad), number_text(kTurnRad)));
  }
  if (!(scan.max_range_m > 0.0)) {
    line.fail(fmt::format("maximum_range = {} m is not above 0", number_text(scan.max_range_m)));
  }
  return scan;
}

class CarmenLines : public ScanLines {
 public:
  CarmenLines(const std::string& laser, const ScanLogOptions& options, const CarmenRays& rays, const PoseTrack* track)
      : laser_(laser), ray_angle_deg_(options.ray_angle_deg), rays_(rays), placer_(track, options.ray_time_s) {
    old_ = is_old_carmen_laser(laser_);
    raw_ = is_raw_carmen_laser(laser_);
  }

  void take(const LogLine& line, std::string_view content, ScanLog& log) override {
    const std::string_view word = first_word(content);
    if (word != laser_) return count_other_laser(word);
    CarmenWords words(line, content);
    const CarmenScan scan = read(line, words);
    if (placer_.place(scan.time_s, scan.rays, scan.pose)) append(line, words, scan, log);
  }

  void follow(const LogLine& line, std::string_view content, PoseTrack& track) override {
    if (first_word(content) != (raw_ ? kOdometry : std::string_view(laser_))) return;
    CarmenWords words(line, content);
    if (raw_) {  // ODOM x y theta tv rv accel
      const PlanarPose pose = words.pose("x", "y", "theta");
      for (const std::string_view what : {"tv", "rv", "accel"}) static_cast<void>(words.number(what));
      track.add(words.time_s(), pose);
    } else {
      const CarmenScan scan = read(line, words);
      track.add(scan.time_s, scan.pose);
    }
  }

  /// Half a message of another kind does no harm: a killed logger leaves one.
  [[nodiscard]] bool may_be_cut(std::string_view content) const override {
    const std::string_view word = first_word(content);
    const auto may_be = [&](std::string_view name) { return word == name || name.starts_with(word); };
    return !word.empty() && (may_be(laser_) || (raw_ && may_be(kOdometry)));
  }

  void finish(ScanLog& log) const override {
    log.laser = laser_;
    log.skipped = skipped_;
    placer_.finish(log);
  }

 private:
  [[nodiscard]] CarmenScan read(const LogLine& line, CarmenWords& words) const {
    return old_ ? read_old_scan(words, !raw_) : read_scan(line, words, !raw_);
  }

  void append(const LogLine& line, const CarmenWords& words, const CarmenScan& scan, ScanLog& log) {
    if (azimuth_rad_.empty()) {
      max_range_m_ = scan.max_range_m;
      azimuth_rad_ = fan(line, rays_.rays, rays_.start_rad, rays_.step_rad);
    }
    if (scan.max_range_m != max_range_m_) {
      line.fail(fmt::format("maximum_range = {} m, after scans with {} m", scan.max_range_m, max_range_m_));
    }
    if (log.azimuth_rad.empty()) log.azimuth_rad = azimuth_rad_, log.max_range_m = max_range_m_;
    for (std::size_t i = 0; i < scan.rays; ++i) {
      log.range_m.push_back(static_cast<float>(line.reading(words.word(scan.first_reading + i), "a reading")));
    }
    placer_.append_to(log);
    if (rays_.vary) give_own_rays(fan(line, scan.rays, scan.start_rad, scan.step_rad), log);
  }

  /// The middle ray points ahead; of an even number of rays, the one behind the middle.
  [[nodiscard]] std::vector<double> old_fan(const LogLine& line, std::size_t rays) const {
    double step_deg = ray_angle_deg_.value_or(0.0);
    if (!ray_angle_deg_ && (rays == 180 || rays == 181)) step_deg = 1.0;
    if (!ray_angle_deg_ && (rays == 360 || rays == 361)) step_deg = 0.5;
    if (step_deg == 0.0) {
      line.fail(Message(std::to_string(rays),
                        " rays: the angle between rays is known for 180, 181, 360 and 361 only; give ",
                        Setting{"ray_angle_deg"}));
    }
    const double span_deg = static_cast<double>(rays - 1) * step_deg;
    if (span_deg > kRoundedUp * (360.0 + step_deg)) {
      line.fail(Message(Setting{"ray_angle_deg"},
                        fmt::format(" = {}: {} rays so far apart span {} degrees, more than a turn of 360",
                                    number_text(step_deg), rays, number_text(span_deg))));
    }
    const std::size_t before_middle = rays / 2;
    const double half_deg = static_cast<double>(before_middle) * step_deg;
    const double start_rad = half_deg == 90.0 ? -0.5 * std::numbers::pi : -half_deg * kRadPerDeg;
    std::vector<double> azimuth_rad;
    for (std::size_t i = 0; i < rays; ++i) {
      azimuth_rad.push_back(start_rad + static_cast<double>(i) * step_deg * kRadPerDeg);
    }
    return azimuth_rad;
  }

  [[nodiscard]] std::vector<double> fan(const LogLine& line, std::size_t rays, double start_rad,
                                        double step_rad) const {
    if (old_) return old_fan(line, rays);
    std::vector<double> azimuth_rad;
    for (std::size_t i = 0; i < rays; ++i) azimuth_rad.push_back(start_rad + static_cast<double>(i) * step_rad);
    return azimuth_rad;
  }

  /// Counts a line with readings of another laser.
  void count_other_laser(std::string_view name) {
    if (!is_carmen_laser(name)) return;
    const auto same = [&](const ScanLog::Skipped& s) { return s.name == name; };
    const auto found = std::find_if(skipped_.begin(), skipped_.end(), same);
    ScanLog::Skipped& skipped =
        found != skipped_.end() ? *found : skipped_.emplace_back(ScanLog::Skipped{std::string(name)});
    ++skipped.lines;
  }

  std::string laser_;
  std::optional<double> ray_angle_deg_;
  CarmenRays rays_;
  ScanPlacer placer_;
  bool old_ = true, raw_ = false;
  double max_range_m_ = 0.0;  // of the first scan
  std::vector<double> azimuth_rad_;
  std::vector<ScanLog::Skipped> skipped_;
};

std::string choose_of(const std::filesystem::path& file, const std::vector<std::string>& lasers) {
  if (lasers.empty()) return std::string(kOldLaser);
  std::vector<std::string> with_poses;
  for (const std::string& laser : lasers) {
    if (!is_raw_carmen_laser(laser)) with_poses.push_back(laser);
  }
  const std::vector<std::string>& choice = with_poses.empty() ? lasers : with_poses;
  if (choice.size() == 1) return choice.front();
  throw InputError(fmt::format("{}: has several lasers, {}; give ", file.string(), fmt::join(choice, ", ")),
                   Setting{"laser"});
}

}  // namespace

bool is_raw_carmen_laser(std::string_view laser) {
  const std::string_view kind = kind_of(laser);
  return kind == "RAWLASER" || kind == "LASER";
}

bool is_old_carmen_laser(std::string_view laser) {
  const std::string_view kind = kind_of(laser);
  return kind != "RAWLASER" && kind != "ROBOTLASER";
}

std::string choose_carmen_laser(const std::filesystem::path& file, const ScanLogOptions& options) {
  if (!options.laser.empty()) {
    if (is_carmen_laser(options.laser)) return options.laser;
    throw InputError(fmt::format("laser '{}' is not FLASER, RLASER, LASERn, RAWLASERn or ROBOTLASERn, n a digit",
                                 printable(options.laser)));
  }
  std::vector<std::string> lasers;
  LineSource lines(file, kNoLimit);
  for (std::string_view content; lines.next(content);) {
    const std::string_view word = first_word(content);
    if (word == kOldLaser) return std::string(kOldLaser);
    if (!lines.has_end() && !lasers.empty()) break;  // it may be half a word
    if (is_carmen_laser(word) && std::find(lasers.begin(), lasers.end(), word) == lasers.end()) {
      lasers.emplace_back(word);
    }
  }
  return choose_of(file, lasers);
}

CarmenRays carmen_rays(const std::filesystem::path& file, const std::string& laser) {
  constexpr std::size_t kHead = 10;  // words, up to the first reading
  const bool old = is_old_carmen_laser(laser);
  CarmenRays all;
  std::uint64_t scans = 0, readings = 0;
  LineSource lines(file);
  for (std::string_view content; lines.next(content);) {
    if (first_word(content) != laser) continue;
    const std::vector<std::string_view> words = split_words(content, kHead);
    const auto number = [&](std::size_t word) {  // the last word of a line may be cut
      return word + 1 < words.size() ? parse_number<double>(words[word]).value_or(0.0) : 0.0;
    };
    const double count = number(old ? 1 : 8), start_rad = old ? 0.0 : number(2), step_rad = old ? 0.0 : number(4);
    if (!(count >= 1 && count <= ScanLog::kMostRays)) continue;
    const auto rays = static_cast<std::size_t>(count);
    const bool is_other = rays != all.rays || start_rad != all.start_rad || step_rad != all.step_rad;
    all.vary = all.vary || (all.rays > 0 && is_other);
    if (rays > all.rays) all.rays = rays, all.start_rad = start_rad, all.step_rad = step_rad;
    ++scans, readings += rays;
  }
  if (all.vary) with_prefix(file.string(), [&] { check_own_rays(all.rays, scans, readings); });
  return all;
}

std::unique_ptr<ScanLines> make_carmen_lines(const std::string& laser, const ScanLogOptions& options,
                                             const CarmenRays& rays, const PoseTrack* track) {
  return std::make_unique<CarmenLines>(laser, options, rays, track);
}

namespace {

constexpr double kSameAzimuth = 1e-9;  // rad
constexpr double kFirstAzimuth = -0.5 * std::numbers::pi;

double flaser_step_rad(std::size_t rays) {
  if (rays == 180 || rays == 181) return kRadPerDeg;
  if (rays == 360 || rays == 361) return 0.5 * kRadPerDeg;
  return 0.0;
}

}  // namespace

bool fits_carmen(const ScanLog& log) {
  const double step = flaser_step_rad(log.rays());
  if (step == 0.0 || log.max_range_m != kCarmenMaxRangeM || !log.ray_offset.empty()) return false;
  for (std::size_t i = 0; i < log.rays(); ++i) {
    const double wanted = kFirstAzimuth + static_cast<double>(i) * step;
    if (!(std::abs(log.azimuth_rad[i] - wanted) < kSameAzimuth)) return false;
  }
  return true;
}

std::string carmen_text(const ScanLog& log, std::span<const PlanarPose> odometry) {
  validate(log);
  if (!fits_carmen(log)) throw InputError("log: FLASER lines do not have its rays, its maximum range or its motion");
  if (odometry.size() != log.scans()) {
    throw InputError(fmt::format("{} poses of odometry given for {} scans", odometry.size(), log.scans()));
  }
  std::string text;
  const auto out = std::back_inserter(text);
  for (std::size_t i = 0; i < log.scans(); ++i) {
    fmt::format_to(out, "FLASER {}", log.rays());
    for (const float range : log.scan(i)) fmt::format_to(out, " {}", range);
    for (const PlanarPose& pose : {log.pose[i], odometry[i]}) {
      fmt::format_to(out, " {} {} {}", pose.x_m, pose.y_m, pose.yaw_rad);
    }
    fmt::format_to(out, " {0} fathom {0}\n", i);
  }
  return text;
}

}  // namespace fathom
