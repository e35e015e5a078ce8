// SPDX-License-Identifier: MIT
#pragma once
// The figures of errors: of a wall, measured beside simulated with the learned chain, and of depth images.

#include <span>
#include <string>
#include <vector>

#include <fathom/calibrate/depth_report.hpp>
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

/// Depths, holes and residuals of the first frame.
std::vector<Report::Figure> depth_pictures(const DepthReport& report);
/// Correlation against lag, and hole pixels by the size of their blobs, of the first two reports.
std::vector<Report::Figure> depth_curves(std::span<const DepthReport> reports);

}  // namespace fathom
