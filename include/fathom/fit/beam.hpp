// SPDX-License-Identifier: MIT
#pragma once
// The beam model and the likelihood field at work: learn them from logs in worlds, score logs, draw where a scan was
// made, and make logs, as `fathom fit beam`, `fathom fit field`, `fathom score` and `fathom beam` do.
// docs/output-formats.md describes the files.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/error.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/files/log_files.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/fit/localizer.hpp>
#include <fathom/fit/score.hpp>
#include <fathom/noise/beam_density.hpp>
#include <fathom/report/fit.hpp>
#include <fathom/scene/expected_ranges.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<UnknownCells> = {"free", "occupied", "stop"};

/// A beam model with all that its use needs.
struct BeamModel {
  BeamParameters parameters;
  BeamSensor sensor;
  UnknownCells unknown = UnknownCells::kFree;  ///< how expected ranges pass unknown cells of a map

  static constexpr std::string_view kSlug = "beam";
  static constexpr std::string_view kDoc = "A beam model, its sensor, and unknown cells.";
  /// What the tables of BeamParameters and BeamSensor do not hold.
  static constexpr auto fields() {
    return std::array<Field<BeamModel>, 1>{{
        {"unknown", "free|occupied|stop", choice<&BeamModel::unknown>, 0, 0,
         "unknown cells of a map are free, occupied, or stop a ray without a return"},
    }};
  }

  /// Reads parameters.yaml: the keys of BeamParameters, BeamSensor and BeamModel; keys that are not required have
  /// defaults. An extended law of hits (HitTail) has the keys `hit` and that of its number. Throws InputError naming
  /// file, line and key for unknown or missing keys, values out of range, the number of a law that `hit` does not name,
  /// and weights that do not sum to 1.
  FATHOM_API static BeamModel read(const std::filesystem::path& file);
  /// Writes every key with its unit and meaning; reading gives the same values back, bit for bit. The file appears
  /// whole or not at all.
  FATHOM_API void write(const std::filesystem::path& file) const;
  /// The parameters of a localizer as YAML: private parameters for amcl, which rosparam loads, else parameters of the
  /// ROS 2 node amcl. The notes are comments. Throws InputError for an invalid model, and as check_hit_law() does.
  FATHOM_API std::string localizer_text(Localizer localizer) const;
};

// The result of a fit, as a report and as files: parameters.yaml, fit.json for programs, report.html for people.

/// Facts, probable faults and notes of a fit to a log or a table.
struct LogReport {
  using Fact = fathom::Fact;
  std::vector<Fact> facts;
  std::vector<Finding> sanity = {};  ///< probable faults of the log, its map, its poses or the model, and remedies
  std::vector<Message> notes = {};   ///< facts about the log for its user, one sentence each
};

struct FitReport : LogReport {
  /// Corrections of one of several logs, which have the other parameters in common.
  struct Correction {
    double mount_x_m = 0.0, mount_y_m = 0.0, mount_yaw_rad = 0.0;  ///< of the sensor in the frame that the log gives it
    double range_offset_m = 0.0;                                   ///< of measured less expected ranges
    friend constexpr bool operator==(const Correction&, const Correction&) = default;
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

  BeamModel model;  ///< with the parameters of `fit`
  BeamFit fit;      ///< held_out: whether `judgement` is of readings that were held out
  FitOptions::Variant variant = FitOptions::Variant::kExact;
  BeamData shown;               ///< the pairs in the figures: held out, or learned from where none are held out
  BeamJudgement judgement;      ///< of these
  bool rows_are_scans = false;  ///< of a table of pairs without scans: each row counts as one
  /// Corrections of one log.
  struct Log {
    std::string name;
    Correction correction, std_error;  ///< errors for given common parameters; NaN: unknown
  };
  std::vector<Log> logs = {};              ///< in their order; empty without corrections
  std::optional<RefinedLog> refined = {};  ///< nothing: the log gives the poses

  /// Of the fit, of the judgement, and `sanity`.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
  [[nodiscard]] FATHOM_API std::string text(ReportForm form, SettingNames names = {}) const;
  /// Checks as check_result_folder() does, makes the folder and writes fit_files(), fit.json last. With `force`, files
  /// of localizers and refined.log of an earlier fit are removed unless they are written again.
  FATHOM_API void write(const std::filesystem::path& folder, bool force = false,
                        std::span<const Localizer> localizers = {}) const;
};

/// The files of a fit in `folder`, in this order. With `refined` poses also refined.log: CARMEN text if FLASER lines
/// hold the whole log, with the poses that were read as odometry, else the CSV of ScanLog::csv().
FATHOM_API std::vector<std::filesystem::path> fit_files(const std::filesystem::path& folder,
                                                        std::span<const Localizer> localizers = {},
                                                        bool refined = false);

// Logs in worlds.

struct SceneSetup;

/// Expected ranges with their floor and cell size. Copies share the ranges, which never change. Every function that
/// takes ExpectedRanges takes a World too.
class World {
 public:
  static constexpr double kMostHeightM = 1000.0;  ///< of a planar sensor in a scene, above and below its x-y plane

