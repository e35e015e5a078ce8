// SPDX-License-Identifier: MIT
#pragma once
// Errors of the parameters that were learned of a chain.

#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/chain_likelihood.hpp"
#include "fit/uncertainty.hpp"

namespace fathom {

struct ChainErrors {
  std::vector<double> error, naive;  ///< NaN: none
  std::vector<double> correlations;  ///< [parameters, parameters]
  std::vector<bool> is_at_limit, is_unidentified;
  std::size_t clusters = 0;
  /// Of the 95 % interval of each parameter, if the likelihood is a parabola; NaN: none.
  std::vector<double> half_width;
  std::vector<double> parabola;  ///< errors that the second derivatives of the likelihood alone say; NaN: none
  bool hangs_on_floor = false;   ///< whether returns near the floor say more of them than the others: there are none
};

/// At the maximum `values`, from the observed information and the moves of clusters with their shares of it
/// (fit/covariance.hpp). `cluster`: of each return of the likelihood, ascending. `are_stretches`: clusters are
/// stretches of the way, which are correlated with their neighbours (BartlettWeights). `rim`: the returns near the
/// floor of what is possible (PossibleReturns), whose part of the information is taken out.
ChainErrors chain_errors(const ChainLikelihood& likelihood, const ChainLikelihood& rim, std::span<const double> values,
                         std::span<const std::uint32_t> cluster, bool are_stretches);

// Intervals of what was learned of a chain.

/// 95 % intervals of the parameters of a chain at their maximum `values`: all values of one parameter for which, with
/// the best of the others, the log-likelihood L is above
///
///   L(maximum) - (half width / error of independent returns)^2 / 2
///
/// with both of ChainErrors, so that what clusters say widens them. Where L is a parabola, that is value +- half width;
/// where it is skewed, as of a limit that few returns come near, the interval is, too, and it never leaves the limits
/// of the parameter. Source: Chandler and Bate, Biometrika 94 (2007), the vertical adjustment. Of single rings, whose
/// parameters are many, of parameters without standard error, and of all unless `search`: value +- half width.
std::vector<Interval> chain_intervals(const ChainLikelihood& likelihood, std::span<const double> values,
                                      const ChainErrors& errors, bool search);

}  // namespace fathom
