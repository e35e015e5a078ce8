// SPDX-License-Identifier: MIT
#include "report/pose_moves.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fathom/beam/carmen.hpp>
#include <fathom/beam/csv.hpp>

namespace fathom {

PoseMoves pose_moves(const RefinedLog& refined) {
  PoseMoves moves;
  for (std::size_t i = 0; i < refined.logged.size(); ++i) {
    const PlanarPose &before = refined.logged[i], &now = refined.log.pose[i];
    moves.m.push_back(std::hypot(now.x_m - before.x_m, now.y_m - before.y_m));
    moves.rad.push_back(std::remainder(now.yaw_rad - before.yaw_rad, 2.0 * std::numbers::pi));
    moves.rms_m += moves.m.back() * moves.m.back();
    moves.rms_rad += moves.rad.back() * moves.rad.back();
  }
  const double count = std::max(1.0, static_cast<double>(moves.m.size()));
  moves.rms_m = std::sqrt(moves.rms_m / count);
  moves.rms_rad = std::sqrt(moves.rms_rad / count);
  return moves;
}

std::string refined_log_text(const RefinedLog& refined) {
  return fits_carmen(refined.log) ? carmen_text(refined.log, refined.logged) : scan_csv(refined.log);
}

}  // namespace fathom
