// SPDX-License-Identifier: MIT
#pragma once
// Refined poses: their distance from the logged poses, the refined log, and the section of a report about them.

#include <string>
#include <vector>

#include "report/report.hpp"

namespace fathom {

struct PoseMoves {
  std::vector<double> m, rad;  ///< [scans]; rad: signed, within half a turn
  double rms_m = 0.0, rms_rad = 0.0;
};
PoseMoves pose_moves(const RefinedLog& refined);

/// CARMEN text, with the poses that were read in place of odometry, or CSV.
std::string refined_log_text(const RefinedLog& refined);

/// The way before and after, how far each pose moved, and the gain.
Report::Section poses_section(const FitReport& report);

}  // namespace fathom
