// SPDX-License-Identifier: MIT
#pragma once
// What a log has of its own beside the common parameters: the likeliest one for given parameters.

#include <cstddef>

#include <fathom/beam/log.hpp>

namespace fathom {

/// The pairs of all scans of a log, as make_beam_data() makes them, where the log is corrected.
BeamData corrected_pairs(const ScanLog& log, const LogCorrection& correction, const ExpectedRanges& world,
                         double max_range_m, const Compute& compute);

/// The log with its sensor where it is mounted, and ranges, which lie below the maximum one, without their offset.
ScanLog corrected_log(ScanLog log, const LogCorrection& correction, double max_range_m);

/// Of so many scans that are learned from, every how many are enough to correct their log by.
std::size_t correcting_step(std::size_t scans, std::size_t rays);

/// Looks for the correction of the greatest likelihood, from `start` on and first in steps of `step` (m, and rad).
LogCorrection correct_log(const ScanLog& log, const ExpectedRanges& world, const BeamModel& model,
                          const FitLogOptions& options, const LogCorrection& start, double step);

/// The standard errors of the correction that was found, for given parameters; NaN of what the readings do not tell.
LogCorrection correction_errors(const ScanLog& log, const ExpectedRanges& world, const BeamModel& model,
                                const FitLogOptions& options, const LogCorrection& found);

}  // namespace fathom
