// SPDX-License-Identifier: MIT
// Logs of planar scans in text, of any kind.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <fathom/core/error.hpp>
#include <fathom/core/f64.hpp>
#include <fathom/files/scan_log.hpp>

#include "core/errors.hpp"
#include "core/text.hpp"
#include "core/text/files.hpp"
#include "core/text/gzip_text.hpp"
#include "io/log/scan_lines.hpp"

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

/// Of a pose or an offset.
bool is_finite_place(const auto& p) { return std::isfinite(p.x_m) && std::isfinite(p.y_m) && std::isfinite(p.yaw_rad); }

void check(const ScanLogOptions& options) {
  const double angle_deg = options.ray_angle_deg.value_or(1.0);
  if (!(angle_deg > 0.0 && angle_deg <= 360.0)) {
    throw InputError(Setting{"ray_angle_deg"}, " = ", number_text(angle_deg), " is not in (0, 360] degrees");
  }
  if (!(options.ray_time_s >= 0.0 && options.ray_time_s <= 1.0)) {
    throw InputError(Setting{"ray_time_s"}, " = ", number_text(options.ray_time_s), " is not in [0, 1] s");
  }
  const PlanarPose mount = options.mount.value_or(PlanarPose{});
  if (!is_finite_place(mount)) {
    throw InputError(fmt::format("mount = ({}, {}, {}) is not finite", mount.x_m, mount.y_m, mount.yaw_rad));
  }
}