  /// Your own expected ranges. Throws InputError for null.
  FATHOM_API explicit World(std::shared_ptr<const ExpectedRanges> expected, std::string name = "");

  /// A map_server YAML file with its image. Throws InputError naming file and line, and for an instruction set that
  /// this computer lacks.
  FATHOM_API static World from_map(const std::filesystem::path& yaml_file, const GridCasterOptions& options = {});
  FATHOM_API static World from_map(const GridMap& map, const GridCasterOptions& options = {});
  /// A scene as it stands at options.stamp_s. `unknown`: see unknown(). Throws InputError for invalid options.
  FATHOM_API static World from_scene(const Scene& scene, const SceneRangesOptions& options,
                                     UnknownCells unknown = UnknownCells::kFree);
  /// The scene of a scene file, for a planar sensor at this height above its x-y plane. Throws InputError for a height
  /// beyond kMostHeightM.
  FATHOM_API static World from_scene(const SceneSetup& setup, double height_m,
                                     UnknownCells unknown = UnknownCells::kFree, const Compute& compute = {});

  [[nodiscard]] const ExpectedRanges& expected() const& { return *expected_; }
  const ExpectedRanges& expected() const&& = delete;              // it would not outlive the call
  operator const ExpectedRanges&() const& { return *expected_; }  // NOLINT(google-explicit-constructor)
  operator const ExpectedRanges&() const&& = delete;

  [[nodiscard]] double floor_m() const { return expected_->floor_m(); }  ///< see ExpectedRanges
  [[nodiscard]] double cell_m() const { return expected_->cell_m(); }
  /// How rays pass unknown cells of a map; of a scene, for later use of a model with a map.
  [[nodiscard]] UnknownCells unknown() const { return unknown_; }
  /// The map without its cells; of a scene without rows and columns.
  [[nodiscard]] const GridMap& outline() const { return outline_; }
  [[nodiscard]] const std::string& name() const { return name_; }  ///< for people: "office.yaml"; may be empty
  /// Every file that was opened for it.
  [[nodiscard]] const std::vector<std::filesystem::path>& inputs() const { return inputs_; }
  /// Unread parts of these files and their likely slips, a line each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::shared_ptr<const ExpectedRanges> expected_;
  UnknownCells unknown_ = UnknownCells::kFree;
  GridMap outline_;
  std::string name_;
  std::vector<std::filesystem::path> inputs_;
  std::vector<std::string> notes_;
};

/// The log itself, or that of the only logging sensor of a run's folder (fathom/simulate/run.hpp). Throws InputError
/// for a folder with none or several.
FATHOM_API std::filesystem::path find_scan_log(const std::filesystem::path& log_or_run);

struct FitLogOptions {
  /// Corrections that each log learns: the mount of its sensor, the offset of its ranges, or both.
  enum class PerLog : std::uint8_t { kNothing, kMount, kOffset, kBoth };

