// SPDX-License-Identifier: MIT
#pragma once
// Expectation maximisation of the beam mixture. The E-step sums over fixed blocks of pairs and merges them in their
// order, so results do not depend on threads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fathom/core/compute.hpp>
#include <fathom/fit/fit.hpp>
#include <fathom/noise/beam_density.hpp>

#include "core/compute.hpp"
#include "fit/beam/em_kernels.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

/// Kolmogorov-Smirnov distance of a sample from the uniform distribution on [0, 1]. Sorts `u` in place. 0 when empty.
double ks_distance_uniform(std::span<double> u);

/// Readings in [0, Z). Arrays [readings].
struct RangeReadings {
  std::vector<float> z_m, expected_m;  ///< z* at most Z; without the offset
  std::vector<std::uint32_t> cluster;  ///< scan, counted from 0 without gaps
  [[nodiscard]] std::size_t size() const { return z_m.size(); }
  void reserve(std::size_t readings) { z_m.reserve(readings), expected_m.reserve(readings), cluster.reserve(readings); }
  void add(float z, float expected, std::uint32_t scan) {
    z_m.push_back(z), expected_m.push_back(expected), cluster.push_back(scan);
  }

  /// Reorders stretches of this many readings, so that those behind z* + offset_m come first: no short can explain
  /// them, and loops over a stretch tell the two kinds apart once.
  void put_behind_first(std::size_t stretch, double offset_m, Executor& executor);
};

/// Pairs sorted by evidence: readings with a range, and counts of readings without one.
struct Evidence {
  RangeReadings missed, seen;  ///< where the map says nothing (z* = Z), and where it expects a surface

  /// "Max" readings, per cluster: where a surface was expected, and where none was.
  std::vector<double> max_expected, max_missed;
  std::vector<float> max_expected_m;  ///< z* of each, Z where none was expected
  double max_expected_total = 0, max_missed_total = 0;

  std::array<std::size_t, 3> kinds = {};  ///< pairs by ReadingKind
  [[nodiscard]] std::size_t ranges() const { return missed.size() + seen.size(); }
  [[nodiscard]] std::size_t clusters() const { return max_expected.size(); }
  [[nodiscard]] std::size_t pairs() const { return kinds[0] + kinds[1]; }

  /// Adds pairs of further scans. Throws InputError when sizes disagree, an expected range is negative or NaN, or scans
  /// decrease.
  void add(const BeamData& data, const BeamSensor& sensor);
};

/// From this many sigmas from an end of [0, Z] on, a cut changes E[d^2] by less than 1e-10.
inline constexpr double kEdgeSigmas = 7.0;
/// From here on it takes nothing from 1 that a double shows.
inline constexpr double kFarSigmas = 8.5;

/// The sums over the data, under the old parameters, that the maximisation needs.
struct Expectation {
  /// Over range readings, under kBook also over "max" readings; its log-likelihood is that of all pairs.
  EmSums sums;
  double max_as_hit = 0;  ///< "max" readings that are hits, which the atom policy moved to Z
  double max_shared = 0;  ///< "max" readings that other components explain
  /// Hits are interior, with the second moment sigma^2, or so near an end of [0, Z] that the cut matters.
  double interior_r = 0;  ///< responsibility of the interior ones
  HitMoments edges;       ///< of the others, under the old sigma
  TailSums tail;          ///< of an extended law, where asked for
};

/// Whether an expectation finds slopes, too.
enum class Expecting : std::uint8_t { kLikelihood, kSlopes };

class Em {
 public:
  /// `evidence` must outlive it.
  Em(const Evidence& evidence, const BeamSensor& sensor, Executor& executor, Isa isa);

  [[nodiscard]] const Evidence& evidence() const { return evidence_; }

  /// `reach`: hits centred within reach * sigma of an end of [0, Z] are listed as edges.
  /// Extended laws list no edges. Their sums of slopes are filled where `what` asks for slopes.
  const Expectation& expect(const BeamParameters& parameters, FitOptions::Variant variant, double reach,
                            Expecting what = Expecting::kLikelihood);

  /// Sums over the edges of the last expect().
  [[nodiscard]] HitMoments edge_moments(double sigma_m);
  /// Sums over the shorts of the last expect(), at another lambda.
  [[nodiscard]] ShortMoments short_moments(double lambda_per_m);

