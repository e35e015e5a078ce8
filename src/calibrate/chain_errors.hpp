// SPDX-License-Identifier: MIT
#pragma once
// Standard errors and intervals of the parameters that were learned of a chain.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "calibrate/chain_likelihood.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

/// The returns that standard errors rest on: the learned chain holds them for possible.
///
/// A return below ChainDensity::kLeastLog counts that much whatever the parameters are near the maximum. The maximum is
/// therefore that of the other returns, and standard errors are theirs. Where one would cross the floor within a step
/// of the differences, the likelihood had a kink: so standard errors are found with the floor out of reach.
///
/// Which returns are impossible depends on the parameters, too. The sum of max(g, floor) over log densities g has the
/// second derivatives
///
///   sum over g above the floor of g''  +  sum of delta(g - floor) grad g grad g^T
///
/// and the second part, which makes errors larger, is a mean over those within kRimNats of the floor.
struct PossibleReturns {
  static constexpr double kRimNats = 15.0, kOutOfReach = 2.0 * ChainDensity::kLeastLog;

  std::vector<std::size_t> places;     ///< of these returns, ascending
  std::vector<std::size_t> rim;        ///< of those near the floor, above or below it
  std::vector<std::uint32_t> cluster;  ///< of each of `places`
  std::size_t impossible = 0;
  double least_log = 0.0;  ///< for their likelihood

  /// `cluster_of_all`: of each return of the data.
  PossibleReturns(const NoiseChain& learned, const ChainData& all, std::span<const std::uint32_t> cluster_of_all);

  /// Whether few enough are impossible. With more, the values depend on the floor.
  [[nodiscard]] bool tell_errors() const;
  /// One line on those that are impossible. `errors_told`: whether standard errors are given.
  [[nodiscard]] std::string note(bool errors_told) const;
};

/// NaN: unknown.
struct ParameterError {
  double error = kNoNumber, naive = kNoNumber;
  double half_width = kNoNumber;  ///< of the 95 % interval, if the likelihood is a parabola
  double parabola = kNoNumber;    ///< standard error by the second derivatives of the likelihood alone
  bool is_at_limit = false, is_unidentified = false;
};

struct ChainErrors {
  std::vector<ParameterError> of;    ///< [parameters]
  std::vector<double> correlations;  ///< [parameters, parameters]
  std::size_t clusters = 0;
  bool hangs_on_floor = false;  ///< returns near the floor hold most of the information: no standard error is known
};

/// Of a likelihood whose chain is at its maximum, from the observed information and the moves of clusters with their
/// shares of it (fit/covariance.hpp). `cluster`: of each return, ascending. `are_stretches`: clusters are stretches of
/// the way, which are correlated with their neighbours (BartlettWeights). `rim`: the returns near the floor
/// (PossibleReturns), whose part of the information is taken out.
ChainErrors chain_errors(const ChainLikelihood& likelihood, const ChainLikelihood& rim,
                         std::span<const std::uint32_t> cluster, bool are_stretches);

/// 95 % intervals: all values of one parameter for which, with the best of the others, the log-likelihood L is above
///
///   L(maximum) - (half width / error of independent returns)^2 / 2
///
/// with both of ChainErrors, so that clusters widen them. Where L is a parabola, that is value +- half width; where it
/// is skewed, as of a limit that few returns come near, the interval is, too, and it never leaves the limits of the
/// parameter. Source: Chandler and Bate, Biometrika 94 (2007), the vertical adjustment. Of single rings, whose
/// parameters are many, of parameters without standard error, and of all unless `search`: value +- half width.
std::vector<Interval> chain_intervals(const ChainLikelihood& likelihood, const ChainErrors& errors, bool search);

}  // namespace fathom
