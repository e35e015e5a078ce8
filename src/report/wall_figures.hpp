// SPDX-License-Identifier: MIT
#pragma once
// The figures of a wall: what was measured beside what was simulated with the learned chain.

#include <string>
#include <vector>

#include <fathom/calibrate/wall_report.hpp>

#include "report/report.hpp"

namespace fathom {

/// Errors of one frame, measured and simulated: pictures of a camera or a lidar, lines of a planar laser.
std::vector<Report::Figure> wall_residuals(const WallReport& report);
/// Errors, their deviation by range, their correlation, and the share of rays that came back, by incidence and range.
std::vector<Report::Figure> wall_curves(const WallReport& report);

/// Whether rays have rows, and what one step among them is called.
bool has_rows(const WallReport& report);
std::string step_word(const WallReport& report);
/// Whether errors are px of disparity.
bool in_disparity(const WallReport& report);

}  // namespace fathom
