// SPDX-License-Identifier: MIT
#pragma once
// Scans of ROS 2 as a log, with poses from transforms.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fathom/files/scan_log.hpp>

#include "io/bag/read_bag.hpp"
#include "io/log/frame_tree.hpp"
#include "io/message/sensors.hpp"

namespace fathom {

/// The directions of a scan's rays.
struct ScanGrid {
  float angle_min = 0.0F, angle_increment = 0.0F;
  std::size_t rays = 0;
  friend bool operator==(const ScanGrid&, const ScanGrid&) = default;
};

/// Throws InputError for an invalid scan.
ScanGrid ray_grid(const msg::LaserScan& scan);

/// The rays of all scans of a topic.
struct ScanRays {
  ScanGrid most;      ///< of the first scan that has the most rays
  bool vary = false;  ///< whether another scan has other rays
  std::uint64_t scans = 0, readings = 0;
  void add(const ScanGrid& grid) {
    vary = vary || (most.rays > 0 && !(grid == most));
    if (grid.rays > most.rays) most = grid;
    ++scans, readings += grid.rays;
  }
};

/// Makes a log of the scans of a topic, by the rules in docs/bags.md.
class ScanTaker {
 public:
  ScanTaker(FrameTree& frames, std::string map_frame, const ScanRays& rays)
      : frames_(frames), map_frame_(std::move(map_frame)), rays_(rays) {}

  /// Reserves memory for at most `readings` readings.
  void expect_readings(std::size_t readings);

  /// Leaves out invalid messages, scans of another frame, and scans whose pose on the map is unknown. Throws InputError
  /// for a tilted laser and for frames that nothing connects.
  void take(const BagMessage& message);

  /// Throws InputError naming the file and the topic if all messages were invalid.
  void check_begun() const;

  /// The scans, with notes on scans left out and on damage of the bag. Throws InputError if there are no scans.
  ScanLog finish(const std::string& topic, BagReading reading);

 private:
  static constexpr double kStraight = 1e-6;  // m and rad: tolerance of a straight way
  /// The laser's pose at a ray, in its frame at the first ray.
  struct Way {
    double x_m = 0, y_m = 0, yaw_rad = 0;
  };
  struct PlacedRay {
    std::size_t ray = 0;
    Way way;
  };
  static Way between(const Way& a, const Way& b, double u) {
    return {a.x_m + u * (b.x_m - a.x_m), a.y_m + u * (b.y_m - a.y_m), a.yaw_rad + u * (b.yaw_rad - a.yaw_rad)};
  }
  static bool is_near(const Way& a, const Way& b) {
    return std::abs(a.x_m - b.x_m) <= kStraight && std::abs(a.y_m - b.y_m) <= kStraight &&
           std::abs(a.yaw_rad - b.yaw_rad) <= kStraight;
  }

  [[nodiscard]] std::int64_t time_ns(std::size_t ray) const;
  bool way_to(std::size_t ray, Way& way);
  static ScanLog::RayOffset offset_of(const Way& way);
  [[nodiscard]] bool is_straight(const PlacedRay& a, const PlacedRay& middle, const PlacedRay& b) const;
  static void place_straight(const PlacedRay& a, const PlacedRay& b, std::span<ScanLog::RayOffset> offsets);
  bool place_between(const PlacedRay& a, const PlacedRay& b, std::span<ScanLog::RayOffset> offsets);
  void begin();
  void take(const ScanGrid& grid);
  [[nodiscard]] std::vector<double> azimuths(const ScanGrid& grid) const;
  bool pose_at(std::int64_t stamp_ns, PlanarPose& planar);
  void hang_as(bool upside_down);
  bool place();

  FrameTree& frames_;
  std::string map_frame_, frame_;
  ScanRays rays_;
  msg::LaserScan scan_;  // the current one
  FrameTree::Path path_;
  std::int64_t stamp_ns_ = 0;  // of the current scan, like the next three
  PlanarPose first_;
  double sin_ = 0, cos_ = 1;
  ScanLog log_;
  bool begun_ = false, hangs_ = false, moved_ = false;
  std::size_t taken_ = 0, unplaced_ = 0, others_ = 0;
  BagReading unsound_;
};

}  // namespace fathom
