// SPDX-License-Identifier: MIT
#pragma once
// Parameters of the simulator's noise models learned from measurements, by maximum likelihood, with standard errors.
// The results, DistanceNoise and StereoEnergy, can go into the noise chain of a sensor as they are.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fathom/core/export.hpp>
#include <fathom/frame/frame.hpp>
#include <fathom/noise/distance.hpp>
#include <fathom/noise/stereo_energy.hpp>
#include <fathom/report/fit.hpp>

namespace fathom {

/// A learned value and its standard error. The error is NaN at a boundary, and where the data do not determine the
/// value.
struct Estimate {
  double value = 0.0;
  double std_error = 0.0;
};

/// Measured ranges, each with the range that was expected. Arrays [pairs].
struct RangePairs {
  std::vector<float> range_m, expected_m;
  /// Number of the scan or frame of each, in any order. Errors within a scan are correlated, and neighbouring scans see
  /// the same place. Empty if unknown.
  std::vector<std::uint32_t> scan = {};

  /// Appends range and clean range of the valid returns of a frame, without scans. Needs kRange, kCleanRange and
  /// kReason.
  FATHOM_API void append(const Frame& frame);
};

/// Pixels with the energy that came back and whether they were lost. Arrays [pairs].
struct EnergyPairs {
  std::vector<float> energy;       ///< E of stereo_energy, [-1, 1]
  std::vector<std::uint8_t> lost;  ///< 0 or 1

  /// Appends the pixels that an energy law kept or lost. Needs kEnergy and kReason.
  FATHOM_API void append(const Frame& frame);
};

/// range - expected ~ Normal(mean, (stddev + stddev_per_m expected)^2), as noise/distance.hpp makes it. Has the
/// parameters mean_m, stddev_m and stddev_per_m.
struct DistanceCalibration : Fit {
  static constexpr std::size_t kUsualStretches = 40, kMostStretches = 1'000'000;

  std::size_t pairs = 0;    ///< used
  std::size_t skipped = 0;  ///< without a reading above 0 or a finite expected range

  [[nodiscard]] FATHOM_API DistanceNoise noise() const;
};

/// Given the share of the deviation that grows with range, mean and scale have closed forms; the share is found by a
/// search over all of [0, 1], so the maximum is the global one and the boundaries (stddev 0, stddev_per_m 0) are
/// ordinary points of it. Standard errors are the larger of two, from the observed information and from the scores of
/// the clusters. Intervals are the wider of the normal one of independent pairs and Student's t of clusters.
/// Standard errors take `stretches` of the way as independent, of about equal numbers of scans; 0: each scan. Where
/// there are fewer scans, each is a stretch. Without scans each pair is independent. Throws InputError when sizes
/// disagree, an expected range is not above 0, fewer than three pairs are left, or there are more than kMostStretches.
FATHOM_API DistanceCalibration calibrate_distance(const RangePairs& pairs,
                                                  std::size_t stretches = DistanceCalibration::kUsualStretches);

/// P(lost | E) of noise/stereo_energy.hpp. Has the parameters min_energy and pow. Errors come from the observed
/// information and take pixels as independent, as draws without a correlation are.
struct EnergyCalibration : Fit {
  EnergyNormalization normalization = EnergyNormalization::kDocument;
  std::size_t pairs = 0;
  std::size_t skipped = 0;  ///< without a finite energy
  std::size_t lost = 0;

  /// `energy` is not learned: it defines the energies of the pairs.
  [[nodiscard]] FATHOM_API StereoEnergy noise(EnergyAngle energy = EnergyAngle::kCosine) const;
  [[nodiscard]] FATHOM_API std::string text(ReportForm form, SettingNames names = {}) const;
};

/// For each threshold the exponent has one best value (the likelihood is concave in it); thresholds are searched over
/// all that the data allow: below every pixel kept. Under `document` the law jumps at the threshold, which is then a
/// change point, known to about the spacing of the energies there: value and error are the mean and the deviation of
/// the likelihood over thresholds (Pitman's estimator). Throws InputError when sizes disagree, a flag is not 0 or 1,
/// nothing was lost or nothing kept, or pixels were lost where the law loses none (E = 1; under `document` above 1 -
/// min_energy, for every min_energy that the pixels kept allow).
FATHOM_API EnergyCalibration calibrate_energy(const EnergyPairs& pairs,
                                              EnergyNormalization normalization = EnergyNormalization::kDocument);

}  // namespace fathom
