// SPDX-License-Identifier: MIT
#pragma once
// Probable faults of a log, its map, its poses or the model, with advice.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/fit/beam.hpp>
#include <fathom/scene/grid_map.hpp>

#include "fit/beam/likelihood_field.hpp"
#include "fit/beam/refine.hpp"
#include "fit/report/fit_selection.hpp"

namespace fathom {

// Whether a log lies on its map: unchanged, in other units, with its laser turned, or moved as a whole.

/// The share of a log's readings that lie on its map; 0 if too few readings tell.
using ShareOnMap = std::function<double(const ScanLog& log)>;
/// Readings near the expected ranges. The world must outlive the answer.
ShareOnMap share_by_ranges(const ExpectedRanges& world);
/// Readings that end near occupied cells. The field must outlive the answer.
ShareOnMap share_by_ends(const DistanceField& field);

/// Throws InputError if no pose lies on the map. `outline`: see World::outline().
void require_poses_on_map(const ScanLog& log, const GridMap& outline, const ShareOnMap& share);

/// A sentence if many poses lie beside the map, else empty.
std::string beside_map_flag(const ScanLog& log, const GridMap& outline);

/// A sentence if all scans are from one place, else empty.
std::string one_place_flag(std::span<const PlanarPose> poses);

/// A sentence if other units, or a quarter turn of the laser, bring the log onto its map, else empty.
Message misplacement_flag(const ScanLog& log, const ShareOnMap& share);

/// The same of a table of pairs, which has no poses: other units.
Message unit_flag(const BeamData& pairs);

/// What the moves of scans to where they fit best have in common.
struct CommonMove {
  PlanarPose mount;        ///< of the laser, in its own frame
  PlanarPose map;          ///< of the poses in the world, turned about their middle
  bool is_mount = false;   ///< whether a wrong mount explains the moves
  bool is_map = false;     ///< whether a map that lies elsewhere does; with is_mount, both explain them equally well
  double typical_m = 0.0;  ///< the median length of a move

  [[nodiscard]] bool is_some() const { return is_mount || is_map; }
  [[nodiscard]] std::string words() const;  ///< a sentence about where scans fit best, and its cause
};
/// From the poses of the log to where its scans fit best. None if fewer than ten scans tell.
CommonMove find_common_move(std::span<const PlanarPose> logged, std::span<const PlanarPose> moved, double cell_m);

// Whether the model fits the readings.

/// Nats per reading: models that gain less are not worth a flag.
inline constexpr double kLeastModelGain = 0.02;

/// Names a wrong map where this weight of readings that the map does not explain is above `most`; else empty.
std::string unexplained_flag(std::string_view weight, double value, double most);
/// Names a wrong map where hits spread by more than `most_m`; else empty.
std::string spread_flag(double sigma_m, double cell_m, double most_m);
/// Words if the fit shows that the map is of another place; else empty.
std::string wrong_map_flag(const FitReport& report);

/// Adds a flag, unless it is empty. `code`: Finding::code.
void add_flag(const char* code, const Message& flag, LogReport& report);
/// Adds a flag that makes the parameters useless, unless it is empty.
void add_fault(const char* code, const Message& flag, LogReport& report);

/// Adds what the fit and its readings show: a map of another place, which makes the parameters useless, or hits that
/// the book piles up below Z, heavy tails, and readings that lie elsewhere than the model has them.
void add_model_flags(FitReport& report);

/// The note where a code for "no return" was taken as the maximum range; else empty.
std::string no_return_note(const NoReturnPile::Code& code);
/// Flags a value that probably means no return, unless it `is_taken` as the maximum range; ranges beyond the maximum
/// range; and readings of 0, which may mean no return. `log`: the name in front, or empty.
void add_reading_flags(const ReadingFacts& readings, bool is_taken, const BeamSensor& sensor, const std::string& log,
                       LogReport& report);

/// A log to learn from: the choice of its scans, and its flags.
struct GivenLog {
  const ScanLog& log;
  ScanNumbers learned = {}, held_out = {};
  Message misplaced = {};                                 ///< a flag, or empty
  std::string beside = {};                                ///< likewise
  FitReport::Correction correction = {}, std_error = {};  ///< of FitLogOptions::per_log

  /// Finds out how it lies on its map. Throws InputError if no pose lies on it.
  void place_on(const GridMap& outline, const ShareOnMap& share);
};

struct GivenLogs {
  std::vector<GivenLog> logs = {};
  std::vector<ReadingFacts> readings = {};  ///< [logs]

  /// `Options`: FitLogOptions or FieldLogOptions. `name`: of the log in messages.
  template <class Options>
  GivenLog& add(const ScanLog& log, const std::string& name, const Options& options) {
    GivenLog& given = logs.emplace_back(GivenLog{.log = log});
    given.learned = choose_scans(name, options.scans, log.scans());
    given.held_out = held_out_scans(options.scans, options.test_scans, given.learned, name, log.scans());
    readings.push_back(reading_facts(log.range_m, name, options.max_range_m.value_or(log.max_range_m)));
    return given;
  }
  /// The name of a log among others; empty for a single log.
  [[nodiscard]] std::string name_of(const GivenLog& given) const;
  /// Flags logs, their readings and, for stretches of the way, the `poses` learned from. Of a log that does not lie on
  /// its map it flags only that, and returns false.
  bool add_flags(std::span<const PlanarPose> poses, std::size_t stretches, bool takes_code, const BeamSensor& sensor,
                 LogReport& report) const;
  /// Notes on logs, and on codes for "no return" that were taken as the maximum range.
  void add_notes(bool takes_code, LogReport& report) const;
};

/// This number of evenly spaced scans shows whether the poses of a log are exact.
inline constexpr std::size_t kPoseScans = 48;

/// The gain of a judged ray in nats from refined poses instead of the poses in the log. 0 if it is at most 0.05, or at
/// most three standard errors by scan, or unknown.
double telling_gain(const RefinedPoses& refined, const BeamSensor& sensor);

/// Compares refined poses with the poses of a log.
struct PoseCheck {
  double gain = 0.0;  ///< as telling_gain() has it; 0 where poses move within half a cell
  CommonMove common;
};

/// Of these scans, whose poses are refined for it. With at most 180 rays of each, and two turns: of kPoseScans scans
/// about as long as 100 000 rays are learned from.
PoseCheck check_poses(const ScanLog& log, const World& world, const BeamSensor& sensor, const FitLogOptions& options);

/// Empty without a gain. `per_log`: the learned corrections of the log.
Message pose_flag(const PoseCheck& check, FitLogOptions::PerLog per_log);

// The distances of ends from occupied cells that a likelihood field expects, and its probable faults.

/// Fills FieldReport::level_m, level_share and modelled from rays of these scans that carry evidence.
void add_expected_shares(const ScanLog& log, std::span<const std::uint32_t> scans, const DistanceField& field,
                         FieldReport& report);

/// Fractions of all readings.
struct FieldShare {
  double readings = 0.0, expected = 0.0;
};
/// Of distances in [low_m, high_m).
FieldShare share_between(const FieldReport& report, double low_m, double high_m);

/// A sentence for each: tails and ends far from all occupied cells, if the model misses the readings there.
std::vector<std::string> field_disagreements(const FieldReport& report);

/// The model for the look-up of cells of a localizer.
const LikelihoodFieldModel& model_for(const FieldReport& report, Localizer localizer);

/// Names a map of another place; else empty.
std::string wrong_map_flag(const FieldReport& report);

/// More readings in the tail than the model expects and than good maps have; empty where that is not so.
Message heavy_tails_flag(const FieldReport& report);

}  // namespace fathom
