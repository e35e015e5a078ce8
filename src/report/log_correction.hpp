// SPDX-License-Identifier: MIT
#pragma once
// What a log has of its own beside the common parameters: the likeliest one for given parameters.

#include <span>

#include <fathom/beam/log.hpp>

namespace fathom {

struct CorrectedLog {
  LogCorrection correction, std_error;
};

/// The pairs of chosen scans, as make_beam_data() makes them, where the log is corrected.
BeamData corrected_pairs(const ScanLog& log, std::span<const std::uint32_t> scans, const LogCorrection& correction,
                         const ExpectedRanges& world, double max_range_m, const Compute& compute);

/// Looks for the correction of the greatest likelihood, from `start` on and first in steps of `step` (m, and rad).
CorrectedLog correct_log(const ScanLog& log, std::span<const std::uint32_t> scans, const ExpectedRanges& world,
                         const BeamModel& model, const FitLogOptions& options, const LogCorrection& start, double step);

}  // namespace fathom
