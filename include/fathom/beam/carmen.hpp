// SPDX-License-Identifier: MIT
#pragma once
// Logs as CARMEN text, which many programs for maps and positions read.

#include <filesystem>
#include <span>
#include <string>

#include <fathom/base/export.hpp>
#include <fathom/beam/scan.hpp>

namespace fathom {

/// Whether CARMEN's FLASER lines say all of a log but its name: 180, 181, 360 or 361 rays at the angles that
/// read_scan_log() takes such lines to have, a maximum range of 80 m, and no motion within scans.
FATHOM_API bool fits_carmen(const ScanLog& log);

/// Lines `FLASER n r1..rn x y theta odom_x odom_y odom_theta time host time`, which read_scan_log() reads back to the
/// same bits. `odometry` [scans]: poses for odom_x and so on; the time is the number of the scan and the host "fathom".
/// Throws InputError for an invalid log, one that does not fit, and sizes that disagree.
FATHOM_API std::string carmen_text(const ScanLog& log, std::span<const PlanarPose> odometry);

}  // namespace fathom