class TextScans {
 public:
  TextScans(const std::filesystem::path& file, const ScanLogOptions& options)
      : line_{file, 0}, options_(options), csv_(is_csv(file)) {
    check(options);
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
      // A last line without a line end may be half a line even if its text is valid: 2.5 of 2.51, FLASE of FLASER.
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

  /// Collects the laser's poses from all lines.
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
    for (const ScanLog::Skipped& s : others.skipped) text += fmt::format("; {} {} lines are not read", s.lines, s.name);
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

void validate(const ScanLog& log) {
  if (log.scans() == 0 || log.rays() == 0) {
    throw InputError(fmt::format("log: {} of {}: at least one of each is needed", counted(log.scans(), "scan"),
                                 counted(log.rays(), "ray")));
  }
  if (log.range_m.size() != log.scans() * log.rays()) {
    throw InputError(fmt::format("log: {} for {} of {}", counted(log.range_m.size(), "reading"),
                                 counted(log.scans(), "scan"), counted(log.rays(), "ray")));
  }
  for (std::size_t i = 0; i < log.rays(); ++i) {
    if (!std::isfinite(log.azimuth_rad[i])) {
      throw InputError(fmt::format("log: azimuth of ray {} = {} is not finite", i, number_text(log.azimuth_rad[i])));
    }
  }
  for (std::size_t i = 0; i < log.scans(); ++i) {
    const PlanarPose& p = log.pose[i];
    if (!is_finite_place(p)) {
      throw InputError(fmt::format("log: pose {} = ({}, {}, {}) is not finite", i, p.x_m, p.y_m, p.yaw_rad));
    }
  }
  if (!log.ray_offset.empty() && log.ray_offset.size() != log.range_m.size()) {
    throw InputError(fmt::format("log: {} ray offsets for {} readings", log.ray_offset.size(), log.range_m.size()));
  }
  for (std::size_t i = 0; i < log.ray_offset.size(); ++i) {
    if (!is_finite_place(log.ray_offset[i])) {
      throw InputError(
          fmt::format("log: the offset of ray {} of scan {} is not finite", i % log.rays(), i / log.rays()));
    }
  }
}

ScanLog read_scan_log(const std::filesystem::path& file, const ScanLogOptions& options) {
  return within_memory(file, [&] {
    ScanLog log = TextScans(file, options).read();
    if (std::all_of(log.ray_offset.begin(), log.ray_offset.end(), is_zero)) log.ray_offset.clear();
    return log;
  });
}

namespace {

PlanarPose on(const PlanarPose& pose, const PlanarPose& mount) {
  const auto [s, c] = math::sincos(pose.yaw_rad);
  return {pose.x_m + c * mount.x_m - s * mount.y_m, pose.y_m + s * mount.x_m + c * mount.y_m,
          pose.yaw_rad + mount.yaw_rad};
}

/// Interpolates, and turns by the shorter way.
PlanarPose between(const PlanarPose& a, const PlanarPose& b, double u) {
  const double turn = std::remainder(b.yaw_rad - a.yaw_rad, 2.0 * std::numbers::pi);
  return {a.x_m + u * (b.x_m - a.x_m), a.y_m + u * (b.y_m - a.y_m), a.yaw_rad + u * turn};
}

}  // namespace

void PoseTrack::sort() {
  std::stable_sort(knots_.begin(), knots_.end(), [](const Knot& a, const Knot& b) { return a.time_s < b.time_s; });
}

bool PoseTrack::at(double time_s, PlanarPose& pose) const {
  const auto after = std::upper_bound(knots_.begin(), knots_.end(), time_s,
                                      [](double t, const Knot& knot) { return t < knot.time_s; });
  if (after == knots_.begin()) return false;
  const Knot& a = *std::prev(after);
  if (a.time_s == time_s) {
    pose = on(a.pose, mount_);
    return true;
  }
  if (after == knots_.end()) return false;
  pose = on(between(a.pose, after->pose, (time_s - a.time_s) / (after->time_s - a.time_s)), mount_);
  return true;
}

bool PoseTrack::place(double time_s, double ray_time_s, std::size_t rays, PlanarPose& first,
                      std::vector<ScanLog::RayOffset>& offsets) const {
  offsets.clear();
  if (!at(time_s, first)) return false;
  const auto [s, c] = math::sincos(first.yaw_rad);
  for (std::size_t i = 0; i < rays; ++i) {
    PlanarPose now = first;
    if (i > 0 && !at(time_s + static_cast<double>(i) * ray_time_s, now)) return false;
    const double x = now.x_m - first.x_m, y = now.y_m - first.y_m;
    const double turn = std::remainder(now.yaw_rad - first.yaw_rad, 2.0 * std::numbers::pi);
    offsets.push_back({static_cast<float>(c * x + s * y), static_cast<float>(c * y - s * x), static_cast<float>(turn)});
  }
  return true;
}

bool ScanPlacer::place(double time_s, std::size_t rays, const PlanarPose& line_pose) {
  pose_ = line_pose;
  if (track_ == nullptr) return true;
  const bool known =
      ray_time_s_ > 0.0 ? track_->place(time_s, ray_time_s_, rays, pose_, offsets_) : track_->at(time_s, pose_);
  if (!known) ++left_out_;
  return known;
}

void ScanPlacer::append_to(ScanLog& log) const {
  log.pose.push_back(pose_);
  log.ray_offset.insert(log.ray_offset.end(), offsets_.begin(), offsets_.end());
}

void ScanPlacer::finish(ScanLog& log) const {
  if (left_out_ == 0) return;
  log.notes.push_back(
      fmt::format("{} {} left out: no pose is known then", counted(left_out_, "scan"), were(left_out_)));
}

void check_own_rays(std::size_t most, std::uint64_t scans, std::uint64_t readings) {
  constexpr std::uint64_t kAnyReadings = std::uint64_t{1} << 26, kMostTimes = 8;
  if (scans * most <= std::max(kAnyReadings, kMostTimes * readings)) return;
  throw InputError(fmt::format("scans differ too much in their rays: one has {}, and {} have {} in all", most,
                               counted(scans, "scan"), grouped(readings)));
}

void refuse_own_rays(const ScanLog& log, std::string_view why) {
  if (!log.has_own_rays) return;
  with_prefix(log.name, [&] { throw InputError(fmt::format("scans differ in their rays, {}", why)); });
}

void give_own_rays(std::span<const double> azimuth_rad, ScanLog& log) {
  const std::size_t begin = (log.scans() - 1) * log.rays();
  log.has_own_rays = true;
  log.range_m.resize(begin + log.rays(), -std::numeric_limits<float>::infinity());
  log.ray_offset.resize(begin + log.rays());
  for (std::size_t i = 0; i < azimuth_rad.size(); ++i) {
    log.ray_offset[begin + i].yaw_rad += static_cast<float>(azimuth_rad[i] - log.azimuth_rad[i]);
  }
}

}  // namespace fathom
