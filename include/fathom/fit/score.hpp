// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/files/pictures.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/noise/beam_density.hpp>
#include <fathom/scene/grid_map.hpp>

namespace fathom {

struct ScoreOptions {
  static constexpr double kLeastAlpha = 1e-6;
  static constexpr std::size_t kMostRayStep = 1'000'000;

  std::size_t ray_step = 1;  ///< [1, kMostRayStep]: scores rays 0, step, 2 step ...
  double alpha = 1.0;        ///< [kLeastAlpha, 1]: log-likelihoods are multiplied by it, as rays are not independent
  Compute compute = {};
  bool exact = false;  ///< evaluate in double precision (BeamDensity) instead of the fast tables
  /// Of score_log(): after every scan, from the calling thread.
  std::function<void(double fraction)> on_progress = {};
};

/// Log-likelihoods of one scan seen from many poses: poses [N] x rays [K] -> [N]. The logarithm of the product in
/// Probabilistic Robotics, table 6.1 (beam_range_finder_model), without its underflow. One thread at a time may use it;
/// `expected` must outlive it. With a step of the sensor, evaluation is always exact.
class FATHOM_API ScanScorer {
 public:
  /// Throws InputError when anything is invalid.
  ScanScorer(const BeamParameters& parameters, const BeamSensor& sensor, const ExpectedRanges& expected,
             const RayFan& rays, const ScoreOptions& options = {});
  ~ScanScorer();
  ScanScorer(ScanScorer&&) noexcept;
  ScanScorer& operator=(ScanScorer&&) noexcept;

  /// reading_m [K], all rays; out [poses]. Allocates nothing, except that TBB fills its pool of tasks in the first
  /// calls on several threads. Throws InputError when sizes disagree or a pose is not finite, naming it.
  void score(std::span<const Pose> world_from_sensor, std::span<const float> reading_m, std::span<double> out);

  /// The same for ranges already cast: expected_m [N, kept rays], row-major.
  void score_expected(std::span<const float> expected_m, std::span<const float> reading_m, std::span<double> out);

  [[nodiscard]] std::size_t kept_rays() const;
  [[nodiscard]] std::size_t bytes() const;  ///< memory of tables and buffers

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Where a scan may have been made: its likelihood over positions, at the best heading of each.

/// Positions on a regular grid: (row r, column c) is at (c, r) * spacing in the grid's frame.
struct PositionGrid {
  static constexpr double kLeastSpacingM = 1e-3, kMostSpacingM = 1e3;

  std::uint32_t rows = 0, cols = 0;
  double spacing_m = 0.1;
  PlanarPose world_from_grid;
  double cell_m = 0.0;               ///< of the map: the best pose is sought as finely; 0 without a map
  std::vector<std::uint8_t> wanted;  ///< [rows, cols], row-major: 1 where a position is scored

  /// Its heading is that of the grid.
  [[nodiscard]] FATHOM_API PlanarPose position(std::uint32_t row, std::uint32_t col) const;
};

/// The centres of the free cells of every n-th row and column, n spacings nearest to `spacing_m`. Throws InputError
/// when the spacing is not within its limits or no cell is free.
FATHOM_API PositionGrid free_positions(const GridMap& map, double spacing_m);

struct HeatmapOptions {
  static constexpr std::size_t kMostHeadings = 100'000;

  std::size_t headings = 180;  ///< evenly over the whole turn; at least one
  ScoreOptions score;
  /// Called from the calling thread. An exception ends the work: throw Interrupted to stop.
  std::function<void(double fraction)> on_progress = {};
};

struct Heatmap {
  struct Picture {
    static constexpr std::uint32_t kLeastPixels = 256, kMostPixels = 8192;

    Theme theme = Theme::kDark;                      ///< on white, truth is drawn in black
    std::uint32_t pixels = 1600;                     ///< along the longer side of the map
    std::optional<PlanarPose> truth = std::nullopt;  ///< drawn as a white ring with a stroke towards the heading
    std::string truth_name = "pose in the log";      ///< its name in the legend
    std::vector<Vec3> scan_hits_world = {};          ///< end points of the readings, drawn as dots
  };

  PositionGrid grid;
  std::vector<double> log_likelihood;  ///< [rows, cols]: the highest over headings; NaN where not scored
  std::vector<float> yaw_rad;          ///< [rows, cols]: the heading that has it, in the world; NaN likewise
  PlanarPose best;                     ///< of all positions and headings of the grid
  double best_log_likelihood = 0.0;
  /// The best pose near the grid's highest peaks, at most a spacing away from each, to a 64th of the spacing or to the
  /// cells of the map if these are smaller.
  PlanarPose refined;
  double refined_log_likelihood = 0.0;
  std::size_t rays = 0;  ///< that carry evidence in this scan and were scored
};

/// Scores one scan from every wanted position and heading. reading_m [rays]. Throws InputError for sizes that disagree,
/// no wanted position, and invalid options.
FATHOM_API Heatmap make_heatmap(const BeamParameters& parameters, const BeamSensor& sensor,
                                const ExpectedRanges& expected, const RayFan& rays, std::span<const float> reading_m,
                                const PositionGrid& grid, const HeatmapOptions& options = {});

/// Log-likelihoods of one scan seen from poses; both [poses].
using PoseScores = std::function<void(std::span<const PlanarPose> poses, std::span<double> scores)>;

/// The same by your own score. `rays`: with evidence. Uses the options headings and on_progress.
FATHOM_API Heatmap make_heatmap(const PoseScores& score, std::size_t rays, const PositionGrid& grid,
                                const HeatmapOptions& options = {});

/// Throws InputError unless the name ends in .png, in any case.
FATHOM_API void check_heatmap_name(const std::filesystem::path& file);

/// Draws the heatmap over the map as PNG: log-likelihood per ray by colour, walls, the best pose and the one given. The
/// file appears whole or not at all. Throws as check_heatmap_name(), InputError, or SystemError.
FATHOM_API void write_heatmap(const std::filesystem::path& file, const Heatmap& heatmap, const GridMap& map,
                              const Heatmap::Picture& picture = {});

}  // namespace fathom