 private:
  /// Hits with z* outside [low, high] are listed as edges.
  struct EdgeLimits {
    double low, high, offset;
    bool operator==(const EdgeLimits&) const = default;
  };
  struct Edges {
    std::optional<EdgeLimits> limits;  // of the list, if there is one yet
    std::vector<std::uint16_t> where;  // in the block
    std::vector<double> center, r;     // z* with the offset, and responsibility
  };
  struct Block {
    const float *z, *expected;
    float* r_short;
    std::size_t count;
    bool missed;
    float lowest = 0.0F, highest = 0.0F;  // z*
    // Of the last expectation.
    EmSums sums = {};
    ShortMoments shorts = {};
    Edges edges = {};
    HitMoments hits = {};  // of the edges
    TailSums tail = {};
    std::size_t behind = 0;  // pairs from the first on that are no shorts
  };
  void add_blocks(const RangeReadings& readings, bool missed, float* r_short);
  template <class Work>
  void for_each_block(const Work& work);
  [[nodiscard]] EdgeLimits edge_limits(double reach_m) const;
  void list_edges(const EmParameters& p, const EdgeLimits& limits, Block& block) const;
  void expect_block(const EdgeLimits& limits, Block& block) const;
  void expect_tail_block(HitLaw law, Expecting what, Block& block) const;
  void prepare_tail(const BeamParameters& parameters);
  bool fill_panels(double nu, double sigma_m);
  void fill_ends(double sigma_m);
  [[nodiscard]] EmParameters parameters_of(const Block& block) const;
  void add_max_by_the_book(const BeamParameters& parameters, Expectation& e) const;
  [[nodiscard]] double log_likelihood_of_max(const BeamParameters& p) const;

  const Evidence& evidence_;
  BeamSensor sensor_;
  Executor& executor_;
  const EmKernels& kernels_;
  const TailKernels& tail_kernels_;
  std::vector<float> r_short_;  // [ranges]
  std::vector<Block> blocks_;
  EmParameters parameters_ = {};  // of the last expect()
  EmTail tail_ = {};              // likewise, of an extended law
  std::vector<double> panels_, panel_edges_;
  std::vector<StudentEnds> ends_;
  double ends_sigma_m_ = 0.0;  // that they are of
  Expectation expectation_;
};

/// Tails of Student's t, with derivatives by differences, whose relative errors are below 1e-5 for nu up to 1000.
class StudentTails {
 public:
  explicit StudentTails(double nu);
  [[nodiscard]] StudentTail at(double x) const;

 private:
  double nu_, step_;
  std::array<double, 3> log_peak_;  // of nu - step, nu and nu + step
};

/// The number of panels, in whole octaves, of a table that reaches x.
inline std::size_t panels_up_to(double x) { return (panel_of(1.0 + x) / kPanelsPerOctave + 1) * kPanelsPerOctave; }

/// Limits of the search for sigma.
struct SigmaLimits {
  double low_m, high_m;
};

/// New parameters from an expectation.
struct MStep {
  BeamParameters parameters;
  bool out_of_reach = false;  ///< sigma exceeds the reach of the listed edges: expect again with a wider reach
  bool no_hits = false, no_shorts = false;  ///< nothing to learn sigma or lambda from: kept
  bool sigma_at_floor = false, sigma_at_top = false;
  bool lambda_at_zero = false;
  bool tail_at_low = false, tail_at_high = false;  ///< nu or sigma' of an extended law is at an end of its limits
};

/// The M-step for `old`, under which `expectation` (the last of `em`) was made with `reach`. Of an extended law it is
/// one step of Newton's. If the likelihood falls, the step was too long.
MStep m_step_of(Em& em, const Expectation& expectation, const BeamParameters& old, FitOptions::Variant variant,
                const SigmaLimits& limits, double reach);

/// add_std_errors() of a fit, with notes of nearly unidentified pairs. `limits`: [parameters]. `last`: the step that
/// led to the parameters. One pass over the data.
void add_beam_errors(const Evidence& evidence, const BeamSensor& sensor, std::span<const Interval> limits,
                     const MStep& last, const FitOptions& options, Executor& executor, BeamFit& fit);

}  // namespace fathom
