// SPDX-License-Identifier: MIT
#pragma once
// Scans of ROS 2 at the poses that transforms give them, as a log.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fathom/beam/scan.hpp>

#include "log/frame_tree.hpp"
#include "message/laser_scan.hpp"

namespace fathom {

/// Takes scans one after the other, all of the same rays. What docs/bags.md says of scans is done here.
class ScanTaker {
 public:
  ScanTaker(FrameTree& frames, std::string map_frame) : frames_(frames), map_frame_(std::move(map_frame)) {}

  /// Leaves out a scan of other rays, and one whose way to the map is not known at its times. Throws InputError for a
  /// scan that is not sound, a tilted laser, and frames that nothing connects.
  void take(const msg::LaserScan& scan);

  [[nodiscard]] std::size_t scans() const { return log_.scans(); }

  /// The scans so far, with notes of what was left out. Throws InputError where there is none.
  ScanLog finish(const std::string& topic, const std::string& tear);

 private:
  /// The rays of a scan, which all scans of a log share.
  struct RayGrid {
    float angle_min, angle_increment;
    std::size_t rays;
    friend bool operator==(const RayGrid&, const RayGrid&) = default;
  };

  void begin(const msg::LaserScan& scan, const RayGrid& grid);
  bool pose_at(std::int64_t stamp_ns, PlanarPose& planar);
  void hang_as(bool upside_down);
  bool place(const msg::LaserScan& scan);

  FrameTree& frames_;
  std::string map_frame_, frame_;
  std::optional<RayGrid> grid_;
  float time_increment_ = 0.0F;
  FrameTree::Path path_;
  ScanLog log_;
  bool hangs_ = false, moved_ = false;
  std::size_t unplaced_ = 0, others_ = 0;
};

}  // namespace fathom
