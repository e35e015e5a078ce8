// SPDX-License-Identifier: MIT
#pragma once
// The lines of the CSV form of a scan log (fathom/beam/scan.hpp), for files that grow scan by scan.

#include <span>
#include <string>

#include <fathom/scene/grid_map.hpp>

namespace fathom {

/// `max_range_m`: 0 where it is not known.
std::string scan_csv_header(std::span<const double> azimuth_rad, double max_range_m, bool stamped);

/// `stamp_s`: null where the header has none.
std::string scan_csv_line(const double* stamp_s, const PlanarPose& pose, std::span<const float> range_m);

}  // namespace fathom
