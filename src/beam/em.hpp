// SPDX-License-Identifier: MIT
#pragma once
// One step of expectation maximisation over all parts of the data. Sums over parts are added in the order of the parts,
// so results do not depend on threads.

#include <cstdint>
#include <span>
#include <vector>

#include "beam/em_part.hpp"

namespace fathom {

/// The sums over the data, under the old parameters, that the maximisation needs.
struct Expectation {
  EmSums sums;            ///< over range readings; the log-likelihood over all pairs
  double max_as_hit = 0;  ///< of the "max" readings, how many are hits that the atom policy moved to Z
  double max_shared = 0;  ///< of the "max" readings, how many are not the point mass's own
  /// Hits are interior, with the second moment sigma^2, or so near an end of [0, Z] that the cut matters.
  double interior_r = 0;  ///< responsibility of the interior ones
  HitMoments edges;       ///< of the others, under the old sigma
  TailSums tail;          ///< of an extended law, where asked for
};

/// What the evidence of all parts counts to.
struct EvidenceTotals {
  double ranges = 0, clusters = 0;
  std::array<double, 3> kinds = {};  ///< pairs by ReadingKind
  double max_expected = 0, max_missed = 0;

  [[nodiscard]] double pairs() const { return kinds[0] + kinds[1]; }
  void add(const EvidenceTotals& o);
};

class Em {
 public:
  Em(std::span<const Evidence> parts, const BeamSensor& sensor, Executor& executor, Isa isa);

  [[nodiscard]] const EvidenceTotals& totals() const { return totals_; }
  /// `reach`: hits centred within reach * sigma of an end of [0, Z] are listed as edges.
  const Expectation& expect(const BeamParameters& parameters, FitVariant variant, double reach,
                            Expecting what = Expecting::kLikelihood);

  /// Sums over the edges of the last expect().
  [[nodiscard]] HitMoments edge_moments(double sigma_m);
  /// Sums over the shorts of the last expect(), at another lambda.
  [[nodiscard]] ShortMoments short_moments(double lambda_per_m);

 private:
  [[nodiscard]] double log_likelihood_of_max(const BeamParameters& p) const;

  BeamSensor sensor_;
  std::vector<EmPart> parts_;
  EvidenceTotals totals_;
  Expectation expectation_;
};

}  // namespace fathom
