// SPDX-License-Identifier: MIT
#pragma once
// Work on a log in a world: learn from it, score it, draw where it was made, or make one. These calls are the programs
// behind `fathom fit beam` and `fathom beam`; their parts are in fit.hpp, score.hpp, heatmap.hpp and model.hpp.

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
#include <fathom/beam/fit.hpp>
#include <fathom/beam/grid_ranges.hpp>
#include <fathom/beam/heatmap.hpp>
#include <fathom/beam/log_files.hpp>
#include <fathom/beam/model_file.hpp>
#include <fathom/beam/refine.hpp>
#include <fathom/beam/report.hpp>
#include <fathom/beam/scan.hpp>
#include <fathom/beam/score.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

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
  /// (FitReport::notes). Else Z is what the log says: a code beyond that has no return as it is.
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
  /// Poses are refined together with the parameters (refine.hpp), and with per_log kMount the mount, too. Those of
  /// `scans` take part, a third of their rays judges, and there are no test_scans.
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

/// Every reading of chosen scans under the model, in their order, seen from the poses of the log: what it was expected
/// to be, its density, and which component it probably is. Readings that are probably short or random, where many hits
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

/// Readings drawn for a table of expected ranges, [rows]: those of a scan are drawn together, as sample_scan() does.
FATHOM_API std::vector<float> sample_table(const BeamModel& model, const ExpectedTable& table, std::uint64_t seed);

/// Azimuths of this many rays, spread evenly over a view, its middle straight ahead; a whole turn does not repeat its
/// first ray.
FATHOM_API std::vector<double> even_azimuths_rad(std::uint32_t rays, double view_deg);

/// Where the readings of a scan that are ranges end, in the world frame, at height 0, seen from the pose of the log.
FATHOM_API std::vector<Vec3> scan_hits_world(const ScanLog& log, std::uint32_t scan, const BeamSensor& sensor);

/// What a user should know about a log before trusting it, one sentence each: readings of other lasers that were
/// skipped, the log's own notes and, when Z is given, a largest reading that likely means no return.
FATHOM_API std::vector<Message> log_notes(const ScanLog& log, std::optional<double> max_range_m = {});

}  // namespace fathom
