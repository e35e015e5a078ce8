// SPDX-License-Identifier: MIT
#pragma once
// Learning the parameters by expectation maximisation, and judging the fit.
// Source: Probabilistic Robotics, section 6.3.2 and table 6.2, made exact: responsibilities carry the weights, and
// sigma and lambda solve the likelihood equations of the truncated densities. So the likelihood never falls.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/core/export.hpp>
#include <fathom/core/field.hpp>
#include <fathom/core/geometry.hpp>
#include <fathom/files/scan_log.hpp>
#include <fathom/noise/beam_density.hpp>
#include <fathom/report/fit.hpp>
#include <fathom/scene/expected_ranges.hpp>

namespace fathom {

// Scans of a log that learning takes, and the pairs (reading, expected range) made from them.

/// A reading that probably means "no return", else 0; the maximum range should then be set below it. It is the largest
/// finite reading if it lies below `max_range_m`, if more than 0.3 % of all readings, ten at least, equal it within
/// 0.1 %, and if others do not. A few readings may exceed it: at most 0.1 % of all, and 2 % of its equals.
/// Within 2 % of `max_range_m`, where hits pile up, too, its equals have the same bits and outnumber all others there.
FATHOM_API double suspected_no_return_m(const ScanLog& log, double max_range_m);

/// Scans, counted from 0, that `text` selects: "all", "odd", "even" or "start:stop:step" (each part may be left out;
/// stop excluded). Throws InputError for other texts and if none is selected.
FATHOM_API std::vector<std::uint32_t> select_scans(std::string_view text, std::size_t scans);

/// Casts every ray of the chosen scans. Throws InputError for no scans, unknown scans or an invalid `compute`.
FATHOM_API BeamData make_beam_data(const ScanLog& log, std::span<const std::uint32_t> scans,
                                   const ExpectedRanges& expected, double max_range_m, const Compute& compute = {});

// Learning and judging.

/// Learning takes readings as exact, also of a sensor with a step D. Then sigma^2 is larger by about D^2 / 12
/// (Sheppard's correction) if D is at most 2 sigma. Subtract it to simulate or score such a sensor with its step. The
/// floor of sigma is max(D, BeamData::cell_m) / sqrt(12).
struct FitOptions {
  struct Iteration {
    std::size_t iteration = 0;
    double log_likelihood = 0.0;  ///< of the parameters before this iteration's update
    BeamParameters parameters;    ///< after it
  };

  /// kClosedForm: sigma and lambda by the book's closed forms, which ignore truncation. kBook: also responsibilities
  /// without the weights, as listed there. Both are for comparison only: neither climbs the likelihood.
  enum class Variant : std::uint8_t { kExact, kClosedForm, kBook };

  BeamParameters start = {.25, .25, .25, .25, .5, 1.0, 0.0};
  Variant variant = Variant::kExact;
  bool fit_hit_offset = false;  ///< otherwise start.hit_offset_m is kept
  double tolerance = 1e-9;      ///< stop when the log-likelihood changes by less than this, relatively
  std::size_t max_iterations = 2000;
  /// Blocks of standard errors, as neighbouring scans see the same place: this number of stretches of the way, from 20
  /// on correlated with the nearest ones. 0: each scan is independent. Of fewer scans, each is a stretch. At most
  /// kMostStretches.
  std::size_t stretches = 40;
  static constexpr double kMostStretches = Fit::kMostBlocks;
  /// [scans, in the order given] the stretch of each, counted from 0 without gaps. Empty: about equal numbers of scans.
  /// Without effect where `stretches` is 0.
  std::vector<std::uint32_t> stretch_of_scan = {};
  Compute compute = {};
  /// Called from the calling thread. An exception ends the fit: throw Interrupted to stop.
  std::function<void(const Iteration&)> on_iteration = {};
};
template <>
inline constexpr std::array<std::string_view, 3> kChoiceWords<FitOptions::Variant> = {"exact", "closed_form", "book"};

/// Has the parameters of BeamParameters::fields(), and the one of an extended law of hits. Intervals have the width of
/// Student's t (docs/beam-model.md).
struct BeamFit : IteratedFit {
  BeamParameters model;
  std::array<std::size_t, 3> kinds = {};  ///< readings by ReadingKind
};

/// Results do not depend on the number of threads. Throws InputError for no evidence, sizes that disagree, an expected
/// range that is negative or NaN, or invalid options; Error if the likelihood falls under kExact.
FATHOM_API BeamFit fit_beam_model(const BeamData& data, const BeamSensor& sensor, const FitOptions& options = {});

/// How well parameters describe data that they were not learned from.
struct BeamJudgement {
  std::size_t pairs = 0;
  double log_likelihood = 0.0;  ///< sum of log f, or of log(P / D) for a sensor with a step D, which compares with it
  double nats_per_ray = 0.0;    ///< its mean; -inf where a reading is impossible
  /// Of the probability integral transform from uniform. Readings where the cdf jumps are spread evenly over the jump.
  double ks_distance = 0.0;
  std::vector<double> pit_histogram;  ///< [bins], fractions
  std::size_t impossible = 0;         ///< readings of density 0 under the parameters
  std::vector<Finding> findings;      ///< reasons why a figure is useless
};
FATHOM_API BeamJudgement judge_beam_model(const BeamParameters& parameters, const BeamSensor& sensor,
                                          const BeamData& data, std::size_t bins = 40);

/// Normal errors of the poses of a log, in the frame of the sensor, where poses are learned, too.
struct PosePrior {
  static constexpr double kLeastStddevM = 1e-4, kMostStddevM = 100.0;
  static constexpr double kLeastStddevRad = 1e-5, kMostStddevRad = 3.2;

  double stddev_m = 0.1;
  double stddev_rad = kRadPerDeg;
  friend constexpr bool operator==(const PosePrior&, const PosePrior&) = default;
};

struct RefineProgress {
  std::size_t turn = 0;   ///< from 1
  std::size_t scans = 0;  ///< whose poses this turn has found
};

}  // namespace fathom
