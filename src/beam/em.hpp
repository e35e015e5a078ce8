// SPDX-License-Identifier: MIT
#pragma once
// One step of expectation maximisation over the pairs of a part. They are cut into fixed blocks whose sums are merged
// in the order of the blocks, so results do not depend on threads.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <fathom/base/isa.hpp>
#include <fathom/beam/fit.hpp>

#include "base/executor.hpp"
#include "beam/em_kernels.hpp"
#include "beam/evidence.hpp"

namespace fathom {

/// Sums over a part under the old parameters.
struct PartSums {
  EmSums sums;            ///< over range readings; by the book, over "max" readings too
  double ranges_hit = 0;  ///< sum of r_hit over range readings
  HitMoments edges;       ///< of hits so near an end of [0, Z] that the cut matters
  double max_shared = 0;  ///< by the book: of the "max" readings, how many are not the point mass's own
  TailSums tail;          ///< of an extended law, where asked for

  void add(const PartSums& o) {
    sums.add(o.sums);
    ranges_hit += o.ranges_hit;
    edges.add(o.edges);
    max_shared += o.max_shared;
    tail.add(o.tail);
  }
};

/// What an expectation has to find beside the likelihood and the responsibilities.
enum class Expecting : std::uint8_t { kLikelihood, kSlopes };

class EmPart {
 public:
  EmPart(const Evidence& evidence, const BeamSensor& sensor, Executor& executor, Isa isa);

  /// `reach`: hits centred within reach * sigma of an end of [0, Z] are listed as edges.
  /// Extended laws list no edges. Their sums of slopes are filled where `what` asks for slopes.
  PartSums expect(const BeamParameters& parameters, FitVariant variant, double reach, Expecting what);

  /// Sums over the edges of the last expect().
  [[nodiscard]] HitMoments edge_moments(double sigma_m);
  /// Sums over the shorts of the last expect(), at another lambda.
  [[nodiscard]] ShortMoments short_moments(double lambda_per_m);

 private:
  struct Block {
    std::size_t begin, end;
    bool missed;
    float lowest, highest;  ///< z*
  };
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
  struct BlockResult {
    EmSums sums;
    ShortMoments shorts;
    Edges edges;
    HitMoments hits;  // of the edges
    TailSums tail;
    std::size_t behind = 0;  // pairs from the first on that are no shorts
  };
  void add_blocks(std::size_t begin, std::size_t end, bool missed);
  void measure(Block& block) const;
  [[nodiscard]] EdgeLimits edge_limits(double reach_m) const;
  void list_edges(const Block& block, const EmParameters& p, const EdgeLimits& limits, Edges& edges) const;
  void expect_block(const EdgeLimits& limits, std::size_t index);
  void expect_tail_block(HitLaw law, Expecting what, std::size_t index);
  void prepare_tail(const BeamParameters& parameters);
  bool fill_panels(double nu, double sigma_m);
  void fill_ends(double sigma_m);
  [[nodiscard]] EmParameters parameters_of(const Block& block) const;
  void add_max_by_the_book(const BeamParameters& parameters, PartSums& sums) const;

  const Evidence& evidence_;
  BeamSensor sensor_;
  Executor& executor_;
  const EmKernels& kernels_;
  const TailKernels& tail_kernels_;
  std::vector<Block> blocks_;
  std::vector<BlockResult> results_;
  std::vector<float> r_short_;    // [ranges]
  EmParameters parameters_ = {};  // of the last expect()
  EmTail tail_ = {};              // likewise, of an extended law
  std::vector<double> panels_, panel_edges_;
  std::vector<StudentEnds> ends_;
  double ends_sigma_m_ = 0.0;  // that they are of
};

// One step of expectation maximisation over all parts of the data. Sums over parts are added in the order of the parts,
// so results do not depend on threads.

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
