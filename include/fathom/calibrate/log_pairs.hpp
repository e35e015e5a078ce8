// SPDX-License-Identifier: MIT
#pragma once
// Pairs to calibrate the noise of distances from, out of the scans of a real laser, as bags and logs hold them
// (fathom/beam/log_files.hpp, fathom/beam/scan.hpp).

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>
#include <fathom/beam/log.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/calibrate/calibrate.hpp>
#include <fathom/report/form.hpp>

namespace fathom {

struct LogPairsOptions {
  std::optional<double> max_range_m = {};  ///< how far the laser measures; nothing: what the log says
  /// A reading that is farther than this from what the world expects is of something else: a person, or a wall that is
  /// not in the map. Five deviations of the noise at least, or the deviation that is learned comes out too small.
  double gate_m = 0.3;
  Compute compute = {};
};

struct LogPairs {
  RangePairs pairs;        ///< readings without a return stay, as they are in the log; scans by their numbers there
  std::size_t others = 0;  ///< readings of something else, left out
};

/// Readings of all scans of a log, each with the range that the world expects on its ray. Rays for which it expects
/// less than the gate, or more than max_range less the gate, are left out: one side of their noise could not be seen.
/// Throws InputError when the log says no max_range and none is given, the gate is not in (0, max_range / 2), or no
/// pair is left.
FATHOM_API LogPairs range_pairs_of_log(const ScanLog& log, const World& world, const LogPairsOptions& options = {});

/// What pairs that were found within a gate, and what was learned from them, say against the world, the poses and the
/// gate.
FATHOM_API std::vector<Finding> log_pair_findings(const LogPairs& found, const DistanceCalibration& learned,
                                                  double gate_m);

/// A calibration with its pairs and with notes on them.
struct DistanceReport {
  DistanceCalibration fit;
  std::optional<LogPairs> found = {};  ///< of a log
  double gate_m = 0.0;                 ///< of `found`
  std::vector<std::string> notes = {};
};

FATHOM_API std::string report_text(const DistanceReport& report, ReportForm form, SettingNames names = {});
FATHOM_API std::string report_text(const EnergyCalibration& fit, ReportForm form, SettingNames names = {});

}  // namespace fathom
