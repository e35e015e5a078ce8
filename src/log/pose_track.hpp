// SPDX-License-Identifier: MIT
#pragma once
// Where a laser was over time, as the lines of a log tell.

#include <cstddef>
#include <vector>

#include <fathom/beam/scan.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// Poses between two times are interpolated, none is made up before the first time or after the last.
class PoseTrack {
 public:
  /// `mount`: pose of the laser in the frame whose poses are added.
  explicit PoseTrack(const PlanarPose& mount = {}) : mount_(mount) {}

  /// In any order of times; of several at one time the last one holds. All before the first at().
  void add(double time_s, const PlanarPose& pose) { knots_.push_back({time_s, pose}); }
  void sort();

  /// Sets `pose` to that of the laser; false: it is not known then.
  [[nodiscard]] bool at(double time_s, PlanarPose& pose) const;

  /// Where the laser was at the first of so many rays, and from there at each of them; false: it is not known at all
  /// their times.
  [[nodiscard]] bool place(double time_s, double ray_time_s, std::size_t rays, PlanarPose& first,
                           std::vector<RayOffset>& offsets) const;

 private:
  struct Knot {
    double time_s;
    PlanarPose pose;
  };
  PlanarPose mount_;
  std::vector<Knot> knots_;
};

}  // namespace fathom
