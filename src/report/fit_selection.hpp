// SPDX-License-Identifier: MIT
#pragma once
// Which scans are learned from and which judge, and how the fit of a log is a fit of pairs.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/beam/fit.hpp>
#include <fathom/beam/log.hpp>

namespace fathom {

using ScanNumbers = std::vector<std::uint32_t>;

/// As select_scans(), naming the log.
ScanNumbers choose_scans(const std::string& log, std::string_view selection, std::size_t scans);

/// These scans of a log as a separate log.
ScanLog chosen_scans(const ScanLog& log, std::span<const std::uint32_t> scans);

/// The scans to judge by, of so many; empty: none are left. Throws when one of them was learned from.
ScanNumbers held_out_scans(const FitLogOptions& options, const ScanNumbers& learned, const std::string& log,
                           std::size_t of);

/// FitReport::held_out_note of scans of a log that nobody named. `has_cells`: whether the world is a map.
std::string held_out_note(bool has_cells);

/// Whether each log learns an offset of its own.
bool has_own_offset(PerLog per_log);

/// Whether one for all is learned: where nobody says, in maps of cells, whose walls are as thick as drawn. `cell_m`: 0
/// where there are none.
bool learns_hit_offset(const FitLogOptions& options, double cell_m);

FitOptions fit_options(const FitLogOptions& options, double cell_m);

}  // namespace fathom
