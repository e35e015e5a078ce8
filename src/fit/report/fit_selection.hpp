// SPDX-License-Identifier: MIT
#pragma once
// Logs that are learned from: the choice of their scans, facts about their readings, and the correction of each log.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/fit/beam.hpp>
#include <fathom/fit/reports.hpp>

#include "fit/beam/no_return_pile.hpp"
#include "fit/beam/scans.hpp"

namespace fathom {

/// As select_scans(), naming the log.
ScanNumbers choose_scans(const std::string& log, std::string_view selection, std::size_t scans);

ScanNumbers every_nth(std::span<const std::uint32_t> scans, std::size_t every);
/// At most `most` of them, evenly spaced.
inline ScanNumbers spread_scans(std::span<const std::uint32_t> scans, std::size_t most) {
  return every_nth(scans, (scans.size() + most - 1) / most);
}

/// "odd (60 of 120 scans)": a fact of a report.
std::string selection_text(const std::string& selection, std::size_t chosen, std::size_t of,
                           std::string_view noun = "scan");

struct SelectionCounts {
  std::size_t learned, held_out, of;
  std::string_view noun = "scan";
};
/// Appends the facts "learned from" and, unless none are held out, "held out". `scans`, `test_scans`: see
/// FitLogOptions.
void add_selection(const std::string& scans, const std::string& test_scans, const SelectionCounts& counts,
                   std::vector<FitReport::Fact>& facts);

/// The file of a log and its rays: a fact of a report.
FitReport::Fact log_fact(const ScanLog& log);

/// A note or flag with the name of its log in front, if there is one. Empty words stay empty.
Message with_log_name(const Message& words, const std::string& log);

/// The scans to judge by, among `of` scans; empty if none are left. Throws when one of them was learned from.
ScanNumbers held_out_scans(const std::string& scans, const std::string& test_scans, const ScanNumbers& learned,
                           const std::string& log, std::size_t of);

/// Fit::HeldOut::note of test scans that were not named. `has_cells`: whether the world is a map.
std::string held_out_note(bool has_cells);

/// Whether each log learns a separate offset.
bool has_own_offset(FitLogOptions::PerLog per_log);

/// Whether a common offset is learned. By default it is in maps of cells, whose walls are as thick as drawn. `cell_m`:
/// 0 without cells.
bool learns_hit_offset(const FitLogOptions& options, double cell_m);

FitOptions fit_options(const FitLogOptions& options, double cell_m);

/// What the readings of a log, or of a table, show of their sensor.
struct ReadingFacts {
  std::string name = {};  ///< of the log in messages; may be empty
  double said_m = 0.0;    ///< how far the sensor measures, by the log or the options; 0: unknown
  NoReturnPile pile = {};
  NoReturnPile::Code code = {};
};

/// Throws InputError if no reading is a range, whatever the maximum range is.
ReadingFacts reading_facts(std::span<const float> range_m, const std::string& name, double said_m);

/// Throws InputError if a log lacks the maximum range of its sensor: it is 0, or beyond all sensors, as inf. The
/// message has the values of the scans, and the option to give. `before`: words in front.
void require_max_range(double max_range_m, std::string_view before = "");

/// Whether a value that means no return is taken as the maximum range.
template <class Options>
bool finds_code(const Options& options) {
  return options.auto_max_range && !options.max_range_m;
}

/// The maximum range: `given`, if there is one. With `is_auto`, the least of the logs' own and of the values just below
/// their codes for "no return". Otherwise that of the logs, which must agree. Throws InputError if no log has one.
double find_max_range_m(std::span<const ReadingFacts> logs, const std::optional<double>& given, bool is_auto);

/// Throws InputError if no reading is below the maximum range, or that is shorter than a cell of the map. `cell_m`: 0
/// if there are no cells. `cause`: a sentence about why, or empty.
void require_ranges_below(double max_range_m, const ReadingFacts& readings, double cell_m, const Message& cause);

/// The step between rays of a scan that are scored for a heatmap.
std::size_t usual_ray_step(const ScanLog& log, const HeatmapLogOptions& options);
/// Throws InputError naming the log if it has no such scan, or if no reading carries evidence: readings() counts them.
void require_evidence(const ScanLog& log, std::uint32_t scan, const std::function<std::size_t()>& readings);

/// The pairs of all scans of a log, as make_beam_data() makes them, where the log is corrected.
BeamData corrected_pairs(const ScanLog& log, const FitReport::Correction& correction, const ExpectedRanges& world,
                         double max_range_m, const Compute& compute);

/// The log with its sensor where it is mounted, and ranges, which lie below the maximum one, without their offset.
ScanLog corrected_log(ScanLog log, const FitReport::Correction& correction, double max_range_m);

/// The step between scans that are enough to correct a log of this many scans.
std::size_t correcting_step(std::size_t scans, std::size_t rays);

/// Looks for the correction of the greatest likelihood, from `start` on and first in steps of `step` (m, and rad).
FitReport::Correction correct_log(const ScanLog& log, const ExpectedRanges& world, const BeamModel& model,
                                  const FitLogOptions& options, const FitReport::Correction& start, double step);

/// The standard errors of the correction found, for given parameters; NaN for numbers that readings do not determine.
FitReport::Correction correction_errors(const ScanLog& log, const ExpectedRanges& world, const BeamModel& model,
                                        const FitLogOptions& options, const FitReport::Correction& found);

/// fit_log() at the poses of the log, without the flags of its model (add_model_flags()). It is unusable where the log
/// does not lie on its map.
FitReport fit_at_log_poses(const ScanLog& log, const World& world, const FitLogOptions& options);

/// fit_log() where options.refine_poses is set.
FitReport refine_log(const ScanLog& log, const World& world, const FitLogOptions& options);

/// Findings on the world, the poses and the gate, from pairs within the gate and the result.
std::vector<Finding> log_pair_findings(const LogPairs& found, const DistanceCalibration& learned, double gate_m);

}  // namespace fathom
