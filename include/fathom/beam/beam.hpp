// SPDX-License-Identifier: MIT
#pragma once
// The beam model and the likelihood field at work, with all of fathom/beam but scenes: learn them from logs in worlds,
// score logs, draw where a scan was made, and make logs. These calls are the programs behind `fathom fit beam`, `fathom
// fit field`, `fathom score` and `fathom beam`. docs/output-formats.md describes the files.

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

#include <fathom/base/compute.hpp>
#include <fathom/base/error.hpp>
#include <fathom/base/export.hpp>
#include <fathom/base/field.hpp>
#include <fathom/beam/fit.hpp>
#include <fathom/beam/grid_ranges.hpp>
#include <fathom/beam/localizer.hpp>
#include <fathom/beam/log_files.hpp>
#include <fathom/beam/model.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/beam/score.hpp>
#include <fathom/report/form.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

// parameters.yaml: a beam model to use again.

template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<UnknownCells> = {"free", "occupied", "stop"};

/// A beam model with all that its use needs.
struct BeamModel {
  BeamParameters parameters;
  BeamSensor sensor;
  UnknownCells unknown = UnknownCells::kFree;  ///< how expected ranges pass unknown cells of a map

  static constexpr std::string_view kSlug = "beam";
  static constexpr std::string_view kDoc = "A beam model, and how expected ranges were found for it.";
  /// What the tables of BeamParameters and BeamSensor do not hold.
  static constexpr auto fields() {
    return std::array<Field<BeamModel>, 1>{{
        {"unknown", "free|occupied|stop", choice<&BeamModel::unknown>, 0, 0,
         "unknown cells of a map are free, occupied, or stop a ray without a return"},
    }};
  }
};

/// Reads a map of one key per parameter of the tables of BeamParameters, BeamSensor and BeamModel. A key that
/// is not required has the default of its struct. An extended law of hits (HitTail) has the keys `hit` and that of its
/// number. Throws InputError naming file, line and key for what is unknown, missing or out of range, for the number of
/// a law that `hit` does not name, and when the weights do not sum to 1.
FATHOM_API BeamModel read_beam_model(const std::filesystem::path& file);
/// Writes every key with its unit and meaning; reading gives the same values back, bit for bit. The file appears whole
/// or not at all.
FATHOM_API void write_beam_model(const std::filesystem::path& file, const BeamModel& model);

// The result of a fit, as a report and as files: parameters.yaml, fit.json for programs, report.html for people.

