// SPDX-License-Identifier: MIT
#pragma once
// The distances that a likelihood field (fathom/fit/localizer.hpp) is learned and scored from.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/files/scan_log.hpp>
#include <fathom/fit/localizer.hpp>
#include <fathom/scene/grid_map.hpp>

#include "core/compute.hpp"

namespace fathom {

/// Which cell a point belongs to. kRounded is the look-up of amcl and nav2, which round (x - origin) / resolution: a
/// cell reaches half a cell to either side of its lower corner. They ignore the yaw of the map.
enum class CellLookup : std::uint8_t { kContaining, kRounded };
CellLookup cell_lookup(Localizer localizer);

/// For each cell of a map the distance between its centre and that of the nearest occupied cell, in linear time:
/// Felzenszwalb and Huttenlocher, "Distance transforms of sampled functions", Theory of Computing 8 (2012), section
/// 2.1.
class DistanceField {
 public:
  static constexpr std::uint32_t kMostCells = 1024;  ///< in max_distance_m

  /// Throws InputError for an invalid map, and for a max_distance_m of 0 or above kMostCells cells.
  DistanceField(const GridMap& map, double max_distance_m);

  /// The same distances, found by another look-up.
  [[nodiscard]] DistanceField looked_up(CellLookup lookup) const;

  /// Levels are squared distances in cells, up to that of everything farther.
  [[nodiscard]] std::uint32_t level_at(double x_m, double y_m) const;  ///< of a point in the world
  [[nodiscard]] std::uint32_t levels() const { return far_ + 1; }
  [[nodiscard]] double distance_m(std::uint32_t level) const;
  [[nodiscard]] double cell_m() const { return resolution_m_; }

 private:
  double resolution_m_, max_distance_m_;
  std::uint32_t rows_, cols_, far_;
  double cos_, sin_, x_m_, y_m_;                             // of the map in the world
  double rounding_ = 0.0;                                    // cells that are added before the fraction is cut off
  std::shared_ptr<const std::vector<std::uint32_t>> level_;  // [rows, cols], one for all look-ups
};

/// Ends of the readings of a scan that count, in the frame of the sensor at the first one. [readings]
struct ReadingEnds {
  std::vector<double> x_m, y_m;
};
/// Of every `ray_step`-th reading. Throws InputError for an unknown scan and a step of 0.
ReadingEnds reading_ends(const ScanLog& log, std::uint32_t scan, const LikelihoodFieldModel& model,
                         std::size_t ray_step = 1);

/// Distances of the ends of readings from occupied cells. Arrays [readings].
struct FieldData {
  std::vector<std::uint32_t> level;  ///< DistanceField::level_at
  std::vector<std::uint32_t> scan;   ///< not decreasing
};
/// Throws InputError for no scans and unknown scans.
FieldData make_field_data(const ScanLog& log, std::span<const std::uint32_t> scans, const DistanceField& field,
                          const LikelihoodFieldModel& model);

struct FieldFitOptions {
  double tolerance = 1e-10;  ///< stop when the log-likelihood L changes by at most tolerance (1 + |L|)
  std::size_t max_iterations = 5000;
  std::size_t stretches = 40;  ///< as FitOptions::stretches
  /// As FitOptions::stretch_of_scan, of the scans that FieldData has.
  std::vector<std::uint32_t> stretch_of_scan = {};
};

/// Learns weights and sigma by expectation maximisation; the likelihood never falls. sigma is at least the size of a
/// cell / sqrt(12). The sensor stays that of `start`. Throws InputError if no reading counts and for invalid options.
FieldFit fit_likelihood_field(const FieldData& data, const DistanceField& field, const LikelihoodFieldModel& start,
                              const FieldFitOptions& options = {});

/// The mean log f of readings; NaN of none.
double field_nats_per_reading(const FieldData& data, const DistanceField& field, const LikelihoodFieldModel& model);

/// Log-likelihoods of one scan, seen from many poses: the sum of log f over its readings.
class FieldScorer {
 public:
  /// `field` must outlive it and have the model's max_distance_m. Throws InputError for an invalid model.
  FieldScorer(const LikelihoodFieldModel& model, const DistanceField& field, const Compute& compute = {});

  /// out [poses]. Throws InputError when sizes disagree or a pose is not finite.
  void score(std::span<const PlanarPose> poses, const ReadingEnds& ends, std::span<double> out);

 private:
  const DistanceField* field_;
  std::vector<double> log_f_;  // [levels]
  std::unique_ptr<Executor> executor_;
};

/// The likelihood field of a localizer, by the names of its parameters. beluga's is f. Weights of amcl and nav2 make up
/// for the missing 1 / (sigma_hit sqrt(2 pi)): log p is log f and one constant.
struct LocalizerField {
  double z_hit = 0.0, z_rand = 0.0, sigma_hit = 0.0, laser_likelihood_max_dist = 0.0;
};
LocalizerField localizer_field(const LikelihoodFieldModel& model, Localizer localizer);
}  // namespace fathom
