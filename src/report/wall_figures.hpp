// SPDX-License-Identifier: MIT
#pragma once
// The figures of a wall: what was measured beside what was simulated with the learned chain.

#include <string>

#include <fathom/calibrate/wall_report.hpp>

namespace fathom {

/// Errors of one frame, measured and simulated: pictures of a camera or a lidar, lines of a planar laser.
std::string wall_residuals(const WallReport& report);
std::string wall_error_figure(const WallReport& report);
std::string wall_range_figure(const WallReport& report);  ///< deviation against range
std::string wall_correlation_figure(const WallReport& report);
std::string wall_fill_by_incidence(const WallReport& report);
std::string wall_fill_by_range(const WallReport& report);

/// Whether rays have rows, and what one step among them is called.
bool has_rows(const WallReport& report);
std::string step_word(const WallReport& report);
/// Whether errors are px of disparity.
bool in_disparity(const WallReport& report);

}  // namespace fathom