/// Corrections of one of several logs, which have the other parameters in common.
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
  BeamModel model;  ///< with the parameters of `fit`
  BeamFit fit;      ///< held_out: whether `judgement` is of readings that were held out
  FitVariant variant = FitVariant::kExact;
  BeamData shown;               ///< the pairs in the figures: held out, or learned from where none are held out
  BeamJudgement judgement;      ///< of these
  bool rows_are_scans = false;  ///< of a table of pairs that tells no scans apart: each row counts as one
  /// What was learned of each log, in their order; empty: nothing was to be.
  struct Log {
    std::string name;
    LogCorrection correction, std_error;  ///< errors for given common parameters; NaN: unknown
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

// Logs in worlds.

class Scene;
struct SceneRangesOptions;
struct SceneSetup;

/// Expected ranges, with the floor and cell size that belong to them. A value: copies share the ranges, which never
/// change. Every function that takes ExpectedRanges takes a World too.
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
  /// How rays pass unknown cells of a map. A scene has no cells, but a model that is learned in it may be used with a
  /// map later, and fit_log() notes it there.
  [[nodiscard]] UnknownCells unknown() const { return unknown_; }
  /// The map without its cells; no rows and columns: there is no map.
  [[nodiscard]] const GridMap& outline() const { return outline_; }
  [[nodiscard]] const std::string& name() const { return name_; }  ///< for people: "office.yaml"; may be empty
  /// Every file that was opened for it.
  [[nodiscard]] const std::vector<std::filesystem::path>& inputs() const { return inputs_; }
  /// What these files hold and fathom does not read, and their likely slips: a line each.
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

/// What is learned of each log for itself: where its sensor is mounted, by how much farther it measures, or both.
enum class PerLog : std::uint8_t { kNothing, kMount, kOffset, kBoth };

template <>
inline constexpr std::array<std::string_view, 4> kChoiceWords<PerLog> = {"nothing", "mount", "offset", "both"};

struct FitLogOptions {
  std::string scans = "odd";               ///< to learn from, as select_scans() takes them
  std::string test_scans = "";             ///< to judge by; empty: all that are not learned from
  std::optional<double> max_range_m = {};  ///< Z; nothing: what the log says
  /// Where max_range_m is not given: a value beyond all others that more than 0.3 % of the readings have, ten at
  /// least, and that is below what the log says or the log says nothing, means no return, and Z is just below it
  /// (FitReport::notes). Else Z is what the log says: a code beyond that counts as no return anyway.
  bool auto_max_range = false;
  double min_range_m = 0.0;  ///< this and the next three: see BeamSensor, whose floor is the world's
  double step_m = 0.0;
  MissPolicy miss = MissPolicy::kAtom;
  NanPolicy nan = NanPolicy::kSkip;
  FitVariant variant = FitVariant::kExact;
  HitLaw hit = HitLaw::kGaussian;           ///< how hits spread: the book's, or an extended law (HitTail)
  std::optional<double> hit_offset_m = {};  ///< kept unchanged
  /// Where hit_offset_m is not given: whether it is learned, else it is 0. Nothing: where the world is a map of cells,
  /// or pairs are of one (BeamData::cell_m), whose walls are drawn about a cell thick, unless each log has an offset of
  /// its own (per_log).
  std::optional<bool> fit_hit_offset = {};
  PerLog per_log = PerLog::kNothing;
  std::size_t stretches = FitOptions().stretches;  ///< that standard errors take as independent, 0: each scan
  /// Poses are refined together with the parameters (refine_poses()), and with per_log kMount the mount, too. The
  /// poses of `scans` take part, a third of their rays judges, and there are no test_scans.
  std::optional<PosePrior> refine_poses = {};
  /// Whether a few scans of a single log tell if its poses are exact: 48 scans of 180 rays, at most
  /// (FitReport::sanity).
  bool check_poses = true;
  Compute compute = {};
  /// Called from the calling thread. An exception ends the fit: throw Interrupted to stop.
  std::function<void(const FitIteration&)> on_iteration = {};
  std::function<void(const RefineProgress&)> on_refine_progress = {};  ///< likewise
};

/// Learns the beam model of a log's sensor and judges it by scans that were held out, if any are left. write_fit()
/// makes files of the answer. Throws InputError naming the log for a selection that is not understood or selects
/// nothing, and for a log that does not say how far its sensor measures when options.max_range_m does not either;
/// InputError for scans both learned from and held out; and what validate(BeamSensor), make_beam_data() and
/// fit_beam_model() throw. With options.refine_poses: see there, and refine_poses().
FATHOM_API FitReport fit_log(const ScanLog& log, const World& world, const FitLogOptions& options = {});

/// Reads one of several logs, counted from 0; called once for each, in their order.
using LogReader = std::function<ScanLog(std::size_t log)>;

/// fit_log() of several logs of one sensor in one world: the selections of scans hold for each, and none may say that
/// its sensor measures farther than another's. All logs are in memory, and their pairs take 16 to 34 bytes a reading.
/// Of very many held-out scans, every k-th judges, so that there are at most 4 million readings. With options.per_log
/// the common parameters and the corrections of each log are learned in turns, until the log-likelihood rises no more.
/// The corrections are learned from at most 65 536 readings of evenly spaced scans of each log.
FATHOM_API FitReport fit_logs(std::size_t logs, const LogReader& read, const World& world,
                              const FitLogOptions& options = {});

/// fit_log() of a table of pairs, such as read_beam_pairs() reads: options.scans and test_scans are of its scans,
/// counted from 0 whatever their numbers; where all pairs are of one scan, each pair counts as a scan. `name`: of the
/// table in messages and in the report. Throws InputError naming it for no pairs, sizes that disagree, no
/// options.max_range_m, and options.per_log and refine_poses; and as fit_log() does.
FATHOM_API FitReport fit_pairs(const BeamData& pairs, const FitLogOptions& options, const std::string& name = "");

struct ScoreLogOptions {
  ScoreOptions score;
  std::function<void(double fraction)> on_progress = {};  ///< after every scan, from the calling thread
};

struct LogScores {
  std::vector<ScanScore> scans;
  BeamJudgement judgement;  ///< of all rays of these scans, whatever the ray step

  [[nodiscard]] FATHOM_API std::size_t rays() const;       ///< that carry evidence, of all scans
  [[nodiscard]] FATHOM_API double log_likelihood() const;  ///< of all scans
  [[nodiscard]] FATHOM_API double mean_per_scan() const;
  [[nodiscard]] FATHOM_API double mean_per_ray() const;  ///< 0 when no ray carries evidence
  /// The scan that has the lowest score, the first of several. There must be one, as there is after score_log().
  [[nodiscard]] FATHOM_API const ScanScore& least_likely() const;
};

/// Scores the scans that `scans` selects at the poses of the log. Throws InputError naming the log for a selection that
/// is not understood or selects nothing, and as ScanScorer and judge_beam_model() do.
FATHOM_API LogScores score_log(const BeamModel& model, const World& world, const ScanLog& log,
                               std::string_view scans = "all", const ScoreLogOptions& options = {});

/// Every reading of chosen scans under the model, in their order, seen from the poses of the log: the expected range,
/// its density, and its probable component. Readings that are probably short or random, where many hits
/// are expected, mark what moves and what the map does not know. `ray_step`: uses every `ray_step`-th ray, from the
/// first. The step of a sensor is left out of densities. Throws InputError for a scan that is not there, an invalid
/// model and a ray_step out of its limits.
FATHOM_API std::vector<BeamScore> score_beams(const BeamModel& model, const World& world, const ScanLog& log,
                                              std::span<const std::uint32_t> scans, std::size_t ray_step = 1,
                                              const Compute& compute = {});

struct HeatmapLogOptions {
  static constexpr std::size_t kUsualRays = 90;  ///< that are scored where ray_step does not say otherwise

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

/// Where in the free cells of a map one scan of a log could have been made. Throws InputError naming the log when it
/// has no such scan, or when no reading that would be scored carries evidence: every place would be as likely as any
/// other; and as free_positions() and make_heatmap() do.
FATHOM_API LogHeatmap heatmap_of_log(const BeamModel& model, const World& world, const ScanLog& log, std::uint32_t scan,
                                     const GridMap& map, const HeatmapLogOptions& options = {});

/// A log of readings drawn from the model: one scan per pose, one ray per azimuth, in the sensor frame. The same seed
/// gives the same readings. Throws InputError when there is no pose or ray, or one is not finite.
FATHOM_API ScanLog sample_log(const BeamModel& model, const World& world, std::span<const PlanarPose> poses,
                              std::span<const double> azimuth_rad, std::uint64_t seed, const Compute& compute = {});

/// Readings drawn for a table of expected ranges, [rows]. Readings of a scan are drawn together, as by sample_scan().
FATHOM_API std::vector<float> sample_table(const BeamModel& model, const ExpectedTable& table, std::uint64_t seed);

/// Azimuths of this many rays, spread evenly over a view, its middle straight ahead; a whole turn does not repeat its
/// first ray.
FATHOM_API std::vector<double> even_azimuths_rad(std::uint32_t rays, double view_deg);

/// Where the readings of a scan that are ranges end, in the world frame, at height 0, seen from the pose of the log.
FATHOM_API std::vector<Vec3> scan_hits_world(const ScanLog& log, std::uint32_t scan, const BeamSensor& sensor);

/// What a user should know about a log before trusting it, one sentence each: readings of other lasers that were
/// skipped, the log's own notes and, when Z is given, a largest reading that likely means no return.
FATHOM_API std::vector<Message> log_notes(const ScanLog& log, std::optional<double> max_range_m = {});

// Logs and the likelihood field.

struct FieldLogOptions {
  std::string scans = "odd";               ///< to learn from, as select_scans() takes them
  std::string test_scans = "";             ///< to judge by; empty: all that are not learned from
  std::optional<double> max_range_m = {};  ///< Z; nothing: what the log says, or auto_max_range
  bool auto_max_range = false;             ///< as FitLogOptions::auto_max_range
  double min_range_m = 0.0;
  double max_distance_m = 2.0;
  bool check_poses = true;    ///< whether 48 scans tell if the poses of the log are exact (FieldReport::sanity)
  std::string map_name = {};  ///< for people: "office.yaml"; may be empty
  FieldFitOptions fit = {};
};

struct FieldReport : LogReport {
  FieldFit fit;                        ///< held_out: whether the readings shown were held out
  LikelihoodFieldModel rounded_model;  ///< learned with CellLookup::kRounded, for the files of amcl and nav2
  double cell_m = 0.0;                 ///< of the map
  std::vector<double> distance_m;      ///< [readings]: of the ends of those shown, held out or learned from
  /// [levels]: the distances that ends can have in this map, and what share of those shown the model expects at each.
  /// It expects hits along the ray of a reading in proportion to their density, and random readings anywhere up to Z.
  /// Both are worked out along at most 8192 rays.
  std::vector<double> level_m, level_share;
  std::size_t modelled = 0;       ///< number of these rays
  double nats_per_reading = 0.0;  ///< of those shown: mean log f

  /// Of the fit, and `sanity`.
  [[nodiscard]] FATHOM_API std::vector<Finding> findings() const;
};

/// What was learned with the look-up of cells of a localizer.
FATHOM_API const LikelihoodFieldModel& model_for(const FieldReport& report, Localizer localizer);
/// Its parameters as YAML: write_field_fit() writes them.
FATHOM_API std::string localizer_text(const FieldReport& report, Localizer localizer);

FATHOM_API std::string report_text(const FieldReport& report, ReportForm form, SettingNames names = {});

/// Learns the likelihood field of a log's sensor in a map and judges it by scans that were held out, if any are left.
/// Throws InputError as fit_log() does.
FATHOM_API FieldReport fit_field_log(const ScanLog& log, const GridMap& map, const FieldLogOptions& options = {});

/// parameters.yaml of a likelihood field: a line per parameter of its table.
FATHOM_API LikelihoodFieldModel read_field_model(const std::filesystem::path& file);
FATHOM_API void write_field_model(const std::filesystem::path& file, const LikelihoodFieldModel& model);

/// As write_fit(): parameters.yaml, report.html, the parameters of localizers, and, last, fit.json.
FATHOM_API void write_field_fit(const std::filesystem::path& folder, const FieldReport& report, bool force = false,
                                std::span<const Localizer> localizers = {});

/// The scores of the scans that `scans` selects at the poses of the log.
FATHOM_API std::vector<ScanScore> score_field_log(const LikelihoodFieldModel& model, const GridMap& map,
                                                  const ScanLog& log, std::string_view scans = "all",
                                                  std::size_t ray_step = 1);

/// As heatmap_of_log().
FATHOM_API LogHeatmap field_heatmap_of_log(const LikelihoodFieldModel& model, const GridMap& map, const ScanLog& log,
                                           std::uint32_t scan, const HeatmapLogOptions& options = {});

}  // namespace fathom
