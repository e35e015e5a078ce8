// SPDX-License-Identifier: MIT
#include "report/open_logs.hpp"

#include <algorithm>
#include <utility>

#include <fathom/base/error.hpp>

#include "base/with_prefix.hpp"

namespace fathom {

namespace {

class ScansInMemory : public ScanSource {
 public:
  explicit ScansInMemory(std::shared_ptr<const ScanLog> log) : log_(std::move(log)) {
    name = log_->name;
    if (log_->scans() > 0) with_prefix(name, [&] { validate(*log_); });
  }

  void rewind() override { at_ = 0; }
  bool next(ScanLog& log) override {
    if (log.azimuth_rad.empty()) log.azimuth_rad = log_->azimuth_rad, log.max_range_m = log_->max_range_m;
    if (at_ == log_->scans()) {
      log.laser = log_->laser, log.skipped = log_->skipped, log.notes = log_->notes;
      return false;
    }
    const auto readings = log_->scan(at_);
    const auto offsets = log_->offsets(at_);
    log.pose.push_back(log_->pose[at_]);
    log.range_m.insert(log.range_m.end(), readings.begin(), readings.end());
    log.ray_offset.insert(log.ray_offset.end(), offsets.begin(), offsets.end());
    ++at_;
    return true;
  }
  bool skip() override { return at_ < log_->scans() && ++at_ > 0; }

 private:
  std::shared_ptr<const ScanLog> log_;
  std::size_t at_ = 0;
};

bool is_elsewhere(const RayOffset& offset) {
  return offset.x_m != 0.0F || offset.y_m != 0.0F || offset.yaw_rad != 0.0F;
}

}  // namespace

std::unique_ptr<ScanSource> source_of(std::shared_ptr<const ScanLog> log) {
  return std::make_unique<ScansInMemory>(std::move(log));
}

void OpenLogs::go_to(std::size_t log) {
  if (log == which_) return;
  source_.reset();  // two large logs would not fit
  which_ = std::numeric_limits<std::size_t>::max();
  source_ = open_(log);
  which_ = log;
  at_ = 0;
}

LogLook OpenLogs::look(std::size_t log) {
  go_to(log);
  source_->rewind();
  at_ = 0;
  LogLook found;
  ScanLog one;
  for (; source_->next(one); ++at_, ++found.scans) {
    found.largest.add(one.range_m);
    found.moved = found.moved || std::any_of(one.ray_offset.begin(), one.ray_offset.end(), is_elsewhere);
    one.pose.clear(), one.range_m.clear(), one.ray_offset.clear();
  }
  found.name = source_->name;
  found.rays = one.rays(), found.max_range_m = one.max_range_m;
  found.laser = std::move(one.laser);
  found.skipped = std::move(one.skipped), found.notes = std::move(one.notes);
  return found;
}

void OpenLogs::refuse_change() const {
  const std::string name = size_ == 1 ? "" : source_->name + ": ";  // that of a single log comes from the caller
  throw InputError(name + "the log changed while it was learned from: scans are gone");
}

ScanLog OpenLogs::pick(std::size_t log, std::span<const std::uint32_t> scans) {
  go_to(log);
  ScanLog picked;
  for (const std::uint32_t scan : scans) {
    if (scan < at_) source_->rewind(), at_ = 0;
    for (; at_ < scan; ++at_) {
      if (!source_->skip()) refuse_change();
    }
    if (!source_->next(picked)) refuse_change();
    ++at_;
  }
  picked.name = source_->name;
  return picked;
}

}  // namespace fathom
