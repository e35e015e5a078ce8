// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <fathom/base/compute.hpp>
#include <fathom/base/export.hpp>
#include <fathom/beam/expected_ranges.hpp>
#include <fathom/beam/model.hpp>

namespace fathom {

struct ScoreOptions {
  static constexpr double kLeastAlpha = 1e-6;
  static constexpr std::size_t kMostRayStep = 1'000'000;

  std::size_t ray_step =
      1;               ///< [1, kMostRayStep]: scores rays 0, step, 2 step ...; a scan with fewer rays scores its first
  double alpha = 1.0;  ///< [kLeastAlpha, 1]: log-likelihoods are multiplied by it, as rays are not independent
  Compute compute = {};
  bool exact = false;  ///< evaluate in double precision (BeamDensity) instead of the fast tables
};

/// Log-likelihoods of one scan seen from many poses: poses [N] x rays [K] -> [N]. Equal to the logarithm of the
/// product in Probabilistic Robotics, table 6.1 (beam_range_finder_model), without its underflow. Used from one thread
/// at a time; `expected` must outlive it. With a step of the sensor, when scores are logarithms of probabilities
/// instead of densities, the exact evaluation is used always.
class FATHOM_API ScanScorer {
 public:
  /// Throws InputError when anything is invalid.
  ScanScorer(const BeamParameters& parameters, const BeamSensor& sensor, const ExpectedRanges& expected,
             const RayFan& rays, const ScoreOptions& options = {});
  ~ScanScorer();
  ScanScorer(ScanScorer&&) noexcept;
  ScanScorer& operator=(ScanScorer&&) noexcept;

  /// reading_m [K], all rays, before sub-sampling; out [poses]. Allocates nothing, with either kind of expected
  /// ranges; only TBB, which shares out the work of several threads, fills its pool of tasks in the first calls. Throws
  /// InputError when sizes disagree or a pose is not finite, naming it.
  void score(std::span<const Pose> world_from_sensor, std::span<const float> reading_m, std::span<double> out);

  /// The same for ranges already cast: expected_m [N, kept rays], row-major.
  void score_expected(std::span<const float> expected_m, std::span<const float> reading_m, std::span<double> out);

  [[nodiscard]] std::size_t kept_rays() const;
  [[nodiscard]] std::size_t bytes() const;  ///< memory of tables and buffers

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// How many of every `step`-th reading, from the first on, carry evidence.
FATHOM_API std::size_t rays_with_evidence(std::span<const float> reading_m, const BeamSensor& sensor, std::size_t step);

}  // namespace fathom
