// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <fathom/beam/scan.hpp>

#include "base/counts.hpp"
#include "log/pose_track.hpp"

namespace fathom {

/// Where the laser was during one scan after the other.
class ScanPlacer {
 public:
  /// `track`: null: where the lines of scans say.
  ScanPlacer(const PoseTrack* track, double ray_time_s) : track_(track), ray_time_s_(ray_time_s) {}

  /// False: it is not known; that is counted.
  bool place(double time_s, std::size_t rays, const PlanarPose& said) {
    pose_ = said;
    if (track_ == nullptr) return true;
    const bool known =
        ray_time_s_ > 0.0 ? track_->place(time_s, ray_time_s_, rays, pose_, offsets_) : track_->at(time_s, pose_);
    if (!known) ++left_out_;
    return known;
  }
  void append_to(ScanLog& log) const {
    log.pose.push_back(pose_);
    log.ray_offset.insert(log.ray_offset.end(), offsets_.begin(), offsets_.end());
  }
  void finish(ScanLog& log) const {
    if (left_out_ == 0) return;
    log.notes.push_back(
        fmt::format("{} {} left out: no pose is known then", counted(left_out_, "scan"), were(left_out_)));
  }

 private:
  const PoseTrack* track_;
  double ray_time_s_;
  PlanarPose pose_;
  std::vector<RayOffset> offsets_;
  std::size_t left_out_ = 0;
};

}  // namespace fathom