  std::string scans = "odd";               ///< to learn from, as select_scans() takes them
  std::string test_scans = "";             ///< to judge by; empty: all that are not learned from
  std::optional<double> max_range_m = {};  ///< Z; empty: from the log
  /// Without max_range_m: whether a suspected code for "no return" (suspected_no_return_m()) below the maximum range of
  /// the log sets Z just below it (FitReport::notes).
  bool auto_max_range = false;
  double min_range_m = 0.0;  ///< this and the next three: see BeamSensor, whose floor is the world's
  double step_m = 0.0;
  MissPolicy miss = MissPolicy::kAtom;
  NanPolicy nan = NanPolicy::kSkip;
  FitOptions::Variant variant = FitOptions::Variant::kExact;
  HitLaw hit = HitLaw::kGaussian;           ///< how hits spread: the book's, or an extended law (HitTail)
  std::optional<double> hit_offset_m = {};  ///< kept unchanged
  /// Without hit_offset_m: whether it is learned, else it is 0. Nothing: it is learned in maps of cells, whose walls
  /// are drawn about a cell thick, unless each log learns an offset (per_log).
  std::optional<bool> fit_hit_offset = {};
  PerLog per_log = PerLog::kNothing;
  std::size_t stretches = FitOptions().stretches;  ///< that standard errors take as independent, 0: each scan
  /// Refines the poses of `scans` together with the parameters, and with per_log kMount the mount, too. A third of
  /// their rays judges, and there are no test_scans.
  std::optional<PosePrior> refine_poses = {};
  bool check_poses = true;  ///< of a single log, by at most 48 scans of 180 rays (FitReport::sanity)
  Compute compute = {};
  /// Called from the calling thread. An exception ends the fit: throw Interrupted to stop.
  std::function<void(const FitOptions::Iteration&)> on_iteration = {};
  std::function<void(const RefineProgress&)> on_refine_progress = {};  ///< likewise
};
template <>
inline constexpr std::array<std::string_view, 4> kChoiceWords<FitLogOptions::PerLog> = {"nothing", "mount", "offset",
                                                                                        "both"};

/// Learns the beam model of a log's sensor and judges it by scans that were held out, if any are left. Throws
/// InputError naming the log for a wrong selection and without a maximum range; InputError for scans both learned from
/// and held out, and for a PosePrior outside its limits; and as validate(BeamSensor), make_beam_data() and
/// fit_beam_model() do.
FATHOM_API FitReport fit_log(const ScanLog& log, const World& world, const FitLogOptions& options = {});

/// Reads one of several logs, counted from 0; called once for each, in their order.
using LogReader = std::function<ScanLog(std::size_t log)>;

/// fit_log() of several logs of one sensor in one world. Selections of scans hold for each log, and maximum ranges must
/// agree. All logs are in memory, and their pairs take 28 to 46 bytes a reading. At most about 4 million readings
/// judge. With options.per_log the common parameters and the corrections of each log are learned in turns, until the
/// log-likelihood rises no more; corrections from at most 65 536 readings of evenly spaced scans.
FATHOM_API FitReport fit_logs(std::size_t logs, const LogReader& read, const World& world,
                              const FitLogOptions& options = {});

/// fit_log() of a table of pairs (read_beam_pairs()). Scans are counted from 0 whatever their numbers. If all pairs are
/// of one scan, each pair counts as a scan. `name`: of the table in messages and in the report. Throws InputError
/// naming it for no pairs, sizes that disagree, no options.max_range_m, and options.per_log and refine_poses; and as
/// fit_log().
FATHOM_API FitReport fit_pairs(const BeamData& pairs, const FitLogOptions& options, const std::string& name = "");

struct LogScores {
  std::vector<ScanScore> scans;
  BeamJudgement judgement;  ///< of all rays of these scans, whatever the ray step

  [[nodiscard]] FATHOM_API std::size_t rays() const;       ///< that carry evidence, of all scans
  [[nodiscard]] FATHOM_API double log_likelihood() const;  ///< of all scans
  [[nodiscard]] FATHOM_API double mean_per_scan() const;
  [[nodiscard]] FATHOM_API double mean_per_ray() const;  ///< 0 when no ray carries evidence
  /// The first scan of the lowest score. There must be a scan, as after score_log().
  [[nodiscard]] FATHOM_API const ScanScore& least_likely() const;
};

/// Scores selected scans at the poses of the log. Throws InputError naming the log for a wrong selection, and as
/// ScanScorer and judge_beam_model() do.
FATHOM_API LogScores score_log(const BeamModel& model, const World& world, const ScanLog& log,
                               std::string_view scans = "all", const ScoreOptions& options = {});

/// Every `ray_step`-th reading of chosen scans, at the poses of the log: its expected range, density and probable
/// component. Probable shorts and random readings mark moving objects and errors of the map. Densities ignore the step
/// of a sensor. Throws InputError for an unknown scan, an invalid model and a ray_step out of its limits.
FATHOM_API std::vector<BeamScore> score_beams(const BeamModel& model, const World& world, const ScanLog& log,
                                              std::span<const std::uint32_t> scans, std::size_t ray_step = 1,
                                              const Compute& compute = {});

struct HeatmapLogOptions {
  static constexpr std::size_t kUsualRays = 90;  ///< that are scored without ray_step

