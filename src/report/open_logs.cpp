// SPDX-License-Identifier: MIT
#include "report/open_logs.hpp"

#include <algorithm>

#include <fathom/base/error.hpp>

#include "base/with_prefix.hpp"

namespace fathom {

namespace {

bool is_elsewhere(const RayOffset& offset) {
  return offset.x_m != 0.0F || offset.y_m != 0.0F || offset.yaw_rad != 0.0F;
}

}  // namespace

const ScanLog& OpenLogs::go_to(std::size_t log) {
  if (log == which_) return *log_;
  log_.reset();  // two large logs would not fit
  which_ = std::numeric_limits<std::size_t>::max();
  log_ = open_(log);
  if (log_->scans() > 0) with_prefix(log_->name, [&] { validate(*log_); });
  which_ = log;
  return *log_;
}

LogLook OpenLogs::look(std::size_t log) {
  const ScanLog& whole = go_to(log);
  LogLook found;
  found.name = whole.name, found.laser = whole.laser;
  found.scans = whole.scans(), found.rays = whole.rays();
  found.max_range_m = whole.max_range_m;
  found.moved = std::any_of(whole.ray_offset.begin(), whole.ray_offset.end(), is_elsewhere);
  found.skipped = whole.skipped, found.notes = whole.notes;
  for (std::uint32_t scan = 0; scan < whole.scans(); ++scan) found.largest.add(whole.scan(scan));
  return found;
}

ScanLog OpenLogs::pick(std::size_t log, std::span<const std::uint32_t> scans) {
  const ScanLog& whole = go_to(log);
  ScanLog picked;
  picked.name = whole.name;
  picked.azimuth_rad = whole.azimuth_rad, picked.max_range_m = whole.max_range_m;
  for (const std::uint32_t scan : scans) {
    const auto readings = whole.scan(scan);
    const auto offsets = whole.offsets(scan);
    picked.pose.push_back(whole.pose[scan]);
    picked.range_m.insert(picked.range_m.end(), readings.begin(), readings.end());
    picked.ray_offset.insert(picked.ray_offset.end(), offsets.begin(), offsets.end());
  }
  return picked;
}

}  // namespace fathom
