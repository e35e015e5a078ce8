// SPDX-License-Identifier: MIT
// Logs of planar scans in text, of any kind.

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fathom/beam/scan.hpp>

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

bool stood_still(const RayOffset& offset) { return offset.x_m == 0.0F && offset.y_m == 0.0F && offset.yaw_rad == 0.0F; }

class TextScans {
 public:
  TextScans(const std::filesystem::path& file, const ScanLogOptions& options)
      : line_{file, 0}, options_(options), csv_(is_csv(file)) {
    validate(options);
    if (csv_) {
      refuse_for_csv();
    } else {
      laser_ = choose_carmen_laser(file, options);
      rays_ = carmen_rays(file, laser_);
      refuse_for_laser();
    }
    if (options.ray_time_s > 0.0 || (!csv_ && is_raw_carmen_laser(laser_))) follow();
  }

  ScanLog read() {
    const auto lines = make_lines();
    LineSource source(line_.file);
    ScanLog log;
    log.name = line_.file.string();
    for (std::string_view content; source.next(content);) {
      line_.number = source.number();
      lines->take(line_, content, log);
      // A line without an end may be half a line, even if its text makes sense: 2.5 of 2.51, FLASE of FLASER.
      if (!source.has_end() && lines->may_be_cut(content)) {
        line_.fail("the log is cut short: its last line has no line end (add one if the line is whole)");
      }
    }
    lines->finish(log);
    if (log.scans() == 0) refuse_empty(log);
    return log;
  }

 private:
  [[nodiscard]] std::unique_ptr<ScanLines> make_lines() const {
    const PoseTrack* const track = track_ ? &*track_ : nullptr;
    return csv_ ? make_csv_lines(options_, track) : make_carmen_lines(laser_, options_, rays_, track);
  }

  void refuse_for_csv() const {
    const char* const wrong = !options_.laser.empty()  ? "laser"
                              : options_.ray_angle_deg ? "ray_angle_deg"
                              : options_.mount         ? "mount"
                                                       : nullptr;
    if (wrong == nullptr) return;
    throw InputError(line_.file.string(), ": is CSV, of one laser whose header says where rays point; ", Setting{wrong},
                     " is for CARMEN");
  }

  void refuse_for_laser() const {
    const auto refuse = [&](const char* why, const char* wrong, const char* lasers) {
      throw InputError(fmt::format("{}: {} lines {}; ", line_.file.string(), laser_, why), Setting{wrong}, lasers);
    };
    if (options_.mount && !is_raw_carmen_laser(laser_)) {
      refuse("have the pose of the laser itself", "mount", " is for RAWLASERn and LASERn");
    }
    if (options_.ray_angle_deg && !is_old_carmen_laser(laser_)) {
      refuse("say where their rays point", "ray_angle_deg", " is for FLASER, RLASER and LASERn");
    }
  }

  /// Finds where the laser was, from all lines.
  void follow() {
    track_.emplace(options_.mount.value_or(PlanarPose{}));
    const auto lines = make_lines();
    LineSource source(line_.file);
    for (std::string_view content; source.next(content);) {
      line_.number = source.number();
      if (source.has_end() || !lines->may_be_cut(content)) lines->follow(line_, content, *track_);
    }
    track_->sort();
  }

  [[noreturn]] void refuse_empty(const ScanLog& others) const {
    std::string text;
    for (const SkippedLines& s : others.skipped) text += fmt::format("; {} {} lines are not read", s.lines, s.name);
    for (const std::string& note : others.notes) text += "; " + note;
    throw InputError(fmt::format("{}: holds no scans ({} lines, or CSV with x_m, y_m, yaw_rad){}", line_.file.string(),
                                 csv_ ? "FLASER" : laser_, text));
  }

  LogLine line_;
  ScanLogOptions options_;
  std::string laser_;
  CarmenRays rays_;
  std::optional<PoseTrack> track_;
  bool csv_;
};

}  // namespace

void validate(const ScanLogOptions& options) {
  const double angle_deg = options.ray_angle_deg.value_or(1.0);
  if (!(angle_deg > 0.0 && angle_deg <= 360.0)) {
    throw InputError(Setting{"ray_angle_deg"}, " = ", number_text(angle_deg), " is not in (0, 360] degrees");
  }
  if (!(options.ray_time_s >= 0.0 && options.ray_time_s <= 1.0)) {
    throw InputError(Setting{"ray_time_s"}, " = ", number_text(options.ray_time_s), " is not in [0, 1] s");
  }
  const PlanarPose mount = options.mount.value_or(PlanarPose{});
  if (!std::isfinite(mount.x_m) || !std::isfinite(mount.y_m) || !std::isfinite(mount.yaw_rad)) {
    throw InputError(fmt::format("mount = ({}, {}, {}) is not finite", mount.x_m, mount.y_m, mount.yaw_rad));
  }
}

ScanLog read_scan_log(const std::filesystem::path& file, const ScanLogOptions& options) {
  return within_memory(file, [&] {
    ScanLog log = TextScans(file, options).read();
    if (std::all_of(log.ray_offset.begin(), log.ray_offset.end(), stood_still)) log.ray_offset.clear();
    return log;
  });
}

}  // namespace fathom