  double spacing_m = 0.1;                    ///< between positions, see free_positions()
  std::size_t headings = 180;                ///< see HeatmapOptions
  std::optional<std::size_t> ray_step = {};  ///< see ScoreOptions; nothing: so that about 90 rays are scored
  Compute compute = {};
  std::function<void(double fraction)> on_progress = {};  ///< from the calling thread
};

struct LogHeatmap {
  Heatmap heatmap;
  PlanarPose logged;  ///< the pose of the scan in the log
  double logged_log_likelihood = 0.0;
};

/// Where in the free cells of a map one scan of a log could have been made. Throws InputError naming the log for an
/// unknown scan, and if no scored reading carries evidence; and as free_positions() and make_heatmap() do.
FATHOM_API LogHeatmap heatmap_of_log(const BeamModel& model, const World& world, const ScanLog& log, std::uint32_t scan,
                                     const GridMap& map, const HeatmapLogOptions& options = {});

/// A log of readings drawn from the model: one scan per pose, one ray per azimuth, in the sensor frame. Throws
/// InputError when there is no pose or ray, or one is not finite.
FATHOM_API ScanLog sample_log(const BeamModel& model, const World& world, std::span<const PlanarPose> poses,
                              std::span<const double> azimuth_rad, std::uint64_t seed, const Compute& compute = {});

/// Readings drawn for a table of expected ranges, [rows]. Readings of a scan are drawn together, as by sample_scan().
FATHOM_API std::vector<float> sample_table(const BeamModel& model, const ExpectedTable& table, std::uint64_t seed);

/// Azimuths of rays, spread evenly over a view, its middle straight ahead; a whole turn does not repeat its first ray.
FATHOM_API std::vector<double> even_azimuths_rad(std::uint32_t rays, double view_deg);

/// Where the readings of a scan that are ranges end, in the world frame, at height 0, seen from the pose of the log.
FATHOM_API std::vector<Vec3> scan_hits_world(const ScanLog& log, std::uint32_t scan, const BeamSensor& sensor);

/// Warnings about a log, one sentence each: skipped readings of other lasers, its notes and, if Z is given, a largest
/// reading that likely means no return.
FATHOM_API std::vector<Message> log_notes(const ScanLog& log, std::optional<double> max_range_m = {});

// Logs and the likelihood field.

struct FieldLogOptions {
  std::string scans = "odd";               ///< to learn from, as select_scans() takes them
  std::string test_scans = "";             ///< to judge by; empty: all that are not learned from
  std::optional<double> max_range_m = {};  ///< Z; empty: from the log, or auto_max_range
  bool auto_max_range = false;             ///< as FitLogOptions::auto_max_range
  double min_range_m = 0.0;
  double max_distance_m = 2.0;
  bool check_poses = true;    ///< whether 48 scans tell if the poses of the log are exact (FieldReport::sanity)
  std::string map_name = {};  ///< for people: "office.yaml"; may be empty
  std::size_t stretches = FitOptions().stretches;
};

struct FieldReport : LogReport {
  FieldFit fit;                        ///< held_out: whether the readings shown were held out
  LikelihoodFieldModel rounded_model;  ///< learned with CellLookup::kRounded, for the files of amcl and nav2
  double cell_m = 0.0;                 ///< of the map
  std::vector<double> distance_m;      ///< [readings]: of the ends of those shown, held out or learned from
  /// [levels]: possible distances of ends in this map, and the share of readings that the model expects at each. Along
  /// a ray, hits follow their density and random readings are uniform up to Z. At most 8192 rays are used.
  std::vector<double> level_m, level_share;
  std::size_t modelled = 0;       ///< number of these rays
  double nats_per_reading = 0.0;  ///< of those shown: mean log f

  /// Of the fit, and `sanity`.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
  [[nodiscard]] FATHOM_API std::string text(ReportForm form, SettingNames names = {}) const;
  /// The model for the look-up of cells of a localizer, as YAML.
  FATHOM_API std::string localizer_text(Localizer localizer) const;
  /// As FitReport::write(): parameters.yaml, report.html, the parameters of localizers, and, last, fit.json.
  FATHOM_API void write(const std::filesystem::path& folder, bool force = false,
                        std::span<const Localizer> localizers = {}) const;
};

/// Learns the likelihood field of a log's sensor in a map and judges it by scans that were held out, if any are left.
/// Throws InputError as fit_log() does.
FATHOM_API FieldReport fit_field_log(const ScanLog& log, const GridMap& map, const FieldLogOptions& options = {});

/// The scores of the scans that `scans` selects at the poses of the log.
FATHOM_API std::vector<ScanScore> score_field_log(const LikelihoodFieldModel& model, const GridMap& map,
                                                  const ScanLog& log, std::string_view scans = "all",
                                                  std::size_t ray_step = 1);

/// As heatmap_of_log().
FATHOM_API LogHeatmap field_heatmap_of_log(const LikelihoodFieldModel& model, const GridMap& map, const ScanLog& log,
                                           std::uint32_t scan, const HeatmapLogOptions& options = {});

}  // namespace fathom
