// SPDX-License-Identifier: MIT
#include "calibrate/wall_turns.hpp"

#include <fathom/math/trigonometry.hpp>

namespace fathom {

std::vector<Vec3> turn_directions(const WallTurns& turns, std::size_t rays, std::size_t f) {
  std::vector<Vec3> directions;
  directions.reserve(rays);
  for (std::size_t i = f * rays; i < (f + 1) * rays; ++i) {
    const math::SinCos64 azimuth = math::sincos(double{turns.azimuth_rad[i]}),
                         elevation = math::sincos(double{turns.elevation_rad[i]});
    directions.push_back({elevation.cos * azimuth.cos, elevation.cos * azimuth.sin, elevation.sin});
  }
  return directions;
}

FrameRays::FrameRays(const WallRays& of_all, const WallTurns* turns, std::size_t f) : of_all_(of_all) {
  if (turns == nullptr) return;
  own_ = of_all;
  own_->q = turn_directions(*turns, of_all.size(), f);
  own_->used_cols = turns->cols[f], own_->is_full_turn = true;
}

}  // namespace fathom
