// SPDX-License-Identifier: MIT
#pragma once
// The result of a fit of the beam model as files: parameters.yaml to use it, fit.json for programs, report.html for
// people. docs/output-formats.md describes them.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/base/export.hpp>
#include <fathom/beam/fit.hpp>
#include <fathom/beam/localizer.hpp>
#include <fathom/beam/model_file.hpp>
#include <fathom/beam/refine.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/report/form.hpp>

namespace fathom {

/// What one of several logs has of its own, beside the common parameters.
struct LogCorrection {
  /// Pose of the sensor in the frame that the log calls its sensor: what the mount was not known to be.
  double mount_x_m = 0.0, mount_y_m = 0.0, mount_yaw_rad = 0.0;
  double range_offset_m = 0.0;  ///< by how much farther surfaces are measured than expected
  friend constexpr bool operator==(const LogCorrection&, const LogCorrection&) = default;
};

/// Poses that were learned together with the parameters.
struct RefinedLog {
  ScanLog log;                      ///< the scans that took part, at their refined poses
  std::vector<std::uint32_t> scan;  ///< [scans] their numbers in the log that was read
  std::vector<PlanarPose> logged;   ///< [scans] their poses there
  PosePrior prior;
  BeamParameters parameters_before;  ///< learned at the poses of the log from the same rays
  BeamJudgement before;              ///< of these, by the same rays as FitReport::judgement
  std::size_t turns = 0;
};

struct FitReport {
  BeamModel model;  ///< its parameters are those of `fit`
  BeamFit fit;
  FitVariant variant = FitVariant::kExact;
  std::size_t stretches = FitOptions().stretches;  ///< FitOptions::stretches
  BeamData shown;           ///< the pairs in the figures: held out, or learned from where none are held out
  BeamJudgement judgement;  ///< of these
  bool held_out = false;    ///< whether they were held out
  /// What is not known of the scans that were held out, in one sentence: what made the map and the poses. Empty:
  /// whoever asked for the fit named them (FitLogOptions::test_scans), or none were.
  std::string held_out_note = {};
  bool rows_are_scans = false;  ///< of a table of pairs that tells no scans apart: each row counts as one
  /// A line of the table at the end of the page, about what was learned from: "map", "freiburg.yaml".
  struct Fact {
    std::string name, value;
  };
  std::vector<Fact> facts;
  /// What was learned of each log, in their order; empty: nothing was to be.
  struct Log {
    std::string name;
    LogCorrection correction, std_error;  ///< errors for given common parameters; NaN where there is none
  };
  std::vector<Log> logs = {};
  /// What is probably wrong with the log, its map, its poses or the model, and what to do about it; one line each.
  std::vector<Message> sanity = {};
  /// The flags of `sanity` that make the parameters useless. Empty: the result is usable.
  std::vector<Message> unusable = {};
  std::vector<Message> notes = {};         ///< what a user should know of the log, one sentence each; in no file
  std::optional<RefinedLog> refined = {};  ///< nothing: the poses stayed as they were
};

/// A parameter as people should read it: a weight at its boundary, which learning comes near and never reaches, is 0.
[[nodiscard]] inline double printed_value(const BeamParameters& parameters, double BeamParameters::*parameter) {
  using P = BeamParameters;
  const bool is_weight =
      parameter == &P::w_hit || parameter == &P::w_short || parameter == &P::w_max || parameter == &P::w_rand;
  const double value = parameters.*parameter;
  return is_weight && value <= kWeightBoundary ? 0.0 : value;
}

/// A number that was learned, or kept, with its entry in the table.
struct LearnedNumber {
  FieldInfo field;
  double value = 0.0;
  double printed = 0.0;                                                        ///< as printed_value() has it
  double std_error = 0.0, naive_std_error = 0.0, low_95 = 0.0, high_95 = 0.0;  ///< as in BeamFit
};

/// Those of the table of BeamParameters, and that of an extended law of hits.
FATHOM_API std::vector<LearnedNumber> learned_numbers(const BeamFit& fit);

/// The flags of the fit and of the judgement, and FitReport::sanity.
FATHOM_API std::vector<Message> report_flags(const FitReport& report);

FATHOM_API std::string report_text(const FitReport& report, ReportForm form, SettingNames names = {});

/// The files that write_fit() writes into `folder`, in this order. `refined`: of a report with refined poses, which
/// has refined.log, too: CARMEN text where that says all of the log (fits_carmen()), with the poses that were read in
/// place of odometry, else the CSV of write_scan_csv(). read_scan_log() reads both.
FATHOM_API std::vector<std::filesystem::path> fit_files(const std::filesystem::path& folder,
                                                        std::span<const Localizer> localizers = {},
                                                        bool refined = false);

/// Throws InputError unless write_fit() may write into `folder`: when it exists and `force` is not set, when it is no
/// folder, or when it holds files that are named like those of a fit but were not written by one. Changes nothing.
FATHOM_API void check_fit_folder(const std::filesystem::path& folder, bool force);

/// Checks as above, makes the folder and writes parameters.yaml, report.html, for each localizer its parameters
/// (localizer_text()), refined.log where poses were refined, and, last, fit.json: a folder that holds one is complete.
/// Each file appears whole or not at all. With `force`, files of localizers and refined.log that an earlier fit wrote
/// are removed where they are not written again. Throws InputError or SystemError.
FATHOM_API void write_fit(const std::filesystem::path& folder, const FitReport& report, bool force = false,
                          std::span<const Localizer> localizers = {});

}  // namespace fathom
