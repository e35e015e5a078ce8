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

/// What a fit of a log or a table says besides the model.
struct LogReport {
  /// A line of the table at the end of the page, about what was learned from: "map", "freiburg.yaml".
  struct Fact {
    std::string name, value;
  };
  std::vector<Fact> facts;
  /// What is probably wrong with the log, its map, its poses or the model, and what to do about it.
  std::vector<Finding> sanity = {};
  std::vector<Message> notes = {};  ///< what a user should know of the log, one sentence each; in no file
};

struct FitReport : LogReport {
  BeamModel model;  ///< its parameters are those of `fit`
  BeamFit fit;      ///< held_out: whether `judgement` is of readings that were held out
  FitVariant variant = FitVariant::kExact;
  BeamData shown;               ///< the pairs in the figures: held out, or learned from where none are held out
  BeamJudgement judgement;      ///< of these
  bool rows_are_scans = false;  ///< of a table of pairs that tells no scans apart: each row counts as one
  /// What was learned of each log, in their order; empty: nothing was to be.
  struct Log {
    std::string name;
    LogCorrection correction, std_error;  ///< errors for given common parameters; NaN where there is none
  };
  std::vector<Log> logs = {};
  std::optional<RefinedLog> refined = {};  ///< nothing: the poses stayed as they were

  /// Of the fit, of the judgement, and `sanity`.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
};

FATHOM_API std::string report_text(const FitReport& report, ReportForm form, SettingNames names = {});

/// The files that write_fit() writes into `folder`, in this order. `refined`: of a report with refined poses, which
/// has refined.log, too: CARMEN text where that says all of the log (fits_carmen()), with the poses that were read in
/// place of odometry, else the CSV of write_scan_csv(). read_scan_log() reads both.
FATHOM_API std::vector<std::filesystem::path> fit_files(const std::filesystem::path& folder,
                                                        std::span<const Localizer> localizers = {},
                                                        bool refined = false);

/// Checks as check_result_folder() does, makes the folder and writes parameters.yaml, report.html, for each localizer
/// its parameters (localizer_text()), refined.log where poses were refined, and, last, fit.json. With `force`, files of
/// localizers and refined.log that an earlier fit wrote are removed where they are not written again.
FATHOM_API void write_fit(const std::filesystem::path& folder, const FitReport& report, bool force = false,
                          std::span<const Localizer> localizers = {});

}  // namespace fathom
