// SPDX-License-Identifier: MIT
#pragma once
// The rays of each turn of a lidar.

#include <cstddef>
#include <optional>
#include <vector>

#include "calibrate/wall_rays.hpp"

namespace fathom {

/// Directions of the rays of frame f, unit, [rows, cols].
std::vector<Vec3> turn_directions(const WallTurns& turns, std::size_t rays, std::size_t f);

/// The rays of one frame: those of all, or where there are turns, its own.
class FrameRays {
 public:
  FrameRays(const WallRays& of_all, const WallTurns* turns, std::size_t f);
  FrameRays(const FrameRays&) = delete;
  FrameRays& operator=(const FrameRays&) = delete;

  const WallRays& operator*() const { return own_ ? *own_ : of_all_; }
  const WallRays* operator->() const { return &**this; }

 private:
  const WallRays& of_all_;
  std::optional<WallRays> own_;
};

}  // namespace fathom
