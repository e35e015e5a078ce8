// SPDX-License-Identifier: MIT
#pragma once
// How far refined poses lie from those of the log, and the log that they make.

#include <string>
#include <vector>

#include <fathom/beam/report.hpp>

namespace fathom {

struct PoseMoves {
  std::vector<double> m, rad;  ///< [scans]; rad: signed, within half a turn
  double rms_m = 0.0, rms_rad = 0.0;
};
PoseMoves pose_moves(const RefinedLog& refined);

/// CARMEN text, with the poses that were read in place of odometry, or CSV.
std::string refined_log_text(const RefinedLog& refined);

}  // namespace fathom
